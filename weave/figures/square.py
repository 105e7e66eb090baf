"""The table of scores for texts of growing length, drawn to scale, beside keys and values."""

from tf.experiments import count_scores
from weave.figures import Figure, Step
from weave.figures.draw import listing, matrix, number, side_by_side
from weave.figures.inputs import choice, whole
from weave.svg import box, path, picture, text

INPUTS = {"rows": whole(1, 8), "tokens": choice(4096, 8192, 16384, 32768, 65536),
          "width": choice(32, 64, 128, 256)}

TEXT = {
    "en": {
        "inputs": {"rows": "Rows", "tokens": "Tokens", "width": "Width d"},
        "title": "The square: twice the text, four times the scores",
        "question": "How much does a longer text cost?",
        "rows": "{} rows", "tokens": "{} tokens", "from": "from {} to {} tokens, one head, fp16",
        "cache": "the same head's keys and values", "times": "factor",
        "columns": ["scores", "scores per row"],
        "memory": ["scores", "scores, MiB", "keys and values, MiB"],
        "square": "a square, {0} by {0} scores", "strip": "a strip, {} by {} numbers",
        "says": [
            "Every query meets every key, so a text of {} rows has {} scores.",
            "Twice the rows: the square has twice the width and twice the height, and the first "
            "one fits in four times.",
            "Twice again: {} scores, {} for each row, where the shortest text had {}.",
            "At {} tokens the table of one head takes {} MiB, at {} it takes {}: {} times as much.",
            "Keys and values are a strip as long as the text and {} numbers wide: for twice the "
            "text it grows from {} MiB to {}, {} times as much.",
        ],
    },
    "zh": {
        "inputs": {"rows": "行数", "tokens": "词元数", "width": "宽度 d"},
        "title": "平方：文本长到 2 倍，分数多到 4 倍",
        "question": "文本变长，代价多大？",
        "rows": "{} 行", "tokens": "{} 个词元", "from": "从 {} 到 {} 个词元，一个头，fp16",
        "cache": "同一个头的键和值", "times": "倍数",
        "columns": ["分数", "每行的分数"], "memory": ["分数", "分数，MiB", "键和值，MiB"],
        "square": "正方形，{0} × {0} 个分数", "strip": "长条，{} × {} 个数",
        "says": [
            "每个查询都要遇到每个键，所以 {} 行的文本有 {} 个分数。",
            "行数变成 2 倍：正方形的宽和高都变成 2 倍，装得下四个原来的。",
            "再变成 2 倍：{} 个分数，每行 {} 个；最短的文本每行只有 {} 个。",
            "{} 个词元时，一个头的分数表占 {} MiB；{} 个词元时占 {} MiB，是前者的 {} 倍。",
            "键和值是一条长条，和文本一样长，宽 {} 个数：文本变成 2 倍，它从 {} MiB 变成 {} MiB，是原来的 {} 倍。",
        ],
    },
}


def figure(lang="en", rows=8, tokens=4096, width=128):
    say = TEXT[lang]
    sizes, lengths, wide = [rows, 2 * rows, 4 * rows], [tokens, 2 * tokens], 2 * width
    cells = [count_scores(n) for n in sizes]
    squares = [n * n for n in lengths]
    scores = [mib(n) for n in squares]
    kept = [mib(n * wide) for n in lengths]
    took = {"squares": squares, "scores": scores}
    heads = [say["rows"].format(n) for n in sizes] + [say["from"].format(*lengths), say["cache"]]
    bodies = [growing(sizes[:k], cells[:k], say) for k in (1, 2, 3)]
    bodies += [memory(lengths, each, wide, say) for each in (took, took | {"kept": kept})]
    told = [(rows, cells[0]), (), (cells[2], cells[2] // sizes[2], cells[0] // sizes[0]),
            (lengths[0], scores[0], lengths[1], scores[1], scores[1] / scores[0]),
            (wide, *kept, kept[1] / kept[0])]
    says = [each.format(*map(number, values)) for each, values in zip(say["says"], told)]
    return Figure(say["title"], say["question"], [Step(*each) for each in zip(heads, bodies, says)])


def mib(numbers):
    return 2 * numbers / 2**20    # a number of 16 bits is two bytes


def growing(sizes, cells, say):
    """The squares so far, one in the corner of the next, and their scores counted."""
    side = 5 * sizes[-1]
    lines = [path([(2, at), (side, at)], "grid") + path([(at, 2), (at, side)], "grid")
             for at in range(7, side, 5)]
    squares = [box(2, 2, 5 * n, 5 * n, "outline" + " now" * (n == sizes[-1])) for n in sizes]
    labels = [text(5 * n + 8, 5 * n, str(n)) for n in sizes[-1:]]
    counts = [[count, count // n] for n, count in zip(sizes, cells)]
    code = listing(count_scores, {"X": "X =", "scores": "return"})
    code += listing(growing, {"counts": "counts ="})
    table = matrix(counts, [say["rows"].format(n) for n in sizes], say["columns"],
                   row=len(sizes) - 1, line=[["scores", "counts"]] * len(sizes))
    words = "; ".join(say["square"].format(n) for n in sizes)
    return code + side_by_side(picture(190, side + 6, lines + squares + labels, words), table)


def memory(lengths, took, wide, say):
    """The two squares to one scale, with their strips if there are any, and what they take."""
    names = [say["tokens"].format(n) for n in lengths] + [say["times"]]
    factors = [twice / once for once, twice in took.values()]
    table = [[f"{n:,}" if name == "squares" else n for name, n in zip(took, row)]
             for row in zip(*took.values())]
    code = listing(figure, {name: f"{name} =" for name in took})
    code += listing(mib, {"mib": "return"}) + listing(memory, {"factors": "factors ="})
    unit, parts, words, x = 160 / lengths[1], [], [], 2
    for n in lengths:
        side = unit * n
        parts += [box(x, 162 - side, side, side),
                  text(x + side / 2, 167 - side / 2, str(n), "middle")]
        words += [say["square"].format(n)]
        x += side + 12
        if "kept" in took:
            parts += [box(x - 6, 162 - side, unit * wide, side, "strip")]
            words += [say["strip"].format(n, wide)]
            x += unit * wide + 12
    return code + side_by_side(picture(276, 164, parts, "; ".join(words)),
                        matrix([*table, factors], names, say["memory"][:len(took)],
                               line=[[*took]] * len(lengths) + [["factors"] * len(took)]))
