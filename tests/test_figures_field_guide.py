"""The figure of chapter 16: what moves what is worked out here once more, from the rules."""

import pytest
from test_figures_more import (
    each_in_both, each_step_says_one_sentence_and_no_colour_is_alone, numbers, tables)

from weave.figures import figure_of
from weave.figures.leaks import TEXT, centred, one_late, sound, struck

RULES = [lambda i, j: j <= i, lambda i, j: j <= i + 1, lambda i, j: True, lambda i, j: True]


@each_in_both
@pytest.mark.parametrize("n", [2, 5, 8])
def test_every_cell_follows_from_the_rule(lang, n):
    say, steps = TEXT[lang], figure_of(f"leaks\nn = {n}", lang).steps
    for rule, step in zip(RULES, steps, strict=True):
        want = [[say["still"] if not rule(i, j) else say["leak"] if j > i else say["moves"]
                 for j in range(n)] for i in range(n)]
        leaks = [row.count(say["leak"]) for row in want]
        table, = tables(step)
        assert table == [row + [str(leak)] for row, leak in zip(want, leaks)]
        if sum(leaks):
            assert numbers(step.says)[-1] == str(sum(leaks))


def test_the_models_are_what_they_are_called():
    X = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    later = X[:2] + [[5.0, -3.0]]
    assert sound(X)[0] == one_late([X[0], X[0], X[2]])[0] == X[0]
    assert sound(X)[:2] == sound(later)[:2]
    assert one_late(X)[0] == one_late(later)[0] != one_late([X[0], later[2], X[2]])[0]
    assert struck(X)[0] != struck(later)[0] and 0 < struck(X)[0][0] < 1 and struck(X)[0][1] == 0
    shifted = [[x + 7 for x in row] for row in X]
    assert all(abs(a - b) < 1e-12 for p, q in zip(centred(X), centred(shifted))
               for a, b in zip(p, q))


@each_in_both
def test_each_step_says_one_sentence_and_no_colour_is_alone(lang):
    each_step_says_one_sentence_and_no_colour_is_alone("leaks", lang, 4, {"seen", "hidden", "key"}, "i")


@pytest.mark.parametrize("n", [1, 9, 5.0, True])
def test_what_has_no_room_is_refused(n):
    with pytest.raises(ValueError, match="leaks: n must be a whole number"):
        figure_of(f"leaks\nn = {n}")
