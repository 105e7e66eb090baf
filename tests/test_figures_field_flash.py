"""The figure and the table of chapter 13: the state by plain sums, the costs by counting."""

import json
import re
from math import exp, inf, log2
from pathlib import Path

import pytest
from test_figures_more import (
    LANGUAGES, MIXED, cells, decimals, each_in_both, numbers, parsed, rows, tables, words,
    written)

from tf.flash import flash_attention
from tf.model import softmax
from weave.figures import draw, figure_of

ROOT = Path(__file__).resolve().parent.parent
SCORES, VALUES = [-inf, -inf, 1, 2, 4, 3], [50, 60, 10, 20, 30, 40]
NONE = {"en": "none", "zh": "没有"}


def state(n, lang):
    """What is known of the first n keys, by its definition: largest, total, sum, average."""
    seen = [(s, v) for s, v in zip(SCORES[:n], VALUES) if s > -inf]
    top = max((s for s, _ in seen), default=-inf)
    total = sum(exp(s - top) for s, _ in seen)
    weighted = sum(exp(s - top) * v for s, v in seen)
    return [top, total, weighted, weighted / total if seen else NONE[lang]]


@each_in_both
def test_the_state_is_what_all_keys_so_far_make(lang):
    steps = figure_of("flash", lang).steps
    for b, fade in enumerate((1, 0, exp(2 - 4))):
        block, known = tables(steps[b])
        before, after = state(2 * b, lang), state(2 * b + 2, lang)
        scores = SCORES[2 * b:2 * b + 2]
        powers = [exp(s - after[0]) if s > -inf else 0 for s in scores]
        assert block == rows([scores, powers, VALUES[2 * b:2 * b + 2]])
        expected = [[x, y] for x, y in zip(before, after)]
        assert known == rows([expected[0], [NONE[lang], fade], *expected[1:]])
    assert decimals(steps[1].says) == [written(state(4, lang)[3])]
    assert decimals(steps[2].says) == [written(exp(-2))]


@each_in_both
def test_all_at_once_gives_the_same(lang):
    step = figure_of("flash", lang).steps[3]
    whole, both = tables(step)
    weights = softmax(SCORES)
    assert whole == rows([SCORES, weights, VALUES])
    average = sum(w * v for w, v in zip(weights, VALUES))
    assert both == rows([[average, average]]) and decimals(step.says) == [written(average)]


class Slow(list):
    """Counts the rows that are fetched from it."""
    fetched = 0

    def __getitem__(self, place):
        found = list.__getitem__(self, place)
        if isinstance(place, slice):
            Slow.fetched += len(found)
        return found


