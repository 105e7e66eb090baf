"""A sentence in two orders: rows that move along, until positions are added. Chapter 5's words."""

from tf.experiments import self_attention, shuffle_gap, shuffled
from tf.model import add, pos_encoding
from weave.figures import Figure, Step
from weave.figures.draw import given, listing, matrix, number
from weave.svg import path

ROWS = [[2, 0, 1], [0, 2, 1], [-1, 0, 2]]
ORDER = [2, 1, 0]

TEXT = {
    "en": {
        "title": "A sentence and its words in another order",
        "question": "Who likes whom? Does attention know?",
        "words": ["I", "like", "you"], "texts": ["I like you", "you like I"],
        "heads": ["the rows that go in", "without positions: what attention makes of them",
                  "with positions: the rows that go in",
                  "with positions: what attention makes of them"],
        "corner": "word ↓", "gap": "differs by",
        "says": [
            "The same three rows, in another order.",
            "The rows that come out have changed places, and that is all: “like” receives the "
            "same vector in both.",
            "To each row that of its position is added, and a word that has moved is another row;"
            " “like” has not moved.",
            "Now every row differs, by up to {}, and “like” by {}, though it stands in the middle"
            " both times.",
        ],
    },
    "zh": {
        "title": "一句话，和换了次序的同一句话",
        "question": "谁喜欢谁？注意力知道吗？",
        "words": ["我", "喜欢", "你"], "texts": ["我喜欢你", "你喜欢我"],
        "heads": ["输入的行", "没有位置：注意力的输出", "有位置：输入的行", "有位置：注意力的输出"],
        "corner": "词 ↓", "gap": "相差",
        "says": [
            "同样的三行，换了次序。",
            "输出的行跟着换了位置，仅此而已：在两句话里，“喜欢”得到的是同一个向量。",
            "每一行都加上它的位置那一行，挪了位置的词就成了另一行；“喜欢”没有挪。",
            "现在每一行都不同了，最多相差 {}；“喜欢”两次都在中间，也相差 {}。",
        ],
    },
}


def figure(lang="en"):
    say, P = TEXT[lang], pos_encoding(3, 3)
    placed = lambda X: add(X, P)
    ways = [lambda X: X, self_attention, placed, lambda X: self_attention(placed(X))]
    rows = ("ROWS", "shuffled"), given(ROWS=ROWS) + listing(shuffled, {"shuffled": "return"})
    attends = ("out", "out"), listing(self_attention, {"out": "return"})
    sums = ("sums", "sums"), listing(add, {"pairs": "pairs =", "sums": "return"})
    gaps = apart(ways[3](ROWS), ways[3](shuffled(ROWS, ORDER)))
    told = [], [], [], [number(shuffle_gap(ways[3], ROWS, ORDER)), number(gaps[1])]
    bodies = [crossing(way(ROWS), way(shuffled(ROWS, ORDER)), *made, say)
              for way, made in zip(ways, (rows, attends, sums, attends))]
    says = [each.format(*values) for each, values in zip(say["says"], told)]
    steps = [Step(*each) for each in zip(say["heads"], bodies, says)]
    return Figure(say["title"], say["question"], steps)


def apart(one, other):
    """How far each row of `one` is from the row of the same word in `other`, at most."""
    pairs = zip(one, [other[ORDER.index(i)] for i in range(3)])
    return [max(abs(a - b) for a, b in zip(row, moved)) for row, moved in pairs]


def crossing(one, other, made, code, say):
    """The code, of which the lines named in `made` made one and other. Both tables, and a line from
    each word to the same word, whole if the rows are the same."""
    gaps = [gap if gap > 1e-12 else 0 for gap in apart(one, other)]    # what is smaller is rounding
    words = say["words"]
    cells = [[*row, gap] for row, gap in zip(one, gaps)]
    captions, corner = say["texts"], say["corner"]
    left = matrix(cells, words, [0, 1, 2, say["gap"]], corner=corner, caption=captions[0],
                  line=[[made[0]] * 3 + ["gaps"]] * 3)
    right = matrix(other, shuffled(words, ORDER), range(3), corner=corner, caption=captions[1],
                   line=made[1])
    lines = [path([(2, i + .5), (98, ORDER.index(i) + .5)], "broken" * (gap > 0))
             for i, gap in enumerate(gaps)]
    code += listing(apart, {"apart": "pairs =", "gaps": "return"})
    return (f'{code}<div class="crossing">{left}<svg aria-hidden="true" viewBox="0 0 100 3" '
            f'preserveAspectRatio="none">{"".join(lines)}</svg>{right}</div>')
