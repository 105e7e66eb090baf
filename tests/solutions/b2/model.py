# model.py -- attention, C style. stdlib only.
from math import exp, sqrt, sin, cos, pow

HIDDEN = -1e300     # score of a masked key; exp(HIDDEN - max) underflows to 0


def mat_alloc(rows, cols):
    m = [None] * rows
    i = 0
    while i < rows:
        m[i] = [0.0] * cols
        i += 1
    return m


def dot(a, b, len_):
    acc = 0.0
    k = 0
    while k < len_:
        acc += a[k] * b[k]
        k += 1
    return acc


def softmax_inplace(buf, n):
    # find max
    mx = buf[0]
    j = 1
    while j < n:
        if buf[j] > mx:
            mx = buf[j]
        j += 1
    # exp and sum
    total = 0.0
    j = 0
    while j < n:
        buf[j] = exp(buf[j] - mx)
        total += buf[j]
        j += 1
    # normalise
    j = 0
    while j < n:
        buf[j] /= total
        j += 1


def softmax(xs):
    n = len(xs)
    buf = [0.0] * n
    if n == 0:
        return buf
    j = 0
    while j < n:
        buf[j] = xs[j]
        j += 1
    softmax_inplace(buf, n)
    return buf


def attention(Q, K, V, mask=None):
    nq = len(Q)
    nk = len(K)
    dk = len(K[0])
    dv = len(V[0])
    root = sqrt(dk)
    w = mat_alloc(nq, nk)
    out = mat_alloc(nq, dv)

    i = 0
    while i < nq:
        wi = w[i]
        visible = 0
        j = 0
        while j < nk:
            if mask is None or mask[i][j]:
                wi[j] = dot(Q[i], K[j], dk) / root
                visible += 1
            else:
                wi[j] = HIDDEN
            j += 1

        if visible == 0:            # nothing to look at: weights and out stay 0
            j = 0
            while j < nk:
                wi[j] = 0.0
                j += 1
        else:
            softmax_inplace(wi, nk)

        oi = out[i]
        j = 0
        while j < nk:
            c = 0
            while c < dv:
                oi[c] += wi[j] * V[j][c]
                c += 1
            j += 1
        i += 1
    return out, w


def causal_mask(n):
    m = [None] * n
    i = 0
    while i < n:
        m[i] = [False] * n
        j = 0
        while j <= i:
            m[i][j] = True
            j += 1
        i += 1
    return m


def copy_cols(dst, dst_off, src, src_off, count):
    # memcpy, row by row
    i = 0
    while i < len(src):
        c = 0
        while c < count:
            dst[i][dst_off + c] = src[i][src_off + c]
            c += 1
        i += 1


def multi_head(Q, K, V, h, mask=None):
    d = len(Q[0])
    dv = len(V[0])
    if h <= 0 or d % h or dv % h:
        raise ValueError("d must be a multiple of h")
    step = d // h
    vstep = dv // h

    # scratch, reused by each head
    q = mat_alloc(len(Q), step)
    k = mat_alloc(len(K), step)
    v = mat_alloc(len(V), vstep)
    out = mat_alloc(len(Q), dv)

    head = 0
    while head < h:
        copy_cols(q, 0, Q, head * step, step)
        copy_cols(k, 0, K, head * step, step)
        copy_cols(v, 0, V, head * vstep, vstep)
        res, _ = attention(q, k, v, mask)
        copy_cols(out, head * vstep, res, 0, vstep)
        head += 1
    return out


def pos_encoding(n, d):
    pe = mat_alloc(n, d)
    p = 0
    while p < n:
        c = 0
        while c < d:
            angle = p / pow(10000.0, (c - c % 2) / d)
            if c % 2 == 0:
                pe[p][c] = sin(angle)
            else:
                pe[p][c] = cos(angle)
            c += 1
        p += 1
    return pe


def layer_norm(row, eps=1e-5):
    n = len(row)
    y = [0.0] * n
    mean = 0.0
    i = 0
    while i < n:
        y[i] = row[i]
        mean += y[i]
        i += 1
    mean /= n

    var = 0.0
    i = 0
    while i < n:
        y[i] -= mean
        var += y[i] * y[i]
        i += 1
    var /= n

    inv = 1.0 / sqrt(var + eps)
    i = 0
    while i < n:
        y[i] *= inv
        i += 1
    return y


def block(X, h, mask=None):
    n = len(X)
    d = len(X[0])
    rows = [None] * n
    i = 0
    while i < n:
        rows[i] = layer_norm(X[i])
        i += 1
    y = multi_head(rows, rows, rows, h, mask)   # ours, safe to write to
    i = 0
    while i < n:
        c = 0
        while c < d:
            y[i][c] += X[i][c]
            c += 1
        i += 1
    return y
