"""The picture on the cover: causal attention, by the book's own code, a square a weight."""

from random import Random

WORDS = {
    "en": "A staircase of {0} rows: {0} positions, and how much each looks at itself and at those "
          "before it. The larger a square, the larger the weight.",
    "zh": "一道 {0} 行的阶梯：{0} 个位置，每个位置对自己和前面的位置各看多少。方块越大，权重越大。",
}
CELL, FRAME = 20, 17


def weights(n=14, d=16, seed=7):
    """Whom n queries look at among n keys: random rows, to which their positions are added."""
    from tf.model import add, attention, causal_mask, pos_encoding
    rng, places = Random(seed), pos_encoding(n, d)
    Q, K = (add([[rng.gauss(0, 1) for _ in range(d)] for _ in range(n)], places) for _ in "QK")
    return attention(Q, K, K, causal_mask(n))[1]


def picture(lang="en", row=9):
    """An <svg> of the weights, one row of which is marked as the one that asks."""
    table = weights()
    size = CELL * len(table)
    squares = [square(i, j, weight, "asks" if i == row else "seen")
               for i, each in enumerate(table) for j, weight in enumerate(each[:i + 1])]
    return (f'<svg class="staircase" viewBox="0 0 {size} {size}" role="img" '
            f'aria-label="{WORDS[lang].format(len(table))}">{"".join(squares)}</svg>')


def square(i, j, weight, mark):
    """A frame for what may be seen, and in it as much ink as the weight."""
    x, y, side = j * CELL, i * CELL, round(FRAME * weight ** 0.5, 1)
    gap = round((CELL - side) / 2, 1)

    def box(name, x, y, side):
        return f'<rect class="{name}" x="{x:g}" y="{y:g}" width="{side}" height="{side}"/>'
    frame, ink = box("frame", x + 1.5, y + 1.5, FRAME), box("ink", x + gap, y + gap, side)
    return f'<g class="{mark}">{frame}{ink}</g>'
