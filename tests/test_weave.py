"""What weave makes of the chapters: formulas, threads between pieces, two languages, the served book."""

import json
import re
import sys
from html import unescape

import pytest
from markdown import Markdown
from mkdocs.config import load_config
from test_house import ROOT, SMALL, build, built, in_nav, site, small  # noqa: F401

from tangle import original, read, scan
from weave import again, code, cover, languages, maths, threads

TEXTS, _ = read(ROOT)
BOOK = code.book_of(TEXTS)


# ---- formulas

def html(text, source=None):
    formulas = maths.Maths()
    formulas.source = source
    return Markdown(extensions=["pymdownx.superfences", "attr_list", "def_list", "admonition", formulas]).convert(text)


def test_a_formula_becomes_mathml_in_a_line_and_by_itself():
    made = html("The root $\\sqrt{d}$.\n\n$$\n\\frac{a}{b}\n$$\n")
    assert "<p>The root <math><msqrt><mi>d</mi></msqrt></math>.</p>" in made
    assert '<div class="formula" tabindex="0"><math display="block"><mfrac>' in made


@pytest.mark.parametrize("text, holds", [
    ("- item\n\n    $$ x $$\n", '<li>\n<p>item</p>\n<div class="formula"'),
    ("!!! note\n    $x$ and\n\n    $$ y $$\n", "<p><math><mi>x</mi></math> and</p>"),
    ("$x$\n:   what $y$ is\n", "<dt><math><mi>x</mi></math></dt>"),
    ("**$a_1 b_2$** and $|x|$, $a < b$", "<mo>&lt;</mo>"),
])
def test_formulas_stand_wherever_text_does(text, holds):
    made = html(text)
    assert holds in made and "$" not in made


@pytest.mark.parametrize("text", [
    "`$x$`", "```python\nx = '$y$'\n```", "    indented $x$", "```text\n$$\nx\n$$\n```",
    "a list:\n\n    $$ x $$\n", "from $5 to $6", "$5/$6", "a $ b$ c", "a $b $ c", r"\$x\$", "<pre>$x$</pre>",
    "`a$` and `$b`"])
def test_code_and_money_are_left_alone(text):
    made = html(text)
    assert "<math" not in made and "$" in made and "\\$" not in made


@pytest.mark.parametrize("formula, line, says", [
    ("$\\foo$", 1, r'in the formula \foo unknown command "\foo"'),
    ("$$\n\\frac{a}{\n$$", 2, r'in the formula \frac{a}{ expected closing token "}"'),
    ("$a & b$", 1, 'found "&"'),
    ("and\n$$\nx\n$$", 2, "stands by itself"),
])
def test_a_bad_formula_is_told_with_its_place(formula, line, says):
    shown = f"one\n\n```text\n{formula}\n```\n\n`{formula}`\n\n"
    with pytest.raises(ValueError) as told:
        html(f"prepared\n\n{formula}", source=("docs/01-x.md", shown + formula))
    assert str(told.value).startswith(f"docs/01-x.md:{shown.count(chr(10)) + line}: ") and says in str(told.value)
    with pytest.raises(ValueError, match=f"^line {2 + line}: "):
        html(f"prepared\n\n{formula}")


def test_without_its_packages_a_formula_says_so_in_one_line(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "math_core", None)
    monkeypatch.setitem(sys.modules, "fontTools", None)
    maths.converter.cache_clear(), maths.mathml.cache_clear()
    with pytest.raises(ValueError, match="^line 1: a formula needs the package math-core"):
        html("$x$")
    with pytest.raises(ValueError, match="^the font for formulas is made with"):
        maths.font(tmp_path)
    assert html("no formula") == "<p>no formula</p>"
    maths.converter.cache_clear()


def test_the_font_is_made_once_holds_what_formulas_need_and_no_more(tmp_path):
    from fontTools.ttLib import TTFont
    path = maths.font(tmp_path / "cache")
    made = path.stat().st_mtime_ns
    assert path.stat().st_size < 40_000 and [each.name for each in (tmp_path / "cache").iterdir()] == [path.name]
    font = TTFont(path)
    assert "MATH" in font and {ord(letter) for letter in "x∑√∞⊤≤𝑥𝜀"} <= font.getBestCmap().keys()
    assert maths.font(tmp_path / "cache").stat().st_mtime_ns == made


