import math


def softmax(xs):
    # find the biggest number first so exp() cannot blow up
    biggest = xs[0]
    for i in range(len(xs)):
        if xs[i] > biggest:
            biggest = xs[i]

    exps = []
    for i in range(len(xs)):
        exps.append(math.exp(xs[i] - biggest))

    total = 0.0
    for i in range(len(exps)):
        total = total + exps[i]

    result = []
    for i in range(len(exps)):
        result.append(exps[i] / total)
    return result


def attention(Q, K, V, mask=None):
    nq = len(Q)
    nk = len(K)
    dk = len(K[0])
    dv = len(V[0])

    weights = []
    for i in range(nq):
        scores = []
        for j in range(nk):
            s = 0.0
            for c in range(dk):
                s = s + Q[i][c] * K[j][c]
            s = s / math.sqrt(dk)
            if mask is not None:
                if not mask[i][j]:
                    s = float("-inf")  # hidden: BEFORE the softmax
            scores.append(s)
        weights.append(softmax(scores))

    out = []
    for i in range(nq):
        row = []
        for c in range(dv):
            s = 0.0
            for j in range(nk):
                s = s + weights[i][j] * V[j][c]
            row.append(s)
        out.append(row)

    return out, weights


def causal_mask(n):
    mask = []
    for i in range(n):
        row = []
        for j in range(n):
            if i >= j:
                row.append(True)
            else:
                row.append(False)
        mask.append(row)
    return mask


def cut_columns(M, start, end):
    # copy columns start..end-1 into a new matrix
    result = []
    for i in range(len(M)):
        row = []
        for c in range(start, end):
            row.append(M[i][c])
        result.append(row)
    return result


def multi_head(Q, K, V, h, mask=None):
    size_k = len(K[0]) // h
    size_v = len(V[0]) // h

    result = []
    for i in range(len(Q)):
        result.append([])

    for head in range(h):
        q = cut_columns(Q, head * size_k, (head + 1) * size_k)
        k = cut_columns(K, head * size_k, (head + 1) * size_k)
        v = cut_columns(V, head * size_v, (head + 1) * size_v)
        out, w = attention(q, k, v, mask)
        for i in range(len(out)):
            for c in range(len(out[i])):
                result[i].append(out[i][c])
    return result


def pos_encoding(n, d):
    table = []
    for pos in range(n):
        row = []
        for i in range(d):
            pair = i // 2
            angle = pos / (10000 ** (2 * pair / d))
            if i % 2 == 0:
                row.append(math.sin(angle))
            else:
                row.append(math.cos(angle))
        table.append(row)
    return table


def layer_norm(row, eps=1e-5):
    n = len(row)
    mean = 0.0
    for i in range(n):
        mean = mean + row[i]
    mean = mean / n

    var = 0.0
    for i in range(n):
        var = var + (row[i] - mean) ** 2
    var = var / n

    result = []
    for i in range(n):
        result.append((row[i] - mean) / math.sqrt(var + eps))
    return result


def block(X, h, mask=None):
    rows = []
    for i in range(len(X)):
        rows.append(layer_norm(X[i]))

    mh = multi_head(rows, rows, rows, h, mask)

    result = []
    for i in range(len(X)):
        row = []
        for c in range(len(X[i])):
            row.append(X[i][c] + mh[i][c])
        result.append(row)
    return result
