"""The figures of chapter 10: every number that they show is worked out here once more."""

import re
from math import atan2, cos, exp, hypot, sin

import pytest
from test_figures_more import MIXED, decimals, each_in_both, headers, numbers, parsed, rows, tables
from test_figures_more import test_a_few_steps_of_a_condition_a_body_and_one_sentence  # noqa: F401
from test_figures_more import test_a_picture_is_said_in_words_or_its_table_is  # noqa: F401
from test_figures_more import test_no_colour_is_written_and_none_is_alone  # noqa: F401
from test_figures_more import words, written

from tf.positions import alibi_bias, alibi_slopes, rope
from weave.figures import draw, figure_of

NAMES, LANGUAGES = ("rope", "alibi"), ("en", "zh")
Q, K = [1, 0, 0.6, 0.8], [0.8, 0.6, 0, 1]


@pytest.fixture(params=[(name, lang) for name in NAMES for lang in LANGUAGES], ids="-".join)
def figure(request):
    return figure_of(*request.param)


def turned(row, i, pairs=((0, 1), (2, 3)), base=100):
    """The row at position i, one pair after the other."""
    out = list(row)
    for p, (a, b) in enumerate(pairs):
        t = i * base ** (-p / 2)
        out[a], out[b] = row[a] * cos(t) - row[b] * sin(t), row[a] * sin(t) + row[b] * cos(t)
    return out


def score(q, k):
    return sum(x * y for x, y in zip(q, k))


HALVES = (0, 2), (1, 3)


# ---- both

@pytest.mark.parametrize("name", NAMES)
def test_both_languages_show_the_same_numbers(name):
    shown = [[(sorted(numbers(says)), sorted(numbers(" ".join(words(td) for td in
                                                              parsed(body).iter("td")))))
              for _, body, says in figure_of(name, lang).steps] for lang in LANGUAGES]
    for (says, cells), (said, others) in zip(*shown, strict=True):
        assert cells == others and cells
        assert {x for x in says if "." in x} == {x for x in said if "." in x}


@pytest.mark.parametrize("name", NAMES)
def test_the_chinese_is_chinese(name):
    title, question, steps = figure_of(name, "zh")
    for text in title, question, *(each for head, _, says in steps for each in (head, says)):
        left = re.sub("softmax|past|new|base", "", text)
        assert not re.search("[A-Za-z]", left) and re.search("[\u4e00-\u9fff]|past", text), text
        assert not re.search(MIXED, text)


@each_in_both
def test_a_page_can_hold_them_both(lang):
    ids = re.findall(r'\sid="(.*?)"', "".join(draw(name, lang) for name in NAMES))
    assert len(ids) == len(set(ids)) >= len(NAMES) * 4


# ---- rope

@each_in_both
def test_rope_turns_a_row_and_keeps_its_length(lang):
    step = figure_of("rope", lang).steps[0]
    cells = list(parsed(step.body).find(".//tbody").iter("td"))
    assert len(cells) == 2 * 8 and decimals(step.says) == ["0.1000"]
    for n, cell in enumerate(cells):
        p, i = divmod(n, 8)
        a, b = turned(Q, i)[2 * p:2 * p + 2]
        said = numbers(cell.get("title"))
        assert said == ([written(a, 2), written(b, 2)])
        line = [part for part in cell.iter("path") if part.get("class") == "hand"][0].get("d")
        x, y = map(float, line.partition("L")[2].split(","))
        assert abs(x - 14 * a) < 1e-4 and abs(y + 14 * b) < 1e-4
        assert abs(hypot(a, b) - 1) < 1e-12