def test_every_letter_of_the_books_formulas_is_in_the_font(built, tmp_path):  # noqa: F811
    from fontTools.ttLib import TTFont
    there = TTFont(maths.font(tmp_path)).getBestCmap()
    found = [formula for path in built.rglob("*.html")
             for formula in re.findall("<math.*?</math>", path.read_text(encoding="utf-8"), re.S)]
    letters = set(unescape("".join(re.sub("<[^>]+>", "", formula) for formula in found)))
    assert found and {letter for letter in letters if not letter.isspace() and ord(letter) not in there} <= {"\u2061"}


def test_a_bad_formula_ends_the_build_and_names_chapter_and_line(small):  # noqa: F811
    text = SMALL["docs/01-one.md"]
    site(small, {"docs/01-one.md": text + "\nBad: $\\foo$\n"})
    made = build(small)
    line = text.count("\n") + 2
    assert made.returncode and f"docs/01-one.md:{line}: in the formula \\foo" in made.stderr
    assert "Traceback" not in made.stderr


def test_a_figure_that_raises_ends_the_build_and_names_chapter_and_line(small):  # noqa: F811
    text = SMALL["docs/01-one.md"]
    site(small, {"docs/01-one.md": text + "\n```figure\nno-such\n```\n"})
    made = build(small)
    line = text.count("\n") + 2
    assert made.returncode and f"docs/01-one.md:{line}: there is no figure 'no-such'" in made.stderr
    assert "Traceback" not in made.stderr


# ---- threads

LITTLE = {
    "docs/01-one.md": '```python {#top title="tf/a.py"}\nx = 1\n\n# <<rest>>\n# <<more>>\n```\n\n'
                      '```python {#alone title="tf/b.py"}\ny = 1\n```\n',
    "docs/02-two.md": '- item\n\n    ```python {#rest title="<<rest>>"}\n    x = 2\n    x = 3\n    ```\n\n'
                      '```python {#more title="<<more>>"}\nx = 4\n```\n',
    "docs/03-three.md": '```python {#rest2 title="<<rest>>"}\nx = 5\n```\n\n```python {#end title="tf/a.py"}\nx = 6\n```\n',
}


def under(id, lang="en"):
    texts = LITTLE
    book = code.book_of(texts)
    block = next(block for path, text in texts.items() for block in scan(path, text)[0] if block.attrs["id"] == id)
    return threads.under(block, block.path, book, lang)


@pytest.mark.parametrize("id, says", [
    ("top", "Line 3 of [`tf/a.py`](source/a.md#line-3). Next piece: [`end`](03-three.md#end) in chapter 3. "
            "*rest* is defined in [`rest`](02-two.md#rest) in chapter 2, [`rest2`](03-three.md#rest2) in chapter 3. "
            "*more* is defined in [`more`](02-two.md#more) in chapter 2."),
    ("alone", "Line 3 of [`tf/b.py`](source/b.md#line-3)."),
    ("rest", "Goes into [`top`](01-one.md#top) in chapter 1. Lines 6 to 7 of [`tf/a.py`](source/a.md#line-6). "
             "Continued by [`rest2`](03-three.md#rest2) in chapter 3."),
    ("rest2", "Goes into [`top`](01-one.md#top) in chapter 1. Line 10 of [`tf/a.py`](source/a.md#line-10). "
              "Continues [`rest`](02-two.md#rest) in chapter 2."),
    ("end", "Line 15 of [`tf/a.py`](source/a.md#line-15). Previous piece: [`top`](01-one.md#top) in chapter 1."),
])
def test_under_a_block_stands_where_it_goes_and_what_is_beside_it(id, says):
    assert under(id) == says


def test_the_threads_speak_chinese_too():
    assert under("rest", "zh") == ("放进：第 1 章 [`top`](01-one.md#top)。[`tf/a.py`](source/a.md#line-6) 第 6–7 行。"
                                   "续：第 3 章 [`rest2`](03-three.md#rest2)。")


def test_a_translation_links_to_its_own_blocks():
    text = LITTLE["docs/03-three.md"]
    assert "[`rest2`](#rest2)" in threads.tie("docs/03-three.zh.md", text.replace("x = 5", "# <<rest>>"), code.book_of(LITTLE))


