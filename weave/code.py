"""The code as the site shows it: a page for each file, an index, "the file so far"."""

import ast
from functools import cache, lru_cache

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from tangle import natural, original, scan, tangle
from weave.pieces import WORDS as COMMON
from weave.pieces import chapter_link, links, page_of, plain

UP = "../"          # from source/ to the chapters
WORDS = {
    "en": {
        "source": "The file as the chapters make it. "
                  "Each piece leads back to its place in the text.",
        "code": "The code", "files": "Files", "chunks": "Chunks",
        "about": "All that the chapters make, by file and by name. Each line number leads to the "
                 "whole file, each name to the place in the text where it is written.",
        "about chunks": "A chunk is a piece of code with a name in place of a file; it goes where "
                        "a comment with that name stands.",
        "file": "file", "lines": "lines", "written": "written in", "name": "name", "line": "line",
        "chunk": "chunk", "defined": "defined", "used": "used", "this": "this chapter",
        "outline": "in {}",
        "so far": "So far it has {} lines, and {} of them are from this chapter. "
                  "[The whole file]({}) shows how it ends.",
    },
    "zh": {
        "source": "各章拼成的文件。每一块都可以回到正文中的位置。",
        "code": "代码", "files": "文件", "chunks": "代码块",
        "about": "各章写出的全部代码，按文件和名字排列。行号通往完整的文件，名字通往正文中写下它的地方。",
        "about chunks": "有的代码块不属于某个文件，而是有一个名字；"
                        "正文里哪一行注释写着这个名字，它就放到哪里。",
        "file": "文件", "lines": "行数", "written": "写于", "name": "名字", "line": "行",
        "chunk": "代码块", "defined": "定义", "used": "使用", "this": "本章",
        "outline": "{} 中",
        "so far": "到此为止共 {} 行，其中 {} 行写于本章。[完整的文件]({})可以看到它最后的样子。",
    },
}


# ---- a page for each file

def pages(book, lang="en"):
    """{"source/model.md": Markdown} for every generated Python file, and for the index."""
    made = {page_of(path): source_page(output, book, lang)
            for path, output in book.outputs.items() if page_of(path)}
    return {"source/index.md": index(book, lang)} | made


def source_page(output, book, lang):
    """The whole file, piece by piece, each below a link to the place it comes from."""
    parts = [f"---\ntitle: {output.path}\nsearch:\n  exclude: true\n---\n",
             f"# {output.path}\n", WORDS[lang]["source"]]
    for block, first, lines in runs(output, book):
        parts += [f"\n{links([block], None, lang, UP)}\n{{ .piece }}\n",
                  numbered(first, "\n".join(lines))]
    return "\n".join(parts)


def runs(output, book):
    """[(block, number of its first line in the file, lines)], each without break."""
    found = []
    for n, (line, place) in enumerate(zip(output.lines, output.origins), 1):
        if place is None:
            continue
        block = book.home[place]
        if not found or found[-1][0] is not block:
            found.append((block, n, []))
        found[-1][2].append(line)
    return found


@cache
def numbered(first, code):
    """HTML of code whose lines have the ids line-45, line-46, ..."""
    look = HtmlFormatter(cssclass="highlight numbered", wrapcode=True, linespans="line",
                         linenostart=first, cssstyles=f"counter-reset: line {first - 1}")
    return highlight(code, PythonLexer(stripnl=False), look)


# ---- the index

def index(book, lang):
    """Markdown: all files, all that they define, all chunks."""
    say = WORDS[lang]
    shown = [output for path, output in book.outputs.items() if page_of(path)]
    parts = [f"# {say['code']} {{ #the-code }}\n", say["about"], f"\n## {say['files']} {{ #files }}\n",
             *table(say["file"], say["lines"], say["written"])]
    for output in shown:
        chapters = sorted({place[0] for place in output.origins if place}, key=natural)
        by = COMMON[lang]["and"].join(chapter_link(each, lang, UP) for each in chapters)
        file = f"[`{output.path}`]({UP}{page_of(output.path)})"
        parts.append(row(file, len(output.lines), by))
    for output in shown:
        parts += [f"\n## {output.path}\n", *table(say["name"], say["line"], say["written"])]
        for sign, node in names(output):
            block = book.home[output.origins[node.lineno - 1]]
            line = f"[{node.lineno}]({UP}{page_of(output.path)}#line-{node.lineno})"
            parts.append(row(f"`{sign}`", line, links([block], None, lang, UP)))
    parts += [f"\n## {say['chunks']} {{ #chunks }}\n", say["about chunks"], "",
              *table(say["chunk"], say["defined"], say["used"], middle="---")]
    for name, blocks in book.chunks.items():
        parts.append(row(f"*{plain(name)}*", links(blocks, None, lang, UP),
                         links(book.users[name], None, lang, UP)))
    return "\n".join(parts) + "\n"


def table(*heads, middle="--:"):
    return row(*heads), row("---", middle, "---")


def row(*cells):
    return f"| {' | '.join(map(str, cells))} |"


def names(output):
    """(signature, node) of everything that the file defines, in order."""
    for node in ast.parse(output.text).body:
        if isinstance(node, ast.FunctionDef):
            yield f"{node.name}({ast.unparse(node.args)})", node
        elif isinstance(node, ast.ClassDef):
            yield node.name, node
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, node


# ---- the file so far

def expand(path, markdown, texts, lang="en"):
    """A page's Markdown with each ```outline block replaced by the table it asks for."""
    lines = markdown.split("\n")
    for block in reversed(scan(path, markdown)[0]):
        if block.lang == "outline":
            made = so_far(texts, original(path) or path, block.code.strip(), lang)
            lines[block.line - 1:block.end] = made.split("\n")
    return "\n".join(lines)


def so_far(texts, chapter, path, lang="en"):
    """Markdown: what the file holds at the end of a chapter, and which chapter wrote it."""
    say, read = WORDS[lang], list(texts)[:list(texts).index(chapter) + 1]
    outputs, errors = tangled(tuple((each, texts[each]) for each in read))
    if errors:
        raise ValueError(str(errors[0]))
    output = outputs[path]
    rows = [defined(sign, writers(output, node), chapter, lang) for sign, node in names(output)]
    new = sum(place is not None and place[0] == chapter for place in output.origins)
    return "\n".join([row(say["outline"].format(f"`{path}`"), say["written"]), row("---", "---"),
                      *rows, "", say["so far"].format(len(output.lines), new, page_of(path))])


@lru_cache(64)
def tangled(chapters):
    """({path: Output}, [Error]) of a book that ends here, once for all its languages."""
    return tangle(dict(chapters), draft=True)


def writers(output, node):
    """The chapters that wrote the lines of a definition."""
    places = output.origins[node.lineno - 1:node.end_lineno]
    return list(dict.fromkeys(place[0] for place in places if place))


def defined(sign, chapters, chapter, lang):
    by = COMMON[lang]["and"].join(WORDS[lang]["this"] if each == chapter else
                                  chapter_link(each, lang) for each in chapters)
    mark = "**" if chapter in chapters else ""
    return row(f"{mark}`{sign}`{mark}", f"{mark}{by}{mark}")
