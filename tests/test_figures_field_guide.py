"""The figure of chapter 16: each number is worked out here once more, each leak from its cause."""

import re
from math import exp, sqrt
from random import Random

import pytest
from test_figures_more import cells, numbers, parsed, tables, words

from tf.experiments import random_rows
from weave.figures import draw, figure_of
from weave.figures.leak import MODELS, moved

LANGUAGES = "en", "zh"
each_in_both = pytest.mark.parametrize("lang", LANGUAGES)


def averages(X, may, struck=lambda i, j: False):
    """Attention of X to itself over the keys that may be read, some of them struck out late."""
    out, n, d = [], len(X), len(X[0])
    for i in range(n):
        powers = [exp(sum(a * b for a, b in zip(X[i], X[j])) / sqrt(d)) * may(i, j)
                  for j in range(n)]
        shares = [0 if struck(i, j) else p / sum(powers) for j, p in enumerate(powers)]
        out.append([sum(share * row[c] for share, row in zip(shares, X)) for c in range(d)])
    return out


def columns_normed(X):
    norms = []
    for column in zip(*X):
        mean = sum(column) / len(column)
        root = sqrt(sum((x - mean) ** 2 for x in column) / len(column) + 1e-5)
        norms.append([(x - mean) / root for x in column])
    return list(zip(*norms))


AGAIN = (lambda X: averages(X, lambda i, j: j <= i),
         lambda X: averages(X, lambda i, j: j <= i + 1),
         lambda X: averages(X, lambda i, j: True, lambda i, j: j > i),
         lambda X: averages(columns_normed(X), lambda i, j: j <= i))
FUTURE = (lambda i, j: False, lambda i, j: j == i + 1, lambda i, j: j > i, lambda i, j: j > i)


def shown(step, n):
    """The numbers of a step, as they are written."""
    return [[float(numbers(word)[-1]) for word in row[-n:]] for row in tables(step)[0]]


@each_in_both
@pytest.mark.parametrize("n, seed", [(4, 3), (2, 1), (6, 2)])
def test_every_number_and_every_leak(lang, n, seed):
    X = random_rows(Random(seed), n, 4)
    steps = figure_of(f"leak\nn = {n}\nseed = {seed}", lang).steps
    for k, (step, model, future) in enumerate(zip(steps, AGAIN, FUTURE, strict=True)):
        for i, row in enumerate(shown(step, n)):
            for j, gap in enumerate(row):
                changed = X[:j] + [X[j][::-1]] + X[j + 1:]
                again = max(abs(a - b) for a, b in zip(model(X)[i], model(changed)[i]))
                assert gap == pytest.approx(again, abs=6e-5)
        leaks = sum(future(i, j) for i in range(n) for j in range(n))
        assert numbers(step.says) == ([str(leaks)] if k else [])
        body = parsed(step.body).find(".//tbody")
        marks = [(td.get("class") or "").split() for td in body.iter("td")]
        wanted = [(j > i and future(i, j), j > i and not future(i, j))
                  for i in range(n) for j in range(n)]
        assert [("key" in mark, "hidden" in mark) for mark in marks] == wanted


def test_what_may_not_be_seen_does_not_move_by_a_bit():
    for seed in range(5):
        gaps = moved(MODELS[0], random_rows(Random(seed), 5, 4))
        assert all(gap == 0 for i, row in enumerate(gaps) for gap in row[i + 1:])


def test_both_languages_show_the_same():
    en, zh = (figure_of("leak", lang).steps for lang in LANGUAGES)
    for ours, theirs in zip(en, zh, strict=True):
        assert numbers(" ".join(cells(ours.body))) == numbers(" ".join(cells(theirs.body)))
        assert numbers(ours.says) == numbers(theirs.says)


@each_in_both
def test_each_step_says_one_sentence_and_no_colour_is_alone(lang):
    title, question, steps = figure_of("leak", lang)
    assert title and question and len(steps) == 4
    for head, body, says in steps:
        assert "{" not in head + says and not head.endswith((".", "。"))
        assert re.findall(r"[.。?？!！](?!\d)", says) == [says[-1]]
        for td in parsed(body).iter("td"):
            if {"key", "hidden"} & set((td.get("class") or "").split()):
                assert td[0].get("class") == "sign" and words(td).replace(words(td[0]), "").strip()
        if lang == "zh":
            assert not re.search("[A-Za-z]", (head + says).replace("softmax", ""))
            assert not re.search("[，。：；？][ ,.]|[\u4e00-\u9fff][,.:;?]", says)
    ids = re.findall(r'\sid="(.*?)"', draw("leak", lang))
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("wrong", [1, 7, 4.0, True])
def test_what_has_no_room_is_refused(wrong):
    with pytest.raises(ValueError, match="leak: n must be a whole number"):
        figure_of(f"leak\nn = {wrong}")
