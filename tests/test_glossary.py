"""The glossary is in order, leads to where a word is introduced, and explains it on the pages."""

import re
from html import unescape

import pytest
from rendered import DOCS, page, section, source
from weave.glossary import marked, rows, terms

TEXT = source("glossary.md")
ROWS = rows(TEXT)


def words(html):
    """The text in it, as one line: `layer_norm` is layer norm."""
    return re.sub(r"[\s_]+", " ", unescape(re.sub("<[^>]+>", "", html)))


def test_every_line_of_the_table_is_read():
    lines = [line for line in TEXT.splitlines() if line.startswith("|")]
    assert len(ROWS) == len(lines) - 2 >= 35


def test_the_terms_are_sorted_and_each_stands_there_once():
    names = [term.strip("`").lower() for term, *_ in ROWS]
    assert names == sorted(set(names))


@pytest.mark.parametrize("term, meaning, link, wanted", ROWS, ids=[term for term, *_ in ROWS])
def test_a_term_has_one_line_and_leads_to_where_it_is_introduced(term, meaning, link, wanted):
    assert 10 < len(meaning) < 120 and meaning == meaning.strip()
    assert not wanted or not re.search(r"[`*<&]", term + meaning)
    name = term.strip("`")
    assert re.search(rf"\b{name}s?\b", words(section(link)), re.I)


def test_the_label_of_a_link_says_where_it_leads():
    labels = re.findall(r"\[([^]]+)\]\(([^)]+)\) \|$", TEXT, re.M)
    for label, link in labels:
        number = re.match(r"0?([1-8]?\d)-", link)
        names = {"index.md": "cover", "90-tangle.md": "colophon"}
        assert label == (f"chapter {number[1]}" if number else names[link.split("#")[0]])


@pytest.mark.parametrize("term", [term for term, _ in terms(TEXT)])
def test_a_page_of_the_book_explains_the_term(term):
    pages = [page(path.name) for path in DOCS.glob("[0-9]*.md") if path.stem.count(".") == 0]
    assert any("<abbr" in marked(html, [(term, "meaning")]) for html in pages)


@pytest.mark.parametrize("path", sorted(DOCS.glob("[0-9]*.md")), ids=lambda path: path.name)
def test_marking_adds_nothing_but_abbr(path):
    html = marked(page(path.name), terms(TEXT))
    assert re.sub(r'<abbr title="[^"]*">(.*?)</abbr>', r"\1", html, flags=re.S) == page(path.name)
    code = r"<(pre|h\d|a|code)\b.*?</\1>"
    assert not any("<abbr" in found[0] for found in re.finditer(code, html, re.S))
    said = re.findall(r"<abbr[^>]*>(.*?)</abbr>", html, re.S)
    assert len({" ".join(term.lower().split()) for term in said}) == len(said)


# ---- marked

def test_a_row_is_a_term_its_meaning_its_place_and_whether_it_is_in_italics():
    text = """| term | means | in |
|---|---|---|
| *a b* | two | [c](d.md#e) |
| f | g | [h](i.md) |
"""
    assert rows(text) == [("a b", "two", "d.md#e", True), ("f", "g", "i.md", False)]
    assert terms(text) == [("a b", "two")]


@pytest.mark.parametrize("html, result", [
    ("a cat sat", "a [cat] sat"),
    ("a cat, a cat", "a [cat], a cat"),
    ("Cat", "[Cat]"),
    ("CAT, cats, bobcat, cat-like, _cat", "CAT, cats, bobcat, cat-like, _cat"),
    ("a black\ncat", "a [black\ncat]"),
    ("Black cat, cat", "[Black cat], [cat]"),
    ("cat flap, cat", "[cat flap], [cat]"),
    ("<em>cat</em>", "<em>[cat]</em>"),
    ("<h2 id='x'>cat</h2>cat", "<h2 id='x'>cat</h2>[cat]"),
    ("<pre><code>cat</code> cat</pre>cat", "<pre><code>cat</code> cat</pre>[cat]"),
    ("<code>cat</code><a href='#'>the cat</a>", "<code>cat</code><a href='#'>the cat</a>"),
    ("<aside>cat</aside>", "<aside>[cat]</aside>"),
    ("<abbr title='x'>cat</abbr> cat", "<abbr title='x'>cat</abbr> [cat]"),
    ("<script>cat</script><style>cat</style>", "<script>cat</script><style>cat</style>"),
    ("<svg><text>cat</text></svg><math>cat</math>",) * 2,
    ('<p title="a > cat">cat', '<p title="a > cat">[cat]'),
    ("<img alt='cat'><!-- > cat -->cat", "<img alt='cat'><!-- > cat -->[cat]"),
    ('<span class="filename chunk">cat</span>', '<span class="filename chunk">cat</span>'),
    ('<div class="toc"><ul><li><a href="#cat">cat</a></li></ul></div>',) * 2,
    ("a &lt; cat", "a &lt; [cat]"),
])
def test_the_first_in_running_text_is_marked(html, result):
    cats = [(name, "purrs") for name in ("cat", "black cat", "cat flap")]
    assert marked(html, cats) == result.replace("[", '<abbr title="purrs">').replace("]", "</abbr>")


def test_a_meaning_is_made_safe_and_no_terms_are_no_change():
    assert marked("nan", [("nan", '"not" <a> & b')]) == \
        '<abbr title="&quot;not&quot; &lt;a&gt; &amp; b">nan</abbr>'
    assert marked("<p>nan</p>", []) == "<p>nan</p>"
