"""Two languages in one site: what is in one only, what mkdocs-static-i18n leaves to do."""

import re

LINK = re.compile(r"(?<=\]\()(?:\.\./)*([\w./-]+\.md)(#[^\s)]*)?(?=[\s)])")
WORDS = {
    "en": {"search": "Search", "chapter": "Chapter {}", "section": "Link to this section"},
    "zh": {"search": "搜索", "chapter": "第 {} 章", "section": "指向本节的链接"},
}


def translated(src_uri, lang):
    """docs/01-softmax.md -> docs/01-softmax.zh.md"""
    return f"{src_uri.removesuffix('.md')}.{lang}.md"


def only(nav, there):
    """The nav without the pages for which `there` is false, and without sections left empty."""
    kept = []
    for item in nav:
        title, page = next(iter(item.items())) if isinstance(item, dict) else (None, item)
        page = only(page, there) if isinstance(page, list) else page if there(page) else None
        if page:
            kept.append(page if title is None else {title: page})
    return kept


def to_the_other(markdown, there, depth):
    """Links to pages that this language lacks, made to lead to those of the first language.

    mkdocs takes `first:` for the scheme of an address elsewhere; `back` finds it again.
    """
    def turn(match):
        page, anchor = match[1], match[2] or ""
        if there(page):
            return match[0]
        address = re.sub(r"(^|/)index$", "", page.removesuffix(".md"))
        return f"first:{'../' * depth}{address}{'/' * bool(address)}{anchor}"
    return LINK.sub(turn, markdown)


def back(html):
    return html.replace('href="first:', 'hreflang="en" href="')


# What the theme needs to know

def permalinks(html, lang):
    """The links beside headings, named in the page's language; mkdocs.yml has one name for all."""
    return html.replace(f'title="{WORDS["en"]["section"]}"', f'title="{WORDS[lang]["section"]}"')


def named(html, lang):
    """Names the search dialog for screen readers, which the theme does not; and hides links to
    other languages from the theme's script, which would ask for a sitemap at each of them."""
    label = WORDS[lang]["search"]
    html = html.replace(' role="dialog"', f' role="dialog" aria-label="{label}"')
    return html.replace('<link rel="alternate" ', '<link rel="alternate " ')


def alone(html):
    """A page that is in one language only: it does not claim to be in another."""
    return re.sub(r'\s*<link rel="alternate " [^>]*hreflang[^>]*>', "", html)


def below(html):
    """A page that takes its language's folder for the top of the site, and searches there."""
    return re.sub(r'(?<="base": ")([^"]*)\.\.(?=")', lambda up: up[1].rstrip("/") or ".", html)


def split(search, lang):
    """The search index of all languages -> ({...} without, {...} only what lies in lang/)."""
    def part(mine, **config):
        docs = [entry | {"location": entry["location"].removeprefix(f"{lang}/" if mine else "")}
                for entry in search["docs"] if entry["location"].startswith(f"{lang}/") == mine]
        return {"config": search["config"] | config, "docs": docs}
    return part(False, lang=["en"]), part(True, lang=["en"], pipeline=[])


# What a page says of itself

def first_sentence(html):
    """The first sentence of a page's first paragraph, as text; "" if it has none."""
    paragraph = re.search(r"<p(?: [^>]*)?>(.*?)</p>", html, re.S)
    text = " ".join(re.sub(r"<[^>]+>", "", paragraph[1] if paragraph else "").split())
    sentence = re.match(r".{20,}?[.?!](?=\s|$)|.{10,}?[。？！]", text)
    return (sentence[0] if sentence else text).replace('"', "&quot;")


def eyebrow(html, name, lang):
    """A line that says the number of the chapter, above its title."""
    number = re.match("[0-9]+", name)
    if not number or int(number[0]) >= 90:
        return html
    words = WORDS[lang]["chapter"].format(int(number[0]))
    return html.replace("<h1", f'<p class="eyebrow">{words}</p>\n<h1', 1)
