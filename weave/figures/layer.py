"""A whole layer as a picture: one row on its way through both halves, pre-LN or post-LN."""

from random import Random

from tf.model import add
from tf.transformer import feed_forward, norm, post_ln, pre_ln, random_layer, self_attention
from weave.figures import Figure, Step
from weave.figures.draw import listing, number
from weave.svg import arrow, box, disc, path, picture, text

LAYERS = {"pre": pre_ln, "post": post_ln}
LINES = {"pre": {"attend": "X =", "norm": "rows =", "feed": "return"},
         "post": {"attend": "X =", "feed": "found =", "norm": "return"}}
NOW = {"pre": ["", "attend", "attend", "feed", "feed"],
       "post": ["", "attend", "attend", "feed", "norm"]}
PLAN = {    # (what it is, on the road or in a branch, the step that shows it)
    "pre": [("X", "road", 0), ("norm", "branch", 1), ("attention", "branch", 1),
            ("sum", "road", 2), ("norm", "branch", 3), ("feed", "branch", 3), ("sum", "road", 4)],
    "post": [("X", "road", 0), ("attention", "branch", 1), ("sum", "road", 2),
             ("norm", "road", 2), ("feed", "branch", 3), ("sum", "road", 4), ("norm", "road", 4)],
}
GAP = {("road", "branch"): 34, ("branch", "branch"): 24, ("branch", "road"): 62,
       ("road", "road"): 24}

TEXT = {
    "en": {
        "title": {"pre": "Two halves of a layer, pre-LN", "post": "Two halves of a layer, post-LN"},
        "question": "Where does a row meet others, and where is it alone?",
        "heads": ["the row comes in", "attention", "the first sum", "feed-forward",
                  "the second sum"],
        "names": {"X": "X, row 0", "norm": "layer norm", "attention": "attention, heads: {}",
                  "sum": "the sum", "feed": "feed-forward"},
        "rows": "the other rows",
        "says": {
            "pre": [
                "Row 0 goes along the road on the left, and each half of the layer is a branch on "
                "the right.",
                "The first half reads the normalised row and the other rows: nowhere else do rows "
                "meet.",
                "What attention found is added to the row, which came along the road untouched: in "
                "column 0 the sum of {} and {} is {}.",
                "The second half normalises the sum and works on this row alone.",
                "It is added as well, the sum of {} and {} is {}, and no norm was on the road.",
            ],
            "post": [
                "Row 0 goes along the road on the left, and each half of the layer is a branch on "
                "the right.",
                "Attention reads the row as it comes, at whatever size it has, and the other rows.",
                "What it found is added, in column 0 the sum of {} and {} is {}, and then the road "
                "leads through a norm.",
                "The second half works on this row alone.",
                "It is added, the sum of {} and {} is {}, and a second norm stands on the road: "
                "the row leaves with mean 0.",
            ],
        },
    },
    "zh": {
        "title": {"pre": "一层的两半，pre-LN", "post": "一层的两半，post-LN"},
        "question": "一行在哪里遇到别的行，在哪里独自一行？",
        "heads": ["一行进来", "注意力", "第一次相加", "前馈", "第二次相加"],
        "names": {"X": "X，行 0", "norm": "LayerNorm", "attention": "注意力，头数：{}",
                  "sum": "和", "feed": "前馈网络"},
        "rows": "其他的行",
        "says": {
            "pre": [
                "行 0 沿着左边的大路走，层的每一半都是右边的一条支路。",
                "前一半读归一化之后的这一行，也读其他的行：行与行只在这里相遇。",
                "注意力找到的加到这一行上，大路上的它没有变过：在第 0 列，{} 加 {} 得 {}。",
                "后一半先把和归一化，只处理这一行。",
                "结果也加上去，{} 加 {} 得 {}，大路上没有任何归一化。",
            ],
            "post": [
                "行 0 沿着左边的大路走，层的每一半都是右边的一条支路。",
                "注意力直接读这一行，它多大就多大，也读其他的行。",
                "找到的加上去，在第 0 列，{} 加 {} 得 {}，然后大路穿过一次归一化。",
                "后一半只处理这一行。",
                "结果加上去，{} 加 {} 得 {}，大路上还有第二次归一化：这一行离开时均值为 0。",
            ],
        },
    },
}


