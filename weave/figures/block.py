"""The block as a picture: a row goes along the road and through the branch, and is added up."""

from tf.model import block, layer_norm, multi_head
from weave.figures import Figure, Step
from weave.figures.draw import listing, number
from weave.svg import arrow, box, disc, path, picture, text

LINES = {"norm": "rows =", "add": "return"}

TEXT = {
    "en": {
        "title": "Add, do not replace: one row on its way through the block",
        "question": "What does a layer do to a row?",
        "heads": ["X: the road forks", "layer norm", "heads", "the sum"],
        "stages": ["X, row 0", "layer norm", "attention, heads: {}", "X + what the heads found"],
        "rows": "the other rows",
        "says": [
            "Row 0 takes two ways: along the road on the left it stays as it is, on the right it "
            "goes into the branch.",
            "The layer norm takes out the row's own mean and its own size, and looks at no other "
            "row.",
            "The heads average the normalised rows, and nowhere else in the block does a row meet"
            " another.",
            "What the heads found is added to the row that came along the road: in column 0 the "
            "sum of {} and {} is {}.",
        ],
    },
    "zh": {
        "title": "是加上，不是替换：一行怎样穿过一个块",
        "question": "一层对一行做了什么？",
        "heads": ["X：路在这里分岔", "先做 LayerNorm", "多头注意力", "相加"],
        "stages": ["X，行 0", "LayerNorm", "注意力，头数：{}", "X + 各个头找到的"],
        "rows": "其他的行",
        "says": [
            "行 0 走两条路：左边的大路原样不动，右边的走进支路。",
            "LayerNorm 除去这一行自己的均值和大小，不看别的行。",
            "各个头给归一化之后的行求加权平均；整个块里，行与行只在这里相遇。",
            "各个头找到的，加到从大路过来的那一行上：在第 0 列，{} 加 {} 得 {}。",
        ],
    },
}


def figure(lang="en", X=((1, 2, 3, 4), (2, 4, 1, 3), (3, 0, 2, 5)), h=2):
    say, rows = TEXT[lang], [layer_norm(row) for row in X]
    found = multi_head(rows, rows, rows, h)
    out = block(X, h)
    stages = [X[0], rows[0], found[0], out[0]]
    if len(X[0]) > 4:
        raise ValueError(f"a row is {len(X[0])} wide, and the picture has room for 4")
    names = [name.format(h) for name in say["stages"]]
    last = [number(row[0]) for row in (X[0], found[0], out[0])]
    steps, lines = [], ("", "norm", "add", "add")
    for now, (head, says, line) in enumerate(zip(say["heads"], say["says"], lines)):
        body = listing(block, LINES, line) + flow(stages, names, now, len(X), say)
        steps += [Step(head, body, says.format(*last))]
    return Figure(say["title"], say["question"], steps)


def flow(stages, names, now, n, say):
    """The picture, and the numbers of the stages that the row has reached."""
    told = []
    parts = [path([(30, 62), (30, 244)], "road"), arrow([(30, 78), (215, 78), (215, 96)]),
             arrow([(215, 148), (215, 172)]), arrow([(215, 224), (215, 256), (42, 256)]),
             arrow([(30, 268), (30, 288)]), disc(30, 256, 12), text(30, 261, "+", "middle strong")]
    for k, (numbers, name) in enumerate(zip(stages, names)):
        left, top, width = [(10, 10, 360), (60, 96, 310), (60, 172, 310), (10, 288, 360)][k]
        state = "now" if k == now else "past" if k < now else "ahead"
        parts += [box(left, top, width, 52, state),
                  text(left + 10, top + 20, "▸ " * (k == now) + name, "strong" * (k == now))]
        if k <= now:
            parts += [text(136 + 74 * c, top + 42, number(x), "end") for c, x in enumerate(numbers)]
            told += [f"{name}: {', '.join(map(number, numbers))}"]
    if n > 1:
        parts += [arrow([(340, 262), (340, 226)]), text(370, 278, say["rows"], "end")]
    return f'<div class="table">{picture(382, 350, parts, "; ".join(told))}</div>'
