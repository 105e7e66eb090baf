"""LayerNorm along the row and BatchNorm down the column, on the rows of chapter 6."""

from statistics import mean, pvariance

from tf.model import layer_norm
from weave.figures import Figure, Step
from weave.figures.draw import given, listing, matrix, side_by_side

OURS, OTHERS, STRANGER = [1, 2, 3, 4], [[2, 4, 1, 3], [3, 0, 2, 5]], [90, 0, 0, 0]
COMPANY = [], OTHERS, [*OTHERS, STRANGER]

LINES = {"shifted": "shifted =", "mean": "mean =", "centred": "centred =", "root": "root =",
         "out": "return"}

TEXT = {
    "en": {
        "title": "Along the row, or down the column",
        "question": "Whose mean and whose variance?",
        "heads": ["LayerNorm: along the row", "BatchNorm: down the column",
                  "LayerNorm, and other company", "BatchNorm, and other company"],
        "row": "row {}", "corner": "column →", "mean": "mean", "variance": "variance",
        "batch": "A batch of three rows", "share": "share one mean and one variance",
        "company": ["alone", "with rows 1 and 2", "and with row 3"],
        "before": "The rows", "after": "Row 0, normalised",
        "says": [
            "Each row has a mean and a variance of its own, made of its own numbers and of no "
            "others.",
            "Each column has them, made of one number from every row that happens to be worked on"
            " together.",
            "Whoever keeps it company, row 0 comes out the same, to the last bit.",
            "Row 0 is still 1, 2, 3, 4, but what becomes of it depends on its company, and alone "
            "it becomes nothing.",
        ],
    },
    "zh": {
        "title": "沿着行，还是沿着列",
        "question": "用谁的均值，谁的方差？",
        "heads": ["LayerNorm：沿着行", "BatchNorm：沿着列", "LayerNorm，换了同伴", "BatchNorm，换了同伴"],
        "row": "行 {}", "corner": "列 →", "mean": "均值", "variance": "方差",
        "batch": "一个批次，三行", "share": "共用一个均值、一个方差",
        "company": ["独自", "和行 1、行 2 一起", "再加上行 3"],
        "before": "各行", "after": "归一化之后的行 0",
        "says": [
            "每一行有自己的均值和方差，只由这一行的数算出，与别的行无关。",
            "每一列各有一对，碰巧同批计算的每一行都出一个数。",
            "不管和谁同批，行 0 的结果都一样，一个比特也不差。",
            "行 0 还是 1、2、3、4，结果却取决于同批的行；独自一行时，什么都不剩。",
        ],
    },
}


def figure(lang="en"):
    say = TEXT[lang]
    columns = listing(norm, {"norm": "return"}) + listing(batch_norm, {"out": "return"})
    bodies = [along(say), down(say), company(norm, listing(layer_norm, LINES), say),
              company(batch_norm, columns, say)]
    steps = [Step(*each) for each in zip(say["heads"], bodies, say["says"])]
    return Figure(say["title"], say["question"], steps)


def norm(X):
    return [layer_norm(row) for row in X]


def batch_norm(X):
    return [list(row) for row in zip(*norm(zip(*X)))]


def along(say):
    """The batch, and beside each row what its four numbers share."""
    X = [OURS, *OTHERS]
    marks = [["key" if row is OURS else ""] * 4 + [""] * 2 for row in X]
    table = [[*row, mean(row), pvariance(row)] for row in X]
    columns = [*range(4), say["mean"], say["variance"]]
    return given(X=X) + listing(along, {"table": "table ="}) + matrix(
        table, names(3, say), columns, marks, say["corner"], legend={"key": say["share"]},
        caption=say["batch"], line=[["X"] * 4 + ["table"] * 2] * 3)


def down(say):
    """The batch, and below each column what its three numbers share."""
    X = [OURS, *OTHERS]
    more = [[f(column) for column in zip(*X)] for f in (mean, pvariance)]
    marks = [["key" if i < 3 and j == 0 else "" for j in range(4)] for i in range(5)]
    rows = [*names(3, say), say["mean"], say["variance"]]
    return given(X=X) + listing(down, {"more": "more ="}) + matrix(
        X + more, rows, range(4), marks, say["corner"], legend={"key": say["share"]},
        caption=say["batch"], line=[["X"] * 4] * 3 + [["more"] * 4] * 2)


def company(normalise, code, say):
    """What becomes of row 0 in each company."""
    X = [OURS, *OTHERS, STRANGER]
    after = [normalise([OURS, *others])[0] for others in COMPANY]
    return given(X=X) + code + side_by_side(
        matrix(X, names(4, say), range(4), corner=say["corner"], caption=say["before"], row=0,
               line="X"),
        matrix(after, say["company"], range(4), corner=say["corner"], caption=say["after"],
               line="out"))


def names(n, say):
    return [say["row"].format(i) for i in range(n)]
