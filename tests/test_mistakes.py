"""Every mistake of mistakes.py is caught by a session of the book. `pytest -rP` shows by which,
and by which of PyTorch's numbers where one tells.
"""

from pathlib import Path
from types import ModuleType

import pytest
from examine import Book, Chapter
from mistakes import MISTAKES, make
from tangle import read
from test_model import GOLDEN, wrong_attention, wrong_softmax

MODULE = "tf/model.py"
BOOK = Book(read(Path(__file__).parent.parent)[0])
OUTPUT = BOOK.outputs[MODULE]
STEPS = [path for path in BOOK.chapters if path.startswith("docs/0")]


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.what)
def test_a_session_catches(mistake):
    source = make(mistake, OUTPUT.text)
    failure = next(failures(source, chapter_of(mistake)), None)
    case = next(cases_that_tell(source), "none tells")
    print(f"{mistake.what}\n    the book: {failure}\n    PyTorch's numbers: {case}")
    assert failure, f"no session of the book catches it (PyTorch's numbers: {case})"


def test_without_a_mistake_all_is_well():
    assert [str(failure) for failure in failures(OUTPUT.text, STEPS[0])] == []
    assert list(cases_that_tell(OUTPUT.text)) == []


def test_an_edit_has_to_find_its_text_once():
    for text in "", OUTPUT.text * 2:
        with pytest.raises(AssertionError):
            make(MISTAKES[0], text)


def chapter_of(mistake):
    """The chapter that holds the line to be edited first."""
    before = OUTPUT.text.partition(mistake.edits[0][0])[0]
    return OUTPUT.origins[before.count("\n")][0]


def failures(source, first):
    """What the book says of this model, from the chapter called first on."""
    for path in STEPS[STEPS.index(first):]:
        yield from Chapter(BOOK, path, {MODULE: source}).failures()


def cases_that_tell(source):
    """Names of the golden cases that come out wrong."""
    model = ModuleType("model")
    exec(compile(source, MODULE, "exec"), vars(model))
    asks = {"softmax": lambda case: wrong_softmax(model.softmax, case),
            "attention": lambda case: (wrong_attention(model.attention, case)
                                       or wrong_attention(model.attention, case, int, tuple))}
    for part, ask in asks.items():
        for case in GOLDEN[part]:
            try:
                wrong = ask(case)
            except Exception as error:
                wrong = repr(error)
            if wrong:
                yield f"{part}, {case['name']}"
