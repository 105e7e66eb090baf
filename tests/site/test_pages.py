"""Every page: for everybody, by day and by night, on a wide screen and on a phone's."""

from pathlib import Path

import axe_playwright_python
import pytest
from conftest import SIZES, pages

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
ALL = {}
COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}
ALL_BUT_CONTRAST = {"rules": {"color-contrast": {"enabled": False}}}
VIEWS = [("wide", "light", ALL), ("wide", "dark", COLOURS), ("phone", "light", ALL_BUT_CONTRAST)]


@pytest.mark.parametrize("page", pages())
def test_everybody_can_read_it(page, visit):
    """axe-core finds nothing, and nothing but a figure or code on a phone is wider than its place."""
    tab = visit(page, reduced_motion="reduce")    # no colour is on its way to another
    tab.evaluate("""() => {                       // all there is to see
        document.querySelectorAll("details").forEach(each => each.open = true)
        document.querySelectorAll("step-player").forEach(each => each.classList.remove("plays"))
    }""")
    found = []
    for size, scheme, rules in VIEWS:
        tab.emulate_media(color_scheme=scheme)
        tab.set_viewport_size(SIZES[size])
        found += [(size, scheme, *each) for each in violations(tab, rules) + too_wide(tab, size)]
    assert not found, "\n".join(map(str, found))


def violations(tab, rules=ALL):
    """What axe-core finds wrong: [(rule, how often, the first element)].

    Words of code that are coloured alike are looked at once, for a page of code has thousands.
    """
    tab.evaluate("""() => {
        const seen = new Set()
        for (const word of document.querySelectorAll(".highlight pre span[class]:not(:has(*))")) {
            const kind = word.closest(".highlight").className + word.className
            if (seen.has(kind)) word.replaceWith(word.textContent)
            seen.add(kind)
        }
    }""")
    tab.evaluate(AXE)
    found = tab.evaluate("rules => axe.run({resultTypes: ['violations'], ...rules})", rules)
    return [(each["id"], len(each["nodes"]), each["nodes"][0]["html"]) for each in found["violations"]]


def too_wide(tab, size):
    """The page where it scrolls sideways; on a wide screen the code whose lines, all short, do not fit."""
    page = tab.evaluate("""() => {
        const root = document.documentElement
        if (root.scrollWidth <= root.clientWidth) return []
        const out = each => each.getBoundingClientRect().right > root.clientWidth
        const found = [...document.body.querySelectorAll("*")].filter(out)
        return [root.scrollWidth, ...found.map(each => each.outerHTML.slice(0, 100))]
    }""")
    code = tab.evaluate("""() => [...document.querySelectorAll("pre code")]
        .filter(code => code.scrollWidth > code.clientWidth)
        .map(code => code.innerText.split("\\n").sort((a, b) => b.length - a.length)[0])
        .filter(line => line.length < 84)""") if size == "wide" else []
    return [("the page scrolls sideways", page)] * bool(page) + [("code is too wide", code)] * bool(code)
