"""What a reader may change in a figure: each input at its ends, in both languages, and bad ones."""

import re
import sys
from importlib import import_module
from inspect import signature
from xml.etree import ElementTree

import pytest
from test_figures import ROOT

from tangle import original, read, tangle
from weave.figures import draw, names, redraw
from weave.figures.inputs import choice, numbers, real, whole, wholes, words
from weave.page import Page

MODULES = {name: import_module(f"weave.figures.{name.replace('-', '_')}") for name in names()}
INPUTS = {name: module.INPUTS for name, module in MODULES.items() if hasattr(module, "INPUTS")}
EACH = [(name, key) for name, inputs in INPUTS.items() for key in inputs]
LANGUAGES = pytest.mark.parametrize("lang", ["en", "zh"])


def parsed(name, lang="en"):
    return ElementTree.fromstring(draw(name, lang).replace("&nbsp;", "\N{NO-BREAK SPACE}"))


def form_of(name, lang="en"):
    return parsed(name, lang).find(".//form")


def typed(form):
    """{name: text} of a form as it stands: what a browser sends."""
    given = {each.get("name"): each.get("value", "on") for each in form.iter("input")
             if each.get("type") != "checkbox" or each.get("checked")}
    chosen = {each.get("name"): next(option.get("value") for option in each
                                     if option.get("selected")) for each in form.iter("select")}
    return given | chosen


def ends(kind):
    """What may be typed: the least, one in the middle, the most."""
    rule, *bounds = kind.rule
    if rule in ("whole", "real"):
        least, most = bounds
        step = kind.control["step"]
        middle = least + (most - least) // (2 * step) * step
        return [str(round(each, 6)) for each in (least, middle, most)]
    if rule in ("some", "just", "wholes"):
        fewest, many, least, most = bounds
        middle = (least + most) / 2 if rule != "wholes" else (least + most) // 2
        last = [most - i for i in range(many)] if rule == "wholes" else [most] * many
        first = [least + i for i in range(fewest)] if rule == "wholes" else [least] * fewest
        between = [least, middle, most][:many] + [most] * (fewest - 3)
        return [", ".join(map(str, each)) for each in (first, between, last)]
    if rule == "words":
        fewest, many, letters = bounds
        return [" ".join("abcdefgh"[:fewest]), "one two three", " ".join(
            "abcdefgh"[i] * letters for i in range(many))]
    return kind.control["options"] if rule == "choice" else ["", "on"]


def bad(kind):
    """What may not be typed."""
    rule, *bounds = kind.rule
    if rule == "check":
        return []
    if rule in ("whole", "real"):
        return ["", "x", "nan", "1e999", str(bounds[0] - 1), str(bounds[1] + 1)]
    if rule in ("some", "just", "wholes"):
        fewest, many, least, most = bounds
        return ["", "x", "1, x", "1 2", ", ".join([str(least)] * (many + 1)),
                ", ".join([str(least)] * (fewest - 1)), ", ".join([str(most + 1)] * fewest),
                ", ".join([str(least - 1)] * fewest), ", ".join(["nan"] * fewest)]
    if rule == "words":
        fewest, many, letters = bounds
        return ["", "one one", "x" * (letters + 1) + " y", " ".join("abcdefgh"[:many + 1])]
    return ["", "x"]


# ---- what holds for every input

def test_many_figures_have_inputs():
    assert {"softmax", "scale", "three-lines", "mask-table", "permutation", "positions"} <= {*INPUTS}
    assert len(INPUTS) >= 11


@LANGUAGES
@pytest.mark.parametrize("name", INPUTS)
def test_an_input_is_a_parameter_and_has_a_label_in_each_language(name, lang):
    inputs, labels = INPUTS[name], MODULES[name].TEXT[lang]["inputs"]
    assert {*inputs} <= {*signature(MODULES[name].figure).parameters}
    assert [*inputs] == [key for key in labels if key in inputs]
    form = form_of(name, lang)
    for label in form.iter("label"):
        assert label.text.strip() and len(label) in (1, 2)
    fields = [each.get("name") for each in form.iter() if each.get("name")]
    assert fields == [*inputs]


@LANGUAGES
@pytest.mark.parametrize("name", INPUTS)
def test_an_unchanged_form_draws_the_figure_as_it_is(name, lang):
    form = form_of(name, lang)
    assert redraw(form.get("data-source"), typed(form), lang, f"figure-{name}") in draw(name, lang)


