"""The masks of chapter 11: two corners, padding on either side, a window, all of them at once."""

from itertools import accumulate

from tf.masks import (and_masks, causal_mask_past, causal_mask_topleft, key_padding_mask,
                      sliding_window_mask)
from weave.figures import Figure, Step
from weave.figures.draw import condition, listing, matrix, side_by_side
from weave.figures.inputs import whole

RULES = {"future": causal_mask_past, "pad": key_padding_mask, "far": sliding_window_mask}
COUNT = {"table": "table ="}

INPUTS = {"past": whole(1, 5), "new": whole(1, 4), "left": whole(1, 4)}

TEXT = {
    "en": {
        "inputs": {"past": "Keys kept from before", "new": "New queries", "left": "Neighbours in the window"},
        "title": "Who closes a cell: the future, PAD or the distance",
        "question": "Which keys does a query read when there is a past, padding or a window?",
        "heads": ["{new} new queries, {all} keys, two corners", "padding on the right",
                  "padding on the left", "a window of {left} neighbours and the token itself",
                  "a past, padding and a window"],
        "query": "query {}", "at": "query {}, position {}", "key": "key {}", "count": "keys read",
        "seen": "reads", "future": "future", "pad": "PAD", "far": "far", "and": ", ",
        "topleft": "Top left: the queries are the first",
        "past": "Bottom right: the queries are the last",
        "right": "Causal and padding", "left": "Causal and padding",
        "itself": "Made good: PAD sees itself", "own": "itself",
        "window": "Causal, with a window", "all": "Causal, padding and window",
        "rule": "Open where j ≤ past + i, key j is no PAD, and j ≥ past + i − {left}.",
        "says": [
            "In the top left corner the {new} queries read {few} keys altogether, in the bottom "
            "right corner {many}, and a model that writes needs these.",
            "PAD is closed as a key, whoever asks, and stays open as a query, whose output nobody "
            "reads.",
            "On the left, PAD queries are left without a key until each may see itself, and "
            "positions are counted from the first token, not from the first column.",
            "From query {left} on each reads {width} keys, however long the text becomes.",
            "A cell is open if no limit closes it, and one limit is enough to close it.",
        ],
    },
    "zh": {
        "inputs": {"past": "以前留下的键", "new": "新查询", "left": "窗口里的邻居"},
        "title": "谁关上了格子：未来、PAD，还是距离",
        "question": "有过去、有填充、有窗口时，一个查询读哪些键？",
        "heads": ["{new} 个新查询，{all} 个键，两个角", "填充在右边", "填充在左边",
                  "窗口：{left} 个邻居，加上自己", "过去、填充和窗口"],
        "query": "查询 {}", "at": "查询 {}，位置 {}", "key": "键 {}", "count": "可读几个",
        "seen": "可读", "future": "未来", "pad": "PAD", "far": "太远", "and": "、",
        "topleft": "左上角：查询是开头几个", "past": "右下角：查询是最后几个",
        "right": "因果与填充", "left": "因果与填充", "itself": "补救：PAD 看自己", "own": "自己",
        "window": "因果，加窗口", "all": "因果、填充与窗口",
        "rule": "开放的条件：j ≤ past + i，键 j 不是 PAD，并且 j ≥ past + i − {left}。",
        "says": [
            "靠左上角，{new} 个查询一共读 {few} 个键；靠右下角读 {many} 个，逐词生成的模型要的是后者。",
            "作为键，PAD 对谁都关着；作为查询，它照样开着，只是输出没有人读。",
            "填充在左边时，PAD 的查询一个键也没有，除非让它看自己；位置要从第一个词元数起，不从第一列数起。",
            "从查询 {left} 起，每个查询读 {width} 个键，文本再长也一样。",
            "没有一个限制关上它，格子才开着；要关上，一个限制就够。",
        ],
    },
}


