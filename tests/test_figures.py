"""Figures: right numbers, whole tables, a sentence for each step, the same in both languages."""

import ast
import re
import sys
from math import inf, nan, sqrt
from pathlib import Path
from xml.etree import ElementTree

import pytest
from markdown import markdown

from tf.model import attention, causal_mask, dot, softmax
from weave.figures import anchor, draw, names
from weave.figures.draw import bars, given, listing, matrix, number
from weave.figures.fence import Figures

ROOT = Path(__file__).resolve().parent.parent
ALL = [(name, lang) for name in names() for lang in ("en", "zh")]
MEASURED = ["cost-curve", "memory"]    # made by a clock, not by a line of code
SHELF_K, SHELF_V = [[1, 1], [1, -1], [-1, 0]], [[4], [10], [40]]


def page(source, lang="en", id=""):
    """The figure as a tree, which only well-formed HTML can make."""
    return ElementTree.fromstring(draw(source, lang, id).replace("&nbsp;", "\N{NO-BREAK SPACE}"))


def classed(tree, name):
    return [each for each in tree.iter() if name in each.get("class", "").split()]


def text(element):
    return " ".join("".join(element.itertext()).split())


def steps(name, lang="en"):
    return classed(page(name, lang), "steps")[0].findall("li")


def rows(step, n=0):
    """{row header: [text of each cell]} of a step's n-th table, without signs."""
    found = {}
    for row in list(step.iter("table"))[n].find("tbody"):
        head, *cells = [re.sub("[✓×◆▸▾] ?", "", text(cell)) for cell in row]
        found[head] = cells
    return found


def written(numbers):
    return [number(x) for x in numbers]


# ---- what holds for every figure

@pytest.mark.parametrize("name, lang", ALL)
def test_each_step_has_a_number_a_condition_and_one_sentence(name, lang):
    found = steps(name, lang)
    assert len(found) > 1
    for n, step in enumerate(found, 1):
        head, says = (text(classed(step, each)[0]) for each in ("head", "says"))
        assert re.fullmatch(rf"{n} / {len(found)} · .+", head)
        assert re.fullmatch(r"[^。？！]+。" if lang == "zh" else r"([^.?!]|\.(?=\S))+\.", says)


@pytest.mark.parametrize("name, lang", ALL)
def test_ids_are_unique_and_the_steps_have_those_of_the_figure(name, lang):
    tree = page(name, lang, "f")
    ids = [each.get("id") for each in tree.iter() if each.get("id")]
    assert len(ids) == len(set(ids))
    assert [each.get("id") for each in classed(tree, "steps")[0]] == \
        [f"f-{n}" for n in range(1, len(steps(name)) + 1)]
    assert page(name, lang).get("id") == f"figure-{name}"


@pytest.mark.parametrize("name, lang", ALL)
def test_each_table_has_headers_and_each_cell_a_number_or_a_word(name, lang):
    for table in page(name, lang).iter("table"):
        columns = [each for each in table.iter("th") if each.get("scope") == "col"]
        assert table.get("class") and (columns or "bars" in table.get("class"))
        for row in table.find("tbody"):
            assert [row[0].tag, row[0].get("scope")] == ["th", "row"] and text(row[0])
            assert all(cell.tag in ("td", "th") and text(cell) for cell in row)


@pytest.mark.parametrize("name, lang", ALL)
def test_a_colour_is_never_the_only_sign(name, lang):
    tree = page(name, lang)
    for mark in "seen", "hidden", "key", "now":
        for each in classed(tree, mark):
            if each.tag in ("td", "th", "span") and mark != "now" or each.tag == "th":
                assert any(text(sign) for sign in classed(each, "sign")), ElementTree.tostring(each)


@pytest.mark.parametrize("name", names())
def test_a_cell_that_names_its_line_of_code_has_it_in_the_same_step(name):
    for step in steps(name):
        named = {cell.get("data-line") for cell in step.iter("td")} - {None, ""}
        assert named <= {line.get("data-line") for line in step.iter("span")}


