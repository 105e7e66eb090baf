"""What PyTorch answers for tf/masks.py, tf/positions.py, tf/cost.py and tf/flash.py.

PyTorch's ways to attend are flex_attention, whose score_mod may cap scores and add a bias,
scaled_dot_product_attention, and the layer; the formula, written with tensors, is the other way.
"""

import warnings
from fractions import Fraction
from math import inf, log2

import torch
from golden import agree, at_random, case, causal, identity, masks, scattered, square, tensor
from reference import seen_by_onnx
from torch.nn import MultiheadAttention, functional
from torch.nn.attention.bias import causal_lower_right
from torch.nn.attention.flex_attention import flex_attention

warnings.filterwarnings("ignore", "flex_attention called without torch.compile")


# Ways to attend

def by_flex(Q, K, V, mask=None, bias=None, scale=None, softcap=None):
    def score_mod(score, _batch, _head, i, j):
        if softcap is not None:
            score = softcap * torch.tanh(score / softcap)
        if bias is not None:
            score = score + tensor(bias)[i, j]
        return score if mask is None else torch.where(tensor(mask)[i, j] == 1, score, -inf)
    Q, K, V = (tensor(X)[None, None] for X in (Q, K, V))
    return flex_attention(Q, K, V, score_mod=score_mod, scale=scale)[0, 0]


def by_formula(Q, K, V, mask=None, bias=None, scale=None, softcap=None):
    Q, K, V = map(tensor, (Q, K, V))
    scores = Q @ K.mT * (Q.shape[-1] ** -0.5 if scale is None else scale)
    if softcap is not None:
        scores = torch.tanh(scores / softcap) * softcap
    if bias is not None:
        scores = scores + tensor(bias)
    if mask is not None:
        scores = scores.masked_fill(tensor(mask) == 0, -inf)
    weights = torch.softmax(scores, -1)
    return weights @ V, weights


def by_sdpa(Q, K, V, mask=None, **more):
    batch = (tensor(X)[None, None] for X in (Q, K, V))
    mask = mask if torch.is_tensor(mask) or mask is None else tensor(mask) == 1
    return functional.scaled_dot_product_attention(*batch, attn_mask=mask, **more)[0, 0]


# tf/masks.py: attend

def tables_to_attend():
    """{name: (Q, K, V, mask, bias, scale, softcap)}."""
    X, zeros = [[1, 2], [3, 4]], [[0]]
    loud = [[40, -10], [-30, 20]]
    cases = {
        "nothing more": (X, X, X, None, None, None, None),
        "a finite bias is not scaled": ([[2, 0, 0, 0]], identity(4)[:2], [[1], [2]],
                                        None, [[1, 0]], None, None),
        "a bias that evens out": ([[1]], [[1], [3]], [[1], [2]], None, [[2, 0]], None, None),
        "a bias for all keys alike": (X, X, X, None, [[7, 7], [-7, -7]], None, None),
        "a bias of a million": (X, X, X, None, [[1e6, 0], [0, -1e6]], None, None),
        "the cap does not let a hidden key in": (
            zeros, [[0], [0]], [[10], [20]], [[1, 0]], None, None, 1),
        "the cap does not hold the bias": (
            zeros, [[0], [0]], [[10], [20]], None, [[9, 0]], None, 1),
        "scale first, then the cap": ([[4]], [[1], [0]], [[10], [20]], None, None, 0.25, 1),
        "loud": (loud, loud, X, None, None, None, None),
        "loud, capped at 50": (loud, loud, X, None, None, None, 50),
        "loud, capped at 30": (loud, loud, X, None, None, None, 30),
        "loud, capped at 0.5": (loud, loud, X, None, None, None, 0.5),
        "a cap far above the scores": (X, X, X, None, None, None, 1e6),
        "a scale of 1": (X, X, X, None, None, 1, None),
        "a scale of 1 / d": (X, X, X, None, None, 0.5, None),
        "a tiny scale": (X, X, X, None, None, 1e-9, None),
    }
    for seed, (n_q, n_k, d, d_v) in enumerate(((2, 5, 4, 3), (4, 4, 8, 2), (3, 6, 2, 2))):
        Q, K, V = at_random(400 + seed, n_q, n_k, d, d_v, 1.5)
        bias, *_ = at_random(450 + seed, n_q, 1, n_k, 1, 2)
        kinds = list(masks(seed, n_q, n_k).items())[1:]
        for k in range(16):
            kind, mask = kinds[k % 3] if k & 1 else ("no mask", None)
            more = (bias if k & 2 else None, 0.7 if k & 4 else None, 2.5 if k & 8 else None)
            words = [word for word, x in zip(("bias", "scale", "cap"), more) if x is not None]
            name = f"{n_q} x {n_k}, {', '.join([kind, *words])}"
            cases[name] = Q, K, V, mask, *more
    return cases


