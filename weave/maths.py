r"""Formulas: LaTeX in the text becomes MathML while the page is made, with no JavaScript.

`$\sqrt{d}$` stands in a line; `$$ ... $$` is a paragraph of its own. Code is left alone, and so is
a dollar with a blank behind it, or before it, or a digit behind it: "from $5 to $6" is no formula.

A Python-Markdown extension, so any generator that knows those can use it: `weave.maths`. It
needs math-core, and only when there is a formula. `font` makes the letters for it.
"""

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from xml.etree.ElementTree import SubElement

from markdown import Extension
from markdown.blockprocessors import BlockProcessor
from markdown.inlinepatterns import InlineProcessor
from markdown.preprocessors import Preprocessor

IN_LINE = r"(?<!\\)\$(?![\s$])((?:\\.|[^\\$\x02])+?)(?<!\s)\$(?!\d)"
STRAY = r"(?<!\\)\$\$"
DISPLAYED = re.compile(r"\s*\$\$(.+?)\$\$\s*", re.S)
CODE = re.compile(r"^([ \t>]*)(`{3,}|~{3,}).*?^\1\2[`~]*[ \t]*$|(?<!`)(`+)(?!`).*?(?<!`)\3(?!`)",
                  re.S | re.M)


@cache
def converter():
    try:
        import math_core
    except ImportError:
        raise ValueError("a formula needs the package math-core, which is not installed") from None
    return math_core.LatexToMathML(fancy_error=False)


@cache
def mathml(tex, displayed=False):
    """The formula as a <math> element. ValueError says what is wrong with it."""
    try:
        return converter().convert_with_local_state(tex, displaystyle=displayed)
    except Exception as problem:
        if type(problem).__name__ != "LatexError":
            raise
        what = str(problem).partition(": ")[2]
        where = " ".join(tex.split())
        raise ValueError(f"in the formula {where} {what[0].lower()}{what[1:]}") from None


def line_of(tex, text):
    """The line, from 1, in which a formula stands in a page, code apart."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])
    first = tex.strip().partition("\n")[0]
    lines = CODE.sub(blank, text).split("\n")
    wholly = (lambda line: f"${first}$" in line), (lambda line: line.strip("\t >$") == first)
    for stands in *wholly, (lambda line: first in line):
        for n, line in enumerate(lines, 1):
            if stands(line):
                return n
    return 1


class Maths(Extension):
    """`source` may be set to (path, text), lest a mistake be told by the line in the page that a
    generator has prepared, and not in the file that an author wrote."""

    source = None

    def extendMarkdown(self, md):
        before_all, before_lists, after_code_spans = 1000, 75, 185
        md.ESCAPED_CHARS.append("$")
        md.preprocessors.register(Remember(md, self), "maths-page", before_all)
        md.parser.blockprocessors.register(Displayed(md.parser, self), "maths", before_lists)
        md.inlinePatterns.register(InLine(IN_LINE, md, self), "maths", after_code_spans)
        md.inlinePatterns.register(Stray(STRAY, md, self), "maths-stray", after_code_spans - 1)

    def formula(self, tex, displayed=False):
        try:
            return mathml(tex.strip(), displayed)
        except ValueError as problem:
            raise self.wrong(tex, problem) from None

    def wrong(self, tex, problem):
        path, text = self.source or ("line ", self.page)
        return ValueError(f"{path}{':' * bool(self.source)}{line_of(tex, text)}: {problem}")


class Remember(Preprocessor):
    def __init__(self, md, maths):
        super().__init__(md)
        self.maths = maths

    def run(self, lines):
        self.maths.page = "\n".join(lines)
        return lines


class Displayed(BlockProcessor):
    """A paragraph that is one formula: a <div>, which scrolls where the page is too narrow."""

    def __init__(self, parser, maths):
        super().__init__(parser)
        self.maths = maths

    def test(self, parent, block):
        return DISPLAYED.fullmatch(block)

    def run(self, parent, blocks):
        html = self.maths.formula(DISPLAYED.fullmatch(blocks.pop(0))[1], displayed=True)
        div = SubElement(parent, "div", {"class": "formula", "tabindex": "0"})
        div.text = self.parser.md.htmlStash.store(html)


class InLine(InlineProcessor):
    def __init__(self, pattern, md, maths):
        super().__init__(pattern, md)
        self.maths = maths

    def handleMatch(self, match, data):
        return self.md.htmlStash.store(self.maths.formula(match[1])), *match.span()


class Stray(InLine):
    def handleMatch(self, match, data):
        raise self.maths.wrong("$$", "a formula between $$ and $$ stands by itself, between empty "
                                     "lines, and holds none")


def makeExtension(**options):
    return Maths(**options)


# The letters. Few systems have a font for mathematics, and without one brackets do not grow.

LETTERS = ("20-7E,B0-B1,B4,B7,D7,F7,302-304,391-3F5,2016,2026,2032-2033,2061-2064,210E,2113,211D,"
           "2190-2194,21A6,21D2,21D4,2200-2209,220F-2213,2217,221A,221D-221E,2225-222A,2248,"
           "2260-2265,226A-226B,2282-2287,2295-2299,22A4-22A5,22C5,22EE-22F1,2308-230B,27E8-27E9,"
           "1D434-1D467,1D6FC-1D71B")


def font(folder):
    """The path of a woff2 in the folder, made there unless it is: STIX Two Math, as much of it as
    formulas like ours need, out of the package ziamath."""
    path = Path(folder) / "stix-two-math.woff2"
    if path.exists():
        return path
    ziamath = find_spec("ziamath")
    try:
        from fontTools import subset
        import brotli  # noqa: F401  fontTools needs it for woff2
    except ImportError:
        ziamath = None
    if not ziamath:
        raise ValueError("the font for formulas is made with the packages fonttools, brotli and "
                         "ziamath, and one of them is not installed")
    whole = Path(ziamath.submodule_search_locations[0], "fonts", "STIXTwoMath-Regular.ttf")
    options = subset.Options(flavor="woff2", layout_features=["kern"], hinting=False,
                             desubroutinize=True)
    letters = subset.load_font(str(whole), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=subset.parse_unicodes(LETTERS))
    subsetter.subset(letters)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".part")
    subset.save_font(letters, str(beside), options)
    return beside.replace(path)
