"""A figure where a chapter asks for one, as an extension of Python-Markdown:

    ```figure {#f12}
    mask-table
    past = 3
    ```

The id in the header is the figure's anchor, and `#f12-3` its third step; without one it is
`figure-mask-table`.
"""

import re

from markdown import Extension
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor

from tangle import scan
from weave.figures import anchor, draw, player_words


PLACE = '<step-player id="[^"]+"></step-player>'


def fences(path, text):
    """[Block] of each figure. ValueError if one is misspelled: it would stay a piece of text."""
    blocks = scan(path, text)[0]
    for block in blocks:
        if block.lang != "figure" and block.lang.lower() in ("figure", "figures", "fig"):
            raise ValueError(f"{path}:{block.line}: a figure is written ```figure, not {block.lang}")
    return [block for block in blocks if block.lang == "figure"]


class Figures(Extension):
    """`source` may be set to (path, text), lest a mistake be told by the line in the page that a
    generator has prepared, and not in the file that an author wrote."""

    source = None

    def __init__(self, lang="en"):
        super().__init__()
        self.lang = lang

    def extendMarkdown(self, md):
        before_all, after_raw_html = 1000, 20
        md.block_level_elements.append("step-player")
        self.drawings = {}
        md.preprocessors.register(Places(md, self), "figure-places", before_all)
        md.postprocessors.register(Drawings(md, self), "figure-drawings", after_raw_html)

    def drawing(self, block, home):
        """(the empty element that holds the place of a figure, the figure)"""
        try:
            id = block.attrs.get("id") or anchor(block.code)
            place = f'<step-player id="{id}"></step-player>'
            if place in self.drawings:
                raise ValueError(f"this page has a figure #{id} already: give this one an id, "
                                 "as in `figure {#again}`")
            return place, draw(block.code, self.lang, id)
        except Exception as problem:    # whatever it is, its author has to know where
            kind = "" if isinstance(problem, ValueError) else f"{type(problem).__name__}: "
            raise ValueError(f"{home.path}:{home.line}: {kind}{problem}") from problem


class Places(Preprocessor):
    """Puts an empty element in the place of each figure, for Markdown to carry to its place."""

    def __init__(self, md, figures):
        super().__init__(md)
        self.figures = figures

    def run(self, lines):
        found = fences("the page", "\n".join(lines))
        authored = fences(*self.figures.source) if self.figures.source else found
        self.figures.drawings.clear()
        for block, home in zip(found, authored, strict=True):
            place, drawing = self.figures.drawing(block, home)
            words = "" if self.figures.drawings else player_words(self.figures.lang)
            self.figures.drawings[place] = words + drawing
            blank = [block.prefix.rstrip()] * (block.end - block.line)
            lines[block.line - 1:block.end] = [blank[0], block.prefix + place, *blank[1:]]
        return lines


class Drawings(Postprocessor):
    def __init__(self, md, figures):
        super().__init__(md)
        self.figures = figures

    def run(self, text):
        return re.sub(f"<p>({PLACE})\\s*</p>|({PLACE})", self.drawn, text)

    def drawn(self, match):
        return self.figures.drawings.get(match[1] or match[2], match[0])


def makeExtension(**options):
    return Figures(**options)
