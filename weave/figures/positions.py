"""The table of sinusoids as a picture, and its pairs of columns as the hands of a clock."""

from html import escape
from math import atan2

from tf.model import dot, pos_encoding
from weave.figures import Figure, Step
from weave.figures.draw import attributes, listing, matrix, number
from weave.figures.inputs import whole
from weave.svg import disc, path

LINES = {"rates": "rates =", "angles": "angles =", "waves": "return"}

INPUTS = {"n": whole(12, 24), "d": whole(8, 24, 2)}

TEXT = {
    "en": {
        "inputs": {"n": "Positions", "d": "Columns d"},
        "title": "Positions, as a table and as clock hands",
        "question": "What do we add to a row, so that it says where it stands?",
        "heads": ["{} positions, {} columns", "columns 0 and 1: the first hand",
                  "columns 0 to {}: hand after hand", "from position i to i + 2"],
        "down": "position ↓", "across": "position →", "hand": "hand {}",
        "table": "Sine in even columns, cosine in odd ones; the deeper the shade, the larger",
        "dials": "The tip's height is the sine, how far it stands to the right the cosine",
        "turns": "From the thin hand to the thick one, and below it the turn in radians",
        "pair": "sine {}, cosine {}",
        "says": [
            "Every row differs, every number lies between −1 and 1, and the columns change fast "
            "on the left and hardly at all on the right.",
            "The first pair of columns is a hand that turns by {} radian from each position to "
            "the next, and after six steps it is nearly back.",
            "Each further hand is slower by the same factor, {}, and tells apart what the faster "
            "ones confuse.",
            "From {} to {} every hand turns by the same angle as from {} to {}, so the dot "
            "products are equal: {} and {}.",
        ],
    },
    "zh": {
        "inputs": {"n": "位置数", "d": "列数 d"},
        "title": "位置：一张表，也是一排钟的指针",
        "question": "给一行加上什么，它才说得出自己在哪里？",
        "heads": ["{} 个位置，{} 列", "第 0、1 列：第一根指针", "第 0 到 {} 列：一根接一根", "从位置 i 到 i + 2"],
        "down": "位置 ↓", "across": "位置 →", "hand": "指针 {}",
        "table": "偶数列是正弦，奇数列是余弦；底色越浓，数越大",
        "dials": "针尖的高低是正弦，偏右多少是余弦",
        "turns": "从细针转到粗针，下面是转过的弧度",
        "pair": "正弦 {}，余弦 {}",
        "says": [
            "没有两行相同，每个数都在 −1 和 1 之间；左边的列变得快，右边的几乎不变。",
            "最左边的两列是一根指针，每走一个位置转 {} 弧度，走六步就差不多回到原处。",
            "后面的指针一根比一根慢，倍数都是 {}；快的分不清的，慢的分得清。",
            "从 {} 到 {}，每根指针转过的角度都和从 {} 到 {} 一样，所以两个内积相等：{} 和 {}。",
        ],
    },
}


def figure(lang="en", n=16, d=16, steps=((3, 5), (9, 11))):
    say, P = TEXT[lang], pos_encoding(n, d)
    if d < 8 or d % 2:
        raise ValueError(f"d must be an even number from 8, not {d}")
    waves = listing(pos_encoding, LINES)
    turns = [angle((0, 1), pair) for pair in pairs(P[1])]
    hands = [say["hand"].format(c) for c in range(d // 2)]
    few = [[[pair] for pair in pairs(row)[:4]] for row in P]
    bodies = [
        waves + picture(P, say),
        waves + dials([[row[0] for row in few]], hands[:1], range(n), say["dials"], say["across"],
                      say, line="waves"),
        waves + dials(zip(*few), hands[:4], range(n), say["dials"], say["across"], say,
                      line="waves"),
        waves + listing(angle, {"hands": "(s, c)", "turn": "return"})
        + dials([[*zip(pairs(P[i]), pairs(P[j]))] for i, j in steps],
              ["{} → {}".format(*pair) for pair in steps], hands, say["turns"], say["down"], say,
                line="turn"),
    ]
    products = [dot(P[i], P[j]) for i, j in steps]
    told = [], turns[:1], [turns[0] / turns[1]], [i for pair in steps for i in pair] + products
    heads = [head.format(*values) for head, values in zip(say["heads"], [(n, d), [], [7], []])]
    says = [each.format(*map(number, values)) for each, values in zip(say["says"], told)]
    return Figure(say["title"], say["question"], [Step(*each) for each in zip(heads, bodies, says)])


def picture(P, say):
    """The table: two decimals in each cell, and the shade goes from −1 to 1."""
    table = matrix([[number(x, 2) for x in row] for row in P], range(len(P)), range(len(P[0])),
                   corner=say["down"], caption=say["table"],
                   line="waves", heat=[[(x + 1) / 2 for x in row] for row in P])
    return f'<div class="dense">{table}</div>'


def pairs(row):
    """[(sine, cosine) of each hand]"""
    return list(zip(row[::2], row[1::2]))


def angle(one, other):
    """How far a hand turns from the one to the other, in radians."""
    (s, c), (t, d) = one, other
    return atan2(t * c - d * s, d * c + t * s)


def dials(table, rows, columns, caption, corner, say, line=""):
    """HTML of a table of dials. A dial has one hand, or the hand before and after."""
    heads = "".join(f'<th scope="col">{each}</th>' for each in columns)
    parts = [f'<div class="table"><table class="matrix dials"><caption>{escape(caption)}</caption>',
             f'<thead><tr><th scope="col">{corner}</th>{heads}</tr></thead><tbody>']
    for name, row in zip(rows, table):
        parts += [f'<tr><th scope="row">{name}</th>', *(dial(hands, say, line) for hands in row), "</tr>"]
    return "".join([*parts, "</tbody></table></div>"])


def dial(hands, say, line):
    *before, (sine, cosine) = hands
    shapes = [disc(0, 0, 15)] + [path([(0, 0), (14 * c, -14 * s)], "before") for s, c in before]
    x, y = 14 * cosine, -14 * sine
    shapes += [path([(0, 0), (x, y)], "hand"), disc(x, y, 2, "tip")]
    turn = "".join(f"{number(angle(hand, hands[-1]))}" for hand in before)
    words = say["pair"].format(number(sine, 2), number(cosine, 2))
    ears = "" if before else f'<span class="for-ears">{words}</span>'
    return (f'<td{attributes(title=words, data_line=line)}><svg aria-hidden="true" width="2.2em" height="2.2em" '
            f'viewBox="-17 -17 34 34">{"".join(shapes)}</svg>{ears}{turn}</td>')
