"""Let PyTorch compute what tf/model.py has to answer, and write it to tests/golden/model.json.

    make oracle                                    # compares
    .oracle/bin/python tests/oracle/make.py        # writes

Run it again when a case is added; the numbers are committed, so the tests need no PyTorch. Every
number is computed in two ways, and the file is not written unless they agree. Where PyTorch itself
rounds too much, in layer norms of rows far from 0, exact arithmetic has the word, and the case
says so. Where a row of scores holds null in the file, it is -inf, which JSON cannot say.
"""

from decimal import Decimal, localcontext
from fractions import Fraction
from math import inf
from random import Random

import torch
from golden import (agree, at_random, causal, deliver, identity, masks, scattered, square, tensor,
                    vector)
from torch.nn.functional import scaled_dot_product_attention


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


def attention_case(name, Q, K, V, mask):
    out = attend(Q, K, V, mask)
    weights = attend(Q, K, identity(len(K)), mask)  # out = weights · V
    agree(name, (out, weights), by_formula(Q, K, V, mask))
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


# Heads

def tables_and_heads():
    """{name: (Q, K, V, h, mask)}."""
    zeros = [[0] * 4] * 2
    counted = [[1, 2, 3, 4], [5, 6, 7, 8]]
    one_loud = [[8, -8, 0.5, 0.25], [7, 8, 0.25, -0.5], [-8, 7, 1, 1]]
    padded = square(4, lambda i, j: j <= i and j < 2)
    return {
        "equal scores": (zeros, zeros, counted, 2, None),
        "equal scores, causal": (zeros, zeros, counted, 2, causal(2, 2)),
        "values wider than keys": ([[0, 0]], [[0, 0]], [[1, 2, 3, 4]], 2, None),
        "values narrower than keys": (counted, counted, [[1, 10], [2, 20]], 2, None),
        "integers": (counted, counted, counted, 2, None),
        "one head is certain, one is not": (one_loud, one_loud, one_loud, 2, None),
        "all that is seen is far below": (
            [[1e5, 1]], [[-1e5, 0], [1, 0], [-2e5, 1]], [[1, 4], [2, 5], [3, 6]], 2, [[1, 0, 1]]),
        "past 3, new 2": (*at_random(132, 2, 5, 8, 4), 4, causal(2, 5)),
        "past 7, new 1": (*at_random(133, 1, 8, 8, 8), 2, causal(1, 8)),
        "one query, keys hidden": (*at_random(134, 1, 6, 4, 6), 2, [[1, 0, 0, 1, 1, 0]]),
        "causal and padded": (*at_random(138, 4, 4, 4, 4), 2, padded),
        "a window of 3": (
            *at_random(139, 8, 8, 4, 4), 4, square(8, lambda i, j: i - 3 < j <= i)),
        "eight of 8": (*at_random(140, 4, 4, 64, 64), 8, None),
        "eight of 8, causal": (*at_random(140, 4, 4, 64, 64), 8, causal(4, 4)),
    } | heads_of_many_shapes() | heads_of_many_sizes()


def heads_of_many_shapes():
    shapes = ((1, 1, 4, 4, 2), (2, 3, 4, 8, 2), (3, 2, 6, 3, 3), (4, 4, 8, 8, 1), (4, 4, 8, 8, 2),
              (4, 4, 8, 8, 4), (4, 4, 8, 8, 8), (5, 5, 12, 6, 6), (3, 7, 8, 16, 8),
              (8, 4, 10, 5, 5), (2, 5, 12, 12, 4), (6, 6, 16, 4, 2))
    return {
        f"Q {n_q} x {d}, K {n_k} x {d}, V {n_k} x {d_v}, h {h}, {kind}": (
            *at_random(100 + seed, n_q, n_k, d, d_v), h, mask)
        for seed, (n_q, n_k, d, d_v, h) in enumerate(shapes)
        for kind, mask in masks(seed, n_q, n_k).items()
    }


def heads_of_many_sizes():
    return {
        f"spread {spread:g}, h {h}, {kind}": (*at_random(150, 4, 4, 8, 8, spread), h, mask)
        for spread in (1e-6, 10, 40)
        for h in (2, 4)
        for kind, mask in (("no mask", None), ("causal", causal(4, 4)))
    }


def multi_head_case(name, Q, K, V, h, mask):
    out = multi_head(*map(tensor, (Q, K, V)), h, mask)
    return {"name": name, "Q": Q, "K": K, "V": V, "h": h, "mask": mask, "out": out.tolist()}


def multi_head(Q, K, V, h, mask):
    """Slices side by side, which must be what PyTorch's own layer or views make of it."""
    slices = zip(*(X.chunk(h, dim=1) for X in (Q, K, V)), strict=True)
    out = torch.cat([attend(*each, mask) for each in slices], dim=1)
    way = by_layer if Q.shape[1] == V.shape[1] else by_views
    agree(f"{h} heads", [out], [way(Q, K, V, h, mask)])
    return out


