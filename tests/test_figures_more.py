"""The figures of chapters 2 to 8: every number that they show is worked out here once more."""

import re
from math import atan2, cos, inf, sin
from statistics import mean, pvariance
from xml.etree import ElementTree

import pytest

from tf.experiments import count_scores, largest_weights, self_attention
from tf.model import add, attention, block, dot, layer_norm, multi_head, pos_encoding, softmax
from weave.figures import draw, figure_of

NAMES = "scale", "mask-order", "heads", "positions", "permutation", "norms", "block", "square"
LANGUAGES = "en", "zh"
each_in_both = pytest.mark.parametrize("lang", LANGUAGES)
MIXED = "[，。：；？][ ,.]|[\u4e00-\u9fff][,.:;?]"    # Chinese punctuation before Latin, or Latin behind Chinese


@pytest.fixture(params=[(name, lang) for name in NAMES for lang in LANGUAGES], ids="-".join)
def figure(request):
    return figure_of(*request.param)


def written(x, places=4):
    """A number as a reader meets it."""
    if x in (inf, -inf):
        return "−∞" if x < 0 else "∞"
    text = str(int(x)) if x == int(x) else f"{x:.{places}f}"
    return re.sub(r"^-(?=[0.]*[1-9])", "−", text).removeprefix("-")


def rows(table, places=4):
    return [[x if isinstance(x, str) else written(x, places) for x in row] for row in table]


def parsed(html):
    return ElementTree.fromstring(f"<body>{html}</body>")


def words(element):
    return "".join(element.itertext())


def seen(element):
    """What is read with the eyes: signs are, what is for ears is not."""
    for part in list(element.iter()):
        for ears in [each for each in part if each.get("class") == "for-ears"]:
            ears.text = ""
    return words(element).strip()


def tables(step):
    """The cells of each table, without their headers and without signs."""
    found = []
    for table in parsed(step.body).iter("table"):
        for mark in [each for each in table.iter("span") if each.get("class") == "sign"]:
            mark.text = ""
        found += [[[seen(cell) for cell in row.iter("td")] for row in table.iter("tr")]]
        found[-1] = [cells for cells in found[-1] if any(cells)]
    return found


def headers(step):
    return [[words(th) for th in table.iter("th")] for table in parsed(step.body).iter("table")]


def decimals(text):
    return re.findall(r"−?\d+\.\d+", text)


def numbers(text):
    return re.findall(r"−?\d+(?:\.\d+)?", text)


# ---- what holds of each

def test_a_few_steps_of_a_condition_a_body_and_one_sentence(figure):
    assert figure.title and figure.question and 2 <= len(figure.steps) <= 5
    for head, body, says in figure.steps:
        assert head and not head.endswith((".", "。")) and len(list(parsed(body).iter())) > 3
        assert re.findall(r"[.。?？!！](?!\d)", says) == [says[-1]], says
        assert "{" not in head + says


def test_a_picture_is_said_in_words_or_its_table_is(figure):
    for _, body, _ in figure.steps:
        for svg in parsed(body).iter("svg"):
            said = svg.get("role") == "img" and svg.get("aria-label")
            assert said or svg.get("aria-hidden") == "true"
        for table in parsed(body).iter("table"):
            assert all(th.get("scope") for th in table.iter("th"))
            assert all(words(td).strip() for td in table.find("tbody").iter("td"))


def test_no_colour_is_written_and_none_is_alone(figure):
    for _, body, _ in figure.steps:
        assert not re.search(r"(?<!&)#[0-9a-f]{3,8}\b|rgb|hsl|fill=|stroke=", body)
        for style in re.findall('style="(.*?)"', body):
            assert re.fullmatch(r"--(heat|part):[\d.]+", style)
        legend = "".join(words(p) for p in parsed(body).iter("p") if p.get("class") == "legend")
        for cell in parsed(body).iter("td"):
            if {"hidden", "seen", "key"} & set((cell.get("class") or "").split()):
                sign, ears = cell[0], cell[1]
                assert sign.get("class") == "sign"
                assert f"{words(sign)} {words(ears).strip()}" in legend


@pytest.mark.parametrize("name", NAMES)
def test_both_languages_show_the_same_numbers(name):
    shown = [[(sorted(decimals(says)), sorted(numbers(" ".join(cells(body)))))
              for _, body, says in figure_of(name, lang).steps] for lang in LANGUAGES]
    assert shown[0] == shown[1] and all(cells for _, cells in shown[0])


def cells(body):
    return [words(each) for each in parsed(body).iter() if each.tag in ("td", "text")]


