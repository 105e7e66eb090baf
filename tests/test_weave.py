"""What weave makes of the chapters: formulas, threads, two languages; and the served book."""

import json
import re
import sys
from html import unescape

import pytest
from fontTools.ttLib import TTFont
from markdown import Markdown
from mkdocs.config import load_config
from mkdocs.exceptions import PluginError
from test_house import ROOT, SMALL, build, built, in_nav, site, small  # noqa: F401

from examine import runnable
from tangle import original, read, scan
from weave import again, code, cover, hook, languages, maths, pieces, threads

TEXTS, _ = read(ROOT)
BOOK = pieces.book_of(TEXTS)
FILES = [path for path in BOOK.outputs if pieces.page_of(path)]


@pytest.fixture
def page(built):  # noqa: F811
    """page("zh/01-softmax/") -> the HTML of a page of the real book, built."""
    def page(url):
        name = url if url.endswith(".html") else url + "index.html"
        return (built / name).read_text(encoding="utf-8")
    return page


def url_of(path):
    """docs/01-softmax.zh.md -> zh/01-softmax/"""
    name = path.removeprefix("docs/").removesuffix(".md").removesuffix(".zh")
    return ("zh/" if original(path) else "") + ("" if name == "index" else f"{name}/")


def words(html):
    return unescape(re.sub("<[^>]+>", "", html))


# ---- formulas

def html(text, source=None):
    formulas = maths.Maths()
    formulas.source = source
    extensions = ["pymdownx.superfences", "attr_list", "def_list", "admonition", formulas]
    return Markdown(extensions=extensions).convert(text)


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
    "a list:\n\n    $$ x $$\n", "<pre>$x$</pre>", "`a$` and `$b`", r"\$x\$",
    "from $5 to $6", "$5/$6", "a $ b$ c", "a $b $ c"])
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
    place = f"docs/01-x.md:{shown.count(chr(10)) + line}: "
    assert str(told.value).startswith(place) and says in str(told.value)
    with pytest.raises(ValueError, match=f"^line {2 + line}: "):
        html(f"prepared\n\n{formula}")


def test_a_bad_formula_is_not_taken_for_a_part_of_another():
    with pytest.raises(ValueError, match="^docs/01-x.md:5: "):
        html("$x^$", source=("docs/01-x.md", "one $x^2$\n\n$$\nx^2\n$x^$"))


def test_without_its_packages_a_formula_says_so_in_one_line(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "math_core", None)
    monkeypatch.setitem(sys.modules, "fontTools", None)
    maths.converter.cache_clear()
    maths.mathml.cache_clear()
    with pytest.raises(ValueError, match="^line 1: a formula needs the package math-core"):
        html("$x$")
    with pytest.raises(ValueError, match="^the font for formulas is made with"):
        maths.font(tmp_path)
    assert html("no formula") == "<p>no formula</p>"


def test_the_font_is_made_once_and_is_small(tmp_path):
    path = maths.font(tmp_path / "cache")
    made = path.stat().st_mtime_ns
    assert path.stat().st_size < 40_000 and list((tmp_path / "cache").iterdir()) == [path]
    assert "MATH" in TTFont(path)
    assert maths.font(tmp_path / "cache").stat().st_mtime_ns == made


def test_every_letter_of_the_books_formulas_is_in_the_font(built, tmp_path):  # noqa: F811
    there = TTFont(maths.font(tmp_path)).getBestCmap().keys()
    found = [formula for path in built.rglob("*.html")
             for formula in re.findall("<math.*?</math>", path.read_text(encoding="utf-8"), re.S)]
    letters = {letter for letter in words("".join(found)) if not letter.isspace()}
    italics = set("𝑎𝑥𝑧𝐾𝑄𝑉𝜀𝜇")             # of which a browser makes a single letter
    assert found and {each for each in letters | italics if ord(each) not in there} <= {"\u2061"}


