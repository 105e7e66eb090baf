"""tf/model.py against PyTorch's numbers and against everything it has to refuse."""

import ast
import json
import math
import runpy
import subprocess
import sys
from fractions import Fraction
from math import fsum, inf, isclose, nan
from pathlib import Path
from random import Random

import baseline
import pytest
from tf import model
from tf.model import (add, attention, block, causal_mask, layer_norm, multi_head, pos_encoding,
                      softmax)

ROOT = Path(__file__).parent.parent
GOLDEN = json.loads((ROOT / "tests/golden/model.json").read_text(encoding="utf-8"))

X = [[1, 2], [3, 4], [5, 6]]
Q = [[1, 2, 3], [4, 5, 6]]               # n_q x d
K = [[1, 0, 1], [0, 1, 0], [1, 1, 1]]    # n_k x d
V = [[1], [2], [3]]                      # n_k x d_v


def golden(part):
    return pytest.mark.parametrize("case", GOLDEN[part], ids=lambda case: case["name"])


# The numbers

def wrong_softmax(softmax, case):
    """What is wrong with the answer to a golden case, or None."""
    xs = [-inf if x is None else x for x in case["xs"]]
    before = list(xs)
    weights = softmax(xs)
    if xs != before:
        return "the scores were changed"
    if not near(weights, case["weights"]):
        return f"{weights} is not {case['weights']}"


def wrong_attention(attention, case, mask_of=bool, row_of=list):
    """What is wrong with the answer to a golden case, or None."""
    Q, K, V = (row_of(map(row_of, case[name])) for name in "QKV")
    mask = case["mask"] and row_of(row_of(map(mask_of, row)) for row in case["mask"])
    before = repr((Q, K, V, mask))
    out, weights = attention(Q, K, V, mask)
    if repr((Q, K, V, mask)) != before:
        return "the input was changed"
    if not same_shape(weights, case["weights"]) or not all(map(near, weights, case["weights"])):
        return f"weights {weights} are not {case['weights']}"
    if mask and any(w != 0 for row in zip(weights, mask) for w, seen in zip(*row) if not seen):
        return f"a hidden key has a weight: {weights}"
    columns = (list(zip(*table)) for table in (out, case["out"], V))
    if not same_shape(out, case["out"]) or not all(map(near, *columns)):
        return f"out {out} is not {case['out']}"


def wrong_multi_head(multi_head, case, row_of=list):
    return wrong_table(multi_head, case, ["Q", "K", "V"], row_of)


def wrong_block(block, case, row_of=list):
    return wrong_table(block, case, ["X"], row_of)


def wrong_table(function, case, names, row_of):
    """What is wrong with the answer to a golden case of tables, h and mask, or None."""
    tables = [row_of(map(row_of, case[name])) for name in names]
    mask = case["mask"] and row_of(row_of(map(bool, row)) for row in case["mask"])
    before = repr((tables, mask))
    out = function(*tables, case["h"], mask)
    if repr((tables, mask)) != before:
        return "the input was changed"
    columns = (list(zip(*table)) for table in (out, case["out"], tables[-1]))
    if not same_shape(out, case["out"]) or not all(map(near, *columns)):
        return f"out {out} is not {case['out']}"


def wrong_layer_norm(layer_norm, case, row_of=list):
    row = row_of(case["row"])
    before = row_of(row)
    out = layer_norm(row, case["eps"])
    if row != before:
        return "the row was changed"
    if not near(out, case["out"], case["out"]):
        return f"{out} is not {case['out']}"


def wrong_pos_encoding(pos_encoding, case):
    n, d = case["n"], case["d"]
    P = pos_encoding(n, d)
    if not same_shape(P, [[0] * d] * n):
        return f"{list(map(len, P))} is not {n} x {d}"
    for i, row in case["rows"].items():
        if not near(P[int(i)], row):
            return f"row {i}, {P[int(i)]}, is not {row}"


def near(xs, wants, scale=(1,)):
    """Equal to 1e-12, measured by the largest number that went in where that is below 1."""
    step = 1e-12 * min(1, max(map(abs, scale)))
    close = (isclose(x, want, rel_tol=1e-12, abs_tol=step) for x, want in zip(xs, wants))
    return len(xs) == len(wants) and all(close)


