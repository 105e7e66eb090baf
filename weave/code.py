"""The code as the site shows it: a page for each generated file, and "the file so far"."""

import ast
import re

from tangle import scan, tangle

PLACE = re.compile(r"\s*# docs/\S+\.md#\S+")


def page_of(path):
    """Where the site shows the file tf/model.py: source/model.md."""
    return "source/" + path.removeprefix("tf/").replace("/", "-").removesuffix(".py") + ".md"


def pages(texts):
    """{"source/model.md": Markdown} for every generated Python file."""
    outputs, _ = tangle(texts)
    return {page_of(path): source_page(output, texts)
            for path, output in outputs.items() if path.endswith(".py")}


def source_page(output, texts):
    """The whole file, piece by piece, each below a link to the place it comes from."""
    head = (f"---\ntitle: {output.path}\nsearch:\n  exclude: true\n---\n\n# {output.path}\n\n"
            "The file as the chapters make it. Each piece leads back to its place in the text.\n")
    return head + "".join(piece(*each) for each in pieces(output, texts))


def piece(block, first, lines):
    chapter = block.path.removeprefix("docs/")
    return (f"\n[{chapter}#{block.attrs['id']}](../{chapter}#{block.attrs['id']})"
            f"{{ .piece #line-{first} }}\n\n"
            f"````python linenums=\"{first}\"\n" + "\n".join(lines) + "\n````\n")


def pieces(output, texts):
    """(block, number of its first line in the file, lines) for each run of lines of one block."""
    homes = {(block.path, line): block
             for path in {block.path for block in output.blocks} | {place[0] for place in output.origins if place}
             for block in scan(path, texts[path])[0] for line in range(block.line, block.end)}
    runs = []
    for n, (line, place) in enumerate(zip(output.lines, output.origins), 1):
        if place is None:
            continue
        block = homes[place]
        if not runs or runs[-1][0] is not block:
            runs.append((block, n, []))
        runs[-1][2].append(line)
    return runs


def so_far(texts, chapter, path):
    """Markdown: what the file at path holds at the end of a chapter, and which chapter wrote it."""
    read = {each: text for each, text in texts.items() if each in list(texts)[:list(texts).index(chapter) + 1]}
    outputs, errors = tangle(read, draft=True)
    if errors:
        raise ValueError(str(errors[0]))
    output = outputs[path]
    rows = [row(name, places, chapter) for name, places in names(output)]
    new = sum(place is not None and place[0] == chapter for place in output.origins)
    return "\n".join([
        f"| in `{path}` | written in |", "|---|---|", *rows, "",
        f"So far it has {len(output.lines)} lines, and {new} of them are from this chapter. "
        f"[The whole file]({page_of(path)}) shows how it ends."])


def names(output):
    """(signature, {chapter: line}) of everything that the file defines, in order."""
    for node in ast.parse(output.text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            sign = f"{node.name}({ast.unparse(node.args)})" if isinstance(node, ast.FunctionDef) else node.name
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            sign = node.targets[0].id
        else:
            continue
        places = {}
        for place in output.origins[node.lineno - 1:node.end_lineno]:
            if place:
                places.setdefault(*place)
        yield sign, places


def row(sign, places, chapter):
    here = chapter in places
    links = ["this chapter" if each == chapter else
             f"[chapter {int(re.search('[0-9]+', each)[0])}]({each.removeprefix('docs/')})" for each in places]
    mark = "**" if here else ""
    return f"| {mark}`{sign}`{mark} | {mark}{', '.join(links)}{mark} |"


def expand(path, markdown, texts):
    """A page's Markdown with each ```outline block replaced by the table it asks for."""
    lines = markdown.split("\n")
    for block in reversed(scan(path, markdown)[0]):
        if block.lang == "outline":
            lines[block.line - 1:block.end] = so_far(texts, path, block.code.strip()).split("\n")
    return "\n".join(lines)