@each_in_both
@pytest.mark.parametrize("size", [4, 16, 64])
def test_what_is_held_and_fetched_is_counted(lang, size):
    step = figure_of(f"flash\nsize = {size}", lang).steps[4]
    table = [[int(cell.replace(",", "")) for cell in row] for row in tables(step)[0]]
    X, n = [[float(j % 7)] for j in range(64)], 64
    fetched = []
    for each in (1, size):
        Slow.fetched = 0
        flash_attention(X, Slow(X), Slow(X), block_size=each)
        fetched += [Slow.fetched]
    assert table[0] == [n * n, size**2, *fetched]
    for n, row in zip((64, 256, 1024, 4096), table, strict=True):
        assert row == [n * n, size**2, 2 * n * n, 2 * n * n // size]
    assert set(numbers(step.says)) == {str(size**2), str(size)}


def test_both_languages_show_the_same_numbers():
    en, zh = (figure_of("flash", lang).steps for lang in LANGUAGES)
    for ours, theirs in zip(en, zh, strict=True):
        assert numbers(" ".join(cells(ours.body))) == numbers(" ".join(cells(theirs.body)))
        assert sorted(decimals(ours.says)) == sorted(decimals(theirs.says))


@each_in_both
@pytest.mark.parametrize("name, length", [("flash", 5), ("memory", 3)])
def test_each_step_says_one_sentence(lang, name, length):
    title, question, steps = figure_of(name, lang)
    assert title and question and len(steps) == length
    for head, body, says in steps:
        assert "{" not in head + says and not head.endswith((".", "。"))
        assert re.findall(r"[.。?？!！](?!\d)", says) == [says[-1]]
        for part in parsed(body).iter("tbody"):
            assert all(words(td).strip() for td in part.iter("td"))
        if lang == "zh":
            assert not re.search("[A-Za-z]", re.sub("softmax|e 的", "", head + says))
            assert not re.search(MIXED, says)
    ids = re.findall(r'\sid="(.*?)"', draw(name, lang))
    assert len(ids) == len(set(ids)) == length + 1


def measured():
    data = json.loads((ROOT / "tests/bench/flash.json").read_text(encoding="utf-8"))
    return [[r["n"], *(round(r["bytes"][way] / 1024) for way in ("tables", "rows", "blocks"))]
            for r in data["results"]]


@each_in_both
def test_the_curves_are_those_that_were_measured(lang):
    source = f"memory\nmeasured = {measured()}"
    assert f"```figure\n{source}\n```" in (ROOT / "docs/13-flash.md").read_text(encoding="utf-8")
    steps = figure_of(source, lang).steps
    lengths, *curves = zip(*measured())
    factors = [f"{curve[-1] / curve[-2]:.1f}" for curve in curves]
    for k, step in enumerate(steps, 1):
        cells = [[f"{x:,}" for x in row] for row in zip(*curves[:k])]
        assert tables(step) == [[*cells, factors[:k]]] and factors[k - 1] in numbers(step.says)
        assert all(str(x) in parsed(step.body).find(".//svg").get("aria-label")
                   for curve in curves[:k] for x in (curve[0], curve[-1]))
        lines = [path.get("d") for path in parsed(step.body).iter("path")
                 if path.get("class") != "grid"]
        points = [[tuple(map(float, each.split(","))) for each in d[1:].split(" L")]
                  for d in lines]
        assert len(points) == k
        for curve, line in zip(curves, points):
            (x, y), *_ = line
            for n, kib, (right, down) in zip(lengths, curve, line):
                assert right - x == pytest.approx(44 * log2(n / lengths[0]), abs=0.01)
                assert y - down == pytest.approx(22 * log2(kib / curve[0]), abs=0.01)
    assert len(steps) == 3 and {"512", "1024"} <= set(numbers(steps[0].says))


@pytest.mark.parametrize("wrong", ["[]", "[[64, 1, 1, 1]]", "[[64, 1, 1], [128, 1, 1]]",
                                   "[[64, 1, 1, 0], [128, 1, 1, 1]]"])
def test_curves_need_numbers(wrong):
    with pytest.raises(ValueError, match="memory: measured needs"):
        figure_of(f"memory\nmeasured = {wrong}")


@pytest.mark.parametrize("wrong", [0, 5, "16", True])
def test_a_size_that_leaves_a_rest_is_refused(wrong):
    with pytest.raises(ValueError, match="flash: size must be"):
        figure_of(f"flash\nsize = {wrong!r}")


def test_the_table_in_the_chapter_is_what_was_measured():
    chapter = (ROOT / "docs/13-flash.md").read_text(encoding="utf-8")
    data = json.loads((ROOT / "tests/bench/flash.json").read_text(encoding="utf-8"))
    measured = [[r["n"], *(f"{r['bytes'][way] / 1024:.0f}" for way in ("tables", "rows", "blocks")),
                 *(f"{r['ms'][way]:.1f}" for way in ("tables", "rows", "blocks"))]
                for r in data["results"]]
    lines = [f"| {' | '.join(map(str, row))} |" for row in measured]
    assert "\n".join(lines) in chapter and data["where"] in chapter
    first, *_, before, last = data["results"]
    assert last["bytes"]["tables"] > 3.9 * before["bytes"]["tables"]
    for way in "rows", "blocks":
        assert last["bytes"][way] < 2.2 * before["bytes"][way] and last["n"] == 2 * before["n"]
    assert all(r["ms"]["rows"] < r["ms"]["blocks"] for r in data["results"])