@pytest.mark.parametrize("name, lang", [(name, lang) for name, lang in ALL if name not in MEASURED])
def test_each_cell_names_the_line_of_code_that_made_it(name, lang):
    for step in steps(name, lang):
        lines = [line.get("data-line") for code in step.iter("pre") for line in code.iter("span")]
        lines = [name for name in lines if name]
        assert len(lines) == len(set(lines))
        for cell in step.findall(".//tbody//td"):
            assert cell.get("data-line") in lines, text(cell)


@pytest.mark.parametrize("name, lang", ALL)
def test_a_picture_says_in_words_what_it_shows(name, lang):
    for svg in page(name, lang).iter():
        if svg.tag.endswith("svg"):
            beside_a_table = svg.get("aria-hidden") == "true"
            assert beside_a_table or svg.get("role") == "img" and svg.get("aria-label")


@pytest.mark.parametrize("name", names())
def test_the_numbers_are_the_same_in_both_languages(name):
    def cells(lang):
        found = [[text(cell) for cell in step.iter("td")] for step in steps(name, lang)]
        return [[cell for cell in step if re.fullmatch("[−∞0-9., ()]+", cell)] for step in found]
    assert cells("en") == cells("zh")


@pytest.mark.parametrize("name, lang", ALL)
def test_no_number_is_a_negative_zero_or_has_more_decimals_than_it_needs(name, lang):
    for shown in page(name, lang).itertext():
        assert not re.search(r"[-−]0(\.0+)?(?![\d.])|\b(?!0\.000)\d+\.\d{5}", shown)


@pytest.mark.parametrize("name", names())
def test_english_is_english_and_chinese_is_chinese(name):
    assert not re.search("[一-鿿]", draw(name, "en"))
    tree = page(name, "zh")
    for each in [tree.get("aria-roledescription"), tree.get("aria-label")] + \
            [text(each) for each in classed(tree, "says")]:
        assert re.search("[一-鿿]", each)


def test_a_page_could_draw_them_with_the_standard_library_and_the_book():
    for path in (ROOT / "weave/figures").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            modules = [each.name for each in node.names] if isinstance(node, ast.Import) else \
                [node.module] if isinstance(node, ast.ImportFrom) else []
            tops = {each.split(".")[0] for each in modules}
            allowed = {"tf", "weave"} | ({"markdown", "tangle"} if path.stem == "fence" else set())
            assert tops <= set(sys.stdlib_module_names) | allowed, path


def test_the_player_is_small_and_asks_nobody():
    script = (ROOT / "docs/assets/js/player.js").read_text(encoding="utf-8")
    assert len(script.encode()) < 8192
    assert not re.search(r"\b(import|fetch|XMLHttpRequest)\b|https?:", script)


# ---- mask-table

Q = K = [[1, 0], [0, 1], [1, 1]]
V = [[10], [20], [30]]


@pytest.mark.parametrize("i", range(3))
def test_mask_table_follows_one_row(i):
    step = steps("mask-table")[i]
    out, weights = attention(Q, K, V, causal_mask(3))
    scores = [dot(Q[i], k) / sqrt(2) for k in K]
    assert text(classed(step, "head")[0]) == f"{i + 1} / 5 · absolute position {i}"
    assert f"allowed key positions ≤ {i}." in text(classed(step, "condition")[0])
    assert rows(step) == {f"query {row}": ["reads" if j <= row else "future" for j in range(3)]
                          for row in range(3)}
    assert [text(each) for each in classed(step, "now") if each.tag == "th"] == [f"▸query {i}"]
    assert rows(step, 1) == {"score": written(scores),
                             "with the mask": written(scores[:i + 1]) + ["−∞"] * (2 - i),
                             "weight": written(weights[i]), "value": ["10", "20", "30"]}
    assert text(classed(step, "condition")[1]).endswith(f": {number(out[i][0])}")