def each_step_says_one_sentence_and_no_colour_is_alone(name, lang, n, marks, latin):
    """For n steps; cells so marked have a sign and a word; latin may stand in the Chinese."""
    title, question, steps = figure_of(name, lang)
    assert title and question and len(steps) == n
    for head, body, says in steps:
        assert "{" not in head + says and not head.endswith((".", "。"))
        assert re.findall(r"[.。?？!！](?!\d)", says) == [says[-1]]
        for td in parsed(body).iter("td"):
            if marks & set((td.get("class") or "").split()):
                assert td[0].get("class") == "sign" and words(td).replace(words(td[0]), "").strip()
        if lang == "zh":
            assert not re.search("[A-Za-z]", re.sub(latin, "", head + says))
            assert not re.search(MIXED, says)
    ids = re.findall(r'\sid="(.*?)"', draw(name, lang))
    assert len(ids) == len(set(ids)) == n + 1


@pytest.mark.parametrize("name", NAMES)
def test_the_chinese_is_chinese(name):
    title, question, steps = figure_of(name, "zh")
    for text in title, question, *(each for head, _, says in steps for each in (head, says)):
        left = re.sub("softmax|LayerNorm|BatchNorm|MiB|fp16|d = |[XVQKdi]", "", text)
        assert not re.search("[A-Za-z]", left), text
        assert re.search("[\u4e00-\u9fff]", left) or re.fullmatch(r"\d+", left), text
    says = "".join(says for _, _, says in steps)
    assert not re.search(MIXED, says)


@each_in_both
def test_a_page_can_hold_them_all(lang):
    ids = re.findall(r'\sid="(.*?)"', "".join(draw(name, lang) for name in NAMES))
    assert len(ids) == len(set(ids)) >= len(NAMES) * 3


# ---- each by itself, from what its chapter declares

@each_in_both
def test_scale_counts_the_largest_weights(lang):
    *steps, last = figure_of("scale", lang).steps
    means = []
    for d, step in zip((4, 16, 64, 256), steps, strict=True):
        both = largest_weights(d, 8, 25, 64)
        bins = [[sum(low <= 10 * p < low + 1 or p == 1 and low == 9 for p in ps) for ps in both]
                for low in range(9, 0, -1)]
        assert tables(step) == [rows(bins)] and [sum(each) for each in zip(*bins)] == [200, 200]
        assert step.head == f"d = {d}"
        assert {"200", "25", "8", "64"} <= set(numbers(words(parsed(step.body).find("p"))))
        means += [[mean(ps) for ps in both]]
        assert decimals(step.says) == [written(means[-1][0]), "0.99", written(means[-1][1]), "0.99"]
        sure = [sum(p > 0.99 for p in ps) for ps in both]
        told = numbers(step.says.replace("none", "0").replace(f"√{d}", ""))
        assert sorted(int(n) for n in told if "." not in n) == sorted([*sure, 200])
    plain, divided = zip(*means)
    assert tables(last) == [rows([[x] for x in plain]), rows([[x] for x in divided])]
    ends = plain[0], plain[-1], min(divided), max(divided)
    assert decimals(last.says) == [written(x) for x in ends]


def test_scale_draws_bars_as_long_as_its_counts():
    for step in figure_of("scale").steps[:4]:
        for cell in parsed(step.body).iter("td"):
            assert cell.find("span").get("style") == f"--part:{int(words(cell)) / 200:.4f}"


@each_in_both
def test_mask_order_sums_the_rows(lang):
    steps = figure_of("mask-order", lang).steps
    scores = [[0.3, 0.7, 0.1], [0.1, 0.5, 0.9], [0.2, 0.1, 0.4]]
    early = [[x if j <= i else -inf for j, x in enumerate(row)] for i, row in enumerate(scores)]
    late, good = [softmax(row) for row in scores], [softmax(row) for row in early]
    struck = [[w if j <= i else 0 for j, w in enumerate(row)] for i, row in enumerate(late)]
    for step, table in zip(steps, (scores, late, struck, early, good), strict=True):
        sums = [[round(sum(row), 9)] if table in (late, struck, good) else [] for row in table]
        places = 4 if sums[0] else 1
        assert tables(step) == [[a + b for a, b in zip(rows(table, places), rows(sums))]]
        marks = [td.get("class") or "" for td in parsed(step.body).find(".//tbody").iter("td")]
        width = 3 + len(sums[0])
        assert [n for n, mark in enumerate(marks) if "hidden" in mark] == [1, 2, width + 2]
    assert decimals(steps[1].says) == [written(late[0][1] + late[0][2])]
    assert decimals(steps[2].says) == [written(struck[0][0]), written(sum(struck[1]))]
    assert "◆" in steps[2].body and "◆" not in steps[4].body
    assert 'class="now" data-line="hide"' in steps[3].body
    assert 'class="now" data-line="weights"' in steps[4].body
    made = {td.get("data-line") for td in parsed(steps[4].body).find(".//tbody").iter("td")}
    assert made == {"weights", "sums"}


