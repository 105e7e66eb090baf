"""Floats that remember: the book's numbers stay what they are, and can be unfolded."""

import builtins
import copy
import json
import math
import pickle
import statistics
import struct
import sys
from functools import cache
from pathlib import Path

import pytest
from examine import Book, Chapter
from tangle import read
from weave import floats
from weave.floats import Remembering, Told, carried, marks

ROOT = Path(__file__).parent.parent
PAGE = "docs/99-try.md"


@cache
def texts():
    return read(ROOT)[0]


def page(session, kind=Remembering, before=""):
    """A chapter of one session, run."""
    text = f"{before}\n```pycon\n{session}\n```\n"
    chapter = kind(Book(texts() | {PAGE: text}, ROOT), PAGE)
    chapter.found = list(chapter.failures())
    return chapter


def told(session, nth=0, n=0):
    """(chapter, id) of the n-th number that the nth-last example prints."""
    chapter = page(session)
    printed = list(chapter.printed.values())[-1 - nth]
    return chapter, printed["marks"][n][2]


def graph(chapter, *ids):
    """{id: what unfold says, in full} of all that made these numbers."""
    found, todo = {}, list(ids)
    while todo:
        if (n := todo.pop()) not in found:
            found[n] = chapter.unfold(n, few=sys.maxsize)
            todo += [part["id"] for part in found[n]["parts"] if part["id"] is not None]
    return found


def leaves(chapter, n):
    return {part["exact"] for step in graph(chapter, n).values() for part in step["parts"]
            if part["id"] is None or chapter.unfold(part["id"])["kind"] == "number"}


NAMES = vars(math) | {"nan": math.nan} | {
    name: getattr(statistics, name) for name in floats.STATISTICS.split()} | {
    name: getattr(builtins, name) for name in ("round", "abs", "pow", "sum")}


def computed_again(step):
    """The number that the formula of a step comes to, with all the digits of its parts."""
    values = [eval(part["exact"], NAMES) for part in step["parts"]]
    if step["kind"] in ("sum", "fsum"):
        return NAMES[step["kind"]](values)
    if step["kind"] == "sumprod":
        return math.sumprod(values[::2], values[1::2])
    formula = step["formula"]
    for part in reversed(step["parts"]):
        start = part["start"]
        assert formula[start:].startswith(part["value"])
        formula = formula[:start] + part["exact"] + formula[start + len(part["value"]):]
    return eval(formula, NAMES)


# ---- The same numbers

def said(kind, path):
    """All that the blocks of a chapter print and raise, and what is wrong with them."""
    chapter, heard = kind(Book(texts(), ROOT), path), []
    watch = chapter.watch

    def listen(action):
        error, text = watch(action)
        heard.append((text, error and (type(error), str(error))))
        return error, text
    chapter.watch = listen
    return chapter, [str(failure) for failure in chapter.failures()], heard


@pytest.mark.long
@pytest.mark.parametrize("path", ["docs/01-softmax.md", "docs/02-attention.md",
                                  "docs/03-mask.md", "docs/06-layer-norm.md"])
def test_a_chapter_says_the_same_to_the_byte_and_every_number_comes_out_again(path):
    _, *plain = said(Chapter, path)
    chapter, *remembered = said(Remembering, path)
    assert remembered == plain and not plain[0]
    printed = chapter.printed.values()
    assert all(len(each["marks"]) == len(each["answer_marks"]) for each in printed)
    ids = {n for each in printed for _, _, n in each["marks"]}
    assert len(ids) > 40
    steps = list(graph(chapter, *ids).values())[:20_000]
    wrong = [step for step in steps if step["kind"] != "number"
             and repr(computed_again(step)) != step["exact"]]
    assert wrong == []
    json.dumps(steps)


