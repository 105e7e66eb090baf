"""Softmax: what subtracting the largest score mends, and what dividing the scores changes."""

from math import exp, inf

from tf.model import softmax
from weave.figures import Figure, Step
from weave.figures.draw import bars, condition, given, listing, matrix, number, side_by_side
from weave.figures.inputs import numbers

LINES = {"top": "top =", "powers": "powers =", "total": "total =", "weights": "return"}

INPUTS = {"scores": numbers(2, 6, -700, 10_000), "temperatures": numbers(1, 4, 0.001, 1000)}

TEXT = {
    "en": {
        "inputs": {"scores": "Scores", "temperatures": "Temperatures"},
        "title": "Shift does not matter, scale does",
        "raw": "as they are", "shifted": "minus the largest", "divided": "temperature {}",
        "scores": "Scores {}.", "nothing": "Nothing is subtracted.",
        "less": "From each the largest is taken: {}.",
        "at": "Then each is divided by the temperature {}.",
        "columns": ["score", "− {top}", "÷ {T}", "e to that"], "shares": "Shares", "no": "no share",
        "score": "score {}", "large": "too large",
        "says": {
            "overflow": "{n} of {of} powers are larger than any float can be, so there is nothing "
                        "to divide.",
            "fits": "These powers fit into floats, and they add up to {total}.",
            "shifted": "With the largest taken away its power is exactly 1, nothing can overflow, "
                       "and since only gaps count the shares are those that the scores ought to "
                       "have.",
            "hot": "Hot: the gaps shrink, and the largest share falls to {largest}.",
            "cold": "Cold: the gaps grow, and the largest share rises to {largest}.",
            "choice": "Colder still, and one score takes all: the average has become a choice.",
            "still": "Hot: the gaps shrink, and are still so wide that one score takes all.",
            "even": "There are no gaps, and no temperature can change that.",
        },
    },
    "zh": {
        "inputs": {"scores": "分数", "temperatures": "温度"},
        "title": "平移无妨，缩放有关",
        "raw": "原样", "shifted": "减去最大值", "divided": "温度 {}",
        "scores": "分数：{}。", "nothing": "什么都没有减。", "less": "每个都减去最大值 {}。",
        "at": "然后每个都除以温度 {}。",
        "columns": ["分数", "− {top}", "÷ {T}", "取 e 的幂"], "shares": "份额", "no": "没有份额",
        "score": "分数 {}", "large": "太大",
        "says": {
            "overflow": "{of} 个幂里有 {n} 个比任何浮点数都大，于是无从相除。",
            "fits": "这些幂都放得进浮点数，总和是 {total}。",
            "shifted": "减去最大值以后，它的幂正好是 1，什么都不会溢出；起作用的只有差距，所以份额就是这些分数本来该有的。",
            "hot": "热：差距变小，最大的份额降到 {largest}。",
            "cold": "冷：差距变大，最大的份额升到 {largest}。",
            "choice": "再冷下去，一个分数拿走全部：平均成了选择。",
            "still": "热：差距变小了，可还是大到一个分数拿走全部。",
            "even": "没有差距，温度再怎么变也没有。",
        },
    },
}


def figure(lang="en", scores=(1000, 1001, 1002), temperatures=(10, 0.2, 0.001)):
    say, scores, top = TEXT[lang], list(scores), max(scores)
    if not all(0 < T for T in temperatures):
        raise ValueError(f"each temperature must be more than 0, not {temperatures}")
    steps = [raw(scores, say), moved(scores, top, 1, say)]
    steps += [moved(scores, top, T, say) for T in temperatures]
    return Figure(say["title"], "", [Step(*each) for each in steps])


def raw(scores, say):
    """The step without the subtraction, which has shares only where no power overflows."""
    powers = [power(x) for x in scores]
    lost = powers.count(inf)
    shares = [say["no"]] * len(scores) if lost else softmax(scores)
    told = say["says"]["overflow" if lost else "fits"]
    names = say["columns"][0], say["columns"][3]
    code = listing(power, {"power": "try"})
    code += listing(raw, {"lost": "lost ="}) if lost else listing(softmax, LINES)
    made = "power", "lost" if lost else "weights"
    return (say["raw"], page(say, scores, [say["nothing"]], code, [powers], names, shares, made),
            told.format(n=lost, of=len(scores), total=number(sum(powers))))


def power(x):
    try:
        return exp(x)
    except OverflowError:
        return inf


def moved(scores, top, T, say):
    """The step with the subtraction, and a division unless the temperature is 1."""
    shifted = [x - top for x in scores]
    divided = [x / T for x in shifted]
    shares = softmax(divided)
    largest = max(shares)
    kinds = ("hot", "still") if T > 1 else ("cold", "choice")
    kind = "shifted" if T == 1 else "even" if not any(shifted) else kinds[largest >= 0.9999]
    names = [name.format(top=number(top), T=T) for name in say["columns"]]
    columns, code = [shifted, divided, list(map(exp, divided))], listing(softmax, LINES)
    made = ["shifted", "divided", "powers", "weights"]
    if T == 1:
        del columns[1], names[2]
        code, made = listing(softmax, LINES, "powers"), ["powers", "powers", "weights"]
    else:
        code = listing(moved, {"shifted": "shifted =", "divided": "divided ="}) + code
    told = [say["less"].format(number(top))] + [say["at"].format(T)] * (T != 1)
    head = say["shifted"] if T == 1 else say["divided"].format(T)
    body = page(say, scores, told, code, columns, names, shares, made)
    return head, body, say["says"][kind].format(largest=number(largest))


def page(say, scores, told, code, columns, names, shares, made):
    """The body of a step: what is done, the lines that do it, the numbers, the shares."""
    start = say["scores"].format(", ".join(map(number, scores)))
    rows = [[say["large"] if x == inf else x for x in row] for row in zip(scores, *columns)]
    labels = [say["score"].format(i) for i in range(len(scores))]
    *made, shared = ["scores", *made]    # the lines of code
    return condition(start, *told) + given(scores=scores) + code + side_by_side(
        matrix(rows, labels, names, line=[made] * len(rows)),
        bars(shares, labels, caption=say["shares"], line=shared))
