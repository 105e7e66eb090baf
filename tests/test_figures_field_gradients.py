"""The figure of chapter 15: its gradients are compared with pushes, and its lines with those."""

import re
from math import log10, sqrt
from random import Random
from statistics import mean

import pytest
from test_figures_more import each_in_both, parsed

from tf.experiments import random_rows
from tf.gradients import bare, finite_difference
from tf.model import layer_norm
from tf.transformer import post_ln, pre_ln, random_layer
from weave.figures import draw, figure_of
from weave.figures.gradient_depth import DEPTHS, SHOWN, arrivals, written



def pushed(forward, depth, opposed):
    """The size of the gradient at the input, by finite differences."""
    rng = Random(3)
    X, d_out = random_rows(rng, 4, 8), random_rows(rng, 4, 8)
    if opposed:
        means = [mean(column) for column in zip(*d_out)]
        d_out = [[x - m for x, m in zip(row, means)] for row in d_out]
    layers = [random_layer(rng, 8, 16) for _ in range(depth)]

    def end(X):
        for w in layers:
            X = forward(X, w, 2)
        return [layer_norm(row) for row in X]
    found = finite_difference(end, X, d_out)
    return sqrt(mean(x * x for row in found for x in row))


@pytest.mark.parametrize("line, forward, opposed", [
    (0, pre_ln, False), (1, post_ln, False), (2, bare, False), (3, bare, True)])
@pytest.mark.parametrize("depth", [1, 4])
def test_what_arrives_is_what_a_push_finds(line, forward, opposed, depth):
    found = arrivals(3)[line][DEPTHS.index(depth)]
    assert found == pytest.approx(pushed(forward, depth, opposed), rel=1e-4, abs=1e-8)


@each_in_both
def test_the_table_holds_the_lines_so_far(lang):
    sizes = arrivals(3)
    for now, step in enumerate(figure_of("gradient-depth", lang).steps):
        tree = parsed(step.body)
        rows = [["".join(td.itertext()) for td in tr.iter("td")] for tr in tree.iter("tr")][1:]
        assert rows == [[written(line[DEPTHS.index(k)]) for line in sizes[:now + 1]]
                        for k in SHOWN]
        assert f"{written(sizes[now][-1])}" in step.says and "24" in step.says


@each_in_both
def test_a_line_is_a_step_higher_for_ten_times_as_much(lang):
    for line, step in zip(arrivals(3), figure_of("gradient-depth", lang).steps):
        road = re.search(r'd="M([^"]*)" class="road"', step.body)[1]
        heights = [float(each.split(",")[1]) for each in road.split(" L")]
        powers = [log10(max(x, 1e-12)) for x in line]
        for (y, p), (z, q) in zip(zip(heights, powers), zip(heights[1:], powers[1:])):
            assert y - z == pytest.approx(16 * (q - p), abs=0.01)


def test_the_sentences_hold():
    pre, post, none, apart = (line[-1] for line in arrivals(3))
    assert 0.1 < pre < 2 and post < pre / 3 and none < post and apart < 1e-12


def test_small_numbers_are_written_so_that_they_can_be_read():
    assert [written(x) for x in (1.38, 0.098, 0.00024, 0.00002, 1e-17)] == \
        ["1.4", "0.098", "0.00024", "2e-05", "0"]


@each_in_both
def test_it_can_be_drawn_and_is_well_formed(lang):
    parsed(draw("gradient-depth", lang))