def by_layer(Q, K, V, h, mask):
    """PyTorch's layer, its projections the identity. A mask says there what is hidden."""
    d = Q.shape[1]
    layer = torch.nn.MultiheadAttention(d, h, bias=False, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.eye(d).repeat(3, 1))
        layer.out_proj.weight.copy_(torch.eye(d))
        hidden = None if mask is None else torch.tensor(mask) == 0
        return layer(Q[None], K[None], V[None], need_weights=False, attn_mask=hidden)[0][0]


def by_views(Q, K, V, h, mask):
    """position x head x width, turned to head x position x width, and back."""
    heads = [X.view(len(X), h, -1).transpose(0, 1)[None] for X in (Q, K, V)]
    mask = None if mask is None else torch.tensor(mask, dtype=torch.bool)
    out = scaled_dot_product_attention(*heads, attn_mask=mask)[0]
    return out.transpose(0, 1).reshape(len(Q), -1)


# Layer norm

def rows_of_numbers():
    """{name: (row, eps)}."""
    one_to_four = [1, 2, 3, 4]
    random = Random(200)
    rows = {
        "one to four": one_to_four,
        "one hot": [1, 0, 0, 0],
        "negative": [-1, -2, -3, -4],
        "two numbers": [3, 7],
        "both signs": [3, 1, -1],
        "one number": [5],
        "equal": [5, 5, 5, 5],
        "equal, but not in binary": [0.1] * 3,
        "equal and far away": [1e9 + 0.1] * 69,
        "zeros of both signs": [-0.0, 0.0],
        "a million beside three": [1, 2, 3, 1_000_000],
        "a million before three": [1_000_000, 3, 2, 1],
        "hardly different": [1.0, 1.0 + 2**-52],
        "far apart": [1e150, -1e150, 3e149],
        "far apart, the first in between": [0.0, 1e9, -1e9, 1.0],
        "0.01 of one to four": [0.01, 0.02, 0.03, 0.04],
        "0.001 of one to four": [0.001, 0.002, 0.003, 0.004],
        "one small deviation": [0.001, -0.001],
        "64 numbers": vector(random, 64, 1),
        "64 loud numbers": vector(random, 64, 100),
        "512 numbers": vector(random, 512, 1),
    }
    for offset in (1e3, -1e6, 1e8, 1e9, -1e9, 1e12):
        rows[f"one to four and {offset:g}"] = [offset + x for x in one_to_four]
    for offset in (1e6, 1e9):
        rows[f"33 numbers and {offset:g}"] = [offset + x for x in vector(random, 33, 10)]
    for size in (1e-3, 1e-8, 1e-100, 1e-300):
        rows[f"7 tiny numbers, {size:g}"] = vector(random, 7, size)
    cases = {name: (row, 1e-5) for name, row in rows.items()}
    for eps in (1e-12, 1e-6, 1e-3, 1.0):
        cases |= {f"{name}, eps {eps:g}": (rows[name], eps) for name in (
            "one to four", "one hot", "equal", "0.001 of one to four", "one to four and 1e+09")}
    return cases | {"one to four, eps 0": (one_to_four, 0)}


def layer_norm_case(name, row, eps):
    """Right by PyTorch where it has 13 digits of the exact result, else by exact arithmetic."""
    exact = exact_layer_norm(row, eps)
    torch_too = torch.nn.functional.layer_norm(tensor(row), (len(row),), eps=eps).tolist()
    gap = max(abs(x - y) for x, y in zip(exact, torch_too, strict=True))
    scale = max(map(abs, exact))
    if gap <= 2e-13 * min(1, scale):
        return {"name": name, "row": row, "eps": eps, "out": torch_too, "by": "PyTorch"}
    if gap > 1e-2:
        raise SystemExit(f"{name}: PyTorch differs by {gap:g}, which is no rounding")
    by = f"exact arithmetic; PyTorch differs by {gap:.1g} where the largest number is {scale:.1g}"
    return {"name": name, "row": row, "eps": eps, "out": exact, "by": by}


def exact_layer_norm(row, eps):
    """Fractions up to the root, 60 digits from there on, rounded once."""
    row = list(map(Fraction, row))
    mean = sum(row) / len(row)
    centred = [x - mean for x in row]
    variance = sum(x * x for x in centred) / len(row)
    with localcontext(prec=60):
        root = decimal(variance + Fraction(eps)).sqrt()
        return [float(decimal(x) / root) for x in centred]


def decimal(fraction):
    return Decimal(fraction.numerator) / fraction.denominator


# Block

