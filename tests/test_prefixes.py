"""Whoever stops reading after a chapter has a program that works."""

import re
from importlib import import_module
from pathlib import Path

import pytest
from examine import Book, Chapter
from tangle import original, read, write

ROOT = Path(__file__).parent.parent
TEXTS, _ = read(ROOT)
STEPS = [path for path in TEXTS if re.match(r"docs/[0-8]\d-", path) and not original(path)]

pytestmark = pytest.mark.long


@pytest.mark.parametrize("path", STEPS)
def test_the_chapters_up_to_here_are_a_book(path, tmp_path):
    so_far = {step: TEXTS[step] for step in STEPS[:STEPS.index(path) + 1]}
    book = Book(so_far, tmp_path, draft=True)
    assert book.errors == []
    write(tmp_path, {output.path: (None, output.text.encode()) for output in book.outputs.values()})
    for report in ROOT.glob("tf/0*[!y]"):                # which the experiments have written
        (tmp_path / "tf").mkdir(exist_ok=True)
        (tmp_path / "tf" / report.name).write_bytes(report.read_bytes())
    chapter = Chapter(book, path)
    assert [str(failure) for failure in chapter.failures()] == []
    with chapter.stage():
        for name in chapter.importer.modules:
            import_module(name)


def test_a_chapter_that_needs_what_is_not_there_is_found():
    texts = {path: TEXTS[path] for path in STEPS if path != "docs/02-attention.md"}
    failures = [*Chapter(Book(texts, ROOT, draft=True), "docs/03-mask.md").failures()]
    assert "cannot import name 'attention' from 'tf.model'" in failures[0].message
