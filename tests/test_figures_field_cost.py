"""The figure of chapter 12, and that it and the prose say what was measured and checked in."""

import json
import re
from importlib.util import module_from_spec, spec_from_file_location
from math import log2, log10
from pathlib import Path

import pytest
from test_figures_more import decimals, each_in_both, headers, numbers, parsed, tables, words

from tangle import scan
from weave.figures import figure_of

ROOT = Path(__file__).resolve().parent.parent
CHAPTER = (ROOT / "docs/12-cost.md").read_text(encoding="utf-8")
STORED = (ROOT / "tests/bench/cost.json").read_text(encoding="utf-8")
FOUND = json.loads(STORED)
FENCE = next(block.code for block in scan("", CHAPTER)[0] if block.lang == "figure")
LINES = ["time"], ["memory"], ["masked", "cut"], ["cut", "window"], ["again", "cached"]


@pytest.fixture(scope="module")
def bench():
    spec = spec_from_file_location("bench_cost", ROOT / "tests/bench/cost.py")
    module = module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "tests/bench")    # for clock
        spec.loader.exec_module(module)
    return module


def values(name):
    return FOUND[name]


def growth(name):
    """How many times the text half as long each costs."""
    return [b / a for a, b in zip(values(name), values(name)[1:])]


def ratios(over, under):
    return [a / b for a, b in zip(values(over), values(under))]


# ---- what is checked in

def test_the_chapter_draws_what_is_checked_in(bench):
    assert bench.with_numbers(CHAPTER, FOUND) == CHAPTER
    assert bench.shown(FOUND) == STORED
    assert FENCE.count("\n") == 1 + len(FOUND)


def test_other_numbers_change_the_figure_and_nothing_else(bench):
    other = bench.with_numbers(CHAPTER, FOUND | {"time": [1, 2, 3]})
    assert other.replace("time = [1, 2, 3]", f"time = {json.dumps(FOUND['time'])}") == CHAPTER


def test_what_is_checked_in_is_whole(bench):
    assert FOUND["n"] == list(bench.LENGTHS) == [2**k for k in range(2, 10)]
    assert FOUND["reach"] == bench.WINDOW
    assert re.fullmatch(r"\w+ 3\.\d+\.\d+, \w+ \w+, \d+ cores", FOUND["made"])
    assert set(FOUND) == {"made", "n", "reach", "memory", *bench.CURVES}
    for name, (_, unit) in bench.CURVES.items():
        assert len(values(name)) == 8 and values(name) == sorted(values(name))
        assert values(unit)[0] == 1
    assert {bench.three_digits(x) for x in values("memory")} == set(values("memory"))


@pytest.mark.parametrize("x, rounded", [(1.0, "1"), (2.4567, "2.46"), (0.98765, "0.988"),
                                        (83.64, "83.6"), (12678.9, "12700")])
def test_three_digits_are_kept(bench, x, rounded):
    assert json.dumps(bench.three_digits(x)) == rounded


# ---- what the prose says of it: wide enough for another machine, narrow enough to mean something

@pytest.mark.parametrize("says, measured, low, high", [
    ("From 4 rows to 8 it is not four times. It is about two and a half.",
     growth("time")[:1], 2.2, 2.9),
    ("Only from 64 rows on does each doubling cost about four times", growth("time")[4:], 3.5, 4.5),
    ("The peak that was measured there is about 19.", [values("memory")[-1] / 1024], 18, 20),
    ("from 4 rows to 8 the memory does not even double", growth("memory")[:1], 1.5, 2),
    ("from 256 to 512 it is about three and a half times", growth("memory")[-1:], 3.2, 3.8),
    ("A short text gains nothing", ratios("masked", "cut")[:2], 0.75, 1.25),
    ("one and a half times as fast, at 512 it is 1.8 times, and twice is the limit",
     ratios("masked", "cut")[4:5], 1.3, 1.8),
    ("at 512 it is 1.8 times", ratios("masked", "cut")[-1:], 1.7, 1.9),
    ("each doubling comes to little more than twice the time", growth("window")[-2:], 1.9, 2.6),
    ("the token with a cache takes less than a hundredth",
     ratios("again", "cached")[-1:], 100, 400),
])
def test_the_prose_says_what_was_measured(says, measured, low, high):
    assert says in " ".join(CHAPTER.split())
    assert measured and all(low < each < high for each in measured)


# ---- what is drawn

def shown(x):
    return f"{x:,}"


