"""tf/model.py against PyTorch's numbers and against everything it has to refuse."""

import ast
import json
import math
import runpy
import subprocess
import sys
from copy import deepcopy
from math import fsum, inf, isclose, nan
from pathlib import Path
from random import Random

import baseline
import pytest
from tf import model
from tf.model import attention, causal_mask, softmax

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
    before = deepcopy((Q, K, V, mask))
    out, weights = attention(Q, K, V, mask)
    if (Q, K, V, mask) != before:
        return "the input was changed"
    if not same_shape(weights, case["weights"]) or not all(map(near, weights, case["weights"])):
        return f"weights {weights} are not {case['weights']}"
    if mask and any(w != 0 for row in zip(weights, mask) for w, seen in zip(*row) if not seen):
        return f"a hidden key has a weight: {weights}"
    columns = (list(zip(*table)) for table in (out, case["out"], V))
    if not same_shape(out, case["out"]) or not all(map(near, *columns)):
        return f"out {out} is not {case['out']}"


def near(xs, wants, scale=(1,)):
    """Equal to 1e-12, measured by the largest number that went in where that is below 1."""
    step = 1e-12 * min(1, max(map(abs, scale)))
    close = (isclose(x, want, rel_tol=1e-12, abs_tol=step) for x, want in zip(xs, wants))
    return len(xs) == len(wants) and all(close)


def same_shape(X, Y):
    return list(map(len, X)) == list(map(len, Y))


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


@golden("attention")
def test_the_plain_loops_agree_with_pytorch(case):
    def attention(Q, K, V, mask):
        weights, out = baseline.attention(Q, K, V, causal=mask is not None)
        return out, weights
    if case["mask"] in (None, causal_mask(len(case["Q"]))):
        assert not wrong_attention(attention, case)


def test_the_plain_loops_have_heads():
    V = [[1, 2, 3, 4], [5, 6, 7, 8]]
    zeros = [[0] * 4] * 2
    assert baseline.multi_head(zeros, zeros, V, 2, causal=False) == [[3, 4, 5, 6]] * 2
    assert baseline.multi_head(zeros, zeros, V, 2, causal=True) == [[1, 2, 3, 4], [3, 4, 5, 6]]


def test_without_sumprod_the_numbers_are_the_same(monkeypatch):
    monkeypatch.delattr(math, "sumprod", raising=False)    # Python 3.11 has none
    old = runpy.run_path(model.__file__)
    assert not any(wrong_attention(old["attention"], case) for case in GOLDEN["attention"])


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
    random = Random(n)
    table = lambda: [[random.gauss(0, 1) for _ in range(4)] for _ in range(n)]
    Q, K, V = table(), table(), table()
    out, weights = attention(Q, K, V, causal_mask(n))
    for now in range(1, n):
        futures = [X[:now] + [[100 * x - 7 for x in row] for row in X[now:]] for X in (Q, K, V)]
        other, others_weights = attention(*futures, causal_mask(n))
        assert repr(other[:now]) == repr(out[:now])
        assert repr(others_weights[:now]) == repr(weights[:now])
        assert other[now:] != out[now:]


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


# The file

def test_the_file_works_where_it_lies():
    run = subprocess.run(
        [sys.executable, "-B", "-c", "import model; print(model.softmax([1,2,3]))"],
        cwd=ROOT / "tf", env={}, capture_output=True, text=True)
    assert not run.stderr
    assert near(ast.literal_eval(run.stdout), GOLDEN["softmax"][0]["weights"])


def test_the_golden_numbers_say_who_made_them():
    assert "PyTorch" in GOLDEN["made by"]
    names = [case["name"] for part in ("softmax", "attention") for case in GOLDEN[part]]
    assert len(names) == len(set(names)) > 80
