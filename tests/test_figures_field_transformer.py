"""The figure of chapter 14, a layer and its two halves: its numbers are worked out once more."""

import re
from random import Random

import pytest
from test_figures_more import each_in_both, parsed

from tf.model import add
from tf.transformer import feed_forward, norm, post_ln, pre_ln, random_layer, self_attention
from weave.figures import draw, figure_of
from weave.figures.draw import number

X = [[1, 2, 3, 4], [2, 4, 1, 3], [3, 0, 2, 5]]
W = random_layer(Random(14), 4, 16)
in_both_orders = pytest.mark.parametrize("order", ["pre", "post"])


def fed(rows):
    return feed_forward(rows, W.W_1, W.b_1, W.W_2, W.b_2)


def stages(order):
    """Row 0 after each stage, a list for each step of the figure."""
    if order == "pre":
        read = norm(X, W.gain_1, W.bias_1)
        found = self_attention(read, W, 2)
        rows = norm(add(X, found), W.gain_2, W.bias_2)
        tables = [[X], [read, found], [add(X, found)], [rows, fed(rows)], [pre_ln(X, W, 2)]]
    else:
        found = self_attention(X, W, 2)
        rows = norm(add(X, found), W.gain_1, W.bias_1)
        tables = [[X], [found], [add(X, found), rows], [fed(rows)],
                  [add(rows, fed(rows)), post_ln(X, W, 2)]]
    return [[[number(x) for x in table[0]] for table in step] for step in tables]


def texts(step):
    svg = next(parsed(step.body).iter("svg"))
    return [each.text for each in svg.iter("text")], svg.get("aria-label")


@each_in_both
@in_both_orders
def test_each_step_shows_the_numbers_of_the_stages_so_far(order, lang):
    steps = figure_of(f"layer\norder = {order!r}", lang).steps
    so_far = []
    for step, added in zip(steps, stages(order), strict=True):
        so_far += [x for row in added for x in row]
        words, spoken = texts(step)
        assert [word for word in words if re.fullmatch(r"−?[\d.]+", word)] == so_far
        assert all(", ".join(row) in spoken for row in added)


@each_in_both
@in_both_orders
def test_the_two_sums_are_those_of_column_0(order, lang):
    steps = figure_of(f"layer\norder = {order!r}", lang).steps
    parts = [row[0] for step in stages(order) for row in step]
    a, b = ((0, 2, 3), (3, 5, 6)) if order == "pre" else ((0, 1, 2), (3, 4, 5))
    for step, which in (steps[2], a), (steps[4], b):
        x, found, total = (parts[k] for k in which)
        told = {"en": f"the sum of {x} and {found} is {total}", "zh": f"{x} 加 {found} 得 {total}"}
        assert told[lang] in step.says


@in_both_orders
def test_the_marked_line_of_code_is_the_one_that_makes_what_is_new(order):
    marked = [re.findall(r'<span class="now"[^>]*><span[^>]*>▸</span>(?:<span class="margin"> *</span>)?([^<]*)',
                         step.body)
              for step in figure_of(f"layer\norder = {order!r}").steps]
    words = {"pre": ["", "self_attention", "self_attention", "feed_forward", "feed_forward"],
             "post": ["", "self_attention", "self_attention", "feed_forward", "norm"]}[order]
    assert [bool(each) for each in marked] == [False] + [True] * 4
    assert all(word in each[0] for word, each in zip(words[1:], marked[1:]))


@each_in_both
def test_it_can_be_drawn_and_is_well_formed(lang):
    for order in "pre", "post":
        parsed(draw(f"layer\norder = {order!r}", lang))


def test_what_the_picture_has_no_room_for_is_refused():
    with pytest.raises(ValueError, match="order is pre or post"):
        figure_of("layer\norder = 'middle'")
    with pytest.raises(ValueError, match="2 wide"):
        figure_of("layer\nX = [[1, 2]]")
