"""Nothing in tf/ is there for nothing: delete any piece, and a session fails.

`pytest tests/test_deletions.py -rP` tells which one. The grader's sessions start processes, so its
pieces take minutes: they are deleted where GRADER=1 is set. tests/test_grade.py holds it otherwise.
"""

import ast
import os
from collections import namedtuple

import pytest
from notice import CODE, noticed

pytestmark = pytest.mark.long


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

# The grader waits for another process: without the one it would wait for ever, without the other
# it would not rest between two looks. What it reports meanwhile, tests/test_grade.py holds.
WAITING = "status = child.poll()", "sleep(0.01)"


def needed(file):
    """Its pieces, but for what only a run as a program reaches: sessions run that from the disk."""
    program = file.text.find("\nif __name__ ==")
    last = file.text.count("\n", 0, program) + 1 if program > 0 else len(file.lines)
    return [piece for piece in pieces(file.text)
            if piece.start[0] <= last and piece.name not in ("import sys", *WAITING)]


@pytest.mark.parametrize("file, piece", [
    pytest.param(file, piece, id=f"{file.path}:{piece.start[0]}: {piece.name}")
    for file in CODE.values() if file.path != "tf/grade.py" or "GRADER" in os.environ
    for piece in needed(file)])
def test_a_deletion_is_noticed(file, piece):
    source = without(piece, file.text)
    compile(source, file.path, "exec")
    path, line = file.origins[piece.start[0] - 1]
    where = f"`{piece.name}`, {file.path}:{piece.start[0]}, from {path}:{line},"
    failure = noticed(source, piece.start[0], file)
    assert failure, f"{where} can be deleted, and every session holds: show what it is for"
    print(where, "is held by", failure)
