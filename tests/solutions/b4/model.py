# 纯 Python 的注意力。
# 想法：被遮住的 key 根本不参加计算——不打分、不 exp、不加权，权重本来就是 0。
from math import exp, sqrt


def softmax(xs):
    if not xs:
        return []
    biggest = max(xs)
    es = [exp(x - biggest) for x in xs]
    s = sum(es)
    return [e / s for e in es]


def attention(Q, K, V, mask=None):
    n_keys, d_v = len(K), len(V[0])
    out, weights = [], []
    for i, q in enumerate(Q):
        seen = [j for j in range(n_keys) if mask is None or mask[i][j]]

        scores = []
        for j in seen:
            s = 0.0
            for a, b in zip(q, K[j]):
                s += a * b
            scores.append(s / sqrt(len(K[j])))
        ps = dict(zip(seen, softmax(scores)))      # key 编号 -> 权重

        weights.append([ps.get(j, 0.0) for j in range(n_keys)])

        o = [0.0] * d_v
        for j, p in ps.items():
            for c, v in enumerate(V[j]):
                o[c] += p * v
        out.append(o)
    return out, weights


def causal_mask(n):
    mask = []
    for i in range(n):
        row = []
        for j in range(n):
            row.append(j <= i)      # 自己和过去看得到，未来看不到
        mask.append(row)
    return mask


def multi_head(Q, K, V, h, mask=None):
    if len(K[0]) % h or len(V[0]) % h:
        raise ValueError("维度不能被头数 %d 整除" % h)
    dk, dv = len(K[0]) // h, len(V[0]) // h
    result = [[] for _ in Q]
    for t in range(h):
        q = [r[t * dk:t * dk + dk] for r in Q]
        k = [r[t * dk:t * dk + dk] for r in K]
        v = [r[t * dv:t * dv + dv] for r in V]
        o, _ = attention(q, k, v, mask)     # 里面用的是 len(K[j]) = d // h，缩放自然对
        for row, piece in zip(result, o):
            row.extend(piece)
    return result


def pos_encoding(n, d):
    """位置号写成 d 位二进制，0 -> -1，1 -> +1。

    d 位不够写 n 个号（2**d < n）时换成更大的进制，
    数字 0..base-1 等距铺在 [-1, 1] 上，所以任何 n、d>=1 都不会重复。
    """
    base = 2
    while base ** d < n:
        base += 1
    code = []
    for p in range(n):
        digits = []
        for _ in range(d):
            p, r = divmod(p, base)
            digits.append(-1.0 + 2.0 * r / (base - 1))
        code.append(digits)
    return code


def layer_norm(row, eps=1e-5):
    m = sum(row) / len(row)
    v = sum((x - m) ** 2 for x in row) / len(row)
    return [(x - m) / (v + eps) ** 0.5 for x in row]


def block(X, h, mask=None):
    rows = [layer_norm(r) for r in X]
    Y = multi_head(rows, rows, rows, h, mask)
    return [[x + y for x, y in zip(xr, yr)] for xr, yr in zip(X, Y)]
