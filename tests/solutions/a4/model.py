"""Attention with attention paid to rounding.

Every sum is math.fsum (correctly rounded, independent of summation order),
means and variances come from the statistics module, and results are tuples:
nobody downstream can modify a weight by accident.

How good is it?  A double carries about 16 decimal digits; the work below
loses at most two or three of them, all in exp() and the products.
"""
import math
import statistics
from operator import mul

NEG_INF = -math.inf


def _dot(a, b):
    if len(a) != len(b):
        raise ValueError(f"length mismatch: {len(a)} vs {len(b)}")
    return math.fsum(map(mul, a, b))


def softmax(xs):
    xs = tuple(xs)
    peak = max(xs)
    if peak == NEG_INF:
        raise ValueError("softmax of a row in which everything is hidden")
    # x - peak <= 0, so each term lies in [0, 1] and the sum in [1, n]:
    # neither overflow nor division by zero is possible.
    terms = tuple(math.exp(x - peak) for x in xs)
    total = math.fsum(terms)
    return tuple(t / total for t in terms)


def attention(Q, K, V, mask=None):
    if len(K) != len(V):
        raise ValueError("K and V need the same number of rows")
    root = math.sqrt(len(K[0]))
    columns = tuple(zip(*V))

    def weights_of(i, q):
        scores = (_dot(q, k) / root for k in K)
        if mask is not None:
            # exp(-inf) is exactly 0.0, so a hidden weight is exactly 0.0
            scores = (s if seen else NEG_INF for s, seen in zip(scores, mask[i], strict=True))
        return softmax(scores)

    weights = tuple(weights_of(i, q) for i, q in enumerate(Q))
    out = tuple(tuple(_dot(w, c) for c in columns) for w in weights)
    return out, weights


def causal_mask(n):
    return tuple(tuple(j <= i for j in range(n)) for i in range(n))


def multi_head(Q, K, V, h, mask=None):
    for name, M in (("Q", Q), ("K", K), ("V", V)):
        if len(M[0]) % h:
            raise ValueError(f"{name}: width {len(M[0])} is not divisible by h={h}")

    def slab(M, t):
        w = len(M[0]) // h
        return tuple(tuple(r[t * w:(t + 1) * w]) for r in M)

    heads = [attention(slab(Q, t), slab(K, t), slab(V, t), mask)[0] for t in range(h)]
    return tuple(tuple(x for part in parts for x in part) for parts in zip(*heads))


def pos_encoding(n, d):
    def entry(p, i):
        # for i = 0 and 1 the exponent is exactly 0, so the rate is exactly 1.0
        rate = math.exp(-math.log(10000.0) * (i - i % 2) / d)
        value = math.cos(p * rate) if i % 2 else math.sin(p * rate)
        return min(1.0, max(-1.0, value))

    return tuple(tuple(entry(p, i) for i in range(d)) for p in range(n))


def layer_norm(row, eps=1e-5):
    mu = statistics.fmean(row)
    centred = tuple(x - mu for x in row)
    # population variance (divide by n, not n - 1)
    var = statistics.pvariance(row)
    sd = math.sqrt(var + eps)
    return tuple(c / sd for c in centred)


def block(X, h, mask=None):
    normed = tuple(layer_norm(r) for r in X)
    update = multi_head(normed, normed, normed, h, mask)
    return tuple(tuple(math.fsum(p) for p in zip(x, u)) for x, u in zip(X, update))
