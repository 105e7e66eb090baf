"""What the page shows of floats that remember: answers whose numbers open, step by step."""

import ast
import json
from contextlib import suppress
from copy import deepcopy
from html import escape

from examine import Example, bound, read_session, same, text_of
from tangle import scan
from weave.floats import Remembering

QUICK = 0.05            # seconds; what took longer is not run again, its results are given
DEFINING = ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom

TEXT = {
    "en": {"none": "No number here comes from arithmetic that can be unfolded.",
           "place": "{}, line {}", "given": "{} is given: it was written down, or computed by other code.",
           "all": "{} numbers in all"},
    "zh": {"none": "这里没有可以展开的数。", "place": "{}，第 {} 行", "given": "{} 是给定的：写在代码里，或由别的代码算出。",
           "all": "一共 {} 个数"},
}


class Unfolding:
    """A session of a Live chapter run once more, with floats that remember."""

    def __init__(self, live, n, took, lang, name):
        self.say, self.name, self.live, self.n, self.block = TEXT[lang], name, live, n, live.blocks[n]
        self.root = f"unfolded-{n}"
        self.chapter = Remembering(live.book, live.path)
        for above in range(n):
            if took[above] < QUICK or "title" in live.blocks[above].attrs:
                self.chapter.done = above
                self.chapter.run(above)
            else:
                self.take_over(above)
        self.chapter.done, self.chapter.printed = n, {}
        self.chapter.run(n)

    def take_over(self, n):
        """Defines what a block defines, and takes the numbers that it made from the chapter."""
        block, chapter = self.live.blocks[n], self.chapter
        examples = (read_session(block)[0] if block.lang == "pycon" else
                    [Example(block.line + 1, block.code.split("\n"), [])])
        for line, source, _ in examples:
            with suppress(Exception), chapter.stage():     # what a session raises is an answer of it
                tree = ast.parse(text_of(source))
                names = {name for name, _ in bound(tree)} & {*self.live.names}
                chapter.names.update((name, own(self.live.names[name])) for name in names)
                for node in tree.body:
                    if isinstance(node, DEFINING):
                        head = [node, *getattr(node, "decorator_list", ())]
                        first = min(each.lineno for each in head)
                        chapter.execute("exec", line + first - 1, text_of(source[first - 1:node.end_lineno]))

    def html(self):
        """The questions and answers; each number that remembers is a button."""
        rows, any_number = [], False
        for example in read_session(self.block)[0]:
            text, marks, answer, carried, error = self.chapter.printed[example.line].values()
            if carried and same(answer, text):
                text, marks = answer, carried
            any_number = any_number or marks
            asked = escape("\n... ".join(example.source))
            rows.append(f'<span class="asked">&gt;&gt;&gt; {asked}</span>\n'
                        f"{self.buttons(text, marks, self.root)}{escape(error)}")
        if not any_number:
            return f"<p>{self.say['none']}</p>"
        return f'<pre>{"".join(rows)}</pre><div id="{self.root}"></div>'

    def step(self, id, into):
        """HTML of the arithmetic that made a number: what was written, with which numbers, where."""
        step = self.chapter.unfold(id)
        value, place = f"<strong>{step['value']}</strong>", self.place(step["path"], step["line"])
        if not step["parts"]:
            return f"<p>{self.say['given'].format(value)} {place}</p>"
        below = f"{into}-{id}"
        marks = [[part["start"], part["start"] + len(part["value"]), part["id"]]
                 for part in step["parts"] if part["id"] is not None]
        code = f"<code>{escape(step['code'])}</code> = " if step["code"] else ""
        count = f" ({self.say['all'].format(step['count'])})" if step["count"] > len(step["parts"]) else ""
        formula = self.buttons(step["formula"], marks, below)
        return (f"<p>{value} = {code}<code>{formula}</code>{count} {place}</p>"
                f'<div id="{below}"></div>')

    def place(self, path, line):
        """A link to the block where the code stands."""
        for n, block in enumerate(self.live.blocks):
            if path == self.live.path and block.line <= line < block.end:
                words = self.say["place"].format(self.name(n), line - block.line)
                id = block.attrs.get("id")
                return f'<small><a href="#{id}">{words}</a></small>' if id else f"<small>{words}</small>"
        there = scan(path, self.live.book.texts[path])[0]
        id = next(block.attrs["id"] for block in there if block.line <= line < block.end)
        page = path.removeprefix("docs/").removesuffix(".md")
        up = "" if self.live.path == "docs/index.md" else "../"
        return f'<small><a href="{up}{page}/#{id}">{page}#{id}</a></small>'

    def buttons(self, text, marks, into):
        """A text with a button for each [start, end, id] in it, that asks for one more step."""
        html, end = "", 0
        for start, stop, id in marks:
            ask = escape(json.dumps({"do": "step", "n": self.n, "id": id, "into": into}))
            html += (f'{escape(text[end:start])}<button type="button" data-ask="{ask}">'
                     f"{escape(text[start:stop])}</button>")
            end = stop
        return html + escape(text[end:])


def own(value):
    """A copy, so that what is unfolded changes nothing of the page; of a module there is none."""
    try:
        return deepcopy(value)
    except Exception:
        return value
