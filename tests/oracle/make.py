"""Let PyTorch compute what tf/model.py has to answer, and write it to tests/golden/model.json.

    python3.11 -m venv ../torch
    ../torch/bin/pip install torch==2.13.0
    ../torch/bin/python tests/oracle/make.py

Run it again when a case is added; the numbers are committed, so the tests need no PyTorch.
(PyTorch warns that there is no NumPy. Nothing here needs it.) Where a row of scores holds
null in the file, it is -inf, which JSON cannot say.
"""

import json
import platform
from math import inf
from pathlib import Path
from random import Random

import torch
from torch.nn.functional import scaled_dot_product_attention

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "model.json"


# Softmax

def rows_of_scores():
    """{name: scores}: by hand what has gone wrong in public, at random what has not."""
    rows = {
        "three": [0, 1, 2],
        "one": [5],
        "equal": [3, 3, 3, 3],
        "both signs": [3, 1, -1],
        "overflow": [1000, 1001, 1002],
        "underflow": [-1000, -1001, -1002],
        "floats end here": [1e308, -1e308],
        "all as large as floats go": [1e308, 1e308],
        "the edge of exp": [709.0, 710.0, 709.5],
        "far below the top": [0.0, -700.0, -745.0, -746.0, -1e9],
        "minus zero": [-0.0, 0.0],
        "hidden first": [-inf, 0],
        "hidden in the middle": [0.0, -inf, 1.0],
        "all hidden but one": [-inf, -inf, -3.5, -inf],
        "hidden beside the smallest float": [-1e308, -inf],
        "smaller than a float can tell": [1e-300, 0.0, 5e-324],
        "one unit in the last place": [1.0, 1.0 + 2**-52],
        "one above many": [9] + [0] * 99,
        "a ramp": [j / 8 for j in range(-32, 33)],
    }
    for size, spread in (2, 1), (8, 1), (64, 1), (64, 30), (33, 300):
        rows[f"{size} at random, spread {spread}"] = vector(Random(size * spread), size, spread)
    return rows


def softmax_case(name, xs):
    weights = torch.softmax(tensor(xs), 0)
    spelled = [None if x == -inf else x for x in xs]
    return {"name": name, "xs": spelled, "weights": weights.tolist()}


# Attention

def tables():
    """{name: (Q, K, V, mask)}; mask[i][j] is 1 where query i may see key j."""
    return by_hand() | of_many_shapes() | of_many_sizes()


def by_hand():
    X = [[1, 2], [3, 4]]
    near = [[1000.0], [999.999], [-1000.0]]
    loud = [[8] * 16, [7] * 16, [-8] * 16]
    deep = [[-1e5], [1], [-2e5]]
    small = [[3e-200, 1e-200], [1.0, 1e-300]]
    padded = square(4, lambda i, j: j <= i and j < 2)
    return {
        "one of everything": ([[1]], [[2]], [[3]], None),
        "integers": (X, X, X, None),
        "integers, causal": (X, X, X, causal(2, 2)),
        "rows sum to 1, columns do not": ([[1], [2]], [[1], [0]], [[10], [20]], None),
        "the better key hidden": ([[1]], [[0.2], [5]], [[10], [20]], [[1, 0]]),
        "the worse key hidden": ([[1]], [[5], [0.2]], [[10], [20]], [[1, 0]]),
        "all that is seen is far below": ([[1e5]], deep, [[1], [2], [3]], [[1, 0, 1]]),
        "a query of zeros": ([[0, 0]], [[1, 2], [3, 4], [5, 6]], [[3], [6], [12]], None),
        "saturated": (loud[:1], loud, [[1, 0], [0, 1], [5, 5]], None),
        "scores of a million": (near[:1], near, [[1], [2], [3]], None),
        "tiny": ([[1e-200, 2e-200]], small, [[1e-300], [3e-300]], None),
        "zeros of both signs": ([[-0.0, 0.0]], [[0.0, -0.0], [1.0, -1.0]], [[-0.0], [0.0]], None),
        "large values": ([[0.5, -1.0]], X, [[1e150, -1e-150], [3e150, 1.0]], None),
        "past 3, new 2": (*at_random(32, 2, 5, 4, 3), causal(2, 5)),
        "past 7, new 1": (*at_random(33, 1, 8, 4, 4), causal(1, 8)),
        "one query, keys hidden": (*at_random(34, 1, 6, 4, 2), [[1, 0, 0, 1, 1, 0]]),
        "first key hidden from all": (*at_random(35, 4, 4, 4, 4), [[0, 1, 1, 1]] * 4),
        "each sees itself": (*at_random(36, 4, 4, 4, 4), square(4, lambda i, j: j == i)),
        "each sees the others": (*at_random(36, 4, 4, 4, 4), square(4, lambda i, j: j != i)),
        "only the future": (*at_random(37, 4, 4, 4, 4), square(4, lambda i, j: j >= i)),
        "causal and padded": (*at_random(38, 4, 4, 4, 4), padded),
        "a window of 3": (*at_random(39, 8, 8, 4, 4), square(8, lambda i, j: i - 3 < j <= i)),
        "wide": (*at_random(40, 4, 4, 64, 4), None),
        "wide, causal": (*at_random(41, 4, 4, 64, 4), causal(4, 4)),
        "long": (*at_random(42, 2, 64, 4, 2), None),
        "long, causal": (*at_random(43, 24, 24, 2, 1), causal(24, 24)),
    }