@pytest.mark.parametrize("use", [
    repr, str, hash, bool, int, float, json.dumps, math.floor, round, "{:8.3f}".format,
    lambda x: "%.3f %r" % (x, x), lambda x: struct.pack("d", x),
    lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy, type(0.5).hex,
    lambda x: x.is_integer(), lambda x: [x == 0.7, x < 1, x > 1, x != 0.7], abs, str.format,
    lambda x: isinstance(x, float), lambda x: divmod(x, 0.3), lambda x: -x, lambda x: +x,
    lambda x: [x + 1, 1 + x, x - 1, 1 - x, x * 3, 3 * x, x / 3, 3 / x, x // .2, 2 // x,
               x % .2, 2 % x, x ** 2, 2 ** x, (-x) ** .5, pow(x, 2)],
    lambda x: sum([x, 0.1, 1]), lambda x: math.fsum([x] * 10), lambda x: {0.7: "a"}[x],
    lambda x: repr(type(x)), lambda x: complex(x, x), lambda x: max(x, 0.5),
], ids=lambda use: getattr(use, "__name__", "format"))
def test_a_float_that_remembers_is_a_float(use):
    def result(x):
        try:
            return use(x)
        except Exception as error:
            return type(error), str(error)
    assert repr(result(Told(0.7))) == repr(result(0.7))


@pytest.mark.parametrize("wrong", ["[1] * x", "x + 'a'", "x / 0", "x @ 1", "'a' % x", "1 + x['a']",
                                   "x ** 1e999 ** -1e999 + len(x)", "exp(1e5 * x)", "sum([[x]])",
                                   "exp('a')", "fsum([x, 'a'])", "sum(5)", "x.a", "10 ** 400 * x"])
def test_what_is_wrong_is_told_in_the_same_words(wrong):
    asked = f">>> from math import exp, fsum\n>>> x = 1.5 - 1\n>>> {wrong}"
    chapters = [page(asked, kind) for kind in (Chapter, Remembering)]
    assert str(chapters[0].found[0]) == str(chapters[1].found[0])


@pytest.mark.skipif(sys.version_info < (3, 12), reason="sums of floats are not compensated")
def test_a_sum_is_compensated_as_it_was():
    chapter, n = told(">>> sum([1e16 + 0.0, 1.0, -1e16 - 0.0])")
    assert chapter.unfold(n)["exact"] == "1.0"


# ---- What a number was made of

def test_softmax_unfolds_to_its_scores():
    chapter, n = told(">>> from tf.model import softmax\n>>> softmax([0, 1, 2])")
    step = chapter.unfold(n)
    assert (step["value"], step["code"], step["formula"]) == (
        "0.0900", "power / total", "0.1353 / 1.5032")
    assert [part["name"] for part in step["parts"]] == ["power", "total"]
    assert (step["path"], step["source"]) == (
        "docs/01-softmax.md", "return [power / total for power in powers]")
    assert step["source"] in texts()[step["path"]].split("\n")[step["line"] - 1]
    power, total = [chapter.unfold(part["id"]) for part in step["parts"]]
    assert (power["code"], power["formula"]) == ("exp(x - top)", "exp(-2)")
    assert (total["code"], total["formula"]) == ("sum(powers)", "0.1353 + 0.3679 + 1.0")
    assert total["parts"][0]["id"] == power["id"]      # the same number
    gap = chapter.unfold(power["parts"][0]["id"])
    assert (gap["value"], gap["code"], gap["formula"]) == ("-2", "x - top", "0 - 2")
    assert leaves(chapter, n) == {"0", "1", "2"}


def test_attention_unfolds_to_what_the_mask_lets_it_see():
    session = """\
>>> from tf.model import attention, causal_mask
>>> Q, K, V = [[1.5, 2.5], [3.5, 4.5]], [[.25, .5], [.75, 1.25]], [[10.5, 7], [20.5, 8]]
>>> out, weights = attention(Q, K, V, causal_mask(2))
>>> out
>>> weights[0][1]"""
    chapter, second = told(session, nth=1, n=2)
    assert leaves(chapter, second) == {"3.5", "4.5", "0.25", "0.5", "0.75", "1.25", "2",
                                       "10.5", "20.5"}
    chapter, hidden = told(session)
    step = chapter.unfold(hidden)
    assert (step["value"], step["code"], step["exact"]) == ("0.0", "power / total", "0.0")
    power = chapter.unfold(step["parts"][0]["id"])
    assert power["formula"] == "exp(-inf)"
    gap = chapter.unfold(power["parts"][0]["id"])
    assert gap["formula"].startswith("-inf - ")
    assert chapter.unfold(gap["parts"][0]["id"])["source"].startswith("scores = [[s if seen")


