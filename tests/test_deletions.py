"""Nothing in tf/model.py is there for nothing: delete any piece, and a session fails.

`pytest tests/test_deletions.py -rP` tells which one.
"""

import ast
from collections import namedtuple
from pathlib import Path

import pytest
from examine import Chapter, open_book

ROOT = Path(__file__).parent.parent
BOOK = open_book(ROOT)
MODEL = BOOK.outputs["tf/model.py"]
CHAPTERS = [path for path in BOOK.chapters if "tf.model" in BOOK.texts[path]
            or any(place and place[0] == path for place in MODEL.origins)]


# ---- What can be deleted

Piece = namedtuple("Piece", "start end rest name")     # start and end are (line, column)


def pieces(source):
    """Each Piece that can be deleted, and what has to stand there instead.

    These are the statements, whole and one by one, `else` with all that is in it, and the
    conditions of comprehensions; not the docstrings.
    """
    for node in ast.walk(ast.parse(source)):
        for part in "body", "orelse", "finalbody":
            block = getattr(node, part, None) or []
            if isinstance(block, list):                # that of a lambda is none
                block = [each for each in block if not is_docstring(each)]
                rest = "pass" if len(block) == 1 and node.__class__ != ast.Module else ""
                for each in block:
                    yield Piece(start(each), end(each), rest, head(each))
            if part == "orelse" and block and isinstance(node, ast.stmt):
                yield Piece(end(node.body[-1]), end(block[-1]), "", f"else: {head(block[0])}")
        if isinstance(node, ast.comprehension):
            for before, condition in zip([node.iter, *node.ifs], node.ifs):
                yield Piece(end(before), end(condition), "", f"if {head(condition)}")


def is_docstring(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def start(node):
    lines = [node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))]
    return min(lines), node.col_offset


def end(node):
    return node.end_lineno, node.end_col_offset


def head(node):
    return ast.unparse(node).partition("\n")[0]


def without(piece, source):
    """The source less a piece, in as many lines. Columns are those of bytes."""
    lines = source.encode().split(b"\n")
    (first, left), (last, right) = piece.start, piece.end
    joined = lines[first - 1][:left] + piece.rest.encode(), lines[last - 1][right:]
    lines[first - 1:last] = [(b"\n" * (last - first)).join(joined)]
    return b"\n".join(lines).decode()


# ---- Who notices?

def place(line):
    return MODEL.origins[line - 1]


def caught(sources, first):
    """What the first session or example says that does not hold with these sources."""
    for path in sorted(CHAPTERS, key=lambda path: path != first):
        chapter = Chapter(BOOK, path, sources)
        for n, block in enumerate(chapter.blocks):
            failures = chapter.run(n)
            if failures and "title" not in block.attrs:
                return str(failures[0])


def test_all_holds_when_nothing_is_deleted():
    assert not caught({}, CHAPTERS[0])


@pytest.mark.parametrize("piece", [
    pytest.param(piece, id=f"{piece.start[0]}: {piece.name}") for piece in pieces(MODEL.text)])
def test_a_deletion_is_noticed(piece):
    source = without(piece, MODEL.text)
    compile(source, "tf/model.py", "exec")
    path, line = place(piece.start[0])
    where = f"`{piece.name}`, tf/model.py:{piece.start[0]}, from {path}:{line},"
    failure = caught({"tf/model.py": source}, path)
    assert failure, f"{where} can be deleted, and every session holds: show what it is for"
    print(where, "is held by", failure)