@each_in_both
def test_heads_look_at_two_places(lang):
    steps = figure_of("heads", lang).steps
    Q, K = [[4, 0, 0, 4]], [[4, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 4]]
    dog_bites_man, man_bites_dog = [[1, 0], [0, 0], [0, 1]], [[0, 1], [0, 0], [1, 0]]
    for step, q in zip(steps, (Q, [[4.5, 0, 0, 3.5]])):
        one, other = attention(q, K, dog_bites_man), attention(q, K, man_bites_dog)
        assert tables(step) == [rows([w] for w in one[1][0]), rows([one[0][0], other[0][0]])]
    assert tables(steps[2]) == [rows(row[c:c + 2] for row in Q + K) for c in (0, 2)]
    halves = [attention([Q[0][c:c + 2]], [k[c:c + 2] for k in K], dog_bites_man)[1][0]
              for c in (0, 2)]
    outs = [multi_head(Q, K, [v + v for v in V], 2)[0] for V in (dog_bites_man, man_bites_dog)]
    assert tables(steps[3]) == [*(rows([w] for w in half) for half in halves), rows(outs)]


@each_in_both
def test_positions_are_a_table_and_hands(lang):
    steps = figure_of("positions", lang).steps
    P = pos_encoding(16, 16)
    assert tables(steps[0]) == [rows(P, 2)]
    heats = re.findall("--heat:([0-9.]+)", steps[0].body)
    assert heats == [f"{(x + 1) / 2:.2f}" for row in P for x in row]
    for step, hands in (steps[1], 1), (steps[2], 4):
        pairs = [(P[i][c], P[i][c + 1]) for c in range(0, 2 * hands, 2) for i in range(16)]
        assert tips(step) == [f"{14 * c:g},{-14 * s:g}" for s, c in pairs]
        told = [numbers(td.get("title")) for td in parsed(step.body).iter("td")]
        assert told == [[written(s, 2), written(c, 2)] for s, c in pairs]
    places = [i for pair in ((3, 5), (9, 11)) for i in pair]
    ends = [[f"{14 * P[i][c + 1]:g},{-14 * P[i][c]:g}" for c in range(0, 16, 2)] for i in places]
    assert tips(steps[3]) == [tip for before, after in (ends[:2], ends[2:])
                              for both in zip(before, after) for tip in both]
    turns = [[turn(P, i, i + 2, c) for c in range(0, 16, 2)] for i in (3, 9)]
    assert tables(steps[3]) == [rows(turns)]
    assert decimals(steps[2].says) == [written(turn(P, 0, 1, 0) / turn(P, 0, 1, 2))]
    assert decimals(steps[3].says) == [written(dot(P[3], P[5])), written(dot(P[9], P[11]))]
    assert written(turn(P, 0, 1, 0)) == "1" and abs(atan2(sin(6), cos(6))) < 0.3    # "nearly back"


def tips(step):
    return re.findall(r'<path d="M0,0 L(\S+)"', step.body)


def turn(P, i, j, c):
    """How far the hand in columns c and c + 1 turns from i to j, less than half a turn."""
    (s, c_), (t, d) = P[i][c:c + 2], P[j][c:c + 2]
    return atan2(t * c_ - d * s, d * c_ + t * s)


@each_in_both
def test_permutation_moves_rows_along_until_they_have_positions(lang):
    steps = figure_of("permutation", lang).steps
    I, like, you = [2, 0, 1], [0, 2, 1], [-1, 0, 2]
    placed = lambda X: add(X, pos_encoding(3, 3))
    ways = lambda X: X, self_attention, placed, lambda X: self_attention(placed(X))
    for step, way in zip(steps, ways, strict=True):
        one, other = way([I, like, you]), way([you, like, I])
        gaps = [max(abs(a - b) for a, b in zip(p, q)) for p, q in zip(one, other[::-1])]
        gaps = [gap if gap > 1e-12 else 0 for gap in gaps]
        assert tables(step) == [rows([*p, gap] for p, gap in zip(one, gaps)), rows(other)]
        lines = re.findall(r'<path d="(\S+ \S+)"( class="broken")?', step.body)
        assert lines == [(f"M2,{i + .5:g} L98,{2.5 - i:g}", ' class="broken"' * (gap > 0))
                         for i, gap in enumerate(gaps)]
    assert decimals(steps[3].says) == [written(max(gaps)), written(gaps[1])]
    left, right = headers(steps[0])
    assert left[-3:] == right[-3:][::-1]