@pytest.mark.parametrize("added, says", [
    ("Bad: $\\foo$", "in the formula \\foo unknown command"),
    ("```figure\nno-such\n```", "there is no figure 'no-such'"),
])
def test_what_cannot_be_made_ends_the_build_and_names_its_line(small, added, says):  # noqa: F811
    text = SMALL["docs/01-one.md"]
    site(small, {"docs/01-one.md": f"{text}\n{added}\n"})
    made = build(small)
    assert made.returncode and f"docs/01-one.md:{text.count(chr(10)) + 2}: {says}" in made.stderr
    assert "Traceback" not in made.stderr


# ---- threads

LITTLE = {
    "docs/01-one.md": '''\
```python {#top title="tf/a.py"}
x = 1

# <<rest>>
# <<more>>
```

```python {#alone title="tf/b.py"}
y = 1
```
''',
    "docs/02-two.md": '''\
- item

    ```python {#rest title="<<rest>>"}
    x = 2
    x = 3
    ```

```python {#more title="<<more>>"}
x = 4
```
''',
    "docs/03-three.md": '''\
```python {#rest2 title="<<rest>>"}
x = 5
```

```python {#end title="tf/a.py"}
x = 6
```
''',
}


def under(id, lang="en"):
    blocks = [block for path, text in LITTLE.items() for block in scan(path, text)[0]]
    block = next(block for block in blocks if block.attrs["id"] == id)
    return threads.under(block, block.path, pieces.book_of(LITTLE), lang)


TOP, A = "[`top`](01-one.md#top) in chapter 1", "[`tf/a.py`](source/a.md#line-"


@pytest.mark.parametrize("id, says", [
    ("top", f"Line 3 of {A}3). Next piece: [`end`](03-three.md#end) in chapter 3. "
            "*rest* is defined in [`rest`](02-two.md#rest) in chapter 2, "
            "[`rest2`](03-three.md#rest2) in chapter 3. "
            "*more* is defined in [`more`](02-two.md#more) in chapter 2."),
    ("alone", "Line 3 of [`tf/b.py`](source/b.md#line-3)."),
    ("rest", f"Goes into {TOP}. Lines 6 to 7 of {A}6). "
             "Continued by [`rest2`](03-three.md#rest2) in chapter 3."),
    ("rest2", f"Goes into {TOP}. Line 10 of {A}10). "
              "Continues [`rest`](02-two.md#rest) in chapter 2."),
    ("end", f"Line 15 of {A}15). Previous piece: {TOP}."),
])
def test_under_a_block_stands_where_it_goes_and_what_is_beside_it(id, says):
    assert under(id) == says


def test_the_threads_speak_chinese_too():
    assert under("rest", "zh") == (f"放进：第 1 章 [`top`](01-one.md#top)。{A}6) 第 6–7 行。"
                                   "续：第 3 章 [`rest2`](03-three.md#rest2)。")


def test_chapters_are_called_by_their_numbers_and_the_colophon_by_its_name():
    called = [pieces.chapter_name(f"docs/{name}.md", lang)
              for name in ("02-attention", "90-tangle") for lang in ("en", "zh")]
    assert called == ["chapter 2", "第 2 章", "the colophon", "附录"]


def test_a_translation_links_to_its_own_blocks():
    text = LITTLE["docs/03-three.md"].replace("x = 5", "# <<rest>>")
    tied = threads.tie("docs/03-three.zh.md", text, pieces.book_of(LITTLE))
    assert "[`rest2`](#rest2)" in tied


def test_threads_keep_to_the_container_of_their_block():
    tied = threads.tie("docs/02-two.md", LITTLE["docs/02-two.md"], pieces.book_of(LITTLE))
    assert "    ```\n\n    Goes into [`top`]" in tied and "\n    { .threads }\n" in tied
    assert html(tied).index("threads") < html(tied).index("</ul>")


def test_every_block_that_goes_somewhere_has_its_threads(page):
    for path, text in TEXTS.items():
        blocks = [block for block in scan(path, text)[0] if "title" in block.attrs]
        told = re.findall(r'<p class="threads">(.*?)</p>', page(url_of(path)), re.S)
        assert len(told) == len(blocks), path
        for block, line in zip(blocks, told):
            file, first, last = BOOK.lands[block.attrs["id"]]
            assert f'#line-{first}"><code>{file}</code>' in line and str(last) in line


