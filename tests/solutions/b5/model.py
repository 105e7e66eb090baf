import math

NEG_INF = float("-inf")


def softmax(xs):
    """Online softmax: maximum and normaliser found in the same single pass."""
    peak, norm = NEG_INF, 0.0
    for x in xs:
        if x > peak:
            # the sum so far was relative to the old peak: bring it to the new one
            norm = norm * math.exp(peak - x) + 1.0
            peak = x
        elif x != NEG_INF:
            norm += math.exp(x - peak)
    if norm == 0.0:                       # empty, or everything is -inf
        return [0.0 for _ in xs]
    return [math.exp(x - peak) / norm for x in xs]


def _flat(M):
    return [float(x) for row in M for x in row]


def _heads(Q, K, V, h, mask):
    """All heads over flat storage. Column c of a flat matrix is flat[c::width],
    so a head is just a range of starting offsets; no sub-matrix is ever made."""
    nq, nk = len(Q), len(K)
    dk, dv = len(K[0]), len(V[0])
    if h < 1 or dk % h or dv % h:
        raise ValueError("cannot cut %d/%d columns into %d heads" % (dk, dv, h))
    fq, fk, fv = _flat(Q), _flat(K), _flat(V)
    wk, wv = dk // h, dv // h
    root = math.sqrt(wk)
    out = [0.0] * (nq * dv)
    weights = []

    for head in range(h):
        scores = [0.0] * (nq * nk)
        for c in range(head * wk, head * wk + wk):
            kcol = fk[c::dk]
            for i, q in enumerate(fq[c::dk]):
                for j, k in enumerate(kcol, i * nk):
                    scores[j] += q * k
        ws = []
        for i in range(nq):
            s = [x / root for x in scores[i * nk:(i + 1) * nk]]
            if mask is not None:
                for j, visible in enumerate(mask[i]):
                    if not visible:
                        s[j] = NEG_INF
            ws.append(softmax(s))
        for c in range(head * wv, head * wv + wv):
            vcol = fv[c::dv]
            out[c::dv] = [sum(p * v for p, v in zip(w, vcol)) for w in ws]
        weights.append(ws)

    return [out[i * dv:(i + 1) * dv] for i in range(nq)], weights


def attention(Q, K, V, mask=None):
    out, weights = _heads(Q, K, V, 1, mask)
    return out, weights[0]


def multi_head(Q, K, V, h, mask=None):
    return _heads(Q, K, V, h, mask)[0]


def causal_mask(n):
    return [[not j > i for j in range(n)] for i in range(n)]


def pos_encoding(n, d):
    """Weyl sequences: column c walks round [-1, 1) in irrational steps, so it
    never comes back to a value it has had."""
    steps = [math.sqrt(c * c + 1) for c in range(1, d + 1)]
    return [[2.0 * ((p + 1) * s % 1.0) - 1.0 for s in steps] for p in range(n)]


def layer_norm(row, eps=1e-5):
    # Welford: mean and sum of squared deviations in one pass
    mean = m2 = 0.0
    for count, x in enumerate(row, 1):
        delta = x - mean
        mean += delta / count
        m2 += delta * (x - mean)
    sd = math.sqrt(m2 / len(row) + eps)
    return [(x - mean) / sd for x in row]


def block(X, h, mask=None):
    def residual(f):
        def run(rows):
            y = f([layer_norm(r) for r in rows])
            return [[a + b for a, b in zip(r, s)] for r, s in zip(rows, y)]
        return run

    return residual(lambda z: multi_head(z, z, z, h, mask))(X)