def figure(lang="en", order="pre", X=((1, 2, 3, 4), (2, 4, 1, 3), (3, 0, 2, 5)), h=2, seed=14):
    if order not in LAYERS:
        raise ValueError(f"order is pre or post, not {order!r}")
    if len(X[0]) != 4:
        raise ValueError(f"a row is {len(X[0])} wide, and the picture has room for 4")
    say, w = TEXT[lang], random_layer(Random(seed), 4, 16)
    stages = {"pre": before, "post": after}[order](X, w, h)
    row = [X[0] for X in stages]
    attended, first, fed, second = [2, 3, 5, 6] if order == "pre" else [1, 2, 4, 5]
    middle = first if order == "pre" else 3
    told = [(), (), (row[0], row[attended], row[first]), (), (row[middle], row[fed], row[second])]
    steps = []
    for now, (head, says, rows) in enumerate(zip(say["heads"], say["says"][order], told)):
        body = listing(LAYERS[order], LINES[order], NOW[order][now])
        body += flow(PLAN[order], row, now, h, say)
        steps += [Step(head, body, says.format(*(number(row[0]) for row in rows)))]
    return Figure(say["title"][order], say["question"], steps)


def before(X, w, h):
    """The stages of pre-LN, in the order of the plan."""
    read = norm(X, w.gain_1, w.bias_1)
    found = self_attention(read, w, h)
    middle = add(X, found)
    rows = norm(middle, w.gain_2, w.bias_2)
    fed = feed_forward(rows, w.W_1, w.b_1, w.W_2, w.b_2)
    return X, read, found, middle, rows, fed, pre_ln(X, w, h)


def after(X, w, h):
    """The stages of post-LN, in the order of the plan."""
    found = self_attention(X, w, h)
    middle = add(X, found)
    rows = norm(middle, w.gain_1, w.bias_1)
    fed = feed_forward(rows, w.W_1, w.b_1, w.W_2, w.b_2)
    return X, found, middle, rows, fed, add(rows, fed), post_ln(X, w, h)


def flow(plan, rows, now, h, say):
    """The picture, with the numbers of the stages that the row has reached."""
    parts, told, top, road, last = [], [], 10, 62, None
    for (name, place, step), row in zip(plan, rows):
        if last:
            top += 52 + GAP[last, place]
        if last == "road" and place == "branch":
            parts += [arrow([(30, top - 18), (215, top - 18), (215, top)])]
        elif last == "branch" and place == "branch":
            parts += [arrow([(215, top - 24), (215, top)])]
        elif last == "branch":
            parts += [path([(30, road), (30, top - 44)], "road"), disc(30, top - 32, 12),
                      text(30, top - 27, "+", "middle strong"),
                      arrow([(215, top - 62), (215, top - 32), (42, top - 32)]),
                      arrow([(30, top - 20), (30, top)])]
        elif last:
            parts += [arrow([(30, top - 24), (30, top)])]
        left, width = (10, 360) if place == "road" else (60, 310)
        state = "now" if step == now else "past" if step < now else "ahead"
        title = say["names"][name].format(h)
        parts += [box(left, top, width, 52, state),
                  text(left + 10, top + 20, "▸ " * (step == now) + title, "strong" * (step == now))]
        if step <= now:
            parts += [text(136 + 74 * c, top + 42, number(x), "end") for c, x in enumerate(row)]
            told += [f"{title}: {', '.join(map(number, row))}"]
        if name == "attention":
            parts += [arrow([(340, top + 86), (340, top + 54)]),
                      text(334, top + 80, say["rows"], "end")]
        last, road = place, top + 52 if place == "road" else road
    return picture(382, top + 62, parts, "; ".join(told))