def test_mask_table_hides_in_time_and_too_late():
    step, late = steps("mask-table")[3], softmax([0.1, 0.5, 0.9])
    assert rows(step)["weight"] == written(softmax([0.1, 0.5, -inf]))
    assert rows(step)["mask, added"] == ["0", "0", "−∞"]
    assert rows(step, 1)["weight"] == written(late)
    assert rows(step, 1)["struck out"] == written(late[:2]) + ["0"]
    assert number(sum(late[:2])) == "0.5282" and "0.5282" in text(classed(step, "says")[0])


def test_mask_table_counts_from_the_absolute_position_and_keeps_both_limits():
    step = steps("mask-table")[4]
    assert text(classed(step, "head")[0]) == "5 / 5 · past = 3, new = 2"
    assert rows(step) == {"query 0, position 3": ["reads"] * 4 + ["future", "4", "1"],
                          "query 1, position 4": ["reads"] * 5 + ["5", "2"]}
    assert rows(step, 1) == {"query 0": ["reads", "future", "future, PAD"],
                             "query 1": ["reads", "reads", "future, PAD"],
                             "query 2": ["reads", "reads", "PAD"]}


def test_mask_table_takes_another_past():
    step = steps("mask-table\npast = 2\nnew = 1")[4]
    assert rows(step) == {"query 0, position 2": ["reads"] * 3 + ["3", "1"]}