@each_in_both
@pytest.mark.parametrize("at, far", [(1, 2), (2, 4)])
def test_rope_has_one_angle_and_one_score_for_a_distance(lang, at, far):
    step = figure_of("rope", lang).steps[at]
    angles, scores = tables(step)
    wanted = []
    for p in (0, 1):
        (a, b), (c, d) = Q[2 * p:2 * p + 2], turned(K, far)[2 * p:2 * p + 2]
        wanted += [atan2(a * d - b * c, a * c + b * d)]
    assert angles == rows([wanted] * 3)
    assert scores == rows([[score(Q, turned(K, far))]] * 3) and str(far) in step.head
    assert decimals(step.says) == scores[0]
    places = [f"{i} → {i + far}" for i in (0, 3, 9)]
    assert [each for each in headers(step)[0] if "→" in each][-3:] == places


@each_in_both
def test_rope_shows_that_the_pairings_agree_when_sorted_and_not_when_mixed(lang):
    step = figure_of("rope", lang).steps[3]
    pairs, scores = tables(step)
    assert pairs == rows([turned(Q, 1), turned(Q, 1, HALVES)])
    marked = [[td.get("class") == "key" for td in row.iter("td")] for row in
              next(parsed(step.body).iter("tbody")).iter("tr")]
    assert marked == [[True, True, False, False], [True, False, True, False]]
    mixed = [score(turned(Q, i), turned(K, i + 2, HALVES)) for i in (0, 3, 9)]
    same = [score(Q, turned(K, 2))] * 3
    assert scores == rows([same, same, mixed])
    assert decimals(step.says) == [written(x) for x in (same[0], mixed[0], mixed[-1])]


def test_rope_is_that_of_the_book():
    assert rope([Q], 3, 100)[0] == pytest.approx(turned(Q, 3))
    assert rope([Q], 3, 100, False)[0] == pytest.approx(turned(Q, 3, HALVES))
    with pytest.raises(ValueError, match="rope: q and k must be 4 wide, not 2 and 4"):
        figure_of("rope\nq = [1, 2]")


# ---- alibi

@each_in_both
def test_alibi_has_the_slopes_of_the_paper_and_of_its_program(lang):
    even, uneven = figure_of("alibi", lang).steps[:2]
    slopes = [2.0 ** -k for k in range(1, 9)]
    assert tables(even) == [rows([[x] for x in slopes])]
    assert decimals(even.says) == [written(slopes[0]), written(slopes[-1]), "0.5000"]
    six = [1 / 4, 1 / 16, 1 / 64, 1 / 256, 1 / 2, 1 / 8]
    assert six == alibi_slopes(6) and tables(uneven) == [rows([[x] for x in six])]
    assert sorted(set(numbers(uneven.says)) - {"2"}) == ["0.5000", "4", "6", "8"]
    with pytest.raises(ValueError, match="uneven must not be a power of two, and 4 is one"):
        figure_of("alibi\nuneven = 4")


@each_in_both
def test_alibi_takes_off_slope_times_distance_and_hides_the_future(lang):
    *_, both, weights, later = figure_of("alibi", lang).steps
    word = {"en": "future", "zh": "未来"}[lang]
    bias = [[[-m * (i - j) if j <= i else word for j in range(5)] for i in range(5)]
            for m in (1 / 2, 1 / 8)]
    assert tables(both) == [rows(each) for each in bias]
    assert decimals(both.says) == ["0.5000", "0.1250"]
    powers = [[exp(-m * (4 - j)) for j in range(5)] for m in (1 / 2, 1 / 8)]
    shares = [[x / sum(row) for x in row] for row in powers]
    assert tables(weights) == [rows([[x] for x in row]) for row in shares]
    assert decimals(weights.says) == [written(row[0]) for row in shares]
    assert tables(later) == [rows(bias[0][3:])]
    assert alibi_bias(2, 5, 0.5, past=3) == alibi_bias(5, 5, 0.5)[3:]


def test_alibi_shades_what_it_takes_off():
    body = parsed(figure_of("alibi").steps[2].body)
    shades = [td.get("style") for td in next(body.iter("tbody")).iter("td")]
    assert shades == [f"--heat:{(i - j) / 4:.2f}" if j <= i else None
                      for i in range(5) for j in range(5)]
