"""Chapter 16: a leak as a picture. How far each output moves when a token changes, four models."""

from random import Random

from tf.experiments import random_rows
from tf.masks import sliding_window_mask
from tf.model import attention, causal_mask, dot, layer_norm
from weave.figures import Figure, Step
from weave.figures.draw import matrix

TEXT = {
    "en": {
        "title": "Which output moves when a token changes",
        "question": "Does a change in a later token reach an earlier output?",
        "heads": ["the right mask", "one column too wide", "the mask after softmax",
                  "a norm over the sequence"],
        "out": "output {}", "token": "token {}",
        "caption": "How far an output moves, at most, when the token is turned round",
        "legend": {"key": "moved by the future", "hidden": "did not move"},
        "says": [
            "Above the diagonal nothing moves, not by a single bit, and that is what a causal "
            "model has to show.",
            "{} cells above the diagonal move: each output but the last feels the token right "
            "after it, which it is to guess.",
            "All {} cells of the future move, though hidden values are out of reach, for hidden "
            "scores still stand below the fraction line.",
            "All {} cells of the future move again, under a right mask, since the mean of the "
            "whole text is in every row.",
        ],
    },
    "zh": {
        "title": "改动一个词元，哪些输出会动",
        "question": "后面的词元改了，前面的输出会不会跟着动？",
        "heads": ["正确的掩码", "多开了一列", "掩码放在 softmax 之后", "沿序列做归一化"],
        "out": "输出 {}", "token": "词元 {}",
        "caption": "把词元的数倒过来排，输出最多动多少",
        "legend": {"key": "被未来带动", "hidden": "没有动"},
        "says": [
            "对角线以上纹丝不动，连最后一位也不变，因果模型就该这样。",
            "对角线以上有 {} 格在动：除最后一个输出外，每个输出都感到紧跟着的那个词元，而那正是它要猜的。",
            "未来的 {} 格全动了：被遮住的值虽然够不着，被遮住的分数却还留在分母里。",
            "掩码没错，未来的 {} 格还是全动了，因为每一行里都有整段文字的均值。",
        ],
    },
}


def figure(lang="en", n=4, seed=3):
    if type(n) is not int or not 2 <= n <= 6:
        raise ValueError(f"n must be a whole number from 2 to 6, not {n!r}")
    say, X = TEXT[lang], random_rows(Random(seed), n, 4)
    steps = []
    for head, model, says in zip(say["heads"], MODELS, say["says"]):
        gaps = moved(model, X)
        leaks = sum(gap > 0 for i, row in enumerate(gaps) for gap in row[i + 1:])
        steps += [Step(head, drawn(gaps, say), says.format(leaks))]
    return Figure(say["title"], say["question"], steps)


def causal(X):
    return attention(X, X, X, causal_mask(len(X)))[0]


def one_too_wide(X):
    return attention(X, X, X, sliding_window_mask(len(X), len(X), left=len(X), right=1))[0]


def after_softmax(X):
    kept = [[w if j <= i else 0.0 for j, w in enumerate(row)]
            for i, row in enumerate(attention(X, X, X)[1])]
    return [[dot(row, column) for column in zip(*X)] for row in kept]


def over_the_sequence(X):
    return causal(list(zip(*[layer_norm(column) for column in zip(*X)])))


MODELS = causal, one_too_wide, after_softmax, over_the_sequence


def moved(model, X):
    """Row i, column j: how far output i moves, at most, when row j of X is turned round."""
    before = model(X)
    after = [model(X[:j] + [X[j][::-1]] + X[j + 1:]) for j in range(len(X))]
    return [[max(abs(a - b) for a, b in zip(p, q)) for q in column]
            for p, *column in zip(before, *after)]


def drawn(gaps, say):
    marks = [["hidden" if gap == 0 else "key" if j > i else "" for j, gap in enumerate(row)]
             for i, row in enumerate(gaps)]
    used = set(sum(marks, []))
    legend = {mark: word for mark, word in say["legend"].items() if mark in used}
    top = max(map(max, gaps))
    return matrix(gaps, [say["out"].format(i) for i in range(len(gaps))],
                  [say["token"].format(j) for j in range(len(gaps))], marks,
                  caption=say["caption"], legend=legend,
                  heat=[[gap / top for gap in row] for row in gaps])