@pytest.mark.parametrize("path", FILES)
@pytest.mark.parametrize("lang", ["", "zh/"])
def test_the_page_of_a_file_has_its_lines_under_their_numbers(page, path, lang):
    shown = page(lang + pieces.page_of(path).removesuffix(".md") + "/")
    lines = dict(re.findall(r'<span id="line-(\d+)">(.*?)\n</span>', shown, re.S))
    output = BOOK.outputs[path]
    for n, (line, place) in enumerate(zip(output.lines, output.origins), 1):
        if place and line:
            assert words(lines[str(n)]) == line


def test_the_numbers_and_the_code_that_the_page_runs_are_those_of_the_blocks(page):
    for path, text in TEXTS.items():
        shown = re.findall(r'class="language-(\w+) highlight"[^>]*? data-block="(\d+)"( data-predict="")?'
                           r".*?<code>(.*?)</code>", page(url_of(path)), re.S)
        blocks = enumerate(runnable(scan(path, text)[0]))
        assert [(lang, int(n), unescape(re.sub("<[^>]+>", "", code)), bool(predict))
                for lang, n, predict, code in shown] == [
                    (block.lang, n, block.code, "predict" in block.attrs)
                    for n, block in blocks if block.lang in ("python", "pycon")], path


def test_the_index_names_every_file_definition_and_chunk(page):
    shown = words(page("source/"))
    defined = [name for path in FILES for name, _ in code.names(BOOK.outputs[path])]
    assert [each for each in [*FILES, *BOOK.chunks, *defined] if each not in shown] == []


def test_the_file_so_far_grows_from_chapter_to_chapter():
    texts = LITTLE | {"docs/02-two.zh.md": LITTLE["docs/02-two.md"]}
    told = [re.findall(r"has (\d+) lines, and (\d+) of", code.so_far(texts, path, "tf/a.py"))[0]
            for path in LITTLE]
    assert told == [("6", "4"), ("9", "3"), ("15", "2")]
    table = code.expand("docs/02-two.zh.md", "```outline\ntf/a.py\n```\n", texts, "zh")
    assert "| `tf/a.py` 中 | 写于 |" in table and "其中 3 行写于本章" in table


# ---- two languages

def test_each_language_searches_its_own_pages(built):  # noqa: F811
    for folder in built, built / "zh":
        found = json.loads((folder / "search/search_index.json").read_text(encoding="utf-8"))
        places = {entry["location"].partition("#")[0] for entry in found["docs"]}
        assert {"", "01-softmax/"} <= places
        assert [each for each in places if not (folder / each / "index.html").exists()] == []
        assert not any(each.startswith("zh/") for each in places)
        text = "".join(entry["title"] + entry["text"] for entry in found["docs"])
        assert ("份额" in text.split("\u200b")) == (folder.name == "zh")


@pytest.mark.parametrize("url, base", [
    ("", "."), ("01-softmax/", ".."), ("zh/", "."), ("zh/01-softmax/", ".."),
    ("zh/source/model/", "../..")])
def test_a_chinese_page_searches_below_its_own_folder(page, url, base):
    assert f'"base": "{base}"' in page(url)


def test_the_search_is_split_by_folder():
    places = "a/", "zh/a/#x", "zha/"
    search = {"config": {"pipeline": ["stemmer"]}, "docs": [{"location": each} for each in places]}
    first, second = languages.split(search, "zh")
    assert [entry["location"] for entry in first["docs"]] == ["a/", "zha/"]
    assert [entry["location"] for entry in second["docs"]] == ["a/#x"]
    assert first["config"]["pipeline"] == ["stemmer"] and second["config"]["pipeline"] == []


def test_a_language_has_in_its_nav_what_it_has(page):
    nav = [{"Cover": "index.md"}, {"Steps": [{"1": "01.md"}, {"2": "02.md"}]},
           {"More": [{"3": "03.md"}]}, "04.md"]
    assert languages.only(nav, {"index.md", "02.md", "04.md"}.__contains__) == [
        {"Cover": "index.md"}, {"Steps": [{"2": "02.md"}]}, "04.md"]
    assert "八个步骤" in page("zh/01-softmax/").split("<article")[0]


