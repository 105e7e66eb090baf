"""Which piece of code stands where: in the chapters, in the files, in each other."""

import re
from collections import namedtuple

from tangle import original, references, scan, sort_blocks, tangle

Book = namedtuple("Book", "outputs files chunks users home lands")
Book.__doc__ = """The pieces of a book. outputs: {path: Output}; files: {path: [Block]};
chunks: {name: [Block]}; users: {name: [Block that refers to the chunk]};
home: {(chapter, line): Block}; lands: {id: (path, its first line there, its last)}."""

WORDS = {
    "en": {"chapter": "chapter {}", "colophon": "the colophon", "in": "{} in {}", "and": ", "},
    "zh": {"chapter": "第 {} 章", "colophon": "附录", "in": "{1} {0}", "and": "、"},
}


def book_of(texts):
    """The Book of these chapters. ValueError if they do not tangle."""
    texts = {path: text for path, text in texts.items() if not original(path)}
    outputs, errors = tangle(texts)
    if errors:
        raise ValueError("\n".join(map(str, errors)))
    blocks = [block for path, text in texts.items() for block in scan(path, text)[0]]
    files, chunks, _ = sort_blocks(blocks)
    titled = [block for block in blocks if "title" in block.attrs]
    users = {name: [] for name in chunks}
    for block in titled:
        for name in dict.fromkeys(name for _, name in references(block).values()):
            users[name].append(block)
    home = {(block.path, line): block
            for block in titled for line in range(block.line, block.end)}
    return Book(outputs, files, chunks, users, home, lands(outputs, home))


def lands(outputs, home):
    found = {}
    for path, output in outputs.items():
        for n, (line, place) in enumerate(zip(output.lines, output.origins), 1):
            if line and place:
                id = home[place].attrs["id"]
                file, first, _ = found.get(id, (path, n, n))
                if file == path:
                    found[id] = path, first, n
    return found


# As Markdown

def page_of(path):
    """Where the site shows the file tf/model.py: source/model.md. None if it is not Python."""
    if path.endswith(".py"):
        name = path.removeprefix("tf/").removesuffix(".py").replace("/", "-")
        return f"source/{name}.md"


def chapter_name(path, lang):
    number = int(re.search("[0-9]+", path)[0])
    words = WORDS[lang]
    return words["colophon"] if number >= 90 else words["chapter"].format(number)


def chapter_link(path, lang, up=""):
    return f"[{chapter_name(path, lang)}]({up}{path.removeprefix('docs/')})"


def links(blocks, here, lang, up=""):
    """[`softmax`](01-softmax.md#softmax) in chapter 1, [`b`](#b): as seen from a chapter."""
    def link(block):
        name, file = block.attrs["id"], block.path.removeprefix("docs/")
        if block.path == here:
            return f"[`{name}`](#{name})"
        to = f"[`{name}`]({up}{file}#{name})"
        return WORDS[lang]["in"].format(to, chapter_name(block.path, lang))
    return WORDS[lang]["and"].join(map(link, blocks))


def plain(name):
    """The name of a chunk, such that Markdown takes no letter of it for a mark."""
    return re.sub(r"([\\`*_{}\[\]()<>#+.!|$~^=-])", r"\\\1", name)
