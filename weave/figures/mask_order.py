"""The mask before softmax and after it, on the scores of chapter 3: where the row sums go."""

from math import inf

from tf.model import attention, causal_mask, softmax
from weave.figures import Figure, Step
from weave.figures.draw import given, listing, matrix, number

SCORES = [[0.3, 0.7, 0.1], [0.1, 0.5, 0.9], [0.2, 0.1, 0.4]]
LINES = {"hide": "scores = [[s if", "weights": "weights ="}

TEXT = {
    "en": {
        "title": "The mask after softmax, and before it",
        "question": "Why not strike out the forbidden weights at the end?",
        "heads": ["the scores", "too late: softmax first", "too late: then the mask",
                  "in time: the mask first", "in time: then softmax"],
        "query": "query {}", "key": "key {}", "sum": "sum",
        "hidden": "may not be read", "less": "not the whole",
        "says": [
            "Query i may read the keys 0 to i, so three of these nine scores belong to the future.",
            "Softmax shares out the whole row, and {} of query 0's weight goes to keys that it "
            "may not read.",
            "Struck out now, those weights take their shares along: the sums fall to {} and {}.",
            "Minus infinity takes the place of the three scores, before anything is shared out.",
            "Their powers are exactly 0, so the keys that are left share the whole, and each row "
            "sums to 1.",
        ],
    },
    "zh": {
        "title": "掩码放在 softmax 之后，和放在之前",
        "question": "为什么不最后再把不许看的权重划掉？",
        "heads": ["分数", "太晚：先做 softmax", "太晚：再加掩码", "及时：先加掩码", "及时：再做 softmax"],
        "query": "查询 {}", "key": "键 {}", "sum": "和", "hidden": "不许看", "less": "不是全部",
        "says": [
            "查询 i 可以看键 0 到 i，所以这九个分数里有三个属于未来。",
            "softmax 把整行分完，查询 0 有 {} 的份额给了不许看的键。",
            "现在才划掉，这些权重就带走了自己的份额：行和降到 {} 和 {}。",
            "在分配份额之前，先用负无穷换下这三个分数。",
            "负无穷的幂恰好是 0，剩下的键分到全部，每一行的和都是 1。",
        ],
    },
}


def figure(lang="en"):
    say, mask = TEXT[lang], causal_mask(3)
    early = choose(SCORES, mask, -inf)
    shared = [softmax(row) for row in SCORES]
    struck = choose(shared, mask, 0)
    tables = SCORES, shared, struck, early, [softmax(row) for row in early]
    sums = [number(sum(row)) for row in struck]
    told = [], [number(sum(shared[0][1:]))], sums[:2], [], []
    late = {"shared": "shared =", "struck": "struck ="}
    codes = [given(SCORES=SCORES), listing(figure, late, "shared"),
             listing(figure, late, "struck") + listing(choose, {"choose": "return"}),
             listing(attention, LINES, "hide"), listing(attention, LINES, "weights")]
    lines = "SCORES", "shared", "struck", "hide", "weights"
    steps = []
    for values, head, says, numbers, code, line in zip(tables, say["heads"], say["says"], told,
                                                       codes, lines):
        shares = values not in (SCORES, early)
        steps += [Step(head, code + drawn(values, mask, shares, line, say), says.format(*numbers))]
    return Figure(say["title"], say["question"], steps)


def choose(table, mask, other):
    return [[x if seen else other for x, seen in zip(row, sees)]
            for row, sees in zip(table, mask)]


def drawn(values, mask, shares, line, say):
    """The table, and beside weights the sum of each row and the line that makes it."""
    sums = [round(sum(row), 12) for row in values]
    more = [[total] * shares for total in sums]
    marks = [["" if seen else "hidden" for seen in sees] + ["key" if end < [1] else ""] * shares
             for sees, end in zip(mask, more)]
    legend = {"hidden": say["hidden"]} | ({"key": say["less"]} if "key" in sum(marks, []) else {})
    cells = [[number(x, 4 if shares else 1) for x in row] + end for row, end in zip(values, more)]
    code = listing(drawn, {"sums": "sums ="}) * shares
    return code + matrix(cells, [say["query"].format(i) for i in range(3)],
                  [say["key"].format(j) for j in range(3)] + [say["sum"]] * shares, marks,
                  legend=legend, line=[[line] * 3 + ["sums"] * shares] * 3,
                  heat=[(row if shares else [None] * 3) + [None] * shares for row in values])
