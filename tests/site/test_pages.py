"""Every page: for everybody, by day and by night, on a wide screen and on a phone's."""

from pathlib import Path

import axe_playwright_python
import pytest
from conftest import SIZES, pages

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
COLOURS = ["color-contrast", "link-in-text-block"]
ALL = {}
ONLY_COLOURS = {"runOnly": COLOURS}
ALL_BUT_COLOURS = {"rules": {rule: {"enabled": False} for rule in COLOURS}}
VIEWS = [("wide", "light", ALL), ("wide", "dark", ONLY_COLOURS), ("phone", "light", ALL_BUT_COLOURS)]

# Marks one of the texts that look alike: whose tags and classes are the same, up to the page.
# Colours are looked at there, for a page of code has thousands of words.
ONE_OF_A_KIND = """{
    const found = new Map()
    const style = each => each.style.cssText.replace(/counter-reset: line \\d+;/, "")
    for (const each of document.body.querySelectorAll("*")) {
        if (![...each.childNodes].some(child => child.nodeType === 3 && child.data.trim())) continue
        let kind = ""
        for (let at = each; at !== document.body; at = at.parentElement)
            kind += `${at.tagName}.${at.getAttribute("class")} ${at.getAttribute("href") && "a"} ${style(at)};`
        found.set(kind, each)
    }
    for (const each of found.values()) each.dataset.one = ""
    axe.configure({rules: [
        {id: "color-contrast", selector: "[data-one]"},
        {id: "link-in-text-block", selector: "a[href][data-one], [data-one] a[href]"}]})
}"""


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
        if size == "phone":
            tab.wait_for_timeout(100)    # the theme makes what scrolls reachable by keys
        wrong = violations(tab, rules) if size == "wide" or not page.startswith("zh/") else []
        found += [(size, scheme, *each) for each in wrong + too_wide(tab, size)]
    assert not found, "\n".join(map(str, found))


def violations(tab, rules=ALL):
    """What axe-core finds wrong: [(rule, how often, the first element)]."""
    tab.evaluate("typeof axe") == "object" or tab.evaluate(f"{AXE}\n{ONE_OF_A_KIND}")
    return tab.evaluate("""async rules => {
        const {violations} = await axe.run({resultTypes: ["violations"], ...rules})
        return violations.map(({id, nodes}) => [id, nodes.length, nodes[0].html])
    }""", rules)


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
        .map(code => code.innerText.split("\\n").map(line => [line.replace(/[\\u2e80-\\uffff]/g, "__").length, line]))
        .map(lines => lines.sort(([a], [b]) => b - a)[0])    // a Chinese character is two columns wide
        .filter(([columns]) => columns < 84)""") if size == "wide" else []
    return [("the page scrolls sideways", page)] * bool(page) + [("code is too wide", code)] * bool(code)