def extras():
    return [attend_case(name, *table) for name, table in tables_to_attend().items()]


def attend_case(name, Q, K, V, mask, bias, scale, softcap):
    given = {"mask": mask, "bias": bias, "scale": scale, "softcap": softcap}
    out = by_flex(Q, K, V, **given), by_flex(Q, K, identity(len(K)), **given)
    agree(name, out, by_formula(Q, K, V, **given))
    given = {key: x for key, x in given.items() if x is not None}
    return case(name, "attend", Q, K, V, out=out, **given)


# tf/masks.py: the masks

def mask_cases():
    """What an implementation lets through where every score is 0."""
    cases = []
    for n_q, n_k in ((1, 1), (1, 8), (2, 5), (3, 3), (4, 7), (5, 6), (2, 9)):
        seen = seen_by_sdpa(n_q, n_k, attn_mask=causal_lower_right(n_q, n_k))
        cases.append(mask_case("causal_mask_past", n_q, n_k, seen=seen))
    for n_q, n_k in ((1, 1), (1, 4), (2, 5), (3, 3), (5, 3), (4, 1), (4, 7)):
        seen = seen_by_sdpa(n_q, n_k, is_causal=True)
        cases.append(mask_case("causal_mask_topleft", n_q, n_k, seen=seen))
    for n_q, valid in ((1, [1]), (2, [1, 1, 0]), (3, [0, 1, 1]), (2, [0, 0, 1, 0, 1]),
                       (4, [1, 1, 1, 1]), (1, [0, 1])):
        seen = seen_by_layer(n_q, valid)
        cases.append(mask_case("key_padding_mask", n_q, len(valid), valid, seen=seen))
    for n_q, n_k, left, right, past in (
            (4, 4, 0, 0, 0), (6, 6, 1, 0, 0), (6, 6, 2, 0, 0), (5, 5, 1, 2, 0), (5, 5, 0, 3, 0),
            (4, 6, 2, 0, 2), (2, 8, 3, 0, 6), (1, 9, 4, 0, 8), (3, 3, 9, 9, 0), (4, 9, 2, 1, 3)):
        seen = seen_by_onnx(n_q, n_k, left, right, past)
        cases.append(mask_case("sliding_window_mask", n_q, n_k, left, right, past, seen=seen))
    for seed, (n_q, n_k) in enumerate(((1, 3), (3, 3), (2, 5), (4, 6))):
        a, b = (scattered(2 * seed + k, n_q, n_k) for k in (0, 1))
        both = torch.logical_and(tensor(a), tensor(b)).int()
        cases.append(mask_case("and_masks", a, b, seen=both.tolist()))
    return cases


def mask_case(call, *args, seen):
    return {"name": f"{call}{args}", "call": {call: args}, "options": {}, "out": seen}


def seen_by_sdpa(n_q, n_k, **mask):
    zeros = torch.zeros(1, 1, n_q, 1), torch.zeros(1, 1, n_k, 1)
    weights = functional.scaled_dot_product_attention(*zeros, torch.eye(n_k)[None, None], **mask)
    return (weights[0, 0] > 0).int().tolist()


