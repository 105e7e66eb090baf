"""어텐션을 표준 라이브러리만으로 구현한다."""
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import add, mul
from typing import NamedTuple, Optional, TypeAlias

Row: TypeAlias = Sequence[float]
Matrix: TypeAlias = Sequence[Row]
Table: TypeAlias = list[list[float]]
Mask: TypeAlias = Sequence[Sequence[int]]


class Attended(NamedTuple):
    """(출력, 가중치)"""

    out: Table
    weights: Table


@dataclass(frozen=True, slots=True)
class Head:
    """마지막 차원에서 머리 하나가 맡는 연속 구간."""

    index: int
    count: int

    def __post_init__(self) -> None:
        if not 0 <= self.index < self.count:
            raise ValueError(f"head {self.index} of {self.count}")

    def view(self, m: Matrix) -> Table:
        width, rest = divmod(len(m[0]), self.count)
        if rest:
            raise ValueError(f"{len(m[0])} 차원을 {self.count} 등분할 수 없습니다")
        window = slice(self.index * width, (self.index + 1) * width)
        return [list(row[window]) for row in m]


@dataclass(frozen=True, slots=True)
class Moments:
    mean: float
    var: float

    @classmethod
    def of(cls, row: Row) -> "Moments":
        mean = math.fsum(row) / len(row)
        return cls(mean, math.fsum((x - mean) ** 2 for x in row) / len(row))

    def normalise(self, row: Row, eps: float) -> Iterator[float]:
        std = math.sqrt(self.var + eps)
        yield from ((x - self.mean) / std for x in row)


def _dot(a: Iterable[float], b: Iterable[float]) -> float:
    return math.fsum(map(mul, a, b))


def softmax(xs: Row) -> list[float]:
    peak = max(xs, default=0.0)
    if peak == -math.inf:  # 보이는 것이 하나도 없음
        return [0.0 for _ in xs]
    exps = [math.exp(x - peak) for x in xs]
    total = math.fsum(exps)
    return [e / total for e in exps]


def _scores(q: Row, K: Matrix, visible: Optional[Sequence[int]]) -> Iterator[float]:
    root = math.sqrt(len(K[0]))
    for j, k in enumerate(K):
        if visible is None or visible[j]:
            yield _dot(q, k) / root
        else:
            yield -math.inf


def attention(Q: Matrix, K: Matrix, V: Matrix, mask: Optional[Mask] = None) -> Attended:
    columns = list(zip(*V))
    weights = [
        softmax(list(_scores(q, K, None if mask is None else mask[i])))
        for i, q in enumerate(Q)
    ]
    out = [[_dot(w, col) for col in columns] for w in weights]
    return Attended(out, weights)


def causal_mask(n: int) -> list[list[int]]:
    """1 = 보임, 0 = 가려짐 (아래 삼각형)."""
    return [[1] * (i + 1) + [0] * (n - i - 1) for i in range(n)]


def multi_head(
    Q: Matrix, K: Matrix, V: Matrix, h: int, mask: Optional[Mask] = None
) -> Table:
    def outputs() -> Iterator[Table]:
        for head in (Head(i, h) for i in range(h)):
            yield attention(head.view(Q), head.view(K), head.view(V), mask).out

    return [list(chain.from_iterable(pieces)) for pieces in zip(*outputs())]


def pos_encoding(n: int, d: int) -> Table:
    """코사인 기저(DCT). 첫 열이 단조 감소하므로 모든 위치가 서로 다르다."""

    def wave(pos: int) -> Iterator[float]:
        phase = math.pi * (pos + 0.5) / n
        yield from (math.cos(k * phase) for k in range(1, d + 1))

    return [list(wave(pos)) for pos in range(n)]


def layer_norm(row: Row, eps: float = 1e-5) -> list[float]:
    return list(Moments.of(row).normalise(row, eps))


def block(X: Matrix, h: int, mask: Optional[Mask] = None) -> Table:
    rows = [layer_norm(r) for r in X]
    mixed = multi_head(rows, rows, rows, h, mask)
    return [list(map(add, x, y)) for x, y in zip(X, mixed)]