def same_shape(X, Y):
    return list(map(len, X)) == list(map(len, Y))


CHECKS = {
    "softmax": wrong_softmax, "attention": wrong_attention, "multi_head": wrong_multi_head,
    "layer_norm": wrong_layer_norm, "block": wrong_block, "pos_encoding": wrong_pos_encoding,
}


@golden("softmax")
def test_softmax_agrees_with_pytorch(case):
    assert not wrong_softmax(softmax, case)


@golden("attention")
def test_attention_agrees_with_pytorch(case):
    assert not wrong_attention(attention, case)


@golden("attention")
def test_tables_may_be_tuples_and_masks_may_be_numbers(case):
    assert not wrong_attention(attention, case, mask_of=int, row_of=tuple)
    assert not wrong_attention(attention, case, mask_of=float)


@golden("multi_head")
@pytest.mark.parametrize("row_of", [list, tuple])
def test_multi_head_agrees_with_pytorch(case, row_of):
    assert not wrong_multi_head(multi_head, case, row_of)


@golden("layer_norm")
@pytest.mark.parametrize("row_of", [list, tuple])
def test_layer_norm_agrees_with_pytorch(case, row_of):
    assert not wrong_layer_norm(layer_norm, case, row_of)


@golden("block")
@pytest.mark.parametrize("row_of", [list, tuple])
def test_block_agrees_with_pytorch(case, row_of):
    assert not wrong_block(block, case, row_of)


@golden("pos_encoding")
def test_pos_encoding_agrees_with_pytorch(case):
    assert not wrong_pos_encoding(pos_encoding, case)


@golden("attention")
def test_the_plain_loops_agree_with_pytorch(case):
    def attention(Q, K, V, mask):
        weights, out = baseline.attention(Q, K, V, causal=mask is not None)
        return out, weights
    if case["mask"] in (None, causal_mask(len(case["Q"]))):
        assert not wrong_attention(attention, case)


@golden("multi_head")
def test_the_heads_of_the_plain_loops_agree_with_pytorch(case):
    def multi_head(Q, K, V, h, mask):
        return baseline.multi_head(Q, K, V, h, causal=mask is not None)
    if case["mask"] in (None, causal_mask(len(case["Q"]))):
        assert not wrong_multi_head(multi_head, case)


def test_the_plain_loops_have_heads():
    V = [[1, 2, 3, 4], [5, 6, 7, 8]]
    zeros = [[0] * 4] * 2
    assert baseline.multi_head(zeros, zeros, V, 2, causal=False) == [[3, 4, 5, 6]] * 2
    assert baseline.multi_head(zeros, zeros, V, 2, causal=True) == [[1, 2, 3, 4], [3, 4, 5, 6]]


def test_without_sumprod_the_numbers_are_the_same(monkeypatch):
    monkeypatch.delattr(math, "sumprod", raising=False)    # Python 3.11 has none
    old = runpy.run_path(model.__file__)
    for part, wrong in CHECKS.items():
        assert not any(wrong(old[part], case) for case in GOLDEN[part])


def test_many_equal_scores_sum_to_1():
    assert abs(fsum(softmax([3.7] * 100_000)) - 1) < 1e-12


def test_a_row_alone_sums_to_1_and_keeps_the_order_of_its_scores():
    random = Random(1)
    for n in range(1, 40):
        xs = [random.gauss(0, 100) for _ in range(n)]
        weights = softmax(xs)
        assert abs(fsum(weights) - 1) < 1e-12
        assert all(weights[i] <= weights[j] for i in range(n) for j in range(n) if xs[i] < xs[j])


@pytest.mark.parametrize("xs, weights", [
    ([5], [1.0]),
    ((0, 0), [0.5, 0.5]),
    ([-0.0, 0.0], [0.5, 0.5]),
    ([1e308, -1e308], [1.0, 0.0]),
    ([-1e308, -inf], [1.0, 0.0]),
    ([-inf, 0], [0.0, 1.0]),
    ([-inf, -inf, -7.5], [0.0, 0.0, 1.0]),
])
def test_softmax_exactly(xs, weights):
    assert softmax(xs) == weights