def test_layer_norm_unfolds_to_its_row():
    chapter, n = told(">>> from tf.model import layer_norm\n>>> layer_norm([1.5, 2.0, 4.0])")
    step = chapter.unfold(n)
    assert step["code"] == "x / root"
    x, root = [chapter.unfold(part["id"]) for part in step["parts"]]
    assert x["code"] == "x - mean" and root["code"].startswith("sqrt(dot(centred, centred)")
    assert chapter.unfold(x["parts"][1]["id"])["formula"] == "3.0 / 3"
    assert leaves(chapter, n) == {"1.5", "2.0", "4.0", "1e-05", "3"}


@pytest.mark.parametrize("asked, code, formula", [
    ("3 / 7", "3 / 7", "3 / 7"),
    ("x * 2", "x * 2", "0.5 * 2"),
    ("-x", "-x", "-0.5"),
    ("-y", "-y", "-(-0.5)"),
    ("y ** 2", "y ** 2", "(-0.5) ** 2"),
    ("round(2 / 3, 4)", "round(2 / 3, 4)", "round(0.6666666666666666, 4)"),
    ("max(x, y)", "0.5", ""),
    ("fsum([x, 2])", "fsum([x, 2])", "0.5 + 2"),
    ("math.hypot(x, 12345.678)", "math.hypot(x, 12345.678)", "hypot(0.5, 12345.678)"),
    ("sum(1 / n for n in range(1, 10))", "sum((1 / n for n in range(1, 10)))",
     "1.0 + 0.5 + 0.3333 + ... + 0.1111 (9 terms)"),
    ("mean([x] * 9)", "mean([x] * 9)", "mean([0.5, 0.5, 0.5, ..., 0.5])"),
    ("[*map(sqrt, [x])][0]", "", "sqrt(0.5)"),
    ("operator.sub(2, x)", "", "2 - 0.5"),
    ("f'{x / 3:.2f} metres'", "x / 3", "0.5 / 3"),
])
def test_a_formula(asked, code, formula):
    chapter, n = told(f">>> import math, operator\n>>> from math import fsum, sqrt\n"
                      f">>> from statistics import mean\n>>> x = 0.5\n>>> y = -x\n>>> {asked}")
    step = chapter.unfold(n)
    assert (step["code"], step["formula"]) == (code, formula)
    assert step["kind"] == "number" or repr(computed_again(
        chapter.unfold(n, few=99))) == step["exact"]


def test_of_many_terms_the_first_and_the_last_are_told_or_all_if_asked_for():
    chapter, n = told(">>> sum(1 / n for n in range(1, 101))")
    assert (len(chapter.unfold(n)["parts"]), chapter.unfold(n)["count"]) == (4, 100)
    assert len(chapter.unfold(n, few=100)["parts"]) == 100


def test_a_place_in_an_indented_block_is_that_of_the_page():
    chapter, n = told(">>> 1 / 8", n=0)
    assert (chapter.unfold(n)["path"], chapter.unfold(n)["line"]) == (PAGE, 3)
    text = "??? note\n\n    ```python\n    def third(x):\n        return x / 3\n    ```\n"
    chapter = page(">>> third(2)", before=text)
    step = chapter.unfold([*chapter.printed.values()][-1]["marks"][0][2])
    assert (step["line"], step["source"], step["code"]) == (5, "return x / 3", "x / 3")


def test_an_edited_module_remembers_too():
    text = Book(texts(), ROOT).outputs["tf/model.py"].text
    sources = {"tf/model.py": text.replace("power / total for", "power / total / 2 for")}
    chapter = Remembering(Book(texts() | {PAGE: "```pycon\n>>> from tf.model import softmax\n"
                                                ">>> softmax([0.0])\n```\n"}, ROOT), PAGE, sources)
    assert list(chapter.failures())
    step = chapter.unfold(chapter.printed[3]["marks"][0][2])
    assert (step["value"], step["code"]) == ("0.5", "power / total / 2")


# ---- Which printed number is which?

