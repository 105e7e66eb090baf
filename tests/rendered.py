"""The pages as a reader gets them: where a link leads, and what stands there."""

import re
from functools import cache
from html import unescape
from pathlib import Path

from markdown import markdown
from mkdocs.config import load_config
from mkdocs.utils.meta import get_data

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"


@cache
def extensions():
    """Those of mkdocs.yml and those that the hook adds, with their settings."""
    config = load_config(str(ROOT / "mkdocs.yml"))
    config = config.plugins.on_config(config)
    return {"extensions": config.markdown_extensions, "extension_configs": config.mdx_configs}


def source(name):
    return get_data((DOCS / name).read_text(encoding="utf-8"))[0]


@cache
def page(name):
    """The HTML of docs/name; None if there is no such page."""
    return markdown(source(name), **extensions()) if (DOCS / name).is_file() else None


def links(html):
    """[address, ...] of the links from page to page; those of headings to themselves are not."""
    return [unescape(url) for url in re.findall(r'<a href="([^"]+)"', html)]


def section(link):
    """The HTML that `03-mask.md#hide` leads to: from there to the next heading as high.

    A paragraph that begins in bold ends at the next of its kind, or at any heading; a block of
    code at any heading. None if there is no such page, or no such id on it.
    """
    name, _, id = link.partition("#")
    html = page(name)
    start = html and re.search(rf'<([\w-]+) [^>]*\bid="{re.escape(id)}"', html)
    if not start:
        return None
    tag = start[1]
    ends = f"<h[1-{tag[1]}]" if re.fullmatch("h[1-6]", tag) else "<h[1-6]"
    end = re.search(f"{ends}|<p id=" if tag == "p" else ends, html[start.end():])
    return html[start.start():start.end() + end.start()] if end else html[start.start():]
