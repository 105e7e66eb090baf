"""A sentence in two orders: rows that move along, until positions are added. Chapter 5's words."""

from functools import partial

from tf.experiments import self_attention, shuffle_gap, shuffled
from tf.model import add, causal_mask, pos_encoding
from weave.figures import Figure, Step
from weave.figures.draw import attributes, given, listing, matrix, number
from weave.figures.inputs import check, choice, words
from weave.svg import path

VECTORS = [[2, 0, 1], [0, 2, 1], [-1, 0, 2], [1, -1, -1]]    # of the first word, the second

INPUTS = {"words": words(2, 4, 12), "order": choice("reversed", "swap", "round"), "causal": check()}

TEXT = {
    "en": {
        "inputs": {"words": "Words", "order": "In the other order", "reversed": "from the last to the first",
                   "swap": "the first two exchanged", "round": "the first at the end",
                   "causal": "Causal mask"},
        "title": "A sentence and its words in another order",
        "question": "Who likes whom? Does attention know?",
        "words": ["I", "like", "you"], "counts": ["two", "three", "four"],
        "heads": ["the rows that go in", "without positions: what attention makes of them",
                  "with positions: the rows that go in",
                  "with positions: what attention makes of them"],
        "corner": "word ↓", "gap": "differs by",
        "says": [
            "The same {count} rows, in another order.",
            "The rows that come out have changed places, and that is all: “{second}” receives the "
            "same vector in both.",
            "To each row that of its position is added, and a word that has moved is another row"
            "{unmoved}.",
            "Now every row differs, by up to {most}{though}.",
        ],
        "masked": "Each row sees only what stands before it and itself, so in another order it has "
                  "other company, and the rows differ by up to {bare}, though no position was added.",
        "unmoved": "; “{}” has not moved",
        "though": ", and “{}” by {}, though it stands in {} both times",
        "middle": "the middle", "place": "the same place",
    },
    "zh": {
        "inputs": {"words": "词", "order": "另一个次序", "reversed": "从后到前", "swap": "前两个互换",
                   "round": "第一个排到最后", "causal": "因果掩码"},
        "title": "一句话，和换了次序的同一句话",
        "question": "谁喜欢谁？注意力知道吗？",
        "words": ["我", "喜欢", "你"], "counts": ["两", "三", "四"],
        "heads": ["输入的行", "没有位置：注意力的输出", "有位置：输入的行", "有位置：注意力的输出"],
        "corner": "词 ↓", "gap": "相差",
        "says": [
            "同样的{count}行，换了次序。",
            "输出的行跟着换了位置，仅此而已：在两句话里，“{second}”得到的是同一个向量。",
            "每一行都加上它的位置那一行，挪了位置的词就成了另一行{unmoved}。",
            "现在每一行都不同了，最多相差 {most}{though}。",
        ],
        "masked": "每一行只看得见自己和前面的行，换了次序就换了同伴；没有加位置，各行也最多相差 {bare}。",
        "unmoved": "；“{}”没有挪", "though": "；“{0}”两次都在{2}，也相差 {1}",
        "middle": "中间", "place": "同一个位置",
    },
}


def figure(lang="en", words=None, order="reversed", causal=False):
    say, words = TEXT[lang], words or TEXT[lang]["words"]
    n = len(words)
    X, P, mask = VECTORS[:n], pos_encoding(n, 3), causal_mask(n) if causal else None
    order = {"reversed": [*range(n)][::-1], "swap": [1, 0, *range(2, n)],
             "round": [*range(1, n), 0]}[order]
    attend = partial(self_attention, mask=mask)
    placed = partial(add, Y=P)
    ways = [lambda X: X, attend, placed, lambda X: attend(placed(X))]
    rows = ("ROWS", "shuffled"), given(ROWS=X) + listing(shuffled, {"shuffled": "return"})
    attends = ("out", "out"), (listing(causal_mask, {"mask": "return"}) * causal
                               + listing(self_attention, {"out": "return"}))
    sums = ("sums", "sums"), listing(add, {"pairs": "pairs =", "sums": "return"})
    pairs = [(way(X), way(shuffled(X, order))) for way in ways]
    gaps = apart(*pairs[3], order)
    told = {"count": say["counts"][n - 2], "second": words[1], "unmoved": "", "though": "",
            "bare": number(shuffle_gap(ways[1], X, order)),
            "most": number(shuffle_gap(ways[3], X, order))}
    still = next((i for i in range(n) if order[i] == i), None)
    if still is not None:
        where = say["middle" if 2 * still + 1 == n else "place"]
        told |= {"unmoved": say["unmoved"].format(words[still]),
                 "though": say["though"].format(words[still], number(gaps[still]), where)}
    bodies = [crossing(*pair, *made, words, order, say)
              for pair, made in zip(pairs, (rows, attends, sums, attends))]
    first, plain, *others = say["says"]
    says = [each.format(**told) for each in (first, say["masked"] if causal else plain, *others)]
    steps = [Step(*each) for each in zip(say["heads"], bodies, says)]
    return Figure(say["title"], say["question"], steps)


def apart(one, other, order):
    """How far each row of `one` is from the row of the same word in `other`, at most."""
    pairs = zip(one, [other[order.index(i)] for i in range(len(one))])
    return [max(abs(a - b) for a, b in zip(row, moved)) for row, moved in pairs]


def crossing(one, other, made, code, words, order, say):
    """The code, of which the lines named in `made` made one and other. Both tables, and a line from
    each word to the same word, whole if the rows are the same."""
    gaps = [gap if gap > 1e-12 else 0 for gap in apart(one, other, order)]    # less is rounding
    n, moved, corner = len(words), shuffled(words, order), say["corner"]
    cells = [[*row, gap] for row, gap in zip(one, gaps)]
    left = matrix(cells, words, [0, 1, 2, say["gap"]], corner=corner, caption=sentence(words),
                  line=[[made[0]] * 3 + ["gaps"]] * n)
    right = matrix(other, moved, range(3), corner=corner, caption=sentence(moved), line=made[1])
    lines = [path([(2, i + .5), (98, order.index(i) + .5)], "broken" * (gap > 0))
             for i, gap in enumerate(gaps)]
    code += listing(apart, {"apart": "pairs =", "gaps": "return"})
    rows = attributes(style=f"--rows:{n}" * (n != 3))
    return (f'{code}<div class="crossing"{rows}>{left}<svg aria-hidden="true" viewBox="0 0 100 {n}" '
            f'preserveAspectRatio="none">{"".join(lines)}</svg>{right}</div>')


def sentence(words):
    """The words as a text, with blanks between them if they have any letters of ours."""
    return (" " if any(map(str.isascii, words)) else "").join(words)
