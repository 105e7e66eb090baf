"""注意力，内部用一个小小的 Matrix 类。对外仍然只收发列表的列表。"""
import math


class Matrix:
    """不可变的小矩阵：位置 × 维度。"""

    def __init__(self, rows):
        self._rows = [list(r) for r in rows]   # 复制，不碰调用者的数据

    # ---- 形状 ----
    @property
    def nrows(self):
        return len(self._rows)

    @property
    def ncols(self):
        return len(self._rows[0]) if self._rows else 0

    @property
    def T(self):
        return Matrix(zip(*self._rows))

    # ---- 运算 ----
    def __matmul__(self, other):
        cols = other.T._rows
        return Matrix([sum(a * b for a, b in zip(r, c)) for c in cols] for r in self._rows)

    def __add__(self, other):
        return Matrix([a + b for a, b in zip(r, s)] for r, s in zip(self._rows, other._rows))

    def __truediv__(self, k):
        return Matrix([a / k for a in r] for r in self._rows)

    def map_rows(self, f):
        return Matrix(f(r) for r in self._rows)

    def where(self, mask, fill):
        """mask 为假的位置换成 fill；mask 为 None 时原样返回。"""
        if mask is None:
            return self
        return Matrix([a if m else fill for a, m in zip(r, ms)] for r, ms in zip(self._rows, mask))

    def columns(self, lo, hi):
        return Matrix(r[lo:hi] for r in self._rows)

    def split(self, h):
        width = self.ncols // h
        return [self.columns(k * width, (k + 1) * width) for k in range(h)]

    @classmethod
    def hstack(cls, parts):
        return cls(sum((p._rows[i] for p in parts), []) for i in range(parts[0].nrows))

    def tolist(self):
        return [list(r) for r in self._rows]

    # ---- 注意力 ----
    @staticmethod
    def attend(Q, K, V, mask=None):
        scores = (Q @ K.T) / math.sqrt(K.ncols)
        weights = scores.where(mask, -math.inf).map_rows(softmax)
        return weights @ V, weights

    @staticmethod
    def attend_heads(Q, K, V, h, mask=None):
        if Q.ncols % h or K.ncols % h or V.ncols % h:
            raise ValueError(f"最后一个维度不能被 h={h} 整除")
        heads = zip(Q.split(h), K.split(h), V.split(h))
        return Matrix.hstack([Matrix.attend(q, k, v, mask)[0] for q, k, v in heads])


def softmax(xs):
    top = max(xs)
    es = [math.exp(x - top) for x in xs]
    total = sum(es)
    return [e / total for e in es]


def attention(Q, K, V, mask=None):
    out, weights = Matrix.attend(Matrix(Q), Matrix(K), Matrix(V), mask)
    return out.tolist(), weights.tolist()


def causal_mask(n):
    return Matrix([i >= j for j in range(n)] for i in range(n)).tolist()


def multi_head(Q, K, V, h, mask=None):
    return Matrix.attend_heads(Matrix(Q), Matrix(K), Matrix(V), h, mask).tolist()


def pos_encoding(n, d):
    half = (d + 1) // 2                       # 前一半 sin，后一半 cos
    freqs = [math.exp(-math.log(10000.0) * k / half) for k in range(half)]
    wave = lambda p: ([math.sin(p * f) for f in freqs] + [math.cos(p * f) for f in freqs])[:d]
    return Matrix(wave(p) for p in range(n)).tolist()


def layer_norm(row, eps=1e-5):
    mean = sum(row) / len(row)
    var = sum((x - mean) ** 2 for x in row) / len(row)
    return [(x - mean) / math.sqrt(var + eps) for x in row]


def block(X, h, mask=None):
    X = Matrix(X)
    N = X.map_rows(layer_norm)
    return (X + Matrix.attend_heads(N, N, N, h, mask)).tolist()
