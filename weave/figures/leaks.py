"""A leak, seen from outside: which output moves when which input changes, in four models."""

from random import Random
from statistics import mean

from tf.checks import moves
from tf.experiments import random_rows
from tf.model import attention, causal_mask, dot
from weave.figures import Figure, Step
from weave.figures.draw import listing, matrix
from weave.figures.inputs import whole

INPUTS = {"n": whole(2, 8)}

TEXT = {
    "en": {
        "inputs": {"n": "Length of the text"},
        "title": "A leak, seen from outside",
        "question": "Which outputs move when one input changes?",
        "heads": ["a causal mask", "the mask one step late", "the mask after softmax",
                  "a mean over the whole text"],
        "output": "output {}", "input": "input {}", "count": "from the future",
        "moves": "moves", "still": "still", "leak": "leak",
        "says": [
            "Output i moves with the inputs 0 to i, and with nothing that comes later.",
            "Each output but the last moves with the very token that it is to guess: {} leaks.",
            "The weights of the future are 0, but its scores were in the sum: {} leaks.",
            "The mask is right, and the future had come in before it, by the mean: {} leaks.",
        ],
    },
    "zh": {
        "inputs": {"n": "文本长度"},
        "title": "从外面看泄漏",
        "question": "改动一个输入，哪些输出会动？",
        "heads": ["因果掩码", "掩码晚了一步", "权重算完才加掩码", "对整篇文本取均值"],
        "output": "输出 {}", "input": "输入 {}", "count": "来自未来",
        "moves": "动", "still": "不动", "leak": "泄漏",
        "says": [
            "输出 i 只随输入 0 到 i 而动，后面的输入改了，它不动。",
            "除了最后一个，每个输出都随着它正要猜的那个词元而动：{} 处泄漏。",
            "未来的权重是 0，可它的分数已经算进了总和：{} 处泄漏。",
            "掩码没有错，未来却早已随均值进来了：{} 处泄漏。",
        ],
    },
}


LINES = {"before": "before =", "after": "after =", "moves": "return"}


def sound(X):
    return attention(X, X, X, causal_mask(len(X)))[0]


def one_late(X):
    n = len(X)
    return attention(X, X, X, [[j <= i + 1 for j in range(n)] for i in range(n)])[0]


def struck(X):
    left = [row[:i + 1] for i, row in enumerate(attention(X, X, X)[1])]
    return [[dot(row, column[:len(row)]) for column in zip(*X)] for row in left]


def centred(X):
    means = [mean(column) for column in zip(*X)]
    return sound([[x - m for x, m in zip(row, means)] for row in X])


def figure(lang="en", n=5):
    if type(n) is not int or not 2 <= n <= 8:
        raise ValueError(f"n must be a whole number from 2 to 8, not {n!r}")
    say = TEXT[lang]
    X, Y = random_rows(Random(1), n, 8), random_rows(Random(2), n, 8)
    steps = []
    models = {sound: {}, one_late: {}, struck: {"left": "left ="}, centred: {"means": "means ="}}
    for (model, lines), head, says in zip(models.items(), say["heads"], say["says"]):
        moved = moves(model, X, Y)
        leaks = [sum(row[i + 1:]) for i, row in enumerate(moved)]
        code = listing(model, lines | {"model": "return"}) + listing(moves, LINES)
        code += listing(figure, {"leaks": "leaks ="})
        steps += [Step(head, code + picture(moved, leaks, say), says.format(sum(leaks)))]
    return Figure(say["title"], say["question"], steps)


def picture(moved, leaks, say):
    """A word in each cell, and at the end of a row how many cells leak."""
    n = len(moved)
    words = [[say["still" if not m else "leak" if j > i else "moves"] for j, m in enumerate(row)]
             + [leaks[i]] for i, row in enumerate(moved)]
    marks = [["hidden" if not m else "key" if j > i else "seen" for j, m in enumerate(row)] + [""]
             for i, row in enumerate(moved)]
    return matrix(words, [say["output"].format(i) for i in range(n)],
                  [say["input"].format(j) for j in range(n)] + [say["count"]], marks,
                  line=[["moves"] * n + ["leaks"]] * n)
