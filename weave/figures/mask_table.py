"""F12: who may read whom, row by row, and that a closed cell is out of the denominator."""

from math import exp, inf, sqrt

from tf.model import attention, causal_mask, dot, softmax
from weave.figures import Figure, Step
from weave.figures.draw import condition, given, listing, matrix, number, side_by_side
from weave.figures.inputs import whole

# The fixed input of this figure, and of nothing else. Steps 1 to 3:
Q = K = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
V = [[10.0], [20.0], [30.0]]
# Step 4, where key 2 is hidden:
SCORES = [0.1, 0.5, 0.9]
ADDITIVE = [0, 0, -inf]

LINES = {"scores": "scores = [[dot", "hidden": "scores = [[s if", "weights": "weights =",
         "out": "out ="}

INPUTS = {"past": whole(0, 6), "new": whole(1, 6), "pad": whole(0, 2)}

TEXT = {
    "en": {
        "inputs": {"past": "Keys kept from before", "new": "New queries", "pad": "PAD in step 5"},
        "title": "A mask is a visibility table, not extra meaning",
        "question": "How do we keep it from reading the future, or padding as content?",
        "position": "absolute position {}",
        "numbers": "the mask in numbers",
        "cache": "past = {}, new = {}",
        "causal": "Causal limit: allowed key positions ≤ {}.",
        "pad": "PAD limit: valid key positions < {}, so {}.",
        "none": "nothing is padding", "some": "position {} is padding",
        "plan": "Rows receive, columns provide",
        "query": "query {}", "at": "query {}, position {}", "key": "key {}",
        "reads": "reads", "future": "future", "both": "future, PAD", "pads": "PAD",
        "place": "row", "row": "Query {}, in numbers",
        "score": "score", "added": "with the mask", "weight": "weight", "value": "value",
        "out": "Output, weight × value added up: {}",
        "hidden": "Causal or PAD, what closes key 2 is the same number: −∞, added to its score.",
        "before": "Hidden before softmax", "late": "Struck out after softmax",
        "mask": "mask, added", "power": "e to the sum", "plain": "e to the score",
        "struck": "struck out",
        "counts": ["keys read", "by the row alone"],
        "padded": "past = 0, new = 3, and {}", "two": "positions 1 and 2 are padding",
        "says": [
            "Key 2 fits query 0 as well as key 0 does, but it comes later, and to stand in the "
            "array is not yet to be readable: one key is left, with the whole weight.",
            "Two keys take part in the denominator; key 2 comes later and has no part in it.",
            "The last row sees every key that there is, so the causal limit takes nothing away.",
            "Hidden before softmax, the two that are left share the whole; struck out after it, "
            "the weights sum to {late} only, and the rest went to a key that may not be read.",
            "The offset counts from the absolute position, past + row; and where there is padding "
            "both limits hold at once, one about order and one about content, and neither does the "
            "work of the other.",
        ],
    },
    "zh": {
        "inputs": {"past": "以前留下的键", "new": "新查询", "pad": "步骤 5 里的 PAD"},
        "title": "掩码是可见性表，不是额外语义",
        "question": "怎样防止读到未来，或者把 PAD 读成内容？",
        "position": "绝对位置 {}",
        "numbers": "掩码的数值",
        "cache": "past = {}，new = {}",
        "causal": "因果限制：允许的键位置 ≤ {}。",
        "pad": "PAD 限制：有效的键位置 < {}，{}。",
        "none": "没有填充", "some": "位置 {} 是填充",
        "plan": "行接收，列提供", "query": "查询 {}", "at": "查询 {}，位置 {}", "key": "键 {}",
        "reads": "可读", "future": "未来", "both": "未来、PAD", "pads": "PAD",
        "place": "行号", "row": "查询 {} 的数值",
        "score": "分数", "added": "加上掩码", "weight": "权重", "value": "值",
        "out": "输出，即权重 × 值之和：{}",
        "hidden": "不论是因果还是 PAD，关掉键 2 的都是同一个数：−∞，加到它的分数上。",
        "before": "在 softmax 之前遮住", "late": "在 softmax 之后划掉",
        "mask": "掩码，相加", "power": "e 的（和）次幂", "plain": "e 的（分数）次幂", "struck": "已划掉",
        "counts": ["可读几个", "只看行号"],
        "padded": "past = 0，new = 3，{}", "two": "位置 1 和 2 是填充",
        "says": [
            "键 2 和键 0 一样匹配查询 0，但它在后面；在数组里，不等于可以读；只剩一个键，它得到全部权重。",
            "分母里有两项；键 2 在后面，没有它的份。",
            "最后一行看得到所有的键，因果限制什么也没拿走。",
            "在 softmax 之前遮住，剩下的两个分到全部；在之后划掉，权重之和只有 {late}，其余给了不许读的键。",
            "偏移从绝对位置数起，即 past + 行号；有填充时，两个限制同时成立，一个管顺序，一个管内容，谁也不能代替谁。",
        ],
    },
}


