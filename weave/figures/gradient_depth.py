"""How much of a gradient arrives at the input, through more and more layers."""

from functools import cache
from math import log10, sqrt
from random import Random
from statistics import mean

from tf.experiments import random_rows
from tf.gradients import bare, bare_back, post_ln_back, pre_ln_back, stack_back
from tf.model import dot
from tf.transformer import post_ln, pre_ln, random_layer
from weave.figures import Figure, Step
from weave.figures.draw import listing, matrix, side_by_side
from weave.svg import path, picture, text

DEPTHS = 1, 2, 3, 4, 5, 6, 8, 12, 16, 20, 24
SHOWN = 1, 4, 12, 24
LOWEST = 1e-12    # what is below is rounding
LINES = [(pre_ln, pre_ln_back, False), (post_ln, post_ln_back, False),
         (bare, bare_back, False), (bare, bare_back, True)]

TEXT = {
    "en": {
        "title": "From the last layer to the input",
        "question": "How much of a gradient arrives?",
        "heads": ["pre-LN", "post-LN", "no residual", "no residual, rows against each other"],
        "names": ["pre-LN", "post-LN", "no residual", "the same, differences"],
        "depth": "layers", "caption": "Size at the input, size 1 at the end",
        "words": "{}: {}", "at": "{} after {}",
        "says": [
            "With pre-LN the road bears no norm, and after {} layers {} of size 1 arrives.",
            "With post-LN the road leads through two norms a layer: {1} after {0} layers.",
            "Where the halves replace the row, {1} is left after {0} layers.",
            "The rows have become equal, and a gradient that asks for their differences is gone: "
            "after {0} layers it is {1}.",
        ],
    },
    "zh": {
        "title": "从最后一层回到输入",
        "question": "梯度到达输入时还剩多少？",
        "heads": ["pre-LN", "post-LN", "没有残差", "没有残差，行与行相对"],
        "names": ["pre-LN", "post-LN", "无残差", "无残差，行间差异"],
        "depth": "层数", "caption": "输入处梯度的大小，末端为 1",
        "words": "{}：{}", "at": "{1} 层后 {0}",
        "says": [
            "pre-LN 的大路上没有归一化：末端大小为 1 的梯度，经过 {0} 层还有 {1}。",
            "post-LN 的大路每层穿过两次归一化：经过 {0} 层还有 {1}。",
            "如果每一半都替换这一行，而不是加上去，经过 {0} 层只剩 {1}。",
            "各行已经变得相同，要求它们彼此不同的梯度也就没有了：经过 {0} 层是 {1}。",
        ],
    },
}


def figure(lang="en", seed=3):
    say, sizes = TEXT[lang], arrivals(seed)
    steps = []
    for now, (head, says) in enumerate(zip(say["heads"], say["says"])):
        table = [[written(line[DEPTHS.index(k)]) for line in sizes[:now + 1]] for k in SHOWN]
        body = listing(arrival, {"layers": "layers =", "back": "dX, _ =", "size": "return"})
        body += side_by_side(chart(sizes[:now + 1], say),
                             matrix(table, SHOWN, say["names"][:now + 1], corner=say["depth"],
                                    caption=say["caption"], column=now, line="size"))
        steps += [Step(head, body, says.format(DEPTHS[-1], written(sizes[now][-1])))]
    return Figure(say["title"], say["question"], steps)


@cache
def arrivals(seed):
    """A list for each of LINES: the size of the gradient at the input, for each of DEPTHS."""
    return [[arrival(seed, depth, *line) for depth in DEPTHS] for line in LINES]


def arrival(seed, depth, forward, back, opposed, n=4, d=8):
    rng = Random(seed)
    X, d_out = random_rows(rng, n, d), random_rows(rng, n, d)
    if opposed:
        means = [mean(column) for column in zip(*d_out)]
        d_out = [[x - m for x, m in zip(row, means)] for row in d_out]
    layers = [random_layer(rng, d, 2 * d) for _ in range(depth)]
    dX, _ = stack_back(X, layers, 2, d_out, forward, back)
    return sqrt(sum(dot(row, row) for row in dX) / (n * d))


def written(x):
    """A size as a reader meets it: two digits that count, or 0 for what is but rounding."""
    if x < LOWEST:
        return "0"
    return f"{x:.2g}" if x >= 1e-4 else f"{x:.0e}"


def chart(sizes, say):
    """The lines so far, an exponent higher for ten times as much."""
    top, step, left = 12, 16, 46
    bottom = top + 13 * step

    def point(depth, x):
        return left + 10 * depth, top + step * (1 - log10(max(x, LOWEST)))

    parts = [path([(left, top), (left, bottom), (left + 250, bottom)], "grid")]
    for power in (0, -4, -8, -12):
        y = top + step * (1 - power)
        parts += [path([(left, y), (left + 250, y)], "grid"),
                  text(left - 6, y + 5, "1" if not power else f"10{raised(power)}", "end")]
    for depth in SHOWN:
        parts += [text(left + 10 * depth, bottom + 20, str(depth), "middle")]
    parts += [text(left + 125, bottom + 40, say["depth"], "middle")]
    told = []
    for now, line in enumerate(sizes):
        last = now == len(sizes) - 1
        parts += [path([point(*each) for each in zip(DEPTHS, line)], "road" if last else "")]
        if last:
            ends = [say["at"].format(written(x), depth) for depth, x in zip(DEPTHS, line)]
            told += [say["words"].format(say["names"][now], ", ".join(ends))]
    return picture(left + 262, bottom + 48, parts, "; ".join(told))


def raised(power):
    return str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
