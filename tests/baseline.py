"""Plain loops, which tf/model.py is measured against: the teaching script 02_attention.py that the
book grew out of, with its algorithm and its checks, no slower than it was. The words of the errors
are ours, and so is multi_head, which runs it once for every head.
"""

import math


def softmax(values, temperature=1.0):
    if not values or not math.isfinite(temperature) or temperature <= 0:
        raise ValueError("there must be scores, and a temperature that is positive and finite")
    if any(math.isnan(x) or x == math.inf for x in values):
        raise ValueError("a score must not be nan or inf")
    top = max(values)
    if top == -math.inf:
        raise ValueError("every score is hidden")
    powers = [math.exp((x - top) / temperature) for x in values]
    total = sum(powers)
    return [x / total for x in powers]


def check_matrix(a, name):
    if not a or not a[0] or any(len(row) != len(a[0]) for row in a):
        raise ValueError(f"{name} must be a rectangle, not an empty one")
    if any(not math.isfinite(x) for row in a for x in row):
        raise ValueError(f"{name} must be finite")
    return len(a), len(a[0])


def attention(Q, K, V, causal=True):
    """(weights, out): the script has them in this order, tf/model.py in the other."""
    n_q, d_q = check_matrix(Q, "Q")
    n_k, d_k = check_matrix(K, "K")
    n_v, d_v = check_matrix(V, "V")
    if d_q != d_k or n_k != n_v or (causal and n_q != n_k):
        raise ValueError("the shapes do not fit")
    all_weights, out = [], []
    for i, query in enumerate(Q):
        scores = [sum(a * b for a, b in zip(query, key)) / math.sqrt(d_k) for key in K]
        if causal:
            scores = [s if j <= i else -math.inf for j, s in enumerate(scores)]
        weights = softmax(scores)
        all_weights.append(weights)
        out.append([sum(weights[j] * V[j][c] for j in range(n_k)) for c in range(d_v)])
    return all_weights, out


def multi_head(Q, K, V, h, causal=True):
    """out: attention on each head's own d / h columns, and the results side by side."""
    heads = [attention(*part, causal)[1] for part in zip(split(Q, h), split(K, h), split(V, h))]
    return [[x for row in rows for x in row] for rows in zip(*heads)]


def split(X, h):
    width = len(X[0]) // h
    return [[row[k * width:(k + 1) * width] for row in X] for k in range(h)]
