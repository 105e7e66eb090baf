"""Attention as a handful of expressions."""
from functools import partial, reduce
from itertools import chain
from math import cos, exp, inf, pi, sin, sqrt
from operator import add, mul

dot = lambda a, b: sum(map(mul, a, b))
transpose = lambda M: list(map(list, zip(*M)))
scale = lambda k, v: [k * x for x in v]
vadd = lambda a, b: list(map(add, a, b))
normalise = lambda es: (lambda z: [e / z for e in es])(sum(es))
softmax = lambda xs: (lambda m: normalise([exp(x - m) for x in xs]))(max(xs))


def _scores(Q, K):
    return [[dot(q, k) / sqrt(len(k)) for k in K] for q in Q]


def _hide(S, mask):
    return S if mask is None else [[s if ok else -inf for s, ok in zip(*pair)] for pair in zip(S, mask)]


def attention(Q, K, V, mask=None):
    W = list(map(softmax, _hide(_scores(Q, K), mask)))
    return [reduce(vadd, map(scale, w, V)) for w in W], W


def causal_mask(n):
    return [[True] * (i + 1) + [False] * (n - i - 1) for i in range(n)]


def _split(h, M):
    """n x d  ->  h matrices of n x d/h"""
    return [[row[t * len(row) // h:(t + 1) * len(row) // h] for row in M] for t in range(h)]


def multi_head(Q, K, V, h, mask=None):
    heads = map(lambda q, k, v: attention(q, k, v, mask)[0], *map(partial(_split, h), (Q, K, V)))
    return [list(chain.from_iterable(parts)) for parts in zip(*heads)]


def pos_encoding(n, d):
    # cos is just sin shifted by a quarter turn
    return [[sin(p * 10000 ** -(i // 2 * 2 / d) + i % 2 * pi / 2) for i in range(d)] for p in range(n)]


def layer_norm(row, eps=1e-5):
    mean = lambda v: sum(v) / len(v)
    centred = (lambda m: [x - m for x in row])(mean(row))
    return scale(1 / sqrt(mean([c * c for c in centred]) + eps), centred)


def block(X, h, mask=None):
    return (lambda N: list(map(vadd, X, multi_head(N, N, N, h, mask))))(list(map(layer_norm, X)))