def figure(lang="en", past=3, new=2, pad=1):
    for name, size, least, most in ("past", past, 0, 6), ("new", new, 1, 6), ("pad", pad, 0, 2):
        if type(size) is not int or not least <= size <= most:
            raise ValueError(f"{name} must be a whole number from {least} to {most}, not {size!r}")
    say = TEXT[lang]
    heads = [say["position"].format(i) for i in range(3)]
    heads += [say["numbers"], say["cache"].format(past, new)]
    bodies = [one_row(i, say) for i in range(3)] + [in_numbers(say), offset(past, new, pad, say)]
    says = [each.format(late=number(sum(softmax(SCORES)[:2]))) for each in say["says"]]
    return Figure(say["title"], say["question"], [Step(*each) for each in zip(heads, bodies, says)])


def one_row(i, say):
    """Step 1 + i: query i, with three valid positions and nothing before."""
    mask = causal_mask(3)
    out, weights = attention(Q, K, V, mask)
    scores = [dot(Q[i], k) / sqrt(2) for k in K]
    hidden = [s if seen else -inf for s, seen in zip(scores, mask[i])]
    rows = {"score": scores, "added": hidden, "weight": weights[i], "value": [v for v, in V]}
    table = matrix(list(rows.values()), [say[name] for name in rows], keys(3, say),
                   caption=say["row"].format(i), line=[[line] * 3 for line in [*LINES][:3] + ["V"]],
                   heat=[w if name == "weight" else [None] * 3 for name, w in rows.items()])
    return (limits(i, 3, 3, say) + side_by_side(plan(0, 3, 3, say, row=i, line="mask"), table)
            + condition(say["out"].format(number(out[i][0])))
            + given(V=V) + listing(causal_mask, {"mask": "return"}) + listing(attention, LINES))


def in_numbers(say):
    """Step 4: key 2 hidden in time, and too late."""
    masked = [s + m for s, m in zip(SCORES, ADDITIVE)]
    powers = [exp(s) for s in masked]
    weights = softmax(masked)
    plain = [exp(s) for s in SCORES]
    late = softmax(SCORES)
    struck = [w if m == 0 else 0 for w, m in zip(late, ADDITIVE)]
    scores = [number(s, places=1) for s in SCORES]
    before = [("score", "SCORES", scores), ("mask", "ADDITIVE", ADDITIVE),
              ("power", "powers", powers), ("weight", "weights", weights)]
    after = [("score", "SCORES", scores), ("plain", "plain", plain), ("weight", "late", late),
             ("struck", "struck", struck)]
    names = "masked", "powers", "weights", "plain", "late", "struck"
    code = listing(in_numbers, {name: f"{name} =" for name in names})
    return condition(say["hidden"]) + given(SCORES=SCORES, ADDITIVE=ADDITIVE) + code + side_by_side(
        *(matrix([row for *_, row in rows], [say[name] for name, *_ in rows], keys(3, say),
                 caption=say[caption], line=[[line] * 3 for _, line, _ in rows],
                 heat=[[None] * 3] * 3 + [rows[-1][-1]])
          for caption, rows in (("before", before), ("late", after))))


def offset(past, new, pad, say):
    """Step 5: a past, how many keys each row reads, and beside it the same plan with padding."""
    valid = past + new
    padding = [say["none"], say["some"].format(2), say["two"]][pad]
    by_row = [sum(j <= row for j in range(valid)) for row in range(new)]
    return (limits(f"{past} + {say['place']}", valid, valid, say)
            + listing(plan, {"sees": "sees =", "reads": "reads ="})
            + listing(offset, {"by_row": "by_row ="})
            + side_by_side(plan(past, new, valid, say, by_row=by_row),
                           plan(0, 3, 3 - pad, say, say["padded"].format(padding))))


# ---- what is in force

def limits(last, valid, n, say):
    padding = say["none"] if valid == n else say["some"].format(valid)
    return condition(say["causal"].format(last), say["pad"].format(valid, padding))


def plan(past, new, valid, say, caption="", row=None, by_row=(), line="sees"):
    """The plan: who may read whom, and which limit closes a cell. With by_row, a list of the number
    of keys that each row would read if its number were its position, also how many it reads."""
    words = {(True, True): "reads", (False, True): "future",      # in order, and content?
             (True, False): "pads", (False, False): "both"}
    sees = [[words[seen, j < valid] for j, seen in enumerate(each)]
            for each in causal_mask(past + new)[past:]]
    marks = [["seen" if word == "reads" else "hidden" for word in each] for each in sees]
    reads = [mark.count("seen") for mark in marks]
    table, lines = [[say[word] for word in each] for each in sees], [line] * len(sees[0])
    columns = keys(past + new, say)
    if by_row:
        columns += say["counts"]
        table = [[*row, *counts] for row, *counts in zip(table, reads, by_row)]
        lines += ["reads", "by_row"]
        marks = [each + ["", ""] for each in marks]
    rows = [say["at" if past else "query"].format(i, past + i) for i in range(new)]
    return matrix(table, rows, columns, marks, caption=caption or say["plan"], row=row,
                  line=[lines] * new)


def keys(n, say):
    return [say["key"].format(j) for j in range(n)]
