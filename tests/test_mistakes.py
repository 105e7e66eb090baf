"""Every mistake of mistakes.py is caught by a session of the book. `pytest -rP` shows by which,
and by which of PyTorch's numbers where one tells.
"""

import re
from types import ModuleType

import pytest
from mistakes import MISTAKES, make
from notice import CHAPTERS, MODEL, noticed, vain
from test_model import CHECKS, GOLDEN

pytestmark = pytest.mark.long


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.what)
def test_a_session_catches(mistake):
    source = make(mistake, MODEL.text)
    failure = noticed(source, line_of(mistake))
    case = next(cases_that_tell(source), "none tells")
    print(f"{mistake.what}\n    the book: {failure}\n    PyTorch's numbers: {case}")
    assert failure, f"no session of the book catches it (PyTorch's numbers: {case})"


def test_without_a_mistake_nothing_is_caught():
    """Nor where nothing is deleted. That the whole book holds, the chapters themselves prove."""
    assert list(cases_that_tell(MODEL.text)) == []
    for path in CHAPTERS:
        for failure in vain(path).values():
            assert re.search("raises (Name|Type)Error", failure.message)


def test_an_edit_has_to_find_its_text_once():
    for text in "", MODEL.text * 2:
        with pytest.raises(AssertionError):
            make(MISTAKES[0], text)


def line_of(mistake):
    """The line of tf/model.py that is edited first."""
    return MODEL.text.partition(mistake.edits[0][0])[0].count("\n") + 1


def cases_that_tell(source):
    """Names of the golden cases that come out wrong."""
    model = ModuleType("model")
    exec(compile(source, MODEL.path, "exec"), vars(model))
    for part, wrong in CHECKS.items():
        kinds = [int, tuple] if part == "attention" else []
        for case in GOLDEN[part]:
            try:
                told = wrong(getattr(model, part), case, *kinds)
            except Exception as error:
                told = repr(error)
            if told:
                yield f"{part}, {case['name']}"