def test_every_name_in_the_nav_has_a_chinese_one():
    config = load_config(str(ROOT / "mkdocs.yml"))
    chinese = config.plugins["i18n"].config.languages[1].nav_translations
    sections = [name for item in config.nav if isinstance(item, dict)
                for name, pages in item.items() if isinstance(pages, list)]
    titles = sections + [title for title, _ in in_nav(config.nav)]
    assert [title for title in titles if title not in chinese] == []


def test_links_to_what_is_not_translated_lead_to_the_first_language_and_say_so():
    there = {"01-softmax.md", "index.md"}.__contains__
    turned = languages.to_the_other(
        "[a](01-softmax.md#b) [c](02-attention.md#d) [e](../index.md) [f](https://x.org/y.md) "
        "[g](source/index.md)", there, 2)
    assert turned == ("[a](01-softmax.md#b) [c](first:../../02-attention/#d) [e](../index.md) "
                      "[f](https://x.org/y.md) [g](first:../../source/)")
    assert languages.back('<a href="first:../x/">') == '<a hreflang="en" href="../x/">'


@pytest.mark.parametrize("url, others", [
    ("01-softmax/", [("./", "en"), ("../zh/01-softmax/", "zh")]),
    ("zh/source/model/", [("../../../source/model/", "en"), ("./", "zh")]),
    ("source/model/", [("./", "en"), ("../../zh/source/model/", "zh")]),
])
def test_a_page_in_two_languages_says_so(page, url, others):
    html = page(url)
    assert re.findall(r'<link rel="alternate " href="([^"]*)" hreflang="(\w+)">', html) == others
    for link, lang in others:
        assert f'href="{link}" hreflang="{lang}" class="md-select__link"' in html


def test_a_book_that_is_translated_in_part_leads_to_the_rest_in_the_first_language(small):  # noqa: F811
    (small / "docs/index.zh.md").write_text("# 书\n\n[第一章](01-one.md)\n", encoding="utf-8")
    made = build(small)
    assert made.returncode == 0, made.stderr
    cover, one = ((small / "site" / path / "index.html").read_text(encoding="utf-8") for path in ("zh", "01-one"))
    before, text = cover.split("<article")
    assert "01-one" not in before and 'hreflang="en" href="../01-one/"' in text and '"first:' not in text
    assert 'rel="alternate' in cover and 'rel="alternate' not in one


def test_a_language_without_a_cover_is_not_built(small):  # noqa: F811
    assert build(small).returncode == 0
    assert not (small / "site/zh").exists()


def test_the_page_for_what_is_not_there_speaks_both_languages(page):
    html = page("404.html")
    assert '<html lang="en"' in html and "There is no such page" in html
    assert '<div lang="zh">' in html and "没有这一页" in html


def test_headings_have_the_same_ids_in_both_languages(page):
    for path in filter(original, TEXTS):
        one, other = (re.findall(r'<h[1-3] id="([^"]+)"', page(url_of(each)))
                      for each in (path, original(path)))
        assert one == other


# ---- what a page says of itself

@pytest.mark.parametrize("text, sentence", [
    ("<h1>T</h1><p class='x'>One <em>of</em> 3.5 things is this. Two.</p>",
     "One of 3.5 things is this."),
    ("<p>Softmax 把分数变成份额。然后。</p>", "Softmax 把分数变成份额。"),
    ('<p>He said "no" and\nwent home</p>', "He said &quot;no&quot; and went home"),
    ("<h1>T</h1>", ""),
])
def test_a_description_is_the_first_sentence(text, sentence):
    assert languages.first_sentence(text) == sentence


def test_every_chapter_describes_itself_and_no_two_alike(page):
    said = []
    for path in TEXTS:
        html = page(url_of(path))
        said += re.findall(r'<meta name="description" content="([^"]+)">', html)
        assert f'property="og:description" content="{said[-1]}"' in html
        assert f'<html lang="{"zh" if original(path) else "en"}"' in html
    assert len(set(said)) == len(said) == len(TEXTS)