def seen_by_layer(n_q, valid):
    """PyTorch's layer calls true what is hidden."""
    layer = MultiheadAttention(1, 1, batch_first=True)
    hidden = torch.tensor([valid]) == 0
    zeros = torch.zeros(1, n_q, 1), *[torch.zeros(1, len(valid), 1)] * 2
    return (layer(*zeros, key_padding_mask=hidden)[1][0] > 0).int().tolist()


def masked_cases():
    """attend, given what our masks let through, is what PyTorch makes of its own."""
    cases = []
    for seed, (n_q, n_k) in enumerate(((2, 5), (4, 4), (1, 6))):
        Q, K, V = at_random(480 + seed, n_q, n_k, 4, 2)
        for call, mask in (
                ("causal_mask_past", {"mask": causal_lower_right(n_q, n_k)}),
                ("causal_mask_topleft", {"is_causal": True})):
            out = by_sdpa(Q, K, V, **mask), by_sdpa(Q, K, identity(n_k), **mask)
            cases.append(case(f"{n_q} x {n_k}, {call}", "attend", Q, K, V, out=out,
                              mask={call: [n_q, n_k]}))
    return cases


# tf/positions.py

ROTATED = [(1, 2, 0, 10000), (3, 2, 0, 10000), (3, 4, 0, 10000), (4, 8, 0, 10000),
           (3, 4, 1, 10000), (3, 8, 7, 10000), (2, 6, 1000, 10000), (2, 32, 100, 10000),
           (3, 8, 3, 500000), (2, 8, 2000, 10), (3, 6, 5, 1)]


def rope_cases():
    cases = []
    for interleaved in True, False:
        pairs = "neighbours" if interleaved else "halves"
        tables = {f"{n} x {d} from {start}, base {base}": (at_random(start + d, n, 1, d, 1)[0],
                                                           start, base)
                  for n, d, start, base in ROTATED}
        tables["the first of four"] = identity(4)[:1], 1, 10000
        for name, (X, start, base) in tables.items():
            out = turned(X, start, base, interleaved)
            agree(name, [out], [rotated(X, start, base, interleaved)])
            cases.append(case(f"{name}, {pairs}", "rope", X, start, base, interleaved, out=out))
    return cases


def turned(X, start, base, interleaved):
    """Pairs as complex numbers times e to the i t, as in Meta's code of Llama."""
    pairs = pairs_of(X, interleaved)
    turn = torch.polar(torch.ones_like(pairs[..., 0]), angles(X, start, base))
    product = torch.view_as_real(torch.view_as_complex(pairs.contiguous()) * turn)
    return product.flatten(1) if interleaved else product.mT.flatten(1)


def pairs_of(X, interleaved):
    """position x pair x 2."""
    half = len(X[0]) // 2
    return tensor(X).view(-1, half, 2) if interleaved else tensor(X).view(-1, 2, half).mT


def rotated(X, start, base, interleaved):
    """x cos t + rotate(x) sin t, rotate(a, b) = (-b, a), as in Hugging Face's Llama and GPT-J."""
    X, t = tensor(X), angles(X, start, base)
    if interleaved:
        t = t.repeat_interleave(2, 1)
        other = torch.stack((-X[:, 1::2], X[:, ::2]), -1).flatten(1)
    else:
        t, half = torch.cat((t, t), 1), X.shape[1] // 2
        other = torch.cat((-X[:, half:], X[:, :half]), 1)
    return X * t.cos() + other * t.sin()


def angles(X, start, base):
    d = len(X[0])
    rates = 1 / base ** (torch.arange(0, d, 2, dtype=torch.float64) / d)
    return torch.outer(torch.arange(start, start + len(X), dtype=torch.float64), rates)