def tables_to_add_to():
    """{name: (X, h, mask)}."""
    even = [[1, 2, 3, 4], [5, 5, 5, 5], [-4, 3, -2, 1]]
    far = [[1e6 + x for x in row] for row in even]
    tiny = [[1e-4 * x for x in row] for row in even]
    mixed = [[1e-3 * x for x in even[0]], [1000 * x for x in even[2]], even[2]]
    cases = {
        "a single row": ([[1, 2, 3, 4]], 1, None),
        "a single row, two heads": ([[1, 2, 3, 4]], 2, None),
        "a single row, causal": ([[1, 2, 3, 4]], 4, [[1]]),
        "a row of equal numbers": ([[5, 5, 5, 5]], 2, None),
        "one column": ([[1], [2]], 1, None),
        "rows far away": (far, 2, None),
        "tiny rows": (tiny, 2, causal(3, 3)),
        "rows of all sizes": (mixed, 2, None),
        "rows of all sizes, causal": (mixed, 2, causal(3, 3)),
        "eight heads of 8": (at_random(300, 4, 1, 64, 1)[0], 8, None),
        "eight heads of 8, causal": (at_random(300, 4, 1, 64, 1)[0], 8, causal(4, 4)),
    }
    for seed, (n, d, h) in enumerate(((2, 4, 1), (3, 4, 2), (4, 6, 3), (5, 8, 4), (8, 8, 8))):
        X, *_ = at_random(310 + seed, n, 1, d, 1)
        cases |= {f"{n} x {d}, h {h}, {kind}": (X, h, mask)
                  for kind, mask in masks(seed, n, n).items()}
    return cases


def block_case(name, X, h, mask):
    rows = torch.nn.functional.layer_norm(tensor(X), (len(X[0]),), eps=1e-5)
    out = tensor(X) + multi_head(rows, rows, rows, h, mask)
    exact = tensor([exact_layer_norm(row, 1e-5) for row in X])
    agree(name, [out], [tensor(X) + multi_head(exact, exact, exact, h, mask)])
    return {"name": name, "X": X, "h": h, "mask": mask, "out": out.tolist()}


# Positions

PUBLISHED = [[0, 1, 0, 1], [0.8415, 0.5403, 0.0100, 0.99995]]  # 2 x 4, in many an introduction


def sizes():
    """{name: (n, d, the positions to be kept)}."""
    small = {f"{n} x {d}": (n, d, range(n)) for n, d in (
        (1, 1), (2, 4), (8, 8), (6, 1), (6, 2), (6, 3), (4, 5), (4, 7), (10, 16), (3, 64))}
    return small | {f"{n} x {d}": (n, d, [1, n // 2, n - 1]) for n, d in (
        (50, 256), (512, 6), (1000, 8), (300, 33), (1500, 12))}


def pos_encoding_case(name, n, d, positions):
    rows = by_turns(n, d)
    agree(name, [tensor(rows)], [by_angles(n, d)])
    if (n, d) == (2, 4):
        assert [[round(x, 4 + (c == 3)) for c, x in enumerate(row)] for row in rows] == PUBLISHED
    kept = {str(i): rows[i] for i in positions}
    return {"name": name, "n": n, "d": d, "rows": kept, "by": "60 digits; PyTorch agrees"}


def by_angles(n, d):
    """The formula, in floats: even columns sine, odd columns cosine of i / 10000^(2c'/d)."""
    pair = torch.arange(d, dtype=torch.float64) // 2
    angles = torch.arange(n, dtype=torch.float64)[:, None] / 10000 ** (2 * pair / d)
    return torch.where(torch.arange(d) % 2 == 0, angles.sin(), angles.cos())


def by_turns(n, d):
    """The same from 60 digits: a position further is a turn further."""
    with localcontext(prec=60):
        steps = [sine_and_cosine(Decimal(10000) ** (Decimal(-2 * pair) / d))
                 for pair in range((d + 1) // 2)]
        hands, rows = [(Decimal(0), Decimal(1))] * len(steps), []
        for _ in range(n):
            rows.append([float(x) for hand in hands for x in hand][:d])
            hands = [(s * c1 + c * s1, c * c1 - s * s1)
                     for (s, c), (s1, c1) in zip(hands, steps)]
        return rows


def sine_and_cosine(x):
    """By their series, for x from 0 to 1."""
    term, sums = Decimal(1), [Decimal(0), Decimal(0)]
    for k in range(60):
        sums[k % 2] += -term if k % 4 > 1 else term
        term *= x / (k + 1)
    return sums[1], sums[0]


# The file

def main():
    parts = {
        "softmax": [softmax_case(name, xs) for name, xs in rows_of_scores().items()],
        "attention": [attention_case(name, *table) for name, table in tables().items()],
        "multi_head": [multi_head_case(name, *t) for name, t in tables_and_heads().items()],
        "layer_norm": [layer_norm_case(name, *row) for name, row in rows_of_numbers().items()],
        "block": [block_case(name, *table) for name, table in tables_to_add_to().items()],
        "pos_encoding": [pos_encoding_case(name, *size) for name, size in sizes().items()],
    }
    deliver("model.json", f"PyTorch {torch.__version__}, float64, CPU", parts)


if __name__ == "__main__":
    main()
