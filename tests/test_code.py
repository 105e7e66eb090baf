"""The file so far: what tf/model.py holds at the end of each step."""

import re

import pytest

from tangle import original, read, scan, tangle
from weave import code

TEXTS, _ = read(".")
OUTLINE = "\n```outline\ntf/model.py\n"
STEPS = [path for path, text in TEXTS.items() if not original(path) and OUTLINE in text]


def test_every_step_ends_with_the_file_so_far():
    assert [re.search("[0-9]+", path)[0] for path in STEPS] == ["01", "02", "03", "04", "05", "06", "07"]


@pytest.mark.parametrize("chapter", STEPS)
def test_the_file_so_far_is_the_prefix_of_the_book(chapter):
    upto = {path: text for path, text in TEXTS.items() if path <= chapter}
    functions = re.findall(r"^def (\w+)", tangle(upto, draft=True)[0]["tf/model.py"].text, re.M)
    here = [name for block in scan(chapter, TEXTS[chapter])[0] if block.attrs.get("title") == "tf/model.py"
            for name in re.findall(r"^def (\w+)", block.code, re.M)]
    table = code.so_far(TEXTS, chapter, "tf/model.py")
    assert re.findall(r"`(\w+)\(", table) == functions
    assert set(here) <= set(re.findall(r"^\| \*\*`(\w+)", table, re.M))


def test_an_outline_stands_in_the_place_of_its_block():
    page = "# One\n\n```outline\ntf/model.py\n```\n\nThe end."
    chapter = STEPS[0]
    expanded = code.expand(chapter, page, TEXTS)
    assert "```outline" not in expanded and "| **`softmax(xs)`** | **this chapter** |" in expanded
    assert expanded.startswith("# One\n\n| in `tf/model.py`") and expanded.endswith("\n\nThe end.")
