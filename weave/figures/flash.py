"""The state of one query, block after block, and what tiles hold and fetch."""

from math import exp, inf

from tf.flash import fold
from tf.model import dot, softmax
from weave.figures import Figure, Step
from weave.figures.draw import given, listing, matrix, number, side_by_side
from weave.figures.inputs import choice

# The blocks of chapter 13: scores and values; the first one is hidden.
BLOCKS = ([-inf, -inf], [50, 60]), ([1, 2], [10, 20]), ([4, 3], [30, 40])
LENGTHS = 64, 256, 1024, 4096

LINES = {"new": "new =", "fade": "fade =", "powers": "powers =", "total": "total =",
         "sums": "sums ="}
UNSEEN = {"new": "new =", "same": "if new"}

INPUTS = {"size": choice(4, 8, 16, 32, 64)}

TEXT = {
    "en": {
        "inputs": {"size": "Scores along a tile"},
        "title": "A block at a time: the largest score, the total and the sums",
        "question": "How can an average be right before all scores are known?",
        "heads": ["a hidden block", "the first block that is seen", "a larger score",
                  "all at once", "tiles of {size} × {size} scores"],
        "key": "key {}", "block": "Block {} of the keys", "score": "score", "value": "value",
        "power": "e to the (score − largest)", "weight": "weight", "none": "none",
        "state": "The state of the query", "before": "before", "after": "after",
        "largest": "largest score", "fade": "fade", "total": "total", "sum": "sum of values",
        "average": "average", "whole": "All keys", "at once": "softmax", "blocks": "in blocks",
        "both": "The average", "length": "n = {}", "table": "scores in the table",
        "tile": "scores in a tile", "alone": "rows fetched, a query at a time",
        "shared": "rows fetched, {} queries at a time", "cost": "Held and fetched",
        "says": [
            "Nothing has been seen, so nothing changes, and −∞ is not subtracted from −∞.",
            "Whatever comes is larger than −∞, the fade is {fade}, and the state is that of a text "
            "which ends here, with the average {average}.",
            "Against the new largest score the old powers are too large by e to the {step}, so "
            "total and sum are multiplied by {fade} before the new ones are added.",
            "Softmax over all six scores gives the same average, {average}, for nothing was "
            "estimated.",
            "The tile stays at {held} scores however long the text, and {size} queries that share "
            "a block of keys and values fetch it once, not {size} times.",
        ],
    },
    "zh": {
        "inputs": {"size": "一块的边长"},
        "title": "一次算一块：最大分数、总和、加权和",
        "question": "分数还没有全部算出，平均怎么就能是对的？",
        "heads": ["被遮住的一块", "第一块看得见的", "出现更大的分数", "一次算完", "每块 {size} × {size} 个分数"],
        "key": "键 {}", "block": "第 {} 块键", "score": "分数", "value": "值",
        "power": "e 的（分数 − 最大）次幂", "weight": "权重", "none": "没有",
        "state": "这个查询的状态", "before": "之前", "after": "之后",
        "largest": "最大分数", "fade": "衰减", "total": "总和", "sum": "值的加权和",
        "average": "平均", "whole": "全部的键", "at once": "softmax", "blocks": "分块",
        "both": "平均", "length": "n = {}", "table": "整张表的分数", "tile": "一块的分数",
        "alone": "取的行数，逐个查询", "shared": "取的行数，{} 个查询一起", "cost": "存多少，取多少",
        "says": [
            "什么都没看到，就什么都不变，也不用拿 −∞ 减 −∞。",
            "来什么都比 −∞ 大，衰减是 {fade}，状态等于文本到此为止的状态，平均是 {average}。",
            "和新的最大分数相比，旧的幂大了 e 的 {step} 次幂倍，所以总和与加权和先乘以 {fade}，再加上新的。",
            "对六个分数一次做 softmax，平均也是 {average}，因为没有估计任何东西。",
            "文本再长，一块还是 {held} 个分数；{size} 个查询合用一块键和值，只取一次，不用取 {size} 次。",
        ],
    },
}


