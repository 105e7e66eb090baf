"""Attention without numpy... so first a tiny numpy.

Everything below works on whole matrices (list of lists, position x feature).
Nothing modifies its arguments; every helper returns a fresh matrix.
"""
import math

# ---------------------------------------------------------------- mini-numpy


def transpose(A):
    return [list(col) for col in zip(*A)]


def matmul(A, B):
    """A @ B"""
    BT = transpose(B)
    return [[sum(a * b for a, b in zip(row, col)) for col in BT] for row in A]


def add(A, B):
    return [[a + b for a, b in zip(ra, rb)] for ra, rb in zip(A, B)]


def divide(A, c):
    return [[a / c for a in row] for row in A]


def where(cond, A, fill):
    """np.where(cond, A, fill)"""
    return [[a if c else fill for c, a in zip(rc, ra)] for rc, ra in zip(cond, A)]


def hsplit(A, h):
    """np.hsplit: h equal, contiguous blocks of columns"""
    d = len(A[0])
    if d % h != 0:
        raise ValueError(f"hsplit: {d} columns do not divide into {h} heads")
    w = d // h
    return [[row[k * w:(k + 1) * w] for row in A] for k in range(h)]


def hstack(blocks):
    return [[x for part in parts for x in part] for parts in zip(*blocks)]


def softmax_rows(S):
    """softmax over axis=-1"""
    top = [max(row) for row in S]
    # a row that is -inf everywhere (nothing visible) has no max to subtract
    top = [0.0 if m == -math.inf else m for m in top]
    E = [[math.exp(s - m) for s in row] for row, m in zip(S, top)]
    Z = [sum(row) or 1.0 for row in E]
    return [[e / z for e in row] for row, z in zip(E, Z)]


# ------------------------------------------------------------------ the task


def softmax(xs):
    return softmax_rows([list(xs)])[0] if len(xs) else []


def attention(Q, K, V, mask=None):
    S = divide(matmul(Q, transpose(K)), math.sqrt(len(K[0])))
    if mask is not None:
        S = where(mask, S, -math.inf)
    W = softmax_rows(S)
    return matmul(W, V), W


def causal_mask(n):
    # np.tril(np.ones((n, n), dtype=bool))
    return [[i >= j for j in range(n)] for i in range(n)]


def multi_head(Q, K, V, h, mask=None):
    heads = zip(hsplit(Q, h), hsplit(K, h), hsplit(V, h))
    return hstack([attention(q, k, v, mask)[0] for q, k, v in heads])


def pos_encoding(n, d):
    """First half of the columns sin, second half cos (odd d: one more sin)."""
    half = (d + 1) // 2
    t = [[float(p)] for p in range(n)]                       # (n, 1)
    freq = [[10000.0 ** (-k / half) for k in range(half)]]   # (1, half)
    A = matmul(t, freq)                                      # (n, half)
    S = [[math.sin(a) for a in row] for row in A]
    C = [[math.cos(a) for a in row[:d - half]] for row in A]
    return hstack([S, C])


def layer_norm(row, eps=1e-5):
    n = len(row)
    mu = sum(row) / n
    centred = [x - mu for x in row]
    var = sum(c * c for c in centred) / n
    return divide([centred], math.sqrt(var + eps))[0]


def block(X, h, mask=None):
    N = [layer_norm(r) for r in X]
    return add(X, multi_head(N, N, N, h, mask))
