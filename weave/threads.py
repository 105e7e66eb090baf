"""The threads between pieces of code: under each, where it goes and what is beside it."""

from tangle import chunk_of, original, references, scan
from weave.pieces import links, page_of, plain

WORDS = {
    "en": {
        "line": "Line {0} of {2}.", "lines": "Lines {0} to {1} of {2}.", "stop": " ",
        "before": "Previous piece: {}.", "after": "Next piece: {}.",
        "goes": "Goes into {}.", "continues": "Continues {}.", "continued": "Continued by {}.",
        "defined": "*{}* is defined in {}.",
    },
    "zh": {
        "line": "{2} 第 {0} 行。", "lines": "{2} 第 {0}–{1} 行。", "stop": "",
        "before": "上一块：{}。", "after": "下一块：{}。",
        "goes": "放进：{}。", "continues": "接着：{}。", "continued": "续：{}。",
        "defined": "“*{}*”的定义：{}。",
    },
}


def tie(path, markdown, book, lang="en"):
    """A page's Markdown with a line of small print below each block that goes somewhere."""
    lines = markdown.split("\n")
    for block in reversed(scan(path, markdown)[0]):
        if "title" in block.attrs and block.attrs.get("id") in book.lands:
            small = "", under(block, original(path) or path, book, lang), "{ .threads }", ""
            lines[block.end:block.end] = [(block.prefix + line).rstrip() for line in small]
    return "\n".join(lines)


def under(block, chapter, book, lang="en"):
    """Markdown: where a block goes, its neighbours, where the chunks are that it asks for."""
    say, id, chunk = WORDS[lang], block.attrs["id"], chunk_of(block.attrs["title"])
    path, first, last = book.lands[id]
    file = f"[`{path}`]({page_of(path)}#line-{first})" if page_of(path) else f"`{path}`"
    parts = [say["line" if first == last else "lines"].format(first, last, file)]
    if chunk is None:
        siblings, names = book.files[path], ("before", "after")
    else:
        siblings, names = book.chunks[chunk], ("continues", "continued")
        parts.insert(0, say["goes"].format(links(book.users[chunk], chapter, lang)))
    n = [each.attrs["id"] for each in siblings].index(id)
    for name, beside in zip(names, (siblings[max(0, n - 1):n], siblings[n + 1:n + 2])):
        if beside:
            parts.append(say[name].format(links(beside, chapter, lang)))
    for name in dict.fromkeys(name for _, name in references(block).values()):
        parts.append(say["defined"].format(plain(name), links(book.chunks[name], chapter, lang)))
    return say["stop"].join(parts)