def test_threads_keep_to_the_container_of_their_block():
    tied = threads.tie("docs/02-two.md", LITTLE["docs/02-two.md"], code.book_of(LITTLE))
    assert "    ```\n\n    Goes into [`top`]" in tied and "\n    { .threads }\n" in tied
    assert html(tied).index("threads") < html(tied).index("</ul>")


def test_every_block_that_goes_somewhere_has_its_line_of_threads(built):  # noqa: F811
    for path, text in TEXTS.items():
        blocks = [block for block in scan(path, text)[0] if "title" in block.attrs]
        page = built / code_page(path)
        told = re.findall(r'<p class="threads">(.*?)</p>', page.read_text(encoding="utf-8"), re.S)
        assert len(told) == len(blocks), path
        for block, line in zip(blocks, told):
            file, first, last = BOOK.lands[block.attrs["id"]]
            assert f'#line-{first}"><code>{file}</code>' in line and str(last) in line


def code_page(path):
    name = path.removeprefix("docs/")
    lang = "zh/" if original(path) else ""
    name = name.removesuffix(".md").removesuffix(".zh")
    return lang + ("index.html" if name == "index" else f"{name}/index.html")


@pytest.mark.parametrize("path", [path for path in BOOK.outputs if code.page_of(path)])
@pytest.mark.parametrize("lang", ["", "zh/"])
def test_the_page_of_a_file_has_every_line_of_it_under_its_number(built, path, lang):  # noqa: F811
    page = built / lang / code.page_of(path).removesuffix(".md") / "index.html"
    shown = dict(re.findall(r'<span id="line-(\d+)">(.*?)\n</span>', page.read_text(encoding="utf-8"), re.S))
    for n, (line, place) in enumerate(zip(BOOK.outputs[path].lines, BOOK.outputs[path].origins), 1):
        if place and line:
            assert unescape(re.sub("<[^>]+>", "", shown[str(n)])) == line


def test_the_index_names_every_file_definition_and_chunk(built):  # noqa: F811
    page = re.sub("<[^>]+>", "", (built / "source/index.html").read_text(encoding="utf-8"))
    names = [name for output in map(BOOK.outputs.get, filter(code.page_of, BOOK.outputs)) for name, _ in code.names(output)]
    assert [each for each in [*BOOK.outputs, *BOOK.chunks, *names] if each not in unescape(page)] == []


def test_the_file_so_far_grows_from_chapter_to_chapter():
    texts = {path: text for path, text in LITTLE.items()} | {"docs/02-two.zh.md": LITTLE["docs/02-two.md"]}
    told = [re.findall(r"has (\d+) lines, and (\d+) of", code.so_far(texts, path, "tf/a.py"))[0] for path in LITTLE]
    assert told == [("6", "4"), ("9", "3"), ("15", "2")]
    outline = code.expand("docs/02-two.zh.md", "```outline\ntf/a.py\n```\n", texts, "zh")
    assert "| `tf/a.py` 中 | 写于 |" in outline and "其中 3 行写于本章" in outline


# ---- two languages

def test_each_language_searches_its_own_pages(built):  # noqa: F811
    for folder in "", "zh/":
        found = json.loads((built / folder / "search/search_index.json").read_text(encoding="utf-8"))
        places = {entry["location"].partition("#")[0] for entry in found["docs"]}
        assert {"", "01-softmax/"} <= places and not any(place.startswith("zh/") for place in places)
        assert [place for place in places if not (built / folder / place / "index.html").exists()] == []
        text = "".join(entry["title"] + entry["text"] for entry in found["docs"])
        assert ("份额" in text.split("\u200b")) == (folder == "zh/")


def test_a_chinese_page_searches_below_its_own_folder(built):  # noqa: F811
    for page, base in {"index.html": ".", "01-softmax/index.html": "..", "zh/index.html": ".",
                       "zh/01-softmax/index.html": "..", "zh/source/model/index.html": "../.."}.items():
        assert re.search(r'"base": "([^"]*)"', (built / page).read_text(encoding="utf-8"))[1] == base, page


