"""Is everything there that the pages of the built site point to?

    python3 weave/links.py SITE

Prints a line for each link, anchor and file that is not, for each id that stands twice in a page,
and for each thing that a page would fetch from another host. Exits 1 if there was one.
"""

import os
import re
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

FETCH_NOTHING = {"alternate", "author", "canonical", "license", "next", "prev"}
CSS_URL = re.compile(r"""url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)""")


class Page(HTMLParser):
    """ids: every id, in order; links: where a reader may go; fetches: what the browser loads."""

    def __init__(self, html):
        super().__init__()
        self.ids, self.links, self.fetches, self.in_style = [], [], [], False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        attrs = {name: value or "" for name, value in attrs}
        urls = [attrs[name] for name in ("href", "src", "data", "poster") if name in attrs]
        mere_link = tag == "link" and FETCH_NOTHING & set(attrs.get("rel", "").split())
        if tag in ("a", "area") or mere_link:
            self.links += urls
        else:
            self.fetches += urls
        self.fetches += re.findall(r"([^\s,]+)[^,]*,?", attrs.get("srcset", ""))
        self.fetches += css_urls(attrs.get("style", ""))
        self.ids += [attrs["id"]] if "id" in attrs else []
        self.in_style = tag == "style"

    def handle_data(self, data):
        if self.in_style:
            self.fetches += css_urls(data)


def css_urls(text):
    return [plain or imported for plain, imported in CSS_URL.findall(text)]


def read(site):
    """{"a/index.html": Page}; a style sheet counts as a page that is all style."""
    pages = {}
    for path in sorted(site.rglob("*")):
        if path.suffix in (".html", ".css"):
            text = path.read_text(encoding="utf-8")
            html = text if path.suffix == ".html" else f"<style>{text}</style>"
            pages[path.relative_to(site).as_posix()] = Page(html)
    return pages


def faults(site, base="/"):
    """["page: what is wrong"] in a site whose front page will be at the path `base`."""
    pages = read(site)
    found = [] if pages else [f"{site}: there is no page"]
    for name, page in pages.items():
        found += [f"{name}: the id {id} stands twice"
                  for id in sorted(set(page.ids)) if page.ids.count(id) > 1]
        found += [f"{name}: {url} is fetched from elsewhere"
                  for url in page.fetches if elsewhere(url)]
        found += [f"{name}: {url} leads nowhere" for url in page.links + page.fetches
                  if not elsewhere(url) and not leads(site, pages, base, name, url)]
    return found


def elsewhere(url):
    """True for another host, mailto: and the like; a data: address holds its own content."""
    parts = urlsplit(url)
    return bool(parts.netloc or parts.scheme not in ("", "data"))


def leads(site, pages, base, name, url):
    """True if the file is in the site and, where the url has an anchor, that is in the file."""
    parts = urlsplit(urljoin(base + name, url))
    if parts.scheme == "data":
        return True
    if not parts.path.startswith(base):
        return False
    target = unquote(parts.path[len(base):])
    if (site / target).is_dir():
        target = f"{target.rstrip('/')}/index.html".lstrip("/")
    if not (site / target).is_file():
        return False
    anchor = unquote(parts.fragment)
    return not anchor or target in pages and anchor in pages[target].ids


def main():
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("site", type=Path, metavar="SITE")
    site = parser.parse_args().site
    found = faults(site, urlsplit(os.environ.get("SITE_URL", "")).path or "/")
    print("\n".join(found) or f"{site}: every link and anchor is there")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