def test_chapters_carry_their_number_and_the_colophon_none(page):
    assert '<p class="eyebrow">Chapter 1</p>\n<h1' in page("01-softmax/")
    assert '<p class="eyebrow">第 1 章</p>\n<h1' in page("zh/01-softmax/")
    assert "eyebrow" not in page("90-tangle/")


def test_the_picture_on_the_cover_shows_the_weights_it_says():
    drawn, table = cover.picture(row=3), cover.weights()
    sides = re.findall(r'class="ink"[^>]* width="([\d.]+)"', drawn)
    weights = [weight for i, row in enumerate(table) for weight in row[:i + 1]]
    assert len(sides) == len(weights) and drawn.count('<g class="asks">') == 4
    assert all(row[i + 1:] == [0] * (len(row) - i - 1) for i, row in enumerate(table))
    assert all(abs((float(side) / cover.FRAME) ** 2 - weight) < 0.01
               for side, weight in zip(sides, weights))


# ---- the served book

def test_code_saved_in_a_chapter_is_tangled_and_copied_into_its_translation(
        small, monkeypatch):  # noqa: F811
    text = SMALL["docs/01-one.md"]
    chapter, chinese, model = (small / each for each in (
        "docs/01-one.md", "docs/01-one.zh.md", "tf/model.py"))
    chinese.write_text(text.replace("first words", "头几个字"), encoding="utf-8")
    chapter.write_text(text.replace("x = 1", "x = 2"), encoding="utf-8")
    config = load_config(str(small / "mkdocs.yml"))
    monkeypatch.setattr(hook, "serving", True)
    hook.on_pre_build(config)
    assert "x = 2" in model.read_text(encoding="utf-8")
    assert {"头几个字", "x = 2"} <= set(chinese.read_text(encoding="utf-8").split("\n"))
    chapter.write_text(text, encoding="utf-8")
    monkeypatch.setattr(hook, "serving", False)
    with pytest.raises(PluginError, match="differs from docs/01-one.md"):
        hook.on_pre_build(config)


class Page:
    def __init__(self):
        self.file = type("File", (), {"dest_uri": "a/index.html", "src_uri": "a.md"})
        self.runs = 0

    def render(self, config, files):
        self.runs += 1
        self.content, self.toc, self._title_from_render = "html", [], "Title"
        self.present_anchor_ids = {"x"}
        self.links_to_anchors = {self.file: {"x": "a.md#x"}}


class Files:
    def get_file_from_path(self, uri):
        return f"today's {uri}"


def test_a_page_is_rendered_again_when_what_it_is_made_of_has_changed(monkeypatch):
    monkeypatch.setattr(again, "kept", {})
    for made_of, runs in ("one", 1), ("one", 0), ("two", 1), ("one", 1):
        made = Page()
        again.sparing(made.render, made, made_of)(None, Files())
        assert made.runs == runs
        assert (made.content, made.present_anchor_ids) == ("html", {"x"})
        assert runs or made.links_to_anchors == {"today's a.md": {"x": "a.md#x"}}


def test_code_that_was_tangled_again_is_read_anew(monkeypatch):
    import tf.model  # noqa: F401
    import weave.figures.draw  # noqa: F401
    for name in list(sys.modules):
        if name.startswith(("tf.", "weave.")):
            monkeypatch.setitem(sys.modules, name, sys.modules[name])    # and back again
    again.forget()
    assert "tf.model" not in sys.modules and "weave.figures.draw" in sys.modules


def test_the_served_search_reads_a_page_again_only_if_its_text_has_changed():
    class Index:
        def __init__(self):
            self.entries = []

        def add_entry_from_context(self, page):
            read.append(page.content)
            self.entries.append({"text": page.content})

    class Page:
        url, title = "a/", "A"

    read, page = [], Page()
    again.sparing_search(Index)
    for page.content in "one", "one", "two", "one":
        index = Index()
        index.add_entry_from_context(page)
        assert index.entries == [{"text": page.content}]
        index.entries[0]["text"] = "changed by somebody"
    assert read == ["one", "two", "one"]