def test_attention_returns_out_then_weights():
    assert attention([[0]], [[1], [2]], [[10], [20]]) == ([[15.0]], [[0.5, 0.5]])


# The mask

def test_causal_mask():
    assert causal_mask(1) == [[True]]
    assert causal_mask(3) == [[True, False, False], [True, True, False], [True, True, True]]


def test_no_mask_is_a_mask_that_hides_nothing():
    assert attention(X, X, X) == attention(X, X, X, [[True] * 3] * 3)


def test_masks_of_booleans_and_of_numbers_are_the_same():
    by_kind = [attention(X, X, X, [[kind(seen) for seen in row] for row in causal_mask(3)])
               for kind in (bool, int, float)]
    assert by_kind[0] == by_kind[1] == by_kind[2]
    out, weights = by_kind[0]
    assert weights[0] == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_the_past_does_not_depend_on_the_future(n):
    """To the last bit, for every way of cutting n positions in two."""
    Q, K, V = (at_random(n, seed, 4) for seed in "QKV")
    out, weights = attention(Q, K, V, causal_mask(n))
    for now in range(1, n):
        other, others_weights = attention(*changed_from(now, Q, K, V), causal_mask(n))
        assert repr(other[:now]) == repr(out[:now])
        assert repr(others_weights[:now]) == repr(weights[:now])
        assert other[now:] != out[now:]


@pytest.mark.parametrize("h", [1, 2, 3, 4, 6, 12])
@pytest.mark.parametrize("n", [1, 2, 5])
def test_in_no_head_does_the_past_depend_on_the_future(n, h):
    Q, K, V = (at_random(n, seed, 12) for seed in "QKV")
    mask = causal_mask(n)
    out, added = multi_head(Q, K, V, h, mask), block(Q, h, mask)
    for now in range(1, n):
        others = changed_from(now, Q, K, V)
        other, others_added = multi_head(*others, h, mask), block(others[0], h, mask)
        assert repr(other[:now]) == repr(out[:now])
        assert repr(others_added[:now]) == repr(added[:now])
        for p, q in zip(other[now:], out[now:]):
            assert not {*p} & {*q}                         # each head has its part in it
        assert others_added[now:] != added[now:]


def at_random(n, seed, d):
    random = Random(f"{seed}{n}")
    return [[random.gauss(0, 1) for _ in range(d)] for _ in range(n)]


def changed_from(now, *tables):
    """The tables with other rows from position now on."""
    return [X[:now] + [[x * x + 3 * x - 7 for x in row] for row in X[now:]] for X in tables]


# Heads

@golden("attention")
def test_one_head_is_attention_to_the_last_bit(case):
    tables = [case[name] for name in "QKV"]
    assert repr(multi_head(*tables, 1, case["mask"])) == repr(attention(*tables, case["mask"])[0])


