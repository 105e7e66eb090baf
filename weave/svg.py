"""What pictures are made of: SVG of words, boxes and lines. Lists go in, XML comes out.

A picture is as large as its measures say, 16 to the em, and the words that it is given tell those
who do not see it what it shows.
"""

from html import escape

from weave.figures.draw import attributes


def picture(width, height, parts, words):
    """SVG of the parts; `words` say all that it says."""
    size = f'width="{width / 16:g}em" height="{height / 16:g}em" viewBox="0 0 {width} {height}"'
    return (f'<svg class="picture" role="img" aria-label="{escape(words)}" {size}>'
            f'{"".join(parts)}</svg>')


def text(x, y, words, name=""):
    return f'<text x="{x:g}" y="{y:g}"{attributes(class_=name)}>{escape(words)}</text>'


def box(x, y, width, height, name=""):
    return (f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"'
            f'{attributes(class_=name)}/>')


def path(points, name=""):
    """SVG of a line from point to point."""
    d = "M" + " L".join(f"{x:g},{y:g}" for x, y in points)
    return f'<path d="{d}"{attributes(class_=name)}/>'


def arrow(points, name=""):
    """SVG of a line from point to point, along the paper's sides, with a head at its end."""
    (a, b), (x, y) = points[-2:]
    h, v = (x > a) - (x < a), (y > b) - (y < b)
    head = f"M{x:g},{y:g} l{-8 * h - 4 * v:g},{-8 * v - 4 * h:g} l{8 * v:g},{8 * h:g} z"
    short = [*points[:-1], (x - 6 * h, y - 6 * v)]
    return path(short, name) + f'<path d="{head}" class="head"/>'


def disc(x, y, radius, name=""):
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}"{attributes(class_=name)}/>'
