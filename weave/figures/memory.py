"""The most memory in use during attention, for texts of growing length: doubled, or times four.

What was measured stands in the chapter, in KiB: [n, whole tables, by rows, by blocks] a row.
"""

from math import log2

from weave.figures import Figure, Step
from weave.figures.draw import matrix, number, side_by_side
from weave.svg import disc, path, picture, text

WAYS = "tables", "rows", "blocks"
UNIT, LEFT, TOP = 22, 62, 28    # pixels for twice as much; where the picture begins

TEXT = {
    "en": {
        "title": "Memory: times four, or times two",
        "question": "What is left to pay when nobody writes the table down?",
        "heads": ["the table of scores", "a query at a time", "a block at a time"],
        "tables": "whole tables", "rows": "by rows", "blocks": "by blocks",
        "length": "n = {}", "kib": "{}, KiB", "factor": "factor",
        "words": "{}: from {} KiB at n = {} to {} KiB at n = {}",
        "says": [
            "From {before} rows to {last} the memory grows {tables} times, one field up for each "
            "field to the right.",
            "Forget the weights of a row as soon as it has its average, and it grows {rows} times, "
            "half a field.",
            "Blocks do as well with {blocks} times, and that is all there is to gain in a program "
            "with one memory.",
        ],
    },
    "zh": {
        "title": "内存：乘以四，还是乘以二",
        "question": "不写下整张表，还剩下多少要付？",
        "heads": ["整张分数表", "一次一个查询", "一次算一块"],
        "tables": "整张表", "rows": "逐行", "blocks": "分块",
        "length": "n = {}", "kib": "{}，KiB", "factor": "倍数",
        "words": "{0}：n = {2} 时 {1} KiB，n = {4} 时 {3} KiB",
        "says": [
            "从 {before} 行到 {last} 行，内存变成 {tables} 倍：每向右一格，线上升一格。",
            "一行有了平均就忘掉它的权重，内存只变成 {rows} 倍，线上升半格。",
            "分块也一样，变成 {blocks} 倍；只有一种内存的程序，能省的就是这些。",
        ],
    },
}


def figure(lang="en", measured=((64, 308, 49, 59), (128, 1129, 100, 89))):
    if len(measured) < 2 or any(len(row) != 4 or min(row) <= 0 for row in measured):
        raise ValueError(f"measured needs rows of four numbers above 0, two or more: {measured}")
    say, (lengths, *curves) = TEXT[lang], zip(*measured)
    factors = {way: number(curve[-1] / curve[-2], 1) for way, curve in zip(WAYS, curves)}
    told = factors | {"before": lengths[-2], "last": lengths[-1]}
    bodies = [side_by_side(plot(lengths, curves, k, say), table(lengths, curves[:k], say))
              for k in (1, 2, 3)]
    says = [each.format(**told) for each in say["says"]]
    return Figure(say["title"], say["question"],
                  [Step(*each) for each in zip(say["heads"], bodies, says)])


def table(lengths, curves, say):
    """What was measured so far, and by what it grew at the last doubling."""
    cells = [[f"{x:,}" for x in row] for row in zip(*curves)]
    cells += [[number(curve[-1] / curve[-2], 1) for curve in curves]]
    return matrix(cells, [say["length"].format(n) for n in lengths] + [say["factor"]],
                  [say["kib"].format(say[way]) for way in WAYS[:len(curves)]])


def plot(lengths, curves, shown, say):
    """A field to the right is twice the text, a field up four times the memory. The newest line
    is thick."""
    floor, roof = (int(log2(f(map(f, curves)))) for f in (min, max))

    def at(n, kib):
        return LEFT + 2 * UNIT * log2(n / lengths[0]), TOP + UNIT * (roof + 1 - log2(kib))

    right, low = at(lengths[-1], 2**floor)
    parts = [path([at(n, 2**floor), at(n, 2**(roof + 1))], "grid") for n in lengths]
    parts += [text(at(n, 1)[0], low + 18, str(n), "middle") for n in lengths]
    parts += [text(right + 26, low + 18, "n"), text(LEFT - 6, 12, "KiB", "end")]
    for step in range(floor, roof + 2, 2):
        y = at(lengths[0], 2**step)[1]
        parts += [path([(LEFT, y), (right, y)], "grid"), text(LEFT - 6, y + 5, f"{2**step}", "end")]
    words = []
    for k, (way, curve) in enumerate(zip(WAYS[:shown], curves)):
        points = [at(*each) for each in zip(lengths, curve)]
        parts += [path(points, "road" if k == shown - 1 else ""), *(disc(*p, 3) for p in points)]
        x, y = points[-1]
        parts += [text(x + 8, y + (16 if way == "blocks" else 2), say[way])]
        words += [say["words"].format(say[way], curve[0], lengths[0], curve[-1], lengths[-1])]
    return picture(right + 100, low + 26, parts, "; ".join(words))
