"""What attention was measured to cost for longer and longer texts, on paper ruled by tens.

The numbers come from tests/bench/cost.py, which writes them into the chapter; those below are only
there to show what is wanted.
"""

from math import ceil, floor, log2, log10

from weave.figures import Figure, Step
from weave.figures.draw import condition, matrix, side_by_side
from weave.svg import disc, path, picture, text

TEXT = {
    "en": {
        "title": "What attention costs, measured",
        "question": "Twice the text: how much more time, how much more memory?",
        "heads": ["time of eight heads", "memory of eight heads",
                  "time under a causal mask, one head", "time with a window of {}, one head",
                  "time for one more token, one head"],
        "time": "time", "memory": "KiB", "square": "the square", "masked": "hidden", "cut": "cut",
        "window": "window", "again": "no cache", "cached": "cache",
        "rows": "rows", "factor": "factor", "ratio": "ratio",
        "unit": "1 is the time for {} rows{}; each line across is ten times the one below it.",
        "of": ", {}",
        "KiB": "The peak in KiB; each line across is ten times the one below it.",
        "curve": "{}: {} at {} rows, {} at {} rows",
        "says": [
            "From {} to {} rows the time is multiplied by {}, from {} to {} by {}.",
            "From {} to {} rows the memory is multiplied by {}, from {} to {} by {}.",
            "Hiding what a query may not see takes {} times as long as leaving it out at {} rows, "
            "and {} times as long at {}.",
            "From {} to {} rows the causal half is multiplied by {}, and the window by {}.",
            "At {} rows a token takes {} times as long without a cache as with one, at {} rows "
            "{} times.",
        ],
    },
    "zh": {
        "title": "注意力的代价：实测",
        "question": "文本长到 2 倍，时间和内存各多出多少？",
        "heads": ["八个头的时间", "八个头的内存", "因果掩码下的时间，一个头", "窗口为 {} 时的时间，一个头",
                  "再写一个词元的时间，一个头"],
        "time": "时间", "memory": "KiB", "square": "平方", "masked": "只遮住", "cut": "略去不算",
        "window": "窗口", "again": "无缓存", "cached": "有缓存",
        "rows": "行数", "factor": "倍数", "ratio": "比值",
        "unit": "1 是 {} 行{}所花的时间；每条横线是下面一条的十倍。", "of": "（{}）",
        "KiB": "内存峰值，单位 KiB；每条横线是下面一条的十倍。",
        "curve": "{}：{}（{} 行），{}（{} 行）",
        "says": [
            "从 {} 行到 {} 行，时间变成 {} 倍；从 {} 行到 {} 行，变成 {} 倍。",
            "从 {} 行到 {} 行，内存变成 {} 倍；从 {} 行到 {} 行，变成 {} 倍。",
            "看不见的部分，只遮住所花的时间是略去不算的 {} 倍（{} 行），或 {} 倍（{} 行）。",
            "从 {} 行到 {} 行，因果的一半变成 {} 倍，窗口变成 {} 倍。",
            "{} 行时，没有缓存写一个词元的时间是有缓存的 {} 倍；{} 行时是 {} 倍。",
        ],
    },
}

STEP, DECADE = 34, 42       # to the right for twice the length, upwards for ten times the cost
LEFT, RIGHT = 46, 100       # room for numbers and for names


