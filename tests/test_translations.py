"""English and Chinese cannot drift: page by page the same places, blocks, figures, links, exercises;
and a page whose English has changed is named."""

import re

import pytest
from rendered import DOCS, page, source
from tangle import original, scan
from weave import follows

PAIRS = sorted(path.name for path in DOCS.glob("*.zh.md"))
HEADING = re.compile(r"<(h[1-6]) id=\"([^\"]*)\"")
PLACE = re.compile(r"<(?:p|div|li)[^>]* id=\"([^\"]*)\"")


@pytest.fixture(params=PAIRS)
def pair(request):
    """(the English page, the Chinese page), as text."""
    return source(original(request.param)), source(request.param)


@pytest.fixture(params=PAIRS)
def shown(request):
    """The same, as HTML."""
    return page(original(request.param)), page(request.param)


def test_every_page_is_in_both_languages():
    wanted = {path.stem + ".zh.md" for path in DOCS.glob("*.md") if ".zh." not in path.name}
    missing = [f"docs/{name}: copy {original(name)} there, translate it, then: "
               f"python3 weave/follows.py docs/{name}" for name in sorted(wanted - {*PAIRS})]
    assert not missing, "a page is missing\n" + "\n".join(missing)
    assert {*PAIRS} == wanted


def test_the_headings_have_the_same_places_in_the_same_order(shown):
    there, here = map(HEADING.findall, shown)
    assert there == here


def test_what_can_be_linked_to_in_english_can_be_in_chinese(shown):
    there, here = PLACE.findall(shown[0]), set(re.findall(r' id="([^"]*)"', shown[1]))
    assert [id for id in there if id not in here] == []


def test_the_blocks_are_the_same_to_the_byte_and_so_are_the_figures(pair):
    there, here = ([(block.header, block.code) for block in scan("docs/page.md", text)[0]
                    if block.lang != "text"] for text in pair)
    assert there == here


def test_the_links_lead_to_the_same_places(pair):
    there, here = (sorted(re.findall(r"\]\(([^)\s]+)\)", text)) for text in pair)
    assert there == here


def test_the_formulas_are_the_same(pair):
    there, here = (sorted(" ".join(formula.split()) for formula in
                          re.findall(r"\$\$?([^$]+?)\$\$?", outside_code(text))) for text in pair)
    assert there == here


def outside_code(text):
    return re.sub(r"(?ms)^( *)(`{3,}).*?^\1\2|`[^`\n]+`", "", text)


def test_there_are_as_many_exercises_notes_and_tables(pair):
    def count(text):
        text = outside_code(text)
        return [len(re.findall(pattern, text, re.M)) for pattern in
                (r"^ *\?\?\?", r"^ *!!!", r"^ *\|[-: |]+\|$", r"^ *\|", r"^ *\d+\. ")]
    there, here = map(count, pair)
    assert there == here


# ---- follows

def book(folder, **pages):
    (folder / "docs").mkdir()
    for name, text in pages.items():
        (folder / "docs" / f"{name.replace('_', '.')}.md").write_text(text, encoding="utf-8")
    return folder


def test_a_page_that_was_signed_is_stale_once_its_english_has_changed(tmp_path, capsys):
    book(tmp_path, a="# A\n", a_zh="# 甲\n")
    assert follows.main(tmp_path, []) and "docs/a.zh.md: is not signed yet. " in capsys.readouterr().out
    assert not follows.main(tmp_path, ["docs/a.zh.md"])
    assert not follows.main(tmp_path, []) and capsys.readouterr().out == ""
    text = (tmp_path / "docs/a.zh.md").read_text(encoding="utf-8")
    assert re.fullmatch(r'---\nfollows: "[0-9a-f]{8}"\n---\n# 甲\n', text)
    (tmp_path / "docs/a.md").write_text("# B\n", encoding="utf-8")
    assert follows.main(tmp_path, []) and "docs/a.zh.md: a.md has changed" in capsys.readouterr().out
    assert not follows.main(tmp_path, ["docs/a.zh.md"]) and not follows.main(tmp_path, [])


def test_other_front_matter_stays_and_line_ends_do_not_matter(tmp_path):
    book(tmp_path, a="# A\n", a_zh="---\ntitle: x\n---\n\n甲\n")
    follows.main(tmp_path, ["docs/a.zh.md"])
    text = (tmp_path / "docs/a.zh.md").read_text(encoding="utf-8")
    assert text.startswith("---\ntitle: x\nfollows: ") and text.endswith("\n---\n\n甲\n")
    (tmp_path / "docs/a.md").write_bytes(b"# A\r\n")
    assert follows.stale(tmp_path) == []


def test_a_page_that_follows_nothing_and_a_name_that_is_no_translation(tmp_path, capsys):
    book(tmp_path, a="# A\n", b_zh="# 乙\n")
    assert follows.main(tmp_path, []) and "there is no b.md" in capsys.readouterr().out
    assert follows.main(tmp_path, ["docs/a.md"]) and "not a translation" in capsys.readouterr().out
    assert follows.main(tmp_path, ["docs/c.zh.md"]) and "no such page" in capsys.readouterr().out
