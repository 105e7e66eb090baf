"""Blocks that can be run in the page: which is which in its HTML, and the words of their buttons."""

import builtins
import json
import keyword
import re

from mkdocs.utils import get_relative_url

from examine import runnable
from tangle import original, scan

WORDS = {
    "en": {
        "block": "Block {}", "run": "Run", "stop": "Stop", "edit": "Edit", "close": "Close the editor",
        "reset": "Reset", "copy": "Copy", "copied": "copied", "link": "Link", "linked": "the link is copied",
        "changed": "changed", "check": "Check this page", "forget": "Forget my changes",
        "loading": "Python is loading: {} of {} MB", "starting": "Python is starting", "running": "running",
        "stopped": "stopped", "busy": "{} is still running: stop it first",
        "waits": "Python is still at work: this comes next",
        "editor": "Code of block {}. Escape leaves the editor.", "output": "Output of block {}",
        "foreign": "This code came with the link. Read it before you run it.",
        "unread": "The code of block {} came with the link: read it, and run it there or reset it first",
        "ended": "Python has ended: {}. What the blocks had made is gone; Run begins anew.",
        "memory": "its memory is used up", "closed": "the code closed it", "absent": "one of its files did not come",
        "holds": "as in the book", "differs": "not as in the book",
        "grade": "Check", "passed": "passed",
        "predict": "What will it print?", "compare": "Compare", "show": "Show", "unfold": "Unfold",
        "page": "This page is a program. Your browser can run it and compare every answer.",
    },
    "zh": {
        "block": "代码块 {}", "run": "运行", "stop": "停止", "edit": "编辑", "close": "离开编辑",
        "reset": "还原", "copy": "复制", "copied": "已复制", "link": "链接", "linked": "链接已复制",
        "changed": "有改动", "check": "检查本页", "forget": "放弃我的改动",
        "loading": "正在下载 Python：{} / {} MB", "starting": "Python 正在启动", "running": "正在运行",
        "stopped": "已停止", "busy": "{}还在运行：请先停止它",
        "waits": "Python 还在忙，忙完就轮到这里",
        "editor": "代码块 {} 的代码。按 Esc 离开编辑。", "output": "代码块 {} 的输出",
        "foreign": "这段代码来自链接。先读一遍，再运行。",
        "unread": "代码块 {} 的代码来自链接：请先读一遍，再在那里运行或还原",
        "ended": "Python 已经结束：{}。各块的结果没有了；再按“运行”会重新开始。",
        "memory": "内存用尽", "closed": "代码把它关掉了", "absent": "有文件没有取到",
        "holds": "与书上相符", "differs": "与书上不符",
        "grade": "检查", "passed": "已通过",
        "predict": "它会输出什么？", "compare": "对照", "show": "看答案", "unfold": "展开",
        "page": "本页就是一个程序。你的浏览器可以运行它，并核对每一个答案。",
    },
}

NAMED = {"keywords": "|".join(keyword.kwlist),      # to colour what is typed
         "builtins": "|".join(name for name in dir(builtins) if name.islower() and name[0] != "_")}

PYTHON = re.compile(r'<div (?:id="[^"]*" )?class="language-(?:python|pycon) highlight"')


def numbered(html, path, text):
    """The page with `data-block="3"` on each block that can be run in it, and `data-predict` where a
    session asks for a guess."""
    blocks = scan(path, text)[0]
    numbers = {block.line: n for n, block in enumerate(runnable(blocks))}
    python = iter([block for block in blocks if block.lang in ("python", "pycon")])

    def marked(match):
        block = next(python)
        if block.line not in numbers:
            return match[0]
        predict = ' data-predict=""' if "predict" in block.attrs else ""
        return f'{match[0]} data-block="{numbers[block.line]}"{predict}'
    return PYTHON.sub(marked, html)


def said(words):
    """The words, and the HTML of the tools with those of them in it; {} is the number of a block."""
    def buttons(*names):
        return "".join(f'<button type="button" class="{name}">{words[name]}</button>' for name in names)
    note = '<span class="note" role="status"></span>'
    group = '<div class="tools%s" role="group" aria-label="%s">'
    return words | {
        "tools": group % ("", words["block"]) + '<span class="number" aria-hidden="true">{}</span>'
        + buttons("run", "edit", "copy", "unfold") + f'<span class="mark">{words["changed"]}</span>'
        + buttons("reset", "link") + note + '</div><div class="out" role="region" aria-live="polite" '
        f'tabindex="0" aria-label="{words["output"]}"></div>',
        "page": group % (" page", words["check"]) + f'<span>{words["page"]}</span>'
        + buttons("check", "forget") + note + "</div>",
        "predict": f'<form class="guess"><label>{words["predict"]} <input required pattern=".*\\S.*" autocomplete="off" '
        f'spellcheck="false"></label><button>{words["compare"]}</button>{buttons("show")}'
        '<span role="status"></span></form>',
        "editor": '<span aria-hidden="true"></span><textarea spellcheck="false" autocapitalize="off" '
        f'autocomplete="off" wrap="off" aria-label="{words["editor"]}"></textarea>',
    }


def settings(path, lang, url, python):
    """JSON of what the scripts of a page have to know: the files of Python, the chapter, the words."""
    files = {name: address if name == "size" else get_relative_url(address, url)
             for name, address in python.items()}
    given = files | {"path": original(path) or path, "lang": lang, "say": said(WORDS[lang])} | NAMED
    return json.dumps(given, ensure_ascii=False, separators=(",", ":"))
