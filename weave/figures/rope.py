"""RoPE: a row turns as it moves, and a score depends on the difference of two turns."""

from tf.model import dot
from tf.positions import rope
from weave.figures import Figure, Step
from weave.figures.draw import condition, listing, matrix, number, side_by_side
from weave.figures.inputs import whole, wholes
from weave.figures.positions import angle, dials

SCORE = {"pairing": "pairing =", "score": "return"}
TURNED = {"rates": "rates =", "turned": "for i, row"}

INPUTS = {"base": whole(2, 10_000), "places": wholes(2, 4, 0, 999)}

TEXT = {
    "en": {
        "inputs": {"base": "base", "places": "Positions of the query"},
        "title": "A turn for each position, and a score for each distance",
        "question": "How can a score know how far apart two rows are, and not where they stand?",
        "heads": ["one row at positions 0 to {}", "key {} steps after its query",
                  "key {} steps after its query", "which columns make a pair"],
        "corner": "position →", "pair": "{1} to the right, {0} up", "columns": "columns {}, {}",
        "base": "base = {}, so that the second pair turns by {} a step",
        "turning": "The pair as a point: its first number to the right, its second upwards",
        "places": "query → key", "place": "{} → {}",
        "turns": "Thin the query, thick the key; below, from one to the other in radians",
        "score": "score", "row": "row {}, turned at position {}",
        "column": "column {}", "first": "the first pair",
        "neighbours": "neighbours", "halves": "halves", "sorted": "halves, columns sorted",
        "mixed": "neighbours with halves", "scores": "Scores of the same two rows",
        "says": [
            "Each pair of columns turns at a rate of its own, here by {} and by {} a step, and no "
            "point comes nearer to the middle or goes farther from it.",
            "Query and key have both moved on, by the same angle, so the angle between them is as "
            "before, and so is the score: {}, wherever they stand.",
            "For another distance there is another angle, and another score: {}, again the same at "
            "each place.",
            "Neighbours, or half a row apart: with the columns sorted both give {}, and where "
            "query and key disagree the score depends on the place, {} here and {} there.",
        ],
    },
    "zh": {
        "inputs": {"base": "base", "places": "查询的位置"},
        "title": "每个位置转一个角，每个距离一个分数",
        "question": "分数怎样才能只知道两行相距多远，而不知道它们在哪里？",
        "heads": ["同一行，在位置 0 到 {}", "键在查询之后 {} 步", "键在查询之后 {} 步", "哪两列是一对"],
        "corner": "位置 →", "pair": "向右 {1}，向上 {0}", "columns": "第 {}、{} 列",
        "base": "base = {}，所以第二对每步转 {}",
        "turning": "一对数是一个点：第一个数向右，第二个数向上",
        "places": "查询 → 键", "place": "{} → {}",
        "turns": "细的是查询，粗的是键；下面是从前者到后者的弧度",
        "score": "分数", "row": "行 {}，在位置 {} 转过之后",
        "column": "第 {} 列", "first": "第一对",
        "neighbours": "相邻", "halves": "前后两半", "sorted": "前后两半，列已重排",
        "mixed": "查询相邻，键两半", "scores": "同样两行的分数",
        "says": [
            "每对列有自己的转速，这里每步转 {} 和 {}；没有一个点离中心变近或变远。",
            "查询和键一起往前走，转过同样的角，所以两者的夹角不变，分数也不变：不论在哪里，都是 {}。",
            "距离不同，夹角就不同，分数也不同：{}，而且在每处又都一样。",
            "相邻两列，或者相隔半行：重排列之后，两种配法都得 {}；查询和键配法不一致时，分数就随位置变，这里是 {}，那里是 {}。",
        ],
    },
}


def figure(lang="en", q=(1, 0, 0.6, 0.8), k=(0.8, 0.6, 0, 1), base=100, places=(0, 3, 9),
           steps=(2, 4)):
    if len(q) != 4 or len(k) != 4:
        raise ValueError(f"q and k must be 4 wide, not {len(q)} and {len(k)}")
    say = TEXT[lang]
    rates = [1, base ** -0.5]
    about = condition(say["base"].format(base, f"{rates[1]:.4g}"))
    pairs = [say["columns"].format(c, c + 1) for c in (0, 2)]
    rows = rope([q] * 8, base=base)
    turning = [[[hand] for hand in hands] for hands in zip(*map(hands_of, rows))]
    bodies = [about + listing(rope, TURNED)
              + dials(turning, pairs, range(8), say["turning"], say["corner"], say, line="turned")]
    scores = [[score(q, k, i, i + step, base) for i in places] for step in steps]
    bodies += [meetings(q, k, base, places, step, each, pairs, say)
               for step, each in zip(steps, scores)]
    table = matched(q, k, base, places, steps[0])
    bodies += [listing(rope, TURNED) + listing(score, SCORE)
               + pairings(q, base, say) + scored(table, places, steps[0], say)]
    told = [rates, scores[0][:1], scores[1][:1], [table[1][0], table[2][0], table[2][-1]]]
    heads = [head.format(*about) for head, about in zip(say["heads"], [[7], *zip(steps), []])]
    says = [each.format(*map(number, values)) for each, values in zip(say["says"], told)]
    return Figure(say["title"], say["question"], [Step(*each) for each in zip(heads, bodies, says)])


def score(q, k, i, j, base, interleaved=True, other=None):
    """Of q at position i with k at j; `other` is the pairing of the key, where it is another."""
    pairing = interleaved if other is None else other
    return dot(*rope([q], i, base, interleaved), *rope([k], j, base, pairing))


def hands_of(row):
    """[(up, right) of each pair], which is how `dials` takes a hand."""
    return list(zip(row[1::2], row[::2]))


def meetings(q, k, base, places, step, scores, pairs, say):
    """A row for each place: the hands of the query and of the key, and their score."""
    names = [say["place"].format(i, i + step) for i in places]
    hands = [[*zip(hands_of(rope([q], i, base)[0]), hands_of(rope([k], i + step, base)[0]))]
             for i in places]
    code = listing(angle, {"hands": "(s, c)", "turn": "return"})
    code += listing(score, SCORE)
    return code + side_by_side(
        dials(hands, names, pairs, say["turns"], say["places"], say, line="turn"),
        matrix([[each] for each in scores], names, [say["score"]], line="score"))


def sort(row):
    return [*row[::2], *row[1::2]]


def pairings(q, base, say):
    """The same row turned with either pairing, its first pair marked."""
    rows = [rope([q], 1, base)[0], rope([q], 1, base, interleaved=False)[0]]
    marks = [["key", "key", "", ""], ["key", "", "key", ""]]
    caption = say["row"].format("(" + ", ".join(number(x, 1) for x in q) + ")", 1)
    return matrix(rows, [say["neighbours"], say["halves"]],
                  [say["column"].format(c) for c in range(4)], marks,
                  legend={"key": say["first"]}, caption=caption, line="turned")


def matched(q, k, base, places, step):
    """Scores at each place: neighbours, halves of sorted rows, and one of each."""
    return [[score(q, k, i, i + step, base) for i in places],
            [score(sort(q), sort(k), i, i + step, base, False) for i in places],
            [score(q, k, i, i + step, base, True, False) for i in places]]


def scored(table, places, step, say):
    return matrix(table, [say["neighbours"], say["sorted"], say["mixed"]],
                  [say["place"].format(i, i + step) for i in places],
                  corner=say["places"], caption=say["scores"], line="score")