@pytest.mark.parametrize("h, d, d_v", [(2, 4, 6), (3, 3, 12), (4, 12, 4), (8, 64, 8), (5, 5, 5)])
@pytest.mark.parametrize("mask", [None, [[1, 0, 1], [0, 0, 1]]], ids=["no mask", "mask"])
def test_a_head_is_attention_on_its_own_columns_to_the_last_bit(h, d, d_v, mask):
    Q, K, V = at_random(2, "Q", d), at_random(3, "K", d), at_random(3, "V", d_v)
    out = multi_head(Q, K, V, h, mask)
    for k in range(h):
        part = [cut(X, k * len(X[0]) // h, (k + 1) * len(X[0]) // h) for X in (Q, K, V)]
        own = cut(out, k * d_v // h, (k + 1) * d_v // h)
        assert repr(own) == repr(attention(*part, mask)[0])


def cut(X, start, end):
    return [row[start:end] for row in X]


@pytest.mark.parametrize("h", [1, 2, 4])
def test_every_head_gets_the_mask(h):
    """Each sees nothing but itself, so nothing is averaged in any head."""
    Q, K, V = (at_random(5, seed, 4) for seed in "QKV")
    only_itself = [[i == j for j in range(5)] for i in range(5)]
    assert multi_head(Q, K, V, h, only_itself) == V
    rows = [layer_norm(row) for row in Q]
    assert block(Q, h, only_itself) == add(Q, rows)


def test_heads_of_integers():
    zeros, V = [[0] * 4] * 2, [[1, 2, 3, 4], [5, 6, 7, 8]]
    assert multi_head(zeros, zeros, V, 2) == [[3.0, 4.0, 5.0, 6.0]] * 2
    assert multi_head([[0, 0]], [[0, 0]], [[1, 2, 3, 4]], 2) == [[1.0, 2.0, 3.0, 4.0]]


def test_a_mask_may_be_named():
    X, mask = at_random(3, "X", 4), causal_mask(3)
    assert multi_head(X, X, X, h=2, mask=mask) == multi_head(X, X, X, 2, mask)
    assert block(X, h=2, mask=mask) == block(X, 2, mask) != block(X, 2)


# Layer norm

def test_layer_norm_by_hand():
    assert near(layer_norm([1, 0, 0, 0]), [1.7320046213947808] + [-0.5773348737982603] * 3)
    for eps, first in (1e-5, -1.4142100268), (1e-3, -1.4138601415), (1e-6, -1.4142132088):
        assert isclose(layer_norm([0, 1, 2, 3, 4], eps)[0], first, rel_tol=1e-10)
        assert isclose(layer_norm([0, 1, 2, 3, 4], eps=eps)[0], first, rel_tol=1e-10)
    assert layer_norm([0, 1, 2, 3, 4]) == layer_norm([0, 1, 2, 3, 4], 1e-5)


@pytest.mark.parametrize("offset", [0, 1, -1e3, 1e6, -1e9, 1e9, 1e12])
@pytest.mark.parametrize("n", [2, 3, 64])
def test_a_row_gets_mean_0_and_its_variance_is_known(n, offset):
    """The row is the floats that it holds: offset + x, rounded. What is exact is exact."""
    row = [offset + x for x in at_random(1, "row", n)[0]]
    exact = list(map(Fraction, row))
    mean = sum(exact) / n
    v = float(sum((x - mean) ** 2 for x in exact) / n)
    out = layer_norm(row)
    assert abs(fsum(out)) < 1e-12 * n
    assert isclose(fsum(x * x for x in out) / n, v / (v + 1e-5), rel_tol=1e-12)
    assert near(out, [float(x - mean) / math.sqrt(v + 1e-5) for x in exact])


@pytest.mark.parametrize("x", [0, 0.1, -5, 1 / 3, 1e9 + 0.1, -1e150, 5e-324])
@pytest.mark.parametrize("n", [1, 2, 3, 7, 69, 1000])
def test_a_constant_row_becomes_zeros_exactly(x, n):
    for eps in 1e-5, 1e-12, 1:
        assert layer_norm([x] * n, eps) == [0.0] * n


def test_an_offset_that_is_exact_changes_no_bit():
    for offset in 1, -2**20, 2**30, 10**9:
        assert layer_norm([offset + x for x in (1, 2, 3, 4)]) == layer_norm([1, 2, 3, 4])


def test_the_larger_eps_the_smaller_the_row():
    norms = [layer_norm([1, 2, 4], eps)[2] for eps in (0, 1e-12, 1e-5, 1e-3, 1, 1e6)]
    assert norms == sorted(norms, reverse=True) and len({*norms}) == 6


# Block

@pytest.mark.parametrize("h", [1, 2, 4])
def test_a_single_row_gets_its_own_norm(h):
    wants = [-0.341635, 1.552788, 3.447212, 5.341635]
    out, = block([[1, 2, 3, 4]], h)
    assert [round(x, 6) for x in out] == wants
    assert out == [x + y for x, y in zip([1, 2, 3, 4], layer_norm([1, 2, 3, 4]))]


@pytest.mark.parametrize("n", [1, 3, 7])
@pytest.mark.parametrize("h", [1, 2, 6])
def test_a_block_is_the_table_plus_heads_of_its_normalised_rows(n, h):
    X = at_random(n, "X", 6)
    rows = [layer_norm(row) for row in X]
    for mask in None, causal_mask(n):
        out = block(X, h, mask)
        assert same_shape(out, X)
        assert repr(out) == repr(add(X, multi_head(rows, rows, rows, h, mask)))


def test_a_row_of_equal_numbers_passes_the_block():
    assert block([[5, 5, 5, 5]] * 3, 2) == [[5.0] * 4] * 3


def test_add():
    assert add([[1, 2], [3, 4]], [[10, 20], [30, 40]]) == [[11, 22], [33, 44]]
    assert add(((1, 2),), [[0.5, -2]]) == [[1.5, 0]]
    rows = [[1, 2]]
    assert add(rows, rows) == [[2, 4]] and rows == [[1, 2]]


# Positions

def test_the_published_rows_of_4_columns():
    """sin 1, cos 1, sin 0.01, cos 0.01: interleaved, and both of a pair at one rate."""
    first, second = pos_encoding(2, 4)
    assert first == [0.0, 1.0, 0.0, 1.0]
    assert [round(x, 10) for x in second] == [
        0.8414709848, 0.5403023059, 0.0099998333, 0.9999500004]


@pytest.mark.parametrize("d", [*range(1, 10), 64, 65])
def test_odd_widths_are_even_ones_cut_short(d):
    P = pos_encoding(20, d)
    assert same_shape(P, [[0] * d] * 20)
    for i, row in enumerate(P):
        for c, x in enumerate(row):
            angle = i * 10000 ** (-2 * (c // 2) / d)
            assert isclose(x, math.cos(angle) if c % 2 else math.sin(angle), abs_tol=1e-13)


@pytest.mark.parametrize("d", [1, 2, 3, 4, 8, 15])
def test_no_two_of_5000_rows_are_equal(d):
    P = pos_encoding(5000, d)
    assert len(set(map(tuple, P))) == 5000
    assert all(-1 <= x <= 1 for row in P for x in row)


@pytest.mark.parametrize("d", [1, 2, 5, 16])
def test_a_shorter_table_is_the_beginning_of_a_longer_one(d):
    P = pos_encoding(100, d)
    assert all(pos_encoding(n, d) == P[:n] for n in (1, 2, 7, 99))


# What is refused

def refuses(call, *args, says):
    with pytest.raises(ValueError) as error:
        call(*args)
    for word in says:
        assert word in str(error.value), f"{error.value!s} does not say {word}"


@pytest.mark.parametrize("xs, says", [
    ([], "no scores"),
    ([-inf], "every score is -inf"),
    ([-inf, -inf], "every score is -inf"),
    ([nan], "score 0 is nan"),
    ([nan, 1], "score 0 is nan"),
    ([1, nan], "score 1 is nan"),
    ([1, nan, 2], "score 1 is nan"),
    ([-inf, nan], "score 1 is nan"),
    ([nan, -inf], "score 0 is nan"),
    ([inf], "score 0 is inf"),
    ([inf, 1], "score 0 is inf"),
    ([1, inf], "score 1 is inf"),
    ([-inf, inf], "score 1 is inf"),
    ([1, inf, nan], "score 1 is inf"),
])
def test_softmax_refuses(xs, says):
    refuses(softmax, xs, says=["softmax", says])


@pytest.mark.parametrize("name", "QKV")
@pytest.mark.parametrize("bad, says", [
    ([], "{} is empty"),
    ([[]], "{} is empty"),
    ([[], []], "{} is empty"),
    ([[1, 2, 3], [1, 2]], "{}[1]"),
    ([[1, 2], [1, 2, 3]], "{}[1]"),
    ([[1, 2, 3], [1, 2, 3], []], "{}[2]"),
    ([[nan, 1, 2]], "{}[0]"),
    ([[1, 2, 3], [1, nan, 3]], "{}[1]"),
    ([[1, 2, 3], [1, 2, 3], [1, 2, inf]], "{}[2]"),
    ([[1, 2, 3], [-inf, 2, 3]], "{}[1]"),
])
def test_attention_refuses_a_bad_matrix(name, bad, says):
    tables = {"Q": Q, "K": K, "V": V} | {name: bad}
    refuses(attention, *tables.values(), says=[says.format(name)])


@pytest.mark.parametrize("tables, says", [
    ((Q, [[1, 2]] * 3, V), ["key", "query", "2", "3"]),
    (([[1, 2]], K, V), ["key", "query", "2", "3"]),
    ((Q, K, V[:2]), ["3 keys", "2 values"]),
    ((Q, K, V * 2), ["3 keys", "6 values"]),
    (([[1e200]], [[1e200]], [[1]]), ["score 0 is inf"]),    # all is finite but the product
])
def test_attention_refuses_what_does_not_fit(tables, says):
    refuses(attention, *tables, says=says)


@pytest.mark.parametrize("mask", [
    [],
    [[1, 1, 1]],
    [[1, 1, 1]] * 3,
    [[1, 1, 1], [1, 1]],
    [[1, 1, 1, 1], [1, 1, 1]],
    [[1, 1], [1, 1], [1, 1]],    # transposed
    [[True], [True]],            # to be spread over the keys, somewhere else
    [[], []],
])
def test_attention_refuses_a_mask_of_another_shape(mask):
    refuses(attention, Q, K, V, mask, says=["mask", "2 x 3"])


@pytest.mark.parametrize("other", [-inf, inf, nan, -1, 2, 0.5, -1e9, None, "1"])
def test_attention_refuses_a_mask_of_other_things(other):
    refuses(attention, Q, K, V, [[1, 1, 1], [1, other, 1]], says=["mask[1]"])
    refuses(attention, Q, K, V, [[0, 0, other], [0, 0, 0]], says=["mask[0]"])


@pytest.mark.parametrize("nothing", [0, False, 0.0, -0.0])
def test_attention_refuses_a_query_that_sees_no_key(nothing):
    refuses(attention, Q, K, V, [[1, 1, 1], [nothing] * 3], says=["mask[1]", "every key"])
    refuses(attention, Q, K, V, [[nothing] * 3, [1, 1, 1]], says=["mask[0]", "every key"])


@pytest.mark.parametrize("number", [nan, inf])
def test_hiding_a_bad_number_does_not_excuse_it(number):
    refuses(attention, [[1]], [[1], [number]], [[1], [1]], [[1, 0]], says=["K[1]"])
    refuses(attention, [[1]], [[1], [1]], [[1], [number]], [[1, 0]], says=["V[1]"])


HEADS = [0, -1, -2, 1.5, 2.0, True, False, "2", None, nan, [2], 2 + 0j]


@pytest.mark.parametrize("h", HEADS)
def test_heads_are_a_whole_number_from_1(h):
    refuses(multi_head, Q, Q, Q, h, says=["h must be a whole number", repr(h)])
    refuses(block, Q, h, says=["h must be a whole number", repr(h)])


@pytest.mark.parametrize("d, d_v, h, says", [
    (4, 4, 3, "Q is 4 wide: not 3"),
    (4, 4, 8, "Q is 4 wide: not 8"),
    (1, 1, 2, "Q is 1 wide: not 2"),
    (4, 6, 4, "V is 6 wide: not 4"),
    (4, 3, 2, "V is 3 wide: not 2"),
    (3, 4, 2, "Q is 3 wide: not 2"),
    (64, 64, 10**30, "Q is 64 wide"),
])
def test_heads_have_to_divide_both_widths(d, d_v, h, says):
    refuses(multi_head, [[1] * d], [[1] * d], [[1] * d_v], h, says=[says])
    if d == d_v:
        refuses(block, [[*range(d)]], h, says=[says])


@pytest.mark.parametrize("h", [*HEADS, 3])
def test_the_heads_are_refused_before_anything_is_computed(h, monkeypatch):
    """Numbers whose product is infinite would be refused as well, later, by softmax."""
    huge = [[1e200] * 4]
    refuses(multi_head, huge, huge, huge, h, says=["equal parts" if h == 3 else "whole number"])
    for name in "softmax", "dot", "split":
        monkeypatch.delattr(model, name)
    refuses(multi_head, huge, huge, huge, h, says=["equal parts" if h == 3 else "whole number"])


@pytest.mark.parametrize("tables, says", [
    (([], [], []), "Q is empty"),
    (([[1, 2]], [[]], [[1, 2]]), "K is empty"),
    (([[1, 2], [1, 2, 3, 4]], [[1, 2]], [[1, 2]]), "Q[1] is 4 wide"),
    (([[1, 2]], [[1, 2], [1, 2, 3]], [[1, 2]] * 2), "K[1] is 3 wide"),    # no slice sees it
    (([[1, 2]], [[1, 2]] * 2, [[1, 2], [1, 2, 3]]), "V[1] is 3 wide"),
    (([[1, 2]], [[1, 2]], [[1, nan]]), "V[0] is not finite"),
    (([[1, inf]], [[1, 2]], [[1, 2]]), "Q[0] is not finite"),
    (([[1, 2]], [[1, 2, 3, 4]], [[1, 2]]), "a key is 4 wide, a query 2"),
    (([[1, 2]], [[1, 2]] * 2, [[1, 2]]), "2 keys but 1 values"),
])
@pytest.mark.parametrize("h", [1, 2])
def test_multi_head_refuses_what_attention_refuses(tables, says, h):
    refuses(multi_head, *tables, h, says=[says])


@pytest.mark.parametrize("mask, says", [
    ([], "the mask is not 2 x 2"),
    ([[1, 1]], "the mask is not 2 x 2"),
    ([[1, 1, 1], [1, 1, 1]], "the mask is not 2 x 2"),
    ([[1, 0], [0, 0]], "mask[1] hides every key"),
    ([[0, -inf], [0, 0]], "mask[0]"),
    ([[1, 0.5], [1, 1]], "mask[0]"),
])
@pytest.mark.parametrize("h", [1, 2])
def test_heads_and_block_refuse_what_is_no_mask(mask, says, h):
    X = [[1, 2], [3, 4]]
    refuses(multi_head, X, X, X, h, mask, says=[says])
    refuses(block, X, h, mask, says=[says])


@pytest.mark.parametrize("row", [
    [], (), [nan], [inf], [-inf], [nan, 1], [1, nan], [1, 2, inf], [-inf, inf], [inf, inf],
    [1e200, -1e200], [0, 1.7e308], [1e154] * 2 + [-1e154],
])
def test_layer_norm_refuses(row):
    refuses(layer_norm, row, says=["layer_norm", str(row)])
    refuses(layer_norm, row, 1, says=["layer_norm", str(row)])


@pytest.mark.parametrize("X", [
    [], [[]], [[], []], [[1, 2], []], [[1, 2], [3]], [[1, 2], [3, 4, 5]],
    [[1, nan]], [[1, 2], [inf, 1]], [[1, 2], [3, -inf]], [[1e200, 1]],
])
@pytest.mark.parametrize("h", [1, 2])
def test_block_refuses(X, h):
    refuses(block, X, h, says=[])


@pytest.mark.parametrize("X, Y", [
    ([[1, 2]], []),
    ([], [[1, 2]]),
    ([[1, 2]] * 2, [[1, 2]]),
    ([[1, 2]], [[1, 2]] * 2),
    ([[1, 2]], [[1]]),
    ([[1]], [[1, 2]]),
    ([[1, 2], [3, 4]], [[1, 2], [3]]),
])
def test_add_refuses_other_shapes(X, Y):
    refuses(add, X, Y, says=[])


@pytest.mark.parametrize("bad", [0, -1, -2, 1.5, 2.0, True, False, "2", None, nan, inf, [2]])
def test_positions_and_columns_are_whole_numbers_from_1(bad):
    refuses(pos_encoding, bad, 4, says=["n must be a whole number", repr(bad)])
    refuses(pos_encoding, 4, bad, says=["d must be a whole number", repr(bad)])


# The file

def test_the_file_works_where_it_lies():
    run = subprocess.run(
        [sys.executable, "-B", "-c", "import model; print(model.softmax([1,2,3]))"],
        cwd=ROOT / "tf", env={}, capture_output=True, text=True)
    assert not run.stderr
    assert near(ast.literal_eval(run.stdout), GOLDEN["softmax"][0]["weights"])


def test_the_golden_numbers_say_who_made_them():
    assert "PyTorch" in GOLDEN["made by"]
    assert ["made by", *CHECKS] == list(GOLDEN)
    for part in CHECKS:
        names = [case["name"] for case in GOLDEN[part]]
        assert len(names) == len(set(names)) > 14