def alibi_cases():
    cases = []
    for h in [*range(1, 21), 32, 40, 64]:
        slopes = tensor(published_slopes(h))
        agree(f"{h} slopes", [slopes], [tensor(exact_slopes(h))])
        cases.append(case(f"{h} slopes", "alibi_slopes", h, out=slopes))
    for seed, (n_q, n_k, slope, past) in enumerate((
            (1, 1, 0.5, 0), (3, 3, 0.5, 0), (2, 5, 0.25, 3), (1, 6, 2**-8, 5), (4, 4, 1, 0),
            (3, 7, 0.0625, 4))):
        bias = distances(n_q, n_k, past) * -slope
        name = f"{n_q} x {n_k} after {past}, {slope:g} a step"
        cases.append(case(name, "alibi_bias", n_q, n_k, slope, past, out=bias))
        Q, K, V = at_random(500 + seed, n_q, n_k, 4, 2)
        mask = causal(n_q, n_k)
        out = by_flex(Q, K, V, mask, bias), by_flex(Q, K, identity(n_k), mask, bias)
        agree(name, out, by_formula(Q, K, V, mask, bias))
        cases.append(case(f"{name}, causal", "attend", Q, K, V, out=out, mask=mask,
                          bias={"alibi_bias": [n_q, n_k, slope, past]}))
    return cases


def learned_cases():
    table, *_ = at_random(540, 6, 1, 3, 1)
    return [case(f"{n} from {start}", "learned_positions", table, n, start,
                 out=functional.embedding(torch.arange(start, start + n), tensor(table)))
            for n, start in ((1, 0), (6, 0), (2, 3), (1, 5))]


def distances(n_q, n_k, past):
    return (torch.arange(past, past + n_q)[:, None] - torch.arange(n_k)).abs().double()


def published_slopes(h):
    """As the code does that Press, Smith & Lewis published with their paper."""
    if log2(h).is_integer():
        start = 2 ** (-2 ** -(log2(h) - 3))
        return [start * start ** k for k in range(h)]
    below = 2 ** int(log2(h))
    return published_slopes(below) + published_slopes(2 * below)[::2][:h - below]


def exact_slopes(h):
    """2 to the -8 (k + 1) / n, n a power of two; the rest from the odd ones of 2 n."""
    n = 2 ** (h.bit_length() - 1)
    exponents = [Fraction(8 * k, n) for k in range(1, n + 1)]
    exponents += [Fraction(8 * k, 2 * n) for k in range(1, 2 * n, 2)]
    return [2.0 ** -exponent for exponent in exponents[:h]]


# tf/cost.py

def gqa_cases():
    cases = []
    for seed, (h, h_k, n_q, n_k) in enumerate((
            (4, 2, 3, 3), (4, 1, 2, 5), (2, 2, 3, 3), (6, 3, 2, 2), (6, 2, 1, 6), (8, 2, 2, 3))):
        heads = [at_random(600 + 10 * seed + k, n_q, n_k, 2, 3) for k in range(h)]
        Qh, Kh, Vh = (list(tables) for tables in zip(*heads))
        for kind, mask in masks(seed, n_q, n_k).items():
            out = grouped(Qh, Kh[:h_k], Vh[:h_k], mask)
            name = f"{h} heads of queries, {h_k} of keys, {n_q} x {n_k}, {kind}"
            cases.append(case(name, "gqa", Qh, Kh[:h_k], Vh[:h_k], mask, out=out))
    return cases


def grouped(Qh, Kh, Vh, mask):
    batch = [tensor(X)[None] for X in (Qh, Kh, Vh)]
    seen = None if mask is None else tensor(mask) == 1
    out = functional.scaled_dot_product_attention(*batch, attn_mask=seen, enable_gqa=True)[0]
    group = len(Qh) // len(Kh)
    Kh, Vh = (tensor(X).repeat_interleave(group, 0) for X in (Kh, Vh))
    agree("grouped", [out], [by_formula(Qh, Kh, Vh, mask)[0]])
    return out


