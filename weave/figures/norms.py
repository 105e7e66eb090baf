"""LayerNorm along the row and BatchNorm down the column, on the rows of chapter 6."""

from statistics import mean, pvariance

from tf.model import layer_norm
from weave.figures import Figure, Step
from weave.figures.draw import given, listing, matrix, number, side_by_side
from weave.figures.inputs import numbers

OTHERS = [[2, 4, 1, 3], [3, 0, 2, 5]]

LINES = {"shifted": "shifted =", "mean": "mean =", "centred": "centred =", "root": "root =",
         "out": "return"}

INPUTS = {"row": numbers(4, 4, -99, 99), "stranger": numbers(4, 4, -999, 999)}

TEXT = {
    "en": {
        "inputs": {"row": "Row 0", "stranger": "Row 3, the last to come"},
        "title": "Along the row, or down the column",
        "question": "Whose mean and whose variance?",
        "heads": ["LayerNorm: along the row", "BatchNorm: down the column",
                  "LayerNorm, and other company", "BatchNorm, and other company"],
        "row": "row {}", "corner": "column →", "mean": "mean", "variance": "variance",
        "batch": "A batch of three rows", "share": "share one mean and one variance",
        "company": ["alone", "with rows 1 and 2", "and with row 3"],
        "comma": ", ", "before": "The rows", "after": "Row 0, normalised",
        "says": [
            "Each row has a mean and a variance of its own, made of its own numbers and of no "
            "others.",
            "Each column has them, made of one number from every row that happens to be worked on"
            " together.",
            "Whoever keeps it company, row 0 comes out the same, to the last bit.",
            "Row 0 is still {}, but what becomes of it depends on its company, and alone "
            "it becomes nothing.",
        ],
    },
    "zh": {
        "inputs": {"row": "行 0", "stranger": "最后来的行 3"},
        "title": "沿着行，还是沿着列",
        "question": "用谁的均值，谁的方差？",
        "heads": ["LayerNorm：沿着行", "BatchNorm：沿着列", "LayerNorm，换了同伴", "BatchNorm，换了同伴"],
        "row": "行 {}", "corner": "列 →", "mean": "均值", "variance": "方差",
        "batch": "一个批次，三行", "share": "共用一个均值、一个方差",
        "company": ["独自", "和行 1、行 2 一起", "再加上行 3"],
        "comma": "、", "before": "各行", "after": "归一化之后的行 0",
        "says": [
            "每一行有自己的均值和方差，只由这一行的数算出，与别的行无关。",
            "每一列各有一对，碰巧同批计算的每一行都出一个数。",
            "不管和谁同批，行 0 的结果都一样，一个比特也不差。",
            "行 0 还是 {}，结果却取决于同批的行；独自一行时，什么都不剩。",
        ],
    },
}


def figure(lang="en", row=(1, 2, 3, 4), stranger=(90, 0, 0, 0)):
    say, batch = TEXT[lang], [list(row), *OTHERS]
    columns = listing(norm, {"norm": "return"}) + listing(batch_norm, {"out": "return"})
    more = [*batch, list(stranger)]
    bodies = [along(batch, say), down(batch, say), company(norm, more, listing(layer_norm, LINES), say),
              company(batch_norm, more, columns, say)]
    says = [each.format(say["comma"].join(map(number, row))) for each in say["says"]]
    steps = [Step(*each) for each in zip(say["heads"], bodies, says)]
    return Figure(say["title"], say["question"], steps)


def norm(X):
    return [layer_norm(row) for row in X]


def batch_norm(X):
    return [list(row) for row in zip(*norm(zip(*X)))]


def along(X, say):
    """The batch, and beside each row what its four numbers share."""
    marks = [["key" if i == 0 else ""] * 4 + [""] * 2 for i in range(3)]
    table = [[*row, mean(row), pvariance(row)] for row in X]
    columns = [*range(4), say["mean"], say["variance"]]
    return given(X=X) + listing(along, {"table": "table ="}) + matrix(
        table, names(3, say), columns, marks, say["corner"], legend={"key": say["share"]},
        caption=say["batch"], line=[["X"] * 4 + ["table"] * 2] * 3)


def down(X, say):
    """The batch, and below each column what its three numbers share."""
    more = [[f(column) for column in zip(*X)] for f in (mean, pvariance)]
    marks = [["key" if i < 3 and j == 0 else "" for j in range(4)] for i in range(5)]
    rows = [*names(3, say), say["mean"], say["variance"]]
    return given(X=X) + listing(down, {"more": "more ="}) + matrix(
        X + more, rows, range(4), marks, say["corner"], legend={"key": say["share"]},
        caption=say["batch"], line=[["X"] * 4] * 3 + [["more"] * 4] * 2)


def company(normalise, X, code, say):
    """What becomes of row 0 in each company."""
    after = [normalise(X[:n])[0] for n in (1, 3, 4)]
    return given(X=X) + code + side_by_side(
        matrix(X, names(4, say), range(4), corner=say["corner"], caption=say["before"], row=0,
               line="X"),
        matrix(after, say["company"], range(4), corner=say["corner"], caption=say["after"],
               line="out"))


def names(n, say):
    return [say["row"].format(i) for i in range(n)]