@each_in_both
def test_the_tables_hold_what_is_checked_in(lang):
    steps = figure_of(FENCE, lang).steps
    for step, names in zip(steps, LINES, strict=True):
        columns = [[shown(x) for x in values(name)] for name in names]
        if len(names) == 1:
            columns += [["–", *(f"{each:.2f}" for each in growth(names[0]))]]
        else:
            columns += [[f"{each:.2f}" for each in ratios(*names)]]
        assert tables(step) == [[list(row) for row in zip(*columns)]]
        assert headers(step)[0][-8:] == [str(n) for n in FOUND["n"]]
        assert FOUND["made"] in words(parsed(step.body).find("p"))
    assert str(FOUND["reach"]) in steps[3].head


def points(step):
    """[[(x, y), ...]] of the thick line and, if there is another, of the one before it."""
    circles = [(float(c.get("cx")), float(c.get("cy")), c.get("class"))
               for c in parsed(step.body).iter("circle")]
    new = [(x, y) for x, y, name in circles if name == "now"]
    old = [(x, y) for x, y, name in circles if name != "now"]
    return [each for each in (old, new) if each]


@each_in_both
def test_the_lines_are_drawn_to_scale(lang):
    for step, names in zip(figure_of(FENCE, lang).steps, LINES, strict=True):
        drawn = points(step)
        assert len(drawn) == len(names)
        (left, _), ground = drawn[0][0], drawn[0][0][1] + 42 * log10(values(names[0])[0])
        for line, name in zip(drawn, names):
            for (x, y), n, value in zip(line, FOUND["n"], values(name), strict=True):
                assert x == pytest.approx(left + 34 * log2(n / 4), abs=0.01)
                assert y == pytest.approx(ground - 42 * log10(value), abs=0.01)


@each_in_both
def test_a_line_that_goes_like_the_square_ends_where_the_measured_one_does(lang):
    for step in figure_of(FENCE, lang).steps[:2]:
        dashed, = [each for each in parsed(step.body).iter("path") if each.get("class") == "ahead"]
        ends = [tuple(map(float, each.split(","))) for each in dashed.get("d")[1:].split(" L")]
        assert ends[-1] == pytest.approx(points(step)[0][-1])
        slope = (ends[0][1] - ends[-1][1]) / (ends[-1][0] - ends[0][0])
        assert slope == pytest.approx(2 * 42 * log10(2) / 34, abs=0.01)


@each_in_both
def test_the_sentences_hold_what_is_checked_in(lang):
    says = [step.says for step in figure_of(FENCE, lang).steps]
    for each, name in zip(says, ("time", "memory")):
        assert decimals(each) == [f"{growth(name)[0]:.2f}", f"{growth(name)[-1]:.2f}"]
    hidden, kept = ratios("masked", "cut"), ratios("again", "cached")
    assert decimals(says[2]) == [f"{hidden[0]:.2f}", f"{hidden[-1]:.2f}"]
    assert decimals(says[3]) == [f"{growth('cut')[-1]:.2f}", f"{growth('window')[-1]:.2f}"]
    assert decimals(says[4]) == [f"{kept[0]:.2f}"] and f"{kept[-1]:.0f}" in numbers(says[4])


@each_in_both
def test_a_picture_is_said_in_words_and_its_lines_are_named(lang):
    for step, names in zip(figure_of(FENCE, lang).steps, LINES, strict=True):
        svg = parsed(step.body).find(".//svg")
        told = svg.get("aria-label").split("; ")
        named = [words(each) for each in svg.iter("text")][-2:]
        assert svg.get("role") == "img" and len(told) == 2
        assert all(each.startswith(name) for each, name in zip(told, named))
        measured = told[-len(names):]
        assert all(f"{values(name)[-1]:,g}" in each for each, name in zip(measured, names))


def test_both_languages_show_the_same_numbers():
    one, other = ([sorted(numbers(step.head + step.says)) for step in figure_of(FENCE, lang).steps]
                  for lang in ("en", "zh"))
    assert one == other


def test_names_do_not_lie_upon_each_other():
    for source in FENCE, "cost-curve", "cost-curve\ncut = (1, 4)", "cost-curve\ncut = (1, 5)":
        for step in figure_of(source).steps:
            one, other = [float(each.get("y")) for each in parsed(step.body).iter("text")][-2:]
            assert abs(one - other) >= 16.99


@pytest.mark.parametrize("line", ["time = [1]", "cut = [1, 0]", "memory = [1, -1]",
                                  "cached = [1, 2, 3]", "n = [4]"])
def test_what_cannot_be_drawn_is_refused(line):
    with pytest.raises(ValueError, match="needs a number above 0 for each of 2 lengths or more"):
        figure_of(f"cost-curve\n{line}")
