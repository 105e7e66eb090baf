"""The three lines of attention, followed for one query on the shelf of chapter 0."""

from math import sqrt

from tf.model import attention, dot
from weave.figures import Figure, Step
from weave.figures.draw import condition, given, listing, matrix, number
from weave.figures.inputs import numbers

K = [[1, 1], [1, -1], [-1, 0]]
LINES = {"root": "root =", "scores": "scores = [[dot", "weights": "weights =", "out": "out ="}

INPUTS = {"q": numbers(2, 2, -9, 9), "minutes": numbers(3, 3, -99, 99)}

TEXT = {
    "en": {
        "inputs": {"q": "Query", "minutes": "Minutes"},
        "title": "Three lines, followed for one query",
        "question": "How does a question become an answer?",
        "heads": ["score = q · k", "divided by √d", "softmax", "weighted average"],
        "books": ["Soft eggs", "Hard eggs", "Cakes"],
        "asks": "The query is {}: eggs above all, and rather soft.", "other": "The query is {}.",
        "columns": ["key", "q · k", "÷ √{d}", "weight", "minutes", "weight × minutes"],
        "sum": "Added up: {}",
        "says": [
            "The dot product of the query with each key says how well they fit: {} for the soft "
            "eggs, {} for the cakes.",
            "Each score is divided by √{}, the root of the width, and the ranking stays as it is.",
            "Softmax makes shares of them: none is negative, and together they are 1.",
            "Each book's minutes count as much as its share, and the answer is {} minutes.",
        ],
    },
    "zh": {
        "inputs": {"q": "查询", "minutes": "分钟"},
        "title": "三行公式，跟着一个查询走一遍",
        "question": "一个问题怎样变成一个回答？",
        "heads": ["分数 = q · k", "除以 √d", "softmax", "加权平均"],
        "books": ["溏心蛋", "老煮蛋", "蛋糕"],
        "asks": "查询是 {}：要的是蛋，而且要嫩一些。", "other": "查询是 {}。",
        "columns": ["键", "q · k", "÷ √{d}", "权重", "分钟", "权重 × 分钟"],
        "sum": "相加：{}",
        "says": [
            "查询和每个键的内积，说的是两者有多匹配：溏心蛋 {}，蛋糕 {}。",
            "每个分数都除以宽度的平方根 √{}，名次不变。",
            "Softmax 把分数变成份额：没有负的，合起来是 1。",
            "每本书的分钟数按它的份额计入，回答是 {} 分钟。",
        ],
    },
}


def figure(lang="en", q=(2, 1), minutes=(4, 10, 40)):
    say, Q, V = TEXT[lang], [q], [[v] for v in minutes]
    asks = say["asks" if tuple(q) == (2, 1) else "other"].format(vector(q))
    d = len(q)
    products = [dot(q, k) for k in K]
    scores = [product / sqrt(d) for product in products]
    out, weights = attention(Q, K, V)
    parts = [w * v for w, (v,) in zip(weights[0], V)]
    columns = [[vector(k) for k in K], products, scores, weights[0], [v for v, in V], parts]
    names = [name.format(d=d) for name in say["columns"]]
    told = [map(number, (products[0], products[-1])), [d], [], [number(out[0][0])]]
    steps = []
    lines, shown = ("scores", "root", "weights", "out"), (2, 3, 4, 6)
    for line, n, head, says, numbers in zip(lines, shown, say["heads"], say["says"], told):
        body = (condition(asks) + given(K=K, V=V)
                + listing(attention, LINES, line) + so_far(columns[:n], names, say))
        if n == len(columns):
            body += condition(say["sum"].format(number(out[0][0])))
        steps.append(Step(head, body, says.format(*numbers)))
    return Figure(say["title"], say["question"], steps)


def so_far(columns, names, say):
    """The table as far as it is filled; the last column is new."""
    made = ["K", "scores", "root", "weights", "V", "out"][:len(columns)]
    heat = [None, None, None, "weight", None, None][:len(columns)]
    rows = [list(row) for row in zip(*columns)]
    shade = [[x if each else None for x, each in zip(row, heat)] for row in rows]
    return matrix(rows, say["books"], names[:len(columns)], heat=shade, line=[made] * len(rows),
                  column=len(columns) - 1)


def vector(xs):
    return f"({', '.join(map(number, xs))})"