def figure(lang="en", made="", n=(4, 8), reach=4, time=(1, 4), masked=(1, 4), cut=(1, 3),
           window=(1, 2), cached=(1, 2), again=(1, 4), memory=(1, 4)):
    say = TEXT[lang]
    curves = {"time": time, "masked": masked, "cut": cut, "window": window, "cached": cached,
              "again": again, "memory": memory}
    for name, values in curves.items():
        if len(values) != len(n) or len(n) < 2 or min(values) <= 0:
            raise ValueError(f"{name} needs a number above 0 for each of 2 lengths or more")
    square = {name: [curves[name][-1] * (each / n[-1])**2 for each in n]
              for name in ("time", "memory")}
    bodies = [body(n, pair, made, unit, say) for pair, unit in (
        ({"square": square["time"], "time": time}, say["unit"].format(n[0], "")),
        ({"square": square["memory"], "memory": memory}, say["KiB"]),
        ({"masked": masked, "cut": cut}, unit_of("masked", n, say)),
        ({"cut": cut, "window": window}, unit_of("masked", n, say)),
        ({"again": again, "cached": cached}, unit_of("cached", n, say)))]
    ends, last = (n[0], n[1]), (n[-2], n[-1])
    told = [
        (*ends, first(time), *last, factors(time)[-1]),
        (*ends, first(memory), *last, factors(memory)[-1]),
        (two(masked[0] / cut[0]), n[0], two(masked[-1] / cut[-1]), n[-1]),
        (*last, factors(cut)[-1], factors(window)[-1]),
        (n[0], two(again[0] / cached[0]), n[-1], f"{again[-1] / cached[-1]:.0f}"),
    ]
    heads = [head.format(reach) for head in say["heads"]]
    says = [each.format(*values) for each, values in zip(say["says"], told)]
    return Figure(say["title"], say["question"], [Step(*each) for each in zip(heads, bodies, says)])


def unit_of(name, n, say):
    return say["unit"].format(n[0], say["of"].format(say[name]))


def two(x):
    return f"{x:.2f}"


def factors(values):
    """How many times the one before it each is."""
    return [two(b / a) for a, b in zip(values, values[1:])]


def first(values):
    return factors(values)[0]


def body(n, curves, made, unit, say):
    """Both curves, the new one thick, and a table of what was measured."""
    (old, _), (new, values) = curves.items()
    names = [say[old], say[new]]
    if old == "square":
        table = [[f"{x:,}", factor] for x, factor in zip(values, ["–", *factors(values)])]
        columns = [say[new], say["factor"]]
    else:
        table = [[f"{x:,}", f"{y:,}", two(x / y)] for x, y in zip(*curves.values())]
        columns = [*names, say["ratio"]]
    drawn = chart(n, list(curves.values()), names, say["curve"], guide=old == "square")
    return condition(*filter(None, [unit, made])) + side_by_side(
        drawn, matrix(table, n, columns, corner=say["rows"]))


def chart(n, curves, names, words, guide):
    """SVG: lengths to the right, a step for twice; what they cost upwards, a line for tenfold."""
    low = floor(log10(min(map(min, curves))))
    high = ceil(log10(max(map(max, curves))))
    wide, top = STEP * log2(n[-1] / n[0]), 10 + DECADE * (high - low)

    def place(length, value):
        return LEFT + STEP * log2(length / n[0]), top - DECADE * (log10(value) - low)

    parts = []
    for power in range(low, high + 1):
        y = top - DECADE * (power - low)
        parts += [path([(LEFT, y), (LEFT + wide, y)], "grid"),
                  text(LEFT - 8, y + 5, short(power), "end")]
    parts += [text(place(each, 1)[0], top + 20, str(each), "middle") for each in n]
    lines = [[place(*point) for point in zip(n, values)] for values in curves]
    for points, name in zip(lines, ["ahead" if guide else "", "now"]):
        parts += [path(points, name)]
        if name != "ahead":
            parts += [disc(x, y, 2.5, name) for x, y in points]
    parts += labels([points[-1] for points in lines], names)
    ends = [words.format(name, f"{values[0]:,g}", n[0], f"{values[-1]:,g}", n[-1])
            for name, values in zip(names, curves)]
    return picture(LEFT + wide + RIGHT, top + 26, parts, "; ".join(ends))


def short(power):
    """10 to this power, in few letters: 0.1, 1, 10, 100, 1k, 10k."""
    return f"{10**power:g}" if power < 3 else f"{10**(power - 3):g}k"


def labels(ends, names):
    """The names beside the ends of their lines, kept apart."""
    (x, upper), (_, lower) = ends
    gap = max(0, 17 - abs(lower - upper)) / 2
    shift = gap if upper > lower else -gap
    return [text(x + 9, upper + 5 + shift, names[0]), text(x + 9, lower + 5 - shift, names[1])]