@LANGUAGES
@pytest.mark.parametrize("name, key", EACH)
def test_an_input_may_have_any_value_within_its_bounds(name, key, lang):
    own = typed(form_of(name, lang))
    for text in ends(INPUTS[name][key]):
        html = redraw(name, own | {key: str(text)}, lang, "f")
        tree = ElementTree.fromstring(f"<ol>{html}</ol>".replace("&nbsp;", " "))
        assert [each.get("id") for each in tree] == [f"f-{n}" for n in range(1, len(tree) + 1)]
        shown = " ".join(each.text or "" for tag in ("td", "th", "p") for each in tree.iter(tag))
        assert not re.search(r"\bnan\b|\bNone\b|[-−]0(\.0+)?(?![\d.])", shown)
        for step in tree:
            codes = {line.get("data-line") for line in step.iter("span")}
            cells = [cell.get("data-line") for cell in step.iter("td")]
            assert {*cells} - {None, ""} <= codes


@LANGUAGES
@pytest.mark.parametrize("name, key", EACH)
def test_a_bad_value_is_told_with_its_label_and_what_may_be_written(name, key, lang):
    label = MODULES[name].TEXT[lang]["inputs"][key]
    own = typed(form_of(name, lang))
    for text in bad(INPUTS[name][key]):
        with pytest.raises(ValueError) as caught:
            redraw(name, own | {key: text}, lang, "f")
        told = str(caught.value)
        assert told.startswith(label) and text in told
        assert re.search("[一-鿿]" if lang == "zh" else r"write .+, not “", told), told
        assert told[-1] in ".。"


@pytest.mark.parametrize("text, en, zh", [
    ("1, -inf, 2", "“-inf” is no such number.", "“-inf”不是这样的数。"),
    ("1，x", "“x” is no such number.", "“x”不是这样的数。"),
    ("1, 1e9", "“1e9” is no such number.", "“1e9”不是这样的数。"),
    ("1 2 3", "In “1 2 3” a comma is missing.", "“1 2 3”里少了逗号。"),
    ("1 2, 3", "In “1 2” a comma is missing.", "“1 2”里少了逗号。")])
def test_of_a_list_the_entry_that_is_wrong_is_named(text, en, zh):
    for lang, told in ("en", f"not “{text}”. {en}"), ("zh", f"不能填“{text}”。{zh}"):
        with pytest.raises(ValueError, match=re.escape(told) + "$"):
            redraw("softmax", typed(form_of("softmax")) | {"scores": text}, lang, "f")


@pytest.mark.parametrize("text", ["1", "1, 2,", "", "three"])
def test_where_no_entry_is_wrong_none_is_named(text):
    with pytest.raises(ValueError, match=f"not “{text}”.$"):
        redraw("softmax", {"scores": text, "temperatures": "1"}, "en", "f")


@pytest.mark.parametrize("name", INPUTS)
def test_a_form_is_hidden_small_and_hears_only_the_page(name):
    form = form_of(name)
    html = ElementTree.tostring(form, encoding="unicode")
    assert form.get("hidden") is not None and len(html) < 1024
    assert form.get("action") is None and form[-1].get("role") == "status"


def test_a_figure_without_inputs_has_no_form():
    assert "<form" not in draw("memory") + draw("gradient-depth")


def test_what_an_author_wrote_stands_in_the_form():
    form = ElementTree.fromstring(draw("softmax\nscores = [1, 2.5]").replace("&nbsp;", " ")).find(".//form")
    assert typed(form)["scores"] == "1, 2.5"
    assert form.get("data-source") == "softmax\nscores = [1, 2.5]"


def test_a_minus_may_be_written_as_the_book_writes_it():
    assert "well they fit: 0.5000 for" in says("three-lines", q="−1.5, 2")[0]


# ---- kinds

@pytest.mark.parametrize("kind, text, value", [
    (whole(1, 5), " 3 ", 3), (whole(2, 8, 2), "4", 4), (real(0, 1, 0.1), "0.5", 0.5),
    (real(0, 1, 0.1), "1", 1), (numbers(1, 3, -9, 9), "1,-2， 0.5", [1, -2, 0.5]),
    (wholes(2, 3, 0, 9), "7, 3", [3, 7]), (choice(4, 8), "8", 8), (choice("a", "b"), "b", "b"),
    (words(2, 3, 5), "  我 喜欢 ", ["我", "喜欢"])])
