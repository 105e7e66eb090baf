"""The figure of chapter 11: every cell is worked out here once more, from the rule."""

import re

import pytest
from test_figures_more import (
    LANGUAGES, cells, each_in_both, each_step_says_one_sentence_and_no_colour_is_alone, headers,
    numbers, parsed, tables, words)

from tf.model import attention
from weave.figures import figure_of

OPEN = {"en": ("reads", "itself"), "zh": ("可读", "自己")}
CLOSED = {"en": ("future", "PAD", "far"), "zh": ("未来", "PAD", "太远")}


def opened(table, lang):
    """1 where a cell is open; the last column, which counts them, must agree."""
    mask = [[int(word in OPEN[lang]) for word in row[:-1]] for row in table]
    assert [str(sum(row)) for row in mask] == [row[-1] for row in table]
    return mask


def why(table, lang):
    """{limit: 1 where it closes the cell}"""
    return [[[int(limit in re.split("[,、] ?", word)) for word in row[:-1]] for row in table]
            for limit in CLOSED[lang]]


def grid(rule, n_q, n_k):
    return [[int(rule(i, j)) for j in range(n_k)] for i in range(n_q)]


@each_in_both
@pytest.mark.parametrize("past, new, left", [(3, 2, 2), (5, 1, 1), (1, 4, 4), (2, 3, 3)])
def test_every_cell_follows_from_the_rule(lang, past, new, left):
    n = past + new
    steps = figure_of(f"mask-kinds\npast = {past}\nnew = {new}\nleft = {left}", lang).steps
    topleft, bottom = (opened(table, lang) for table in tables(steps[0]))
    assert topleft == grid(lambda i, j: j <= i, new, n)
    assert bottom == grid(lambda i, j: j <= past + i, new, n)
    counted = [n for n in map(int, numbers(steps[0].says))]
    assert counted == [new, sum(map(sum, topleft)), sum(map(sum, bottom))]
    window, = tables(steps[3])
    assert opened(window, lang) == grid(lambda i, j: i - left <= j <= i, 6, 6)
    together, = tables(steps[4])
    assert opened(together, lang) == grid(lambda i, j: past + i - left <= j <= past + i and j > 0,
                                          new, n)
    future, pad, far = why(together, lang)
    assert future == grid(lambda i, j: j > past + i, new, n)
    assert pad == grid(lambda i, j: j == 0, new, n)
    assert far == grid(lambda i, j: j < past + i - left, new, n)
    assert f"past + i − {left}" in words(parsed(steps[4].body).find("p"))


@each_in_both
def test_padding_on_either_side(lang):
    steps = figure_of("mask-kinds", lang).steps
    right, = tables(steps[1])
    assert opened(right, lang) == [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0]]
    bare, mended = (opened(table, lang) for table in tables(steps[2]))
    assert bare == [[0] * 4, [0] * 4, [0, 0, 1, 0], [0, 0, 1, 1]]
    assert mended == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 1]]
    X = [[0], [0], [1], [2]]
    with pytest.raises(ValueError, match="query 0"):
        attention(X, X, X, bare)
    assert attention(X, X, X, mended)[0][2:] == attention(X[2:], X[2:], X[2:], [[1, 0], [1, 1]])[0]
    rows = [th for th in headers(steps[2])[1] if "0" in th or "1" in th][-4:]
    assert [numbers(th)[1] for th in rows] == ["0", "0", "0", "1"]


def test_both_languages_show_the_same():
    en, zh = (figure_of("mask-kinds", lang).steps for lang in LANGUAGES)
    for ours, theirs in zip(en, zh, strict=True):
        assert numbers(" ".join(cells(ours.body))) == numbers(" ".join(cells(theirs.body)))
        assert sorted(numbers(ours.says)) == sorted(numbers(theirs.says))
        masks = [[opened(table, lang) for table in tables(step)]
                 for lang, step in zip(LANGUAGES, (ours, theirs))]
        assert masks[0] == masks[1]


@each_in_both
def test_each_step_says_one_sentence_and_no_colour_is_alone(lang):
    each_step_says_one_sentence_and_no_colour_is_alone("mask-kinds", lang, 5, {"seen", "hidden"}, "PAD|past|[ij]")


@pytest.mark.parametrize("name, wrong", [("past", 6), ("past", 0), ("new", 5), ("new", 1.0),
                                         ("left", 0), ("left", True)])
def test_what_has_no_room_is_refused(name, wrong):
    with pytest.raises(ValueError, match=f"mask-kinds: {name} must be a whole number"):
        figure_of(f"mask-kinds\n{name} = {wrong}")
