"""The first time a page uses a word of the glossary, it tells what the word means."""

import re
from html import escape

ROW = re.compile(r"^\| (\*?)([^|]+?)\1 \| ([^|]+) \| \[[^|]+\]\(([^|]+)\) \|$", re.M)
LEFT_ALONE = r"""
    <!--.*?-->
    | <(?P<whole>h[1-6]|code|pre|a|abbr|form|script|style|svg|math)\b .*? </(?P=whole)>
    | <span\ class="filename .*? </span>
    | <(?:"[^"]*"|'[^']*'|[^"'>])*>"""


def rows(text):
    """[(term, meaning, link, wanted)] of the table; wanted: the term is in italics."""
    return [(term, meaning, link, bool(star)) for star, term, meaning, link in ROW.findall(text)]


def terms(text):
    """[(term, meaning)] of the terms in italics, which the pages explain."""
    return [(term, meaning) for term, meaning, _, wanted in rows(text) if wanted]


def marked(html, terms):
    """html with <abbr title="meaning"> about each term where the running text first has it.

    A term is found as whole words, spelled as it is or with a capital letter at the start, not in
    headings, code, links or tags.
    """
    meanings = {first_small(term): meaning for term, meaning in terms}
    spelled = "|".join(map(spelling, sorted(meanings, key=len, reverse=True)))

    def explain(found):
        term = found["term"] and first_small(" ".join(found["term"].split()))
        meaning = meanings.pop(term, None)
        return f'<abbr title="{escape(meaning)}">{found[0]}</abbr>' if meaning else found[0]

    return re.sub(rf"{LEFT_ALONE} | (?<![\w-])(?P<term>{spelled})(?![\w-])", explain, html,
                  flags=re.S | re.X)


def first_small(term):
    return term[0].lower() + term[1:]


def spelling(term):
    """A pattern: the first letter may be a capital, and a line may end between two words."""
    first, rest = term[0], r"\s+".join(map(re.escape, term[1:].split(" ")))
    return f"[{first}{first.upper()}]{rest}"