def test_what_is_typed_becomes_a_value(kind, text, value):
    found = kind.read(text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize("kind, text", [
    (whole(2, 8, 2), "3"), (whole(1, 5), "2.0"), (wholes(2, 3, 0, 9), "3, 3"),
    (words(2, 3, 5), "one one"), (choice(4, 8), "4.0")])
def test_what_cannot_be_a_value_is_refused(kind, text):
    with pytest.raises((ValueError, LookupError)):
        kind.read(text)


# ---- sentences stay true

def says(source, lang="en", **given):
    own = typed(form_of(source, lang))
    html = redraw(source, own | given, lang, "f")
    return re.findall('<p class="says">(.*?)</p>', html, re.S)


def test_softmax_says_what_happens_with_other_gaps():
    assert "no gaps" in says("softmax", scores="5, 5", temperatures="2")[2]
    assert "one score takes all" in says("softmax", scores="0, 500", temperatures="2")[2]
    assert "falls to 0.6225" in says("softmax", scores="0, 1", temperatures="2")[2]
    assert len(says("softmax", temperatures="3")) == 3


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("order", ["reversed", "swap", "round"])
@pytest.mark.parametrize("causal", [{}, {"causal": "on"}])
def test_permutation_is_right_about_which_rows_differ(count, order, causal):
    texts = {"words": " ".join(["we", "like", "warm", "tea"][:count]), "order": order} | causal
    own = typed(form_of("permutation"))
    html = redraw("permutation", own | texts, "en", "f")
    kept, bare, moved, placed = [
        [float(each) for each in re.findall(r'data-line="gaps">([\d.]+)<', step)]
        for step in html.split("<li ")[1:]]
    told = says("permutation", **texts)
    assert len(bare) == count and not any(kept)
    assert any(bare) == bool(causal) == ("other company" in told[1])
    assert all(placed) and f"differs, by up to {max(placed):.4f}" in told[3]
    still = [word for word, gap in zip(texts["words"].split(), moved) if not gap]
    assert [*re.findall("“(.+?)”", told[2])] == still[:1]
    assert ("middle" in told[3]) == (count == 3 and order == "reversed")


# ---- in a page

class Told(Page):
    """A page whose words are kept."""

    def tell(self, **words):
        self.told.append(words)

    def shown(self, name="softmax", **codes):
        """What becomes of a figure with other code in this chapter: its steps, or what is wrong."""
        self.told = []
        self.figure("f", name, typed(FORMS[name]), codes)
        said, = self.told
        return said.get("html", said.get("error"))

    def edit(self, old, new):
        """{n: code} with a change in the block of a file in which the words are found."""
        n, code = next((n, block.code) for n, block in enumerate(self.blocks)
                       if old in block.code and "title" in block.attrs)
        return {str(n): code.replace(old, new)}


FORMS = {name: form_of(name) for name in ("softmax", "three-lines")}


@pytest.fixture
def page(tmp_path, monkeypatch):
    """The page of a chapter, with figures of its own, which are forgotten after the test."""
    for name in [name for name in sys.modules if name.startswith("weave.figures.")]:
        monkeypatch.setitem(sys.modules, name, sys.modules[name])
    texts = {path: text for path, text in read(ROOT)[0].items() if not original(path)}
    return Told(texts, tangle(texts)[0], "docs/01-softmax.md", str(tmp_path), "en")


def test_a_page_draws_with_its_own_code(page):
    before = page.shown()
    assert before in draw("softmax", id="f")
    after = page.shown(**page.edit("[power / total for", "[2 * power / total for"))
    assert ">1.3304<" not in before and "2 * power / total" in after and re.search("> ?1.3305<", after)
    assert page.shown() == before


def test_a_line_that_is_gone_is_not_shown(page):
    whole, short = "    total = sum(powers)\n    if not total", "    if not sum(powers)"
    codes = {n: code.replace("power / total", "power / sum(powers)")
             for n, code in page.edit(whole, short).items()}
    shown = page.shown(**codes)
    assert "/ sum(powers)" in shown and "total =" not in shown


@pytest.mark.parametrize("new, told", [
    ("power / totl", "softmax: name 'totl' is not defined"), ("power / (", "SyntaxError: ")])
def test_code_that_fails_is_told(page, new, told):
    assert page.shown(**page.edit("power / total", new)).startswith(told)
    assert page.shown().startswith("<li")