@pytest.mark.parametrize("asked, text, found", [
    ("x, 7, y", "(0.5, 7, 0.25)", ["0.5", "0.25"]),
    ("print(y, round(x / 3, 2), f'{x / 3:+.4f}|{y:8.3f}|{x:.0%}|{x * 9999:,.2f}')",
     "0.25 0.17 +0.1667|   0.250|50%|4,999.50", ["0.25", "0.17", "+0.1667", "0.250", "50%",
                                                 "4,999.50"]),
    ("str(x) and y", "0.25", ["0.25"]),                # made into text, not printed
    ("print('{} {!r} %s %r'.format(x, y) % (x, y))", "0.5 0.25 0.5 0.25", ["0.5", "0.25"] * 2),
    ("print(1e-9 * x, -x * 10.0 ** 30, float('inf') * x)", "5e-10 -5e+29 inf",
     ["5e-10", "-5e+29", "inf"]),
    ("{'v1.25': x}", "{'v1.25': 0.5}", ["0.5"]),
    ("y, Random(1).choice([0.5])", "(0.25, 0.5)", ["0.25", "0.5"]),
    ("y, float('0.25'), x", "(0.25, 0.25, 0.5)", ["0.5"]),    # which of the two is y?
])
def test_a_printed_number_is_found(asked, text, found):
    chapter = page(f">>> from random import Random\n>>> x, y = 0.5, 0.25\n>>> {asked}")
    printed = [*chapter.printed.values()][-1]
    assert printed["text"].strip() == text
    assert [printed["text"][start:end] for start, end, _ in printed["marks"]] == found


def test_a_mark_leads_to_its_own_number():
    chapter = page(">>> x, y = 1 / 4, 2 / 8\n>>> print(str(x)[:0], y, x)")
    ids = [n for _, _, n in [*chapter.printed.values()][-1]["marks"]]
    assert [chapter.unfold(n)["formula"] for n in ids] == ["2 / 8", "1 / 4"]


def test_the_books_answer_is_marked_where_it_is_rounded_or_shortened():
    numbers = [("0.3333333333333333", "a"), ("0.25", "b"), ("0.6666666666666666", "c")]
    text = "[0.3333333333333333, 0.25, 0.6666666666666666]\n"
    found = marks(text, numbers)
    assert [number for _, _, number in found] == ["a", "b", "c"]
    assert carried(found, text, "[0.3333, 0.25, 0.6667]\n") == [
        (1, 7, "a"), (9, 13, "b"), (15, 21, "c")]
    assert carried(found, text, "[..., 0.6667]\n") == [(6, 12, "c")]
    assert carried(found, text, "[0.9999, 0.25]\n") == [(9, 13, "b")]


# ---- Bounds

def test_a_long_chain_is_made_unfolded_and_forgotten():
    chapter, n = told(">>> total = half = 0.5\n>>> for n in range(90_000):\n...     total += half\n"
                      ">>> total")
    step = chapter.unfold(n)
    assert (step["value"], step["code"], step["formula"]) == (
        "45000.5", "total += half", "45000.0 + 0.5")
    chapter.restart()                                  # drops the chain; must not crash
    assert chapter.memory.steps == {}


def test_when_memory_is_full_floats_are_plain_and_what_dies_makes_room(monkeypatch):
    monkeypatch.setattr(floats, "LIMIT", 300)
    chapter = page("""\
>>> [x / 3 for x in range(1, 1000)][0]
0.3333
>>> [x / 3 for x in range(1, 1000)][998]
333.0
>>> 1 / 3
0.3333""")
    assert chapter.found == []
    assert [len(each["marks"]) for each in chapter.printed.values()] == [1, 0, 1]
    assert len(chapter.memory.steps) < 10


def test_what_is_farthest_behind_a_printed_number_is_forgotten_first(monkeypatch):
    monkeypatch.setattr(floats, "LIMIT", 300)
    chapter = page("""\
>>> first = 1 / 3
>>> first
0.3333
>>> total, half = 1 / 7, 0.5
>>> for n in range(250):
...     total += half
>>> total
125.1429""")
    assert chapter.found == [] and len(chapter.memory.steps) == 150
    first, total = [n for each in chapter.printed.values() for _, _, n in each["marks"]]
    assert chapter.unfold(first)["formula"] == "1 / 3"
    oldest = min(n for n, step in graph(chapter, total).items() if step["kind"] == "+")
    assert chapter.unfold(oldest)["parts"][0]["id"] is None
    assert float(chapter.unfold(oldest)["parts"][0]["exact"]) > 50


def test_outside_a_run_nothing_remembers():
    chapter = page(">>> def half(x):\n...     return x / 2\n>>> half(3)\n1.5")
    assert type(chapter.names["half"](3)) is float and floats.memory is None
    import math as outside
    assert type(outside.exp(1)) is float and outside is sys.modules["math"]
