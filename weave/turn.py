"""The reader's turn: an editor where a chapter asks for one, and what has been passed so far.

    ```turn
    2
    ```

stands for the second step of the task sheet: the function to write, and the report that goes with
it. ```lamps stands for a list of all eight. Both are readable without a script, and checked with one.
"""

from functools import cache
from html import escape
from importlib import import_module

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from tangle import scan

REPORTS = {2: "02-scale.txt", 5: "05-perm.txt", 8: "08-notes.md"}
CHAPTERS = ["01-softmax", "02-attention", "03-mask", "04-heads", "05-position", "06-layer-norm", "07-block",
            "08-notes"]
WORDS = {
    "en": {"first": "(Your {} goes here.)", "not yet": "not yet passed"},
    "zh": {"first": "（{} 写在这里。）", "not yet": "还没有通过"},
}


def expand(markdown, lang):
    """A page's Markdown with the HTML of each turn in its place."""
    lines = markdown.split("\n")
    for block in reversed(scan("the page", markdown)[0]):
        if block.lang in ("turn", "lamps"):
            html = lamps(lang) if block.lang == "lamps" else editors(int(block.code), lang)
            lines[block.line - 1:block.end] = ["", html, ""]
    return "\n".join(lines)


@cache
def sheet():
    """[(name, signature, what it is for in English, in Chinese)] of the seven functions."""
    grade = import_module("tf.grade")
    return [(call.partition("(")[0], call, *says) for call, *says in grade.SHEET]


def blank(step, lang):
    """What there is of a function before it is written."""
    _, call, *says = sheet()[step - 1]
    return f'import math\n\n\ndef {call}:\n    """{says[lang == "zh"]}"""\n    raise NotImplementedError\n'


def editors(step, lang):
    made = []
    if step <= 7:
        made += [editor(step, sheet()[step - 1][0], coloured(blank(step, lang)), "python")]
    if step in REPORTS:
        made += [editor(step, REPORTS[step], escape(WORDS[lang]["first"].format(REPORTS[step])), "text")]
    return "".join(made)


def editor(step, name, code, kind):
    return (f'<div data-turn="{name}" data-step="{step}" class="language-{kind} highlight">'
            f'<span class="filename">{name}</span><pre><code>{code}</code></pre></div>')


def coloured(code):
    return highlight(code, PythonLexer(), HtmlFormatter(nowrap=True)).replace("\n", "&#10;")


def lamps(lang):
    """A list of the eight steps; the script of the page says which are passed."""
    steps = import_module("tf.grade").STEPS
    rows = [f'<li data-step="{n}"><a href="../{chapter}/#your-turn"><code>{name}</code></a> '
            f'<span>{WORDS[lang]["not yet"]}</span></li>'
            for n, (name, chapter) in enumerate(zip(steps, CHAPTERS), 1)]
    return f'<ol class="lamps">{"".join(rows)}</ol>'