@each_in_both
def test_norms_along_and_down(lang):
    steps = figure_of("norms", lang).steps
    X, stranger = [[1, 2, 3, 4], [2, 4, 1, 3], [3, 0, 2, 5]], [90, 0, 0, 0]
    down = lambda X: [list(row) for row in zip(*map(layer_norm, zip(*X)))]
    along = lambda X: [layer_norm(row) for row in X]
    assert tables(steps[0]) == [rows([*row, mean(row), pvariance(row)] for row in X)]
    columns = list(zip(*X))
    assert tables(steps[1]) == [rows(X + [[f(c) for c in columns] for f in (mean, pvariance)])]
    for step, normalise in (steps[2], along), (steps[3], down):
        after = [normalise(batch)[0] for batch in (X[:1], X, [*X, stranger])]
        assert tables(step) == [rows([*X, stranger]), rows(after)]
        assert (after[0] == after[1] == after[2]) is (normalise is along)
    keys = [[n for n, td in enumerate(parsed(step.body).iter("td")) if td.get("class") == "key"]
            for step in steps[:2]]
    assert keys == [[0, 1, 2, 3], [0, 4, 8]]


@each_in_both
def test_block_adds_what_the_heads_found(lang):
    steps = figure_of("block", lang).steps
    X = [[1, 2, 3, 4], [2, 4, 1, 3], [3, 0, 2, 5]]
    normal = [layer_norm(row) for row in X]
    found, out = multi_head(normal, normal, normal, 2)[0], block(X, 2)[0]
    way = [[written(x) for x in row] for row in (X[0], normal[0], found, out)]
    for now, step in enumerate(steps):
        svg = next(parsed(step.body).iter("svg"))
        shown = [words(text) for text in svg.iter("text") if text.get("class") == "end"]
        assert shown[:-1] == sum(way[:now + 1], [])    # the last are the other rows
        told = [f"{name.removeprefix('▸ ')}: {', '.join(row)}"
                for name, row in zip(stages(svg), way[:now + 1])]
        assert svg.get("aria-label").split("; ") == told
        states = [rect.get("class") for rect in svg.iter("rect")]
        assert states == ["past"] * now + ["now"] + ["ahead"] * (3 - now)
        assert [name[0] == "▸" for name in stages(svg)] == [state == "now" for state in states]
    assert numbers(steps[3].says) == ["0", way[0][0], way[2][0], way[3][0]]
    alone = figure_of("block\nX = [[1, 2, 3, 4]]\nh = 1", lang).steps[3]
    assert ", ".join(written(x) for x in block([[1, 2, 3, 4]], 1)[0]) in alone.body


def stages(svg):
    """The text after each box is its name."""
    parts = list(svg)
    return [words(parts[n + 1]) for n, part in enumerate(parts) if part.tag == "rect"]


@each_in_both
def test_square_is_drawn_to_scale(lang):
    steps = figure_of("square", lang).steps
    counts = [[count_scores(n), n] for n in (8, 16, 32)]
    for k in range(3):
        assert tables(steps[k]) == [rows(counts[:k + 1])]
        assert boxes(steps[k]) == [(5 * n, 5 * n) for n in (8, 16, 32)[:k + 1]]
    assert numbers(steps[0].says) == ["8", "64"]
    assert [n for n in numbers(steps[2].says) if n != "2"] == ["1024", "32", "8"]
    scores = [n * n for n in (4096, 8192)]
    bytes_each, MiB = 2, 2**20
    table = [[f"{n:,}", n * bytes_each / MiB] for n in scores] + [[4, 4]]
    assert tables(steps[3]) == [rows(table)] and [row[1] for row in table] == [32, 128, 4]
    kept = [2 * 128 * n * bytes_each / MiB for n in (4096, 8192)]
    kept += [kept[1] / kept[0]]
    assert tables(steps[4]) == [rows([*row, x] for row, x in zip(table, kept))]
    assert boxes(steps[3]) == [(80, 80), (160, 160)]
    assert boxes(steps[4]) == [(80, 80), (5, 80), (160, 160), (5, 160)]    # 160 / 8192 * 256 is 5
    assert numbers(steps[3].says) == ["4096", "32", "8192", "128", "4"]
    assert numbers(steps[4].says)[:1] == ["256"]
    assert numbers(steps[4].says)[-3:] == [written(x) for x in kept]


def boxes(step):
    return [(float(box.get("width")), float(box.get("height")))
            for box in parsed(step.body).iter("rect")]


# ---- what does not fit is refused

@pytest.mark.parametrize("source, complaint", [
    ("positions\nd = 7", "even number"), ("positions\nd = 6", "even number"),
    ("block\nX = [[1, 2, 3, 4, 5]]\nh = 1", "room for 4"), ("block\nh = 3", "not 3 equal parts"),
    ("square\nrows = 0", ""), ("scale\nwidths = [0]", "empty")])
def test_what_cannot_be_drawn_is_refused(source, complaint):
    with pytest.raises(ValueError, match=f"^{source.split()[0]}: .*{complaint}"):
        figure_of(source)