def test_the_search_is_split_by_folder():
    search = {"config": {"pipeline": ["stemmer"]}, "docs": [{"location": "a/"}, {"location": "zh/a/#x"}, {"location": "zha/"}]}
    first, second = languages.split(search, "zh")
    assert [entry["location"] for entry in first["docs"]] == ["a/", "zha/"]
    assert [entry["location"] for entry in second["docs"]] == ["a/#x"]
    assert second["config"]["pipeline"] == [] and first["config"]["pipeline"] == ["stemmer"]


def test_a_language_has_in_its_nav_what_it_has(built):  # noqa: F811
    nav = [{"Cover": "index.md"}, {"Steps": [{"1": "01.md"}, {"2": "02.md"}]}, {"More": [{"3": "03.md"}]}, "04.md"]
    assert languages.only(nav, {"index.md", "02.md", "04.md"}.__contains__) == [
        {"Cover": "index.md"}, {"Steps": [{"2": "02.md"}]}, "04.md"]
    page = (built / "zh/01-softmax/index.html").read_text(encoding="utf-8")
    assert "八个步骤" in page and "02-attention/" not in page.split("<article")[0]


def test_every_name_in_the_nav_has_a_chinese_one():
    config = load_config(str(ROOT / "mkdocs.yml"))
    chinese = config.plugins["i18n"].config.languages[1].nav_translations
    sections = [name for item in config.nav if isinstance(item, dict) for name, pages in item.items() if isinstance(pages, list)]
    titles = [title for title, page in in_nav(config.nav) if title]
    assert [title for title in sections + titles if title not in chinese] == []


def test_links_to_what_is_not_translated_lead_to_the_first_language_and_say_so():
    there = {"01-softmax.md", "index.md"}.__contains__
    text = "[a](01-softmax.md#b) [c](02-attention.md#d) [e](../index.md) [f](https://x.org/y.md) [g](source/index.md)"
    turned = languages.to_the_other(text, there, 2)
    assert turned == ("[a](01-softmax.md#b) [c](first:../../02-attention/#d) [e](../index.md) "
                      "[f](https://x.org/y.md) [g](first:../../source/)")
    assert languages.back('<a href="first:../x/">') == '<a hreflang="en" href="../x/">'


def test_no_page_keeps_a_link_of_the_makers(built):  # noqa: F811
    pages = {path: path.read_text(encoding="utf-8") for path in built.rglob("*.html")}
    assert [path for path, page in pages.items() if '"first:' in page] == []
    assert 'hreflang="en" href="../../02-attention/"' in pages[built / "zh/01-softmax/index.html"]


def test_a_page_in_two_languages_says_so_and_no_other_does(built):  # noqa: F811
    def others(page):
        return re.findall(r'<link rel="alternate " href="([^"]*)" hreflang="(\w+)">', (built / page).read_text(encoding="utf-8"))
    assert others("01-softmax/index.html") == [("./", "en"), ("../zh/01-softmax/", "zh")]
    assert others("02-attention/index.html") == []
    assert ("../../zh/source/model/", "zh") in others("source/model/index.html")
    assert ("../../../source/model/", "en") in others("zh/source/model/index.html")
    assert 'href="../zh/01-softmax/" hreflang="zh" class="md-select__link"' in (built / "01-softmax/index.html").read_text()


def test_a_language_without_a_cover_is_not_built(small):  # noqa: F811
    assert build(small).returncode == 0
    assert not (small / "site/zh").exists()


def test_the_page_for_what_is_not_there_speaks_both_languages(built):  # noqa: F811
    page = (built / "404.html").read_text(encoding="utf-8")
    assert '<html lang="en"' in page and "There is no such page" in page
    assert '<div lang="zh">' in page and "没有这一页" in page


def test_headings_have_the_same_ids_in_both_languages(built):  # noqa: F811
    def ids(page):
        return re.findall(r'<h[1-3] id="([^"]+)"', (built / page).read_text(encoding="utf-8"))
    for path in TEXTS:
        if original(path):
            assert ids(code_page(path)) == ids(code_page(original(path)))


# ---- what a page says of itself

@pytest.mark.parametrize("text, sentence", [
    ("<h1>T</h1><p class='x'>One <em>of</em> 3.5 things is this. Two.</p>", "One of 3.5 things is this."),
    ("<p>Softmax 把分数变成份额。然后。</p>", "Softmax 把分数变成份额。"),
    ('<p>He said "no" and\nwent home</p>', "He said &quot;no&quot; and went home"),
    ("<h1>T</h1>", ""),
])
def test_a_description_is_the_first_sentence(text, sentence):
    assert languages.first_sentence(text) == sentence