def cut_cases():
    """The causal half skipped, and the cache: the whole text at once has the answer."""
    cases = []
    for seed, (n_q, n_k, kind) in enumerate((
            (1, 1, "causal"), (6, 6, "causal"), (3, 8, "causal"), (5, 5, "any mask"),
            (4, 9, "any mask"), (4, 6, "padding"))):
        Q, K, V = at_random(660 + seed, n_q, n_k, 3, 2)
        mask = masks(seed, n_q, n_k)[kind]
        out = by_sdpa(Q, K, V, mask), by_sdpa(Q, K, identity(n_k), mask)
        agree(kind, out, by_formula(Q, K, V, mask))
        name = f"{n_q} x {n_k}, {kind}"
        cases.append(case(name, "attention_cut", Q, K, V, mask, out=out))
    for seed, steps in enumerate(([1] * 5, [4, 1, 1], [2, 3], [6], [1, 3, 2])):
        n = sum(steps)
        Q, K, V = at_random(670 + seed, n, n, 4, 2)
        out = by_sdpa(Q, K, V, is_causal=True)
        agree("cache", [out], [by_formula(Q, K, V, causal(n, n))[0]])
        cases.append(case(f"in steps of {steps}", "in_steps", Q, K, V, steps, out=out))
    return cases


def mixture_cases():
    cases = []
    for seed, (n, d, wide, n_e, k) in enumerate((
            (1, 2, 3, 2, 1), (3, 4, 4, 4, 2), (4, 2, 4, 3, 3), (3, 4, 2, 8, 2), (2, 3, 5, 4, 1))):
        X, gates, _ = at_random(680 + seed, n, n_e, d, 1)
        experts = [at_random(700 + 10 * seed + e, wide, d, d, wide)[::2] for e in range(n_e)]
        out = routed(X, gates, experts, k)
        name = f"{n} rows, {k} of {n_e} experts"
        cases.append(case(name, "mixture", X, gates, experts, k, out=out))
    return cases


def routed(X, gates, experts, k):
    """Softmax over all experts, the best k made to sum to 1 again, as in Mixtral."""
    X = tensor(X)
    shares, best = torch.softmax(X @ tensor(gates).T, 1).topk(k)
    shares = shares / shares.sum(1, keepdim=True)
    answers = torch.stack([functional.relu(X @ tensor(a).T) @ tensor(b).T for a, b in experts], 1)
    chosen = answers.gather(1, best[:, :, None].expand(-1, -1, X.shape[1]))
    out = (shares[:, :, None] * chosen).sum(1)
    scores = X @ tensor(gates).T
    low = scores.sort(1, descending=True).values[:, k - 1:k]
    weights = torch.softmax(scores.masked_fill(scores < low, -inf), 1)
    agree("mixture", [out], [(weights[:, :, None] * answers).sum(1)])
    return out


# tf/flash.py

def flash_cases():
    n = 23
    tables = {
        "first blocks hidden": (
            *at_random(700, 3, n, 2, 2), [[int(j > 17) for j in range(n)]] * 3),
        "only the last key": (*at_random(701, 2, n, 2, 2), [[0] * (n - 1) + [1]] * 2),
        "only the first key": (*at_random(702, 2, n, 2, 2), [[1] + [0] * (n - 1)] * 2),
        "a hole in the middle": (
            *at_random(703, 2, n, 2, 2), [[int(not 3 < j < 19) for j in range(n)]] * 2),
        "a window": (*at_random(704, 12, 12, 2, 1), square(12, lambda i, j: i - 3 < j <= i)),
        "causal": (*at_random(705, 17, 17, 2, 1), causal(17, 17)),
        "the largest score last": (
            [[1.0]], [[float(j)] for j in range(40)], [[float(j % 7)] for j in range(40)], None),
        "the largest score first": (
            [[-1.0]], [[float(j)] for j in range(40)], [[float(j % 7)] for j in range(40)], None),
        "scores of a thousand": (*at_random(706, 2, n, 1, 2, 30), None),
        "scores below -1000": ([[-40.0]], [[40.0 + j] for j in range(9)],
                               [[float(j)] for j in range(9)], None),
        "all scores equal": ([[0, 0]], identity(2) * 9, [[j, 1] for j in range(18)], None),
        "any mask": (*at_random(707, 4, n, 3, 2), scattered(7, 4, n)),
    }
    cases = []
    for name, (Q, K, V, mask) in tables.items():
        out = by_sdpa(Q, K, V, mask)
        agree(name, [out], by_formula(Q, K, V, mask)[:1])
        cases.append(case(name, "flash_attention", Q, K, V, mask, out=out))
    return cases