def test_mask_table_has_the_numbers_of_the_chapter():
    chapter = (ROOT / "docs/09-by-hand.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"\d+\.\d{4}", draw("mask-table")))
    not_printed_there = {"1.4142", "2.4596", "0.4718"}      # 2/√2, exp(0.9), what was struck out
    assert shown - set(re.findall(r"\d+\.\d{4}", chapter)) == not_printed_there


# ---- three-lines

def test_three_lines_follows_the_query_of_chapter_0():
    out, [weights] = attention([[2, 1]], SHELF_K, SHELF_V)
    products = [dot([2, 1], k) for k in SHELF_K]
    columns = [["(1, 1)", "(1, −1)", "(−1, 0)"], written(products),
               written(p / sqrt(2) for p in products), written(weights), ["4", "10", "40"],
               written(w * v for w, (v,) in zip(weights, SHELF_V))]
    for n, step in zip((2, 3, 4, 6), steps("three-lines"), strict=True):
        assert list(rows(step)) == ["Soft eggs", "Hard eggs", "Cakes"]
        assert [list(each) for each in zip(*rows(step).values())] == columns[:n]
    assert number(out[0][0]) == "5.9712"
    assert text(classed(step, "condition")[1]) == "Added up: 5.9712"
    assert "5.9712" in text(classed(step, "says")[0])


def test_three_lines_shows_lines_of_the_program_and_each_cell_names_one():
    program = (ROOT / "tf/model.py").read_text(encoding="utf-8")
    now = []
    for step in steps("three-lines"):
        start, code = ({each.get("data-line"): text(each) for each in pre.iter("span")
                        if each.get("data-line")} for pre in step.iter("pre"))
        assert start == {"K": f"K = {SHELF_K}", "V": f"V = {SHELF_V}"}
        assert all(each.lstrip("▸ ") in program for each in code.values())
        now += [name for name, each in code.items() if "▸" in each]
    assert now == ["scores", "root", "weights", "out"]


# ---- softmax

def test_softmax_overflows_without_the_subtraction():
    raw = steps("softmax")[0]
    assert rows(raw) == {f"score {i}": [str(1000 + i), "too large"] for i in range(3)}
    assert rows(raw, 1) == {f"score {i}": ["no share"] for i in range(3)}
    fits = steps("softmax\nscores = [0, 1, 2]")[0]
    assert [each for each, in rows(fits, 1).values()] == written(softmax([0, 1, 2]))


@pytest.mark.parametrize("n, T", [(1, 1), (2, 10), (3, 0.2), (4, 0.001)])
def test_softmax_shares_at_each_temperature(n, T):
    step, shares = steps("softmax")[n], softmax([x / T for x in (0, 1, 2)])
    assert [each for each, in rows(step, 1).values()] == written(shares)
    assert [cells[1] for cells in rows(step).values()] == ["−2", "−1", "0"]
    if T != 1:
        assert [cells[2] for cells in rows(step).values()] == written([-2 / T, -1 / T, 0])
    parts = [float(bar.get("style").removeprefix("--part:")) for bar in classed(step, "bar")]
    assert parts == pytest.approx(shares, abs=1e-4)


# ---- parts

@pytest.mark.parametrize("x, shown", [
    (0.09003, "0.0900"), (10.0, "10"), (-2, "−2"), (-0.5, "−0.5000"), (0, "0"), (-0.0, "0"),
    (-1e-9, "0.0000"), (0.99999999, "1.0000"), (inf, "∞"), (-inf, "−∞"), (nan, "nan"), (True, "1")])
def test_a_number_is_written_as_the_book_writes_it(x, shown):
    assert number(x) == shown


def test_a_marked_number_needs_a_legend_and_the_legend_is_heard():
    with pytest.raises(ValueError, match="no legend says"):
        matrix([[1]], ["a"], ["b"], [["hidden"]])
    html = matrix([[1]], ["a"], ["b"], [["hidden"]], legend={"hidden": "may not be read"})
    assert html.count("may not be read") == 2               # heard in the cell, seen below


@pytest.mark.parametrize("call, told", [
    (lambda: matrix([["x"]], ["a"], ["b"], [["red"]]), "take one of seen, hidden"),
    (lambda: matrix([[1, 2]], ["a"], ["b"]), "1 rows and 1 columns"),
    (lambda: matrix([[1]], ["a"], ["b"], heat=[[1], [2]]), "1 rows and 1 columns"),
    (lambda: bars([1], ["a", "b"]), "1 values but 2 labels"),
    (lambda: listing(softmax, {"no": "goto"}), "no line of softmax begins with 'goto'"),
])
def test_a_part_that_cannot_be_drawn_says_why(call, told):
    with pytest.raises(ValueError, match=re.escape(told)):
        call()


def test_words_are_words_and_no_markup():
    assert "&lt;b&gt;" in matrix([["<b>"]], ["a"], ["b"]) and "&lt;b&gt;" in bars([1], ["<b>"])


def test_a_statement_of_several_lines_is_shown_whole():
    html = listing(attention, {"hidden": "scores = [[s if"}, now="hidden")
    assert "for row, sees in zip(scores, mask)]" in html and "▸" in html


def test_what_returns_stands_below_its_def_and_keeps_its_margin():
    def shown(function, line):
        return "".join(ElementTree.fromstring(listing(function, {"line": line})).itertext())
    assert shown(causal_mask, "return") == \
        "def causal_mask(n):\n    return [[j <= i for j in range(n)] for i in range(n)]"
    assert shown(attention, "columns =") == "columns = list(zip(*V))"


def test_what_a_figure_starts_from_is_shown_as_it_is():
    html = given(V=[[10], [20]], hidden=-inf)
    assert [text(line) for line in ElementTree.fromstring(html).iter("span") if text(line)] == \
        ["V = [[10], [20]]", "hidden = -inf"]
    assert 'data-line="V"' in html and 'data-line="hidden"' in html


# ---- in a chapter

@pytest.mark.parametrize("source, told", [
    ("mask-tabel", "did you mean 'mask-table'?"),
    ("", "in the first line"),
    ("mask-table\npats = 3", "it takes past, new"),
    ("mask-table\npast: 3", "`past: 3`: write each parameter once, as `past = 3`"),
    ("mask-table\npast = 1\npast = 2", "`past = 2`: write each parameter once"),
    ("mask-table\npast = open('x')", "with a number, a string or a list"),
    ("mask-table\npast = -1", "mask-table: past must be a whole number from 0 to 6, not -1"),
    ("mask-order\nd = 2", "it takes none"),
    ("softmax\ntemperatures = [0]", "each temperature must be more than 0"),
    ("softmax\nscores = []", "softmax: "),
])
def test_a_mistake_is_told_with_the_mend(source, told):
    with pytest.raises(ValueError, match=re.escape(told)):
        draw(source)


def test_a_language_that_no_figure_speaks_is_refused():
    with pytest.raises(ValueError, match="en or zh, not 'fr'"):
        draw("softmax", "fr")


FENCES = "pymdownx.superfences"
CONTAINERS = ["```figure\nsoftmax\n```", "!!! note\n\n    ```figure\n    softmax\n    ```",
              "* one\n\n    ```figure\n    softmax\n    ```", "> ```figure\n> softmax\n> ```",
              "text above\n```figure\nsoftmax\n```\ntext below",
              "??? note\n\n    * one\n\n        ~~~figure\n        softmax\n        ~~~"]


def render(text, figures=None, **superfences):
    extensions = [FENCES, "admonition", "pymdownx.details", "attr_list", "md_in_html",
                  figures or Figures()]
    return markdown(text, extensions=extensions, extension_configs={FENCES: superfences})


@pytest.mark.parametrize("preserve_tabs", [True, False])
@pytest.mark.parametrize("chapter", CONTAINERS)
def test_a_figure_stands_where_the_chapter_asks_for_it(chapter, preserve_tabs):
    html = render(chapter, preserve_tabs=preserve_tabs)
    assert html.count(draw("softmax")) == 1 and "```" not in html
    assert "<p><step-player" not in html


def test_a_figure_that_is_shown_and_not_asked_for_stays_text():
    html = render("````\n```figure\nsoftmax\n```\n````\n\n"
                  "`<step-player id=\"figure-softmax\"></step-player>`")
    assert "<step-player" not in html


def test_an_id_makes_room_for_the_same_figure_again_and_its_language_is_that_of_the_page():
    html = render("```figure\nsoftmax\n```\n\n```figure {#again}\nsoftmax\n```\n", Figures("zh"))
    assert draw("softmax", "zh") in html and draw("softmax", "zh", "again") in html
    assert anchor("softmax") == "figure-softmax"


@pytest.mark.parametrize("second, told", [
    ("softmaxx", "did you mean 'softmax'?"), ("softmax", "#figure-softmax already"),
    ("softmax\nscores = {[]: 1}", "TypeError: ")])
def test_a_mistake_names_the_chapter_and_the_line_of_its_author(second, told):
    figures, chapter = Figures(), f"# One\n\n```figure\nsoftmax\n```\n\n```figure\n{second}\n```\n"
    figures.source = "docs/01-softmax.md", chapter
    with pytest.raises(ValueError, match=re.escape("docs/01-softmax.md:7: ")) as caught:
        render("made\n\nlonger\n\n" + chapter, figures)
    assert told in str(caught.value)


def test_a_figure_that_cannot_be_imported_is_told_by_its_place(monkeypatch):
    def broken(name):
        raise ImportError("cannot import name 'nosuch'")
    monkeypatch.setattr("weave.figures.import_module", broken)
    with pytest.raises(ValueError, match="ImportError: cannot import name 'nosuch'"):
        render("```figure\nsoftmax\n```\n", Figures())


@pytest.mark.parametrize("word", ["Figure", "figures"])
def test_a_figure_whose_word_is_misspelled_does_not_stay_text(word):
    with pytest.raises(ValueError, match="a figure is written"):
        render(f"```{word}\nsoftmax\n```\n", Figures())