def test_every_page_describes_itself_and_no_two_chapters_alike(built):  # noqa: F811
    said = {}
    for path in TEXTS:
        page = (built / code_page(path)).read_text(encoding="utf-8")
        said[path] = re.findall(r'<meta name="description" content="([^"]+)">', page)
        assert len(said[path]) == 1 and f'property="og:description" content="{said[path][0]}"' in page
        assert f'<html lang="{"zh" if original(path) else "en"}"' in page
    assert len({tuple(each) for each in said.values()}) == len(said)


def test_chapters_carry_their_number_and_the_colophon_none(built):  # noqa: F811
    assert '<p class="eyebrow">Chapter 1</p>\n<h1' in (built / "01-softmax/index.html").read_text(encoding="utf-8")
    assert '<p class="eyebrow">第 1 章</p>\n<h1' in (built / "zh/01-softmax/index.html").read_text(encoding="utf-8")
    assert "eyebrow" not in (built / "90-tangle/index.html").read_text(encoding="utf-8")


def test_the_picture_on_the_cover_shows_the_weights_it_says():
    drawn = cover.picture(row=3)
    sides = [float(side) for side in re.findall(r'class="ink"[^>]* width="([\d.]+)"', drawn)]
    table = cover.weights()
    n = len(table)
    assert len(sides) == n * (n + 1) // 2 and drawn.count('<g class="asks">') == 4
    shown = iter(sides)
    for i, row in enumerate(table):
        assert row[i + 1:] == [0] * (n - i - 1)
        for weight in row[:i + 1]:
            assert abs((next(shown) / 17) ** 2 - weight) < 0.01


# ---- the served book

def test_code_saved_in_a_chapter_is_tangled_and_copied_into_its_translation(small, monkeypatch):  # noqa: F811
    from mkdocs.exceptions import PluginError
    from weave import hook
    text = SMALL["docs/01-one.md"]
    site(small, {"docs/01-one.zh.md": text.replace("first words", "头几个字"), "docs/01-one.md": text.replace("x = 1", "x = 2")})
    config = load_config(str(small / "mkdocs.yml"))
    monkeypatch.setattr(hook, "serving", True)
    hook.on_pre_build(config)
    assert "头几个字" in (chinese := (small / "docs/01-one.zh.md").read_text(encoding="utf-8")) and "x = 2" in chinese
    assert "x = 2" in (small / "tf/model.py").read_text(encoding="utf-8")
    site(small, {"docs/01-one.md": text})
    monkeypatch.setattr(hook, "serving", False)
    with pytest.raises(PluginError, match="differs from docs/01-one.md"):
        hook.on_pre_build(config)


class Page:
    def __init__(self, uri="a.md"):
        self.file = type("File", (), {"dest_uri": uri, "src_uri": uri})
        self.runs = 0

    def render(self, config, files):
        self.runs += 1
        self.content, self.toc, self._title_from_render, self.present_anchor_ids = "html", [], "T", {"x"}
        self.links_to_anchors = {self.file: {"x": "a.md#x"}}


class Files:
    def get_file_from_path(self, uri):
        return f"the file {uri} of today"


def test_a_page_is_rendered_again_when_what_it_is_made_of_has_changed():
    again.kept.clear()
    for made_of, runs in ("one", 1), ("one", 0), ("two", 1), ("one", 1):
        page = Page()
        again.sparing(page.render, page, made_of)(None, Files())
        assert page.runs == runs and page.content == "html" and page.present_anchor_ids == {"x"}
        assert runs or page.links_to_anchors == {"the file a.md of today": {"x": "a.md#x"}}
    again.kept.clear()


def test_code_that_was_tangled_again_is_read_anew():
    import tf.model  # noqa: F401
    import weave.figures.draw  # noqa: F401
    before = sys.modules["weave.figures.draw"]
    kept = {name: module for name, module in sys.modules.items() if re.match("tf|weave", name)}
    try:
        again.forget()
        assert "tf.model" not in sys.modules and sys.modules["weave.figures.draw"] is before
    finally:
        sys.modules.update(kept)
