# 어텐션을 직접 만들어 보기 (numpy 없이, 표준 라이브러리만)
import math
import random

아주작은수 = -1e30   # -inf 대신 쓴다. exp(-1e30) 은 정확히 0.0 이 된다.


def softmax(xs):
    # 최댓값을 먼저 빼면 exp 가 넘치지 않는다
    m = max(xs)
    e = [math.exp(x - m) for x in xs]
    s = sum(e)
    return [v / s for v in e]


def 점수행렬(Q, K):
    # 점수[i][j] = Q[i]·K[j] / √d_k   → 스케일링
    루트 = math.sqrt(len(K[0]))
    return [[sum(a * b for a, b in zip(q, k)) / 루트 for k in K] for q in Q]


def attention(Q, K, V, mask=None):
    점수 = 점수행렬(Q, K)
    if mask is not None:
        # 가리기는 반드시 softmax 전에! 나중에 0을 곱하면 합이 1이 안 된다.
        for i, 줄 in enumerate(점수):
            for j in range(len(줄)):
                if not mask[i][j]:
                    줄[j] = 아주작은수
    가중치 = [softmax(줄) for 줄 in 점수]
    출력 = []
    for w in 가중치:
        합 = [0.0] * len(V[0])
        for wj, v in zip(w, V):
            for c, x in enumerate(v):
                합[c] += wj * x
        출력.append(합)
    return 출력, 가중치


def causal_mask(n):
    # i 번째 query 는 자기 자신과 과거(j <= i)만 본다
    return [[j <= i for j in range(n)] for i in range(n)]


def multi_head(Q, K, V, h, mask=None):
    # 마지막 차원을 h 등분 → 머리마다 어텐션 → 다시 이어 붙이기
    결과 = [[] for _ in Q]
    for 머리 in range(h):
        조각 = []
        for M in (Q, K, V):
            폭 = len(M[0]) // h
            조각.append([r[머리 * 폭:머리 * 폭 + 폭] for r in M])
        출력, _ = attention(*조각, mask=mask)   # √(d//h) 로 나뉜다
        for 줄, 새줄 in zip(결과, 출력):
            줄.extend(새줄)
    return 결과


def pos_encoding(n, d):
    # 사인/코사인 대신 "학습된 것처럼 생긴" 위치 벡터.
    # 씨앗을 고정했으므로 언제 불러도 같은 값이고, 위치마다 다르다.
    rng = random.Random(20240917)
    return [[rng.uniform(-1.0, 1.0) for _ in range(d)] for _ in range(n)]


def layer_norm(row, eps=1e-5):
    # 배치가 아니라 이 벡터 하나 안에서 평균과 분산을 구한다
    n = len(row)
    평균 = sum(row) / n
    차이 = [x - 평균 for x in row]
    분산 = sum(t * t for t in 차이) / n
    return [t / (분산 + eps) ** 0.5 for t in 차이]


def block(X, h, mask=None):
    # pre-LN + 잔차: X + multi_head(LN(X), LN(X), LN(X))
    rows = [layer_norm(r) for r in X]
    더할것 = multi_head(rows, rows, rows, h, mask)
    return [[x + y for x, y in zip(a, b)] for a, b in zip(X, 더할것)]
