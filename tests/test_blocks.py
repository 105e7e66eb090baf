"""Three readers of a page find the same blocks of Python: tangle.py, CommonMark, the site."""

import re
from html import unescape
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from markdown import markdown
from markdown_it import MarkdownIt
from mkdocs.utils.meta import get_data
from rendered import extensions
from tangle import PYTHON, read, scan
from tangle_pages import PAGES

ROOT = Path(__file__).parent.parent
TEXTS, _ = read(ROOT)
CONTAINERS = (ROOT / "tests/cases/containers.md").read_text(encoding="utf-8")

# The containers that CommonMark lacks: notes, questions, tabs. What stands in their bodies, four
# blanks in, is an example for it.
LACKING = re.compile(r'(!!!|\?\?\?\+?) [a-z]+( ".*")?|=== ".*"')

SHOWN = re.compile(r"""<div(?:\ id="(?P<id>[^"]*)")?\ class="[^"]*language-(?P<lang>[^\s"]+)[^"]*">
    (?:<span\ class="filename">(?P<title>.*?)</span>)?<pre.*?>(?P<code>.*?)</pre>""", re.S | re.X)


def by_tangle(text):
    """[Block], or None if the page has mistakes."""
    blocks, errors = scan("docs/page.md", text)
    return None if errors else [block for block in blocks if block.lang in PYTHON]


def by_commonmark(text):
    """[(language, code)]"""
    tokens = MarkdownIt("commonmark").parse(as_read(text))
    blocks = [(token.info.split(" ")[0], token.content)
              for token in tokens if token.type == "fence"]
    return [(lang, smooth(code)) for lang, code in blocks if lang in PYTHON]


def by_site(text):
    """[(language, id, title, code)]"""
    html = re.sub("<!--.*?-->", "", markdown(as_read(text), **extensions()), flags=re.S)
    return [(*(part and unescape(part) for part in block.group("lang", "id", "title")),
             smooth(unescape(re.sub("<[^>]*>", "", block["code"]))))
            for block in SHOWN.finditer(html) if block["lang"] in PYTHON]


def as_read(text):
    """The text as mkdocs reads it: lines that end alike, no byte-order mark, no front matter."""
    return get_data(text.removeprefix("\ufeff").replace("\r\n", "\n"))[0]


def smooth(code):
    """Code without blanks in empty lines, as tangle.py has it, or empty lines at its ends."""
    return re.sub(r"(?m)^[ \t]+$", "", code).strip("\n")


def is_lacking(block, lines):
    """Is a container around the block one that CommonMark lacks?"""
    lead = block.prefix.expandtabs(4)
    for line in reversed(lines[:block.line - 1]):
        text = line.lstrip("> \t")
        outer = line.removesuffix(text).expandtabs(4)
        if text and lead.startswith(outer + "    "):
            if LACKING.fullmatch(text):
                return True
            lead = outer
    return False


def agree(text):
    """Hold the three lists to each other; return how many blocks there are."""
    blocks = by_tangle(text)
    wanted = [(block.lang, block.attrs.get("id"), block.attrs.get("title"), smooth(block.code))
              for block in blocks]
    assert by_site(text) == wanted
    lines = text.replace("\r\n", "\n").split("\n")
    wanted = [(block.lang, smooth(block.code)) for block in blocks if not is_lacking(block, lines)]
    assert by_commonmark(text) == wanted
    return len(blocks)


@pytest.mark.long
@pytest.mark.parametrize("path", TEXTS)
def test_the_book(path):
    agree(TEXTS[path])


@pytest.mark.parametrize("form", [str, lambda text: text.replace("\n", "\r\n"), "\ufeff{}".format],
                         ids=["as it is", "CRLF", "byte-order mark"])
def test_every_container(form):
    assert agree(form(CONTAINERS)) == 25


@pytest.mark.long
@settings(max_examples=2000, deadline=None, derandomize=True,
          suppress_health_check=list(HealthCheck))
@given(PAGES)
def test_pages_at_random(text):
    if by_tangle(text):
        agree(text)
