"""ALiBi: a slope for each head, what it takes off the scores, and what that leaves to whom."""

from tf.model import causal_mask, softmax
from tf.positions import alibi_bias, alibi_slopes
from weave.figures import Figure, Step
from weave.figures.draw import bars, condition, listing, matrix, number, side_by_side
from weave.figures.inputs import choice, whole

SLOPES = {"power": "power =", "slopes": "slopes =", "between": "between =", "out": "return"}
SOFTMAX = {"top": "top =", "powers": "powers =", "total": "total =", "weights": "return"}

INPUTS = {"h": choice(4, 8, 16), "uneven": choice(3, 5, 6, 7, 12), "n": whole(4, 8), "past": whole(1, 3)}

TEXT = {
    "en": {
        "inputs": {"h": "Heads in step 1", "uneven": "Heads in step 2", "n": "Keys", "past": "Keys kept from before"},
        "title": "Points off for distance",
        "question": "What does a step of distance cost?",
        "heads": ["{} heads", "{} heads", "heads {} and {}, added to the scores",
                  "heads {} and {}, the last query", "past = {}, new = {}"],
        "head": "head {}", "slope": "The slope of each head", "bias": "Head {}, slope {}",
        "query": "query {}", "key": "key {}", "at": "query {}, position {}", "future": "future",
        "hidden": "hidden by the causal mask", "weight": "weights",
        "equal": "All scores are equal before the bias is added.",
        "says": [
            "Each head has a slope that nobody trains, from {} in the first to {} in the last, "
            "every one {} times the one before.",
            "{} is no power of two, so the first {} slopes are those of {} heads, and the rest are "
            "every other one of {} heads: they begin again at {}.",
            "A step back costs {} in the one head and {} in the other, on every row alike.",
            "The first of the two heads gives the key that is {} steps back {} of its weight, the "
            "second {}.",
            "Of {} keys {} were kept from before, so the first new query stands at {}, and its "
            "distances are those of row {} of the whole text.",
        ],
    },
    "zh": {
        "inputs": {"h": "步骤 1 的头数", "uneven": "步骤 2 的头数", "n": "键", "past": "以前留下的键"},
        "title": "按距离扣分",
        "question": "每远一步，扣多少分？",
        "heads": ["{} 个头", "{} 个头", "头 {} 和头 {}，加到分数上", "头 {} 和头 {}，最后一个查询",
                  "past = {}，new = {}"],
        "head": "头 {}", "slope": "每个头的斜率", "bias": "头 {}，斜率 {}",
        "query": "查询 {}", "key": "键 {}", "at": "查询 {}，位置 {}", "future": "未来",
        "hidden": "被因果掩码遮住", "weight": "权重",
        "equal": "加上偏置之前，所有分数相等。",
        "says": [
            "每个头有一个不经训练的斜率，从第一个头的 {} 到最后一个头的 {}，每个都是前一个的 {} 倍。",
            "{} 不是 2 的幂，所以前 {} 个斜率取自 {} 个头的情形，其余的从 {} 个头的斜率里隔一个取一个，又从 {} 开始。",
            "往回一步，一个头扣 {}，另一个头扣 {}，每一行都一样。",
            "对 {} 步之前的键，两个头中的第一个给出 {} 的权重，第二个给出 {}。",
            "{} 个键里有 {} 个是以前留下的，所以第一个新查询在位置 {}，它的距离就是整段文本第 {} 行的距离。",
        ],
    },
}


def figure(lang="en", h=8, uneven=6, heads=(0, 2), n=5, past=3):
    say, slopes, more = TEXT[lang], alibi_slopes(h), alibi_slopes(uneven)
    power = 2 ** (uneven.bit_length() - 1)
    if power == uneven:
        raise ValueError(f"uneven must not be a power of two, and {uneven} is one")
    pair = [slopes[head] for head in heads]
    last = [softmax(alibi_bias(1, n, slope, past=n - 1)[0]) for slope in pair]
    names = [[say["head"].format(i) for i in range(len(each))] for each in (slopes, more)]
    keys = [say["key"].format(j) for j in range(n)]
    code = listing(alibi_slopes, SLOPES)
    bodies = [code + bars(each, name, max(each), say["slope"], line="out")
              for each, name in zip((slopes, more), names)]
    code = listing(alibi_bias, {"bias": "return"}) + listing(causal_mask, {"mask": "return"})
    bodies += [
        code + side_by_side(*(taken(head, slope, n, keys, say) for head, slope in zip(heads, pair))),
        condition(say["equal"]) + listing(softmax, SOFTMAX) + side_by_side(
            *(bars(row, keys, 1, f"{say['head'].format(head)}: {say['weight']}", line="weights")
              for head, row in zip(heads, last))),
        code + later(heads[0], pair[0], past, n - past, keys, say),
    ]
    told = [(slopes[0], slopes[-1], slopes[1] / slopes[0]),
            (uneven, power, power, 2 * power, more[power]), pair,
            (n - 1, last[0][0], last[1][0]), (n, past, past, past)]
    shown = [(h,), (uneven,), heads, heads, (past, n - past)]
    heads = [head.format(*values) for head, values in zip(say["heads"], shown)]
    says = [each.format(*map(number, values)) for each, values in zip(say["says"], told)]
    return Figure(say["title"], say["question"], [Step(*each) for each in zip(heads, bodies, says)])


def taken(head, slope, n, keys, say):
    """The bias of a head, with the future hidden; the deeper the shade, the more is taken off."""
    return grid(alibi_bias(n, n, slope), causal_mask(n), [say["query"].format(i) for i in range(n)],
                keys, say["bias"].format(head, number(slope)), say)


def later(head, slope, past, new, keys, say):
    rows = [say["at"].format(i, past + i) for i in range(new)]
    bias, mask = alibi_bias(new, past + new, slope, past), causal_mask(past + new)[past:]
    return grid(bias, mask, rows, keys, say["bias"].format(head, number(slope)), say)


def grid(bias, mask, rows, keys, caption, say):
    most = max(-x for row in bias for x in row) or 1
    cells = [[x if seen else say["future"] for x, seen in zip(*each)] for each in zip(bias, mask)]
    return matrix(cells, rows, keys, [["" if seen else "hidden" for seen in row] for row in mask],
                  line=[["bias" if seen else "mask" for seen in row] for row in mask],
                  heat=[[-x / most if seen else None for x, seen in zip(*each)]
                        for each in zip(bias, mask)],
                  caption=caption, legend={"hidden": say["hidden"]})
