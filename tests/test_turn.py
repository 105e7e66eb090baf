"""The reader's turn: its editors in the chapters, and its verdicts in the page."""

import inspect
import json
import re
from pathlib import Path

import pytest

from tangle import read, scan
from tf import grade, model
from weave import page, runtime, turn

DOCS = Path(__file__).parent.parent / "docs"
NAMES = [name for name, *_ in turn.sheet()]
NOTES = (DOCS.parent / "tf/08-notes.md").read_text(encoding="utf-8")


@pytest.fixture
def judged(tmp_path, nothing_left):
    """judged(step, written, lang): what the page is told."""
    book = tmp_path / "book.zip"
    book.write_bytes(runtime.packed(runtime.book(DOCS.parent, read(DOCS.parent)[0])))

    def judged(step, written, lang="en"):
        told = []
        page.start(str(book), "docs/01-softmax.md", lang)
        page.tell, before = lambda words: told.append(json.loads(words)), page.tell
        try:
            page.ask(json.dumps({"do": "turn", "step": step, "written": written}))
        finally:
            page.tell = before
        assert told[-1] == {"done": True}
        return told[0]
    return judged


@pytest.mark.parametrize("lang", [".md", ".zh.md"])
def test_each_of_the_eight_chapters_ends_in_its_turn(lang):
    for step, chapter in enumerate(turn.CHAPTERS, 1):
        text = (DOCS / (chapter + lang)).read_text(encoding="utf-8")
        turns = [block.code for block in scan(chapter, text)[0] if block.lang == "turn"]
        assert turns == [f"{step}\n"]
        last = re.findall("(?m)^## .*", text)[-1]
        assert last.endswith("{#your-turn}")


@pytest.mark.parametrize("step", range(1, 8))
def test_an_editor_shows_the_signature_and_what_it_is_for(step):
    name, call, english, chinese = turn.sheet()[step - 1]
    assert call == name + str(inspect.signature(getattr(model, name))).replace("e-05", "e-5")
    for lang, says in ("en", english), ("zh", chinese):
        html = turn.editors(step, lang)
        assert f'data-turn="{name}" data-step="{step}"' in html and says in html
        compile(turn.blank(step, lang), name, "exec")


def test_steps_with_a_report_have_an_editor_for_it():
    reports = {step: re.findall(r'data-turn="(\d\d-[^"]+)"', turn.editors(step, "en")) for step in range(1, 9)}
    assert {step: names for step, names in reports.items() if names} == {
        2: ["02-scale.txt"], 5: ["05-perm.txt"], 8: ["08-notes.md"]}


@pytest.mark.parametrize("step", range(1, 8))
def test_what_is_not_written_is_not_passed(judged, step):
    told = judged(step, {NAMES[step - 1]: turn.blank(step, "en")})
    assert told["passed"] == -step and "not yet written" in told["html"]


SIMPLE = {
    "softmax": "from math import exp\ndef softmax(xs):\n    powers = [exp(x - max(xs)) for x in xs]\n"
               "    return [power / sum(powers) for power in powers]",
    "attention": "def attention(Q, K, V, mask=None):\n    out, weights = [], []\n    for i, q in enumerate(Q):\n"
                 "        row = [sum(a * b for a, b in zip(q, k)) / len(k) ** .5 for k in K]\n"
                 "        if mask: row = [s if sees else -float('inf') for s, sees in zip(row, mask[i])]\n"
                 "        weights.append(softmax(row))\n"
                 "        out.append([sum(w * v for w, v in zip(weights[-1], column)) for column in zip(*V)])\n"
                 "    return out, weights",
    "causal_mask": "def causal_mask(n):\n    return [[i >= j for j in range(n)] for i in range(n)]",
}


@pytest.mark.parametrize("step", [1, 2, 3])
def test_a_step_passes_with_the_steps_before_it_written_or_ours(judged, step):
    reports = {name: (DOCS.parent / "tf" / name).read_text(encoding="utf-8") for name in turn.REPORTS.values()}
    name = NAMES[step - 1]
    assert judged(step, {name: SIMPLE[name]} | reports)["passed"] == step
    assert judged(step, SIMPLE | reports)["passed"] == step
    begun = {NAMES[before]: turn.blank(before + 1, "en") + "\n\nx = 1" for before in range(step - 1)}
    assert judged(step, begun | {name: SIMPLE[name]} | reports)["passed"] == step


def test_a_mistake_is_named_with_a_link_to_its_place(judged):
    told = judged(2, SIMPLE | {"attention": SIMPLE["attention"].replace(" / len(k) ** .5", "")})
    assert told["passed"] == -2 and told["state"] == "differs"
    assert "This is what you get when" in told["html"]
    assert '<a href="../02-attention/#divided-by-the-wrong-thing">02-attention#divided' in told["html"]


def test_lines_are_those_of_the_editor(judged):
    told = judged(2, SIMPLE | {"attention": "\n\ndef attention(Q, K, V, mask=None)\n    return"})
    assert "line 3" in told["html"]


def test_a_step_before_that_cannot_be_read_is_named(judged):
    told = judged(2, SIMPLE | {"softmax": "def softmax(xs)\n    return xs"})
    assert "is not Python" in told["html"] and "The cause is in step 1: mend that first." in told["html"]
    told = judged(2, SIMPLE | {"attention": "def attention("})
    assert "is not Python" in told["html"] and "The cause" not in told["html"]


def test_the_notes_are_the_last_step(judged):
    assert judged(8, {"08-notes.md": NOTES})["passed"] == 8
    assert judged(8, {"08-notes.md": NOTES, "softmax": "def softmax("})["passed"] == 8
    assert judged(8, {"08-notes.md": "three\nshort\nlines"})["passed"] == -8


def test_in_chinese(judged):
    assert "通过" in judged(1, SIMPLE, "zh")["html"]


def test_lamps_for_all_eight_lead_to_their_turns():
    for lang in "en", "zh":
        html = turn.lamps(lang)
        assert re.findall(r'href="\.\./([^/]+)/#your-turn"', html) == turn.CHAPTERS
        assert [grade_name in html for grade_name in [*NAMES, "08-notes.md"]] == [True] * 8


def test_the_sheet_is_the_graders():
    assert len(grade.SHEET) == 7 and NAMES[0] == "softmax" and NAMES[-1] == "block"
