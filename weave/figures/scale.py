"""The largest weight of a row of noise, undivided and divided, at four widths."""

from collections import Counter
from functools import cache
from html import escape
from statistics import mean

from tf.experiments import largest_weights
from weave.figures import Figure, Step
from weave.figures.draw import bars, condition, listing, number, side_by_side
from weave.figures.inputs import whole, wholes

LINES = {"longer": "longer =", "plain": "plain +=", "divided": "divided +="}

INPUTS = {"widths": wholes(2, 4, 1, 256), "n": whole(2, 10), "seed": whole(0, 999)}

TEXT = {
    "en": {
        "inputs": {"widths": "Widths d", "n": "Queries and keys", "seed": "Seed"},
        "title": "The largest weight of a row, without the root and with it",
        "question": "Why divide by √d, and not by some fixed number?",
        "all": "all widths",
        "about": "{rows} rows of weights: {draws} draws of {n} queries and {n} keys, seed {seed}",
        "sides": ("undivided", "divided by √d"), "range": "largest weight", "width": "d = {}",
        "means": ("On average, undivided", "On average, divided by √d"), "none": "none",
        "says": "Undivided, the largest weight is {} on average, and above 0.99 in {} of {} rows; "
                "divided by √{}, it is {} on average, and above 0.99 in {}.",
        "sum": "Undivided, the average goes from {} to {} as the vectors get wider; divided, it "
               "stays between {} and {}, whatever the width.",
    },
    "zh": {
        "inputs": {"widths": "宽度 d", "n": "查询和键各几个", "seed": "随机种子"},
        "title": "每一行的最大权重：不除以 √d，除以 √d",
        "question": "为什么除以 √d，而不是某个固定的数？",
        "all": "所有宽度",
        "about": "{rows} 行权重：抽样 {draws} 次，每次 {n} 个查询、{n} 个键，随机种子 {seed}",
        "sides": ("不除", "除以 √d"), "range": "最大权重", "width": "d = {}",
        "means": ("平均，不除", "平均，除以 √d"), "none": "0",
        "says": "不除时，最大权重平均为 {}，{}/{} 行超过 0.99；除以 √{} 之后，平均为 {}，超过 0.99 的有 {} 行。",
        "sum": "不除时，随着向量变宽，平均值从 {} 变到 {}；除以 √d 之后，不论多宽，都在 {} 和 {} 之间。",
    },
}


def figure(lang="en", widths=(4, 16, 64, 256), n=8, draws=25, seed=64):
    say, steps, means = TEXT[lang], [], []
    about = say["about"].format(rows=draws * n, draws=draws, n=n, seed=seed)
    for d in widths:
        both = plain, divided = measured(d, n, draws, seed)
        sure = [sum(p > 0.99 for p in ps) or say["none"] for ps in both]
        means += [[mean(plain), mean(divided)]]
        was, now = map(number, means[-1])
        says = say["says"].format(was, sure[0], len(plain), d, now, sure[1])
        steps += [Step(say["width"].format(d), pyramid(*both, n, about, say), says)]
    plain, divided = zip(*means)
    ends = map(number, (plain[0], plain[-1], min(divided), max(divided)))
    names = [say["width"].format(d) for d in widths]
    both = [bars(each, names, caption=says, line="means")
            for each, says in zip((plain, divided), say["means"])]
    both[0] = f'<div class="undivided">{both[0]}</div>'
    code = listing(largest_weights, LINES) + listing(figure, {"means": "means +="})
    steps += [Step(say["all"], condition(about) + code + side_by_side(*both),
                   say["sum"].format(*ends))]
    return Figure(say["title"], say["question"], steps)


@cache
def measured(d, n, draws, seed):
    return largest_weights(d, n, draws, seed)


def pyramid(plain, divided, n, about, say):
    """A table of how many rows have their largest weight where, with bars back to back."""
    left = Counter(min(9, int(10 * p)) for p in plain)
    right = Counter(min(9, int(10 * p)) for p in divided)
    heads = [f'<th scope="col">{escape(each)}</th>' for each in (say["range"], *say["sides"])]
    parts = [condition(about), listing(largest_weights, LINES),
             listing(pyramid, {"left": "left =", "right": "right ="}),
             '<div class="table"><table class="bars pyramid">',
             f'<thead><tr>{"".join(heads)}</tr></thead><tbody>']
    for tenth in range(9, 10 // n - 1, -1):    # 1 / n is the least that the largest can be
        parts += [f'<tr><th scope="row">{tenth / 10:g}–{(tenth + 1) / 10:g}</th>'
                  f'<td data-line="left">{left[tenth]}{bar(left[tenth], len(plain))}</td>'
                  f'<td data-line="right">{bar(right[tenth], len(divided))}{right[tenth]}</td></tr>']
    return "".join([*parts, "</tbody></table></div>"])


def bar(count, rows):
    return f'<span class="bar" style="--part:{count / rows:.4f}"></span>'