def figure(lang="en", past=3, new=2, left=2):
    for name, size, most in ("past", past, 5), ("new", new, 4), ("left", left, 4):
        if type(size) is not int or not 1 <= size <= most:
            raise ValueError(f"{name} must be a whole number from 1 to {most}, not {size!r}")
    say, n = TEXT[lang], past + new
    corners = causal_mask_topleft(new, n), causal_mask_past(new, n)
    few, many = (sum(map(sum, mask)) for mask in corners)
    plans = [plan({"future": mask}, say, name, range(at, at + new), line=name)
             for mask, name, at in zip(corners, ("topleft", "past"), (0, past))]
    every = limits(past, new, [0] + [1] * (n - 1), left)
    bodies = [listing(causal_mask_topleft, {"topleft": "return"})
              + listing(causal_mask_past, {"past": "return"}) + listing(plan, COUNT)
              + side_by_side(*plans),
              filled([1, 1, 0, 0], say, "right"),
              filled([0, 0, 1, 1], say, "left"),
              code(every) + plan(limits(0, 6, [1] * 6, left), say, "window"),
              condition(say["rule"].format(left=left)) + code(every)
              + plan(every, say, "all", range(past, n))]
    told = {"new": new, "all": n, "left": left, "few": few, "many": many, "width": left + 1}
    heads, says = ([each.format(**told) for each in say[part]] for part in ("heads", "says"))
    return Figure(say["title"], say["question"], [Step(*each) for each in zip(heads, bodies, says)])


def limits(past, new, valid, left):
    """What closes a cell, each as a mask: the future, PAD, the distance."""
    n = past + new
    return {"future": causal_mask_past(new, n), "pad": key_padding_mask(new, n, valid),
            "far": sliding_window_mask(new, n, left, n, past)}


def code(masks, more={}):
    """The rule of each mask, how they are joined, how keys are counted."""
    rules = [listing(RULES[name], {name: "return"}) for name in masks]
    return "".join(rules) + listing(and_masks, {"both": "return"}) + listing(plan, more | COUNT)


def filled(valid, say, caption):
    """Causal and padding; where a query is left without a key, beside it the remedy."""
    n = len(valid)
    masks = {"future": causal_mask_past(n, n), "pad": key_padding_mask(n, n, valid)}
    positions = [max(0, count - 1) for count in accumulate(valid)]
    table = plan(masks, say, caption)
    if all(map(any, both(masks))):
        return code(masks) + table
    own = code(masks, {"own": "words[i][i]"})
    return own + side_by_side(table, plan(masks, say, "itself", positions, itself=True))


def both(masks):
    first, *others = masks.values()
    for mask in others:
        first = and_masks(first, mask)
    return first


def plan(masks, say, caption, positions=(), itself=False, line=""):
    """The table of who may read whom. A closed cell names all that closes it, and is made by the
    first of them; an open one by all of them, unless there is but one line."""
    sees = both(masks)
    words = [[say["and"].join(say[name] for name, mask in masks.items() if not mask[i][j])
              or say["seen"] for j in range(len(row))] for i, row in enumerate(sees)]
    lines = [[line or next((name for name, mask in masks.items() if not mask[i][j]), "both")
              for j in range(len(row))] + ["table"] for i, row in enumerate(sees)]
    for i, row in enumerate(sees):
        if itself and not any(row):
            words[i][i], sees[i] = say["own"], [j == i for j in range(len(row))]
            lines[i][i] = "own"
    marks = [["seen" if seen else "hidden" for seen in row] + [""] for row in sees]
    rows = [say["at" if positions else "query"].format(*each)
            for each in (enumerate(positions) if positions else zip(range(len(sees))))]
    columns = [say["key"].format(j) for j in range(len(sees[0]))] + [say["count"]]
    table = [row + [sum(seen)] for row, seen in zip(words, sees)]
    return matrix(table, rows, columns, marks, caption=say[caption], line=lines)