def of_many_shapes():
    shapes = ((1, 1, 3, 2), (2, 3, 2, 4), (3, 2, 4, 2), (4, 4, 8, 8),
              (5, 5, 3, 7), (8, 8, 8, 1), (3, 7, 1, 3), (8, 4, 6, 3))
    return {
        f"Q {n_q} x {d}, K {n_k} x {d}, V {n_k} x {d_v}, {kind}": (
            *at_random(seed, n_q, n_k, d, d_v), mask)
        for seed, (n_q, n_k, d, d_v) in enumerate(shapes)
        for kind, mask in masks(seed, n_q, n_k).items()
    }


def of_many_sizes():
    return {
        f"spread {spread:g}, {kind}": (*at_random(50, 5, 5, 16, 3, spread), mask)
        for spread in (1e-6, 0.1, 10, 40)
        for kind, mask in (("no mask", None), ("causal", causal(5, 5)))
    }


def masks(seed, n_q, n_k):
    return {
        "no mask": None,
        "causal": causal(n_q, n_k),
        "padding": [[int(3 * j < 2 * n_k) for j in range(n_k)]] * n_q,
        "any mask": scattered(seed, n_q, n_k),
    }


def causal(n_q, n_k):
    """The last query sees every key, the one before it one less; each sees the first key."""
    return [[int(j <= max(0, n_k - n_q + i)) for j in range(n_k)] for i in range(n_q)]


def square(n, sees):
    return [[int(sees(i, j)) for j in range(n)] for i in range(n)]


def scattered(seed, n_q, n_k):
    """Any key may be hidden from any query, but never all."""
    random = Random(seed)
    rows = [[random.randint(0, 1) for j in range(n_k)] for i in range(n_q)]
    return [row if any(row) else [1] * n_k for row in rows]


def attention_case(name, Q, K, V, mask):
    out = attend(Q, K, V, mask)
    weights = attend(Q, K, identity(len(K)), mask)  # out = weights · V
    agree(name, out, weights, *by_formula(Q, K, V, mask))
    return {"name": name, "Q": Q, "K": K, "V": V, "mask": mask,
            "out": out.tolist(), "weights": weights.tolist()}


def attend(Q, K, V, mask):
    batch = [tensor(X)[None, None] for X in (Q, K, V)]  # batch x head x position x dimension
    mask = None if mask is None else torch.tensor(mask, dtype=torch.bool)
    return scaled_dot_product_attention(*batch, attn_mask=mask)[0, 0]


def by_formula(Q, K, V, mask):
    Q, K, V = map(tensor, (Q, K, V))
    scores = Q @ K.T / Q.shape[1] ** 0.5
    if mask is not None:
        scores[torch.tensor(mask) == 0] = -inf
    weights = torch.softmax(scores, 1)
    return weights @ V, weights


def agree(name, out, weights, out_too, weights_too):
    """Two ways through PyTorch must agree better than the tests demand of us."""
    for X, Y in (out, out_too), (weights, weights_too):
        if not torch.allclose(X, Y, rtol=2e-13, atol=2e-13):
            raise SystemExit(f"{name}: two ways differ by {(X - Y).abs().max():g}")


# Numbers

def at_random(seed, n_q, n_k, d, d_v, spread=1):
    random = Random(seed)
    shapes = (n_q, d), (n_k, d), (n_k, d_v)
    return [[vector(random, width, spread) for _ in range(n)] for n, width in shapes]


def vector(random, n, spread):
    """n numbers around 0, of few digits, so that the file stays small."""
    return [float(f"{random.gauss(0, spread):.3g}") for _ in range(n)]


def identity(n):
    return [[float(i == j) for j in range(n)] for i in range(n)]


def tensor(X):
    return torch.tensor(X, dtype=torch.float64)


# The file

def main():
    parts = {
        "softmax": [softmax_case(name, xs) for name, xs in rows_of_scores().items()],
        "attention": [attention_case(name, *table) for name, table in tables().items()],
    }
    made = f"PyTorch {torch.__version__}, float64, CPU; Python {platform.python_version()}"
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text(page(made, parts), encoding="utf-8", newline="\n")
    print(f"{GOLDEN.name}: {sum(map(len, parts.values()))} cases, {GOLDEN.stat().st_size} bytes")


def page(made, parts):
    """JSON with a case on each line."""
    lists = [f'"{part}": [\n' + ",\n".join(map(compact, cases)) + "\n]"
             for part, cases in parts.items()]
    return f'{{"made by": {compact(made)},\n' + ",\n".join(lists) + "}\n"


def compact(x):
    return json.dumps(x, separators=(",", ":"), allow_nan=False)


if __name__ == "__main__":
    main()