def figure(lang="en", size=16):
    if type(size) is not int or size not in (4, 8, 16, 32, 64):
        raise ValueError(f"size must be 4, 8, 16, 32 or 64, not {size!r}")
    say, states = TEXT[lang], [(-inf, 0.0, [0.0])]
    for scores, values in BLOCKS:
        states.append(fold(states[-1], scores, [values]))
    bodies = [one_block(b, *states[b:b + 2], say) for b in range(3)]
    bodies += [at_once(states[-1], say), cost(size, say)]
    fades = [fade(*states[b:b + 2]) for b in (1, 2)]
    told = [{}, {"fade": fades[0], "average": average(states[2])},
            {"fade": fades[1], "step": states[3][0] - states[2][0]},
            {"average": average(states[3])}, {"held": size**2, "size": size}]
    says = [each.format(**{name: number(x) for name, x in values.items()})
            for each, values in zip(say["says"], told)]
    heads = [head.format(size=size) for head in say["heads"]]
    return Figure(say["title"], say["question"], [Step(*each) for each in zip(heads, bodies, says)])


def fade(before, after):
    return 1 if before[0] == after[0] else exp(before[0] - after[0])


def average(state):
    _, total, sums = state
    return sums[0] / total


def one_block(b, before, after, say):
    """The scores of a block and their powers; the state before and after."""
    scores, values = BLOCKS[b]
    powers = [0 if s == -inf else exp(s - after[0]) for s in scores]
    block = matrix([scores, powers, values], [say["score"], say["power"], say["value"]],
                   [say["key"].format(2 * b + j) for j in range(2)],
                   line=[["scores"] * 2, ["powers"] * 2, ["values"] * 2],
                   caption=say["block"].format(b), heat=[[None] * 2, powers, [None] * 2])
    known = [[each[0], each[1], each[2][0], average(each) if each[1] else say["none"]]
             for each in (before, after)]
    table = [[x, y] for x, y in zip(*known)]
    table.insert(1, [say["none"], fade(before, after)])
    names = [say[name] for name in ("largest", "fade", "total", "sum", "average")]
    seen = after[0] > -inf
    code = listing(fold, LINES) if seen else listing(one_block, {"powers": "powers ="})
    code += listing(average, {"average": "return"}) if seen else listing(fold, UNSEEN)
    made = ["new", "fade", "total", "sums", "average"] if seen else ["same"] * 5
    return given(scores=scores, values=values) + code + side_by_side(
        block, matrix(table, names, [say["before"], say["after"]], caption=say["state"],
                      line=[[name] * 2 for name in made]))


def at_once(state, say):
    """All scores, their softmax and its average, beside that of the blocks."""
    scores, values = (sum(part, []) for part in zip(*BLOCKS))
    weights = softmax(scores)
    mean = dot(weights, values)
    whole = matrix([scores, weights, values], [say["score"], say["weight"], say["value"]],
                   [say["key"].format(j) for j in range(len(scores))], caption=say["whole"],
                   line=[[name] * 6 for name in ("scores", "weights", "values")],
                   heat=[[None] * 6, weights, [None] * 6])
    code = given(scores=scores, values=values)
    code += listing(at_once, {"weights": "weights =", "mean": "mean ="})
    code += listing(average, {"average": "return"})
    return code + whole + matrix([[mean, average(state)]], [say["average"]],
                                 [say["at once"], say["blocks"]], caption=say["both"],
                                 line=[["mean", "average"]])


def cost(size, say):
    """Scores in the table and in a tile; keys and values fetched, alone and in company."""
    table = [[n * n, size * size, 2 * n * n, 2 * n * (n // size)] for n in LENGTHS]
    columns = [say["table"], say["tile"], say["alone"], say["shared"].format(size)]
    code = given(LENGTHS=LENGTHS, size=size) + listing(cost, {"table": "table ="})
    return code + matrix([[f"{x:,}" for x in row] for row in table],
                         [say["length"].format(n) for n in LENGTHS], columns, caption=say["cost"],
                         line="table")
