"""A chapter in the page: its blocks are run where they stand, changed, and compared with the book.

The page's worker calls `start` once and then `ask`; what there is to say goes to `tell`. All speak
JSON. What a block does is examine.py's affair, and where its code goes is tangle.py's.
"""

import builtins
import linecache
import math
import os
import re
import sys
from ast import literal_eval
from html import escape
from io import StringIO
from json import dumps, loads                          # which a block may replace in json
from time import perf_counter
from traceback import TracebackException
from zipfile import ZipFile

from examine import Book, Chapter, read_session, runnable, same, text_of
from tangle import natural, scan, tangle

LIMIT = 60_000          # letters that a block may print
PARCEL = 0.06           # seconds between two parcels of them
AT_FIRST = [(module, dict(vars(module))) for module in (builtins, math)]

TEXT = {
    "en": {
        "hold": "{held} of {asked} answers hold", "ms": "{:.0f} ms", "s": "{:.1f} s", "and": ", ",
        "changed": "{}, with your changes", "failed": "{}; {} raises {}",
        "cut": "\nThat is a lot of output: the rest is not shown.\n",
        "block": "block {}", "above": "Not run: {} above raises {}.",
        "book": "the book", "written": "written", "came": "came", "nothing": "nothing",
        "fence": "Line {} would end the block in the chapter: write it in another way.",
        "right": "Right: {}.", "wrong": "You say {}. It is {}.",
        "again": "Python has begun anew since: unfold this block again.",
    },
    "zh": {
        "hold": "{asked} 个答案中 {held} 个相符", "ms": "{:.0f} 毫秒", "s": "{:.1f} 秒", "and": "，",
        "changed": "{}（含你的改动）", "failed": "{}；{}抛出 {}",
        "cut": "\n输出太多，后面的不再显示。\n",
        "block": "代码块 {}", "above": "没有运行：上面的{}抛出 {}。",
        "book": "书上", "written": "写着", "came": "得到", "nothing": "什么也没有",
        "fence": "第 {} 行会结束正文里的代码块，请换一种写法。",
        "right": "对：{}。", "wrong": "你猜的是 {}，答案是 {}。",
        "again": "Python 已经重新开始：请再展开一次这个代码块。",
    },
}


def tell(words):
    """Takes what there is to say. The worker puts a function of its own here."""


def start(book, path, lang):
    """Opens the chapter of the page in the book as it was built, which is a zip."""
    global page
    sys.stdin = StringIO()                             # nobody answers input()
    with ZipFile(book) as files:
        names = sorted((name for name in files.namelist() if name.startswith("docs/")), key=natural)
        texts = {name: files.read(name).decode() for name in names}
        root = book.removesuffix(".zip")
        files.extractall(root, [name for name in files.namelist() if name.startswith("tf/")])
    page = Page(texts, tangle(texts)[0], path, root, lang)


def ask(words):
    """Does what is asked for: '{"do": "run", "n": 3, "codes": {"1": "d = 8"}}'."""
    order = loads(words)
    getattr(page, order.pop("do"))(**order)
    tell('{"done": true}')


class Page:
    """texts: {path: text} of the chapters as they were built; outputs: what they tangle into."""

    def __init__(self, texts, outputs, path, root, lang):
        self.texts, self.path, self.root, self.lang, self.say = texts, path, root, lang, TEXT[lang]
        self.blocks = runnable(scan(path, texts[path])[0])
        self.codes = {}                                # {n: code} of the blocks that are changed
        self.unfoldings = {}                           # {n: Unfolding}
        self.begin(texts, outputs)

    def begin(self, texts, outputs):
        """Opens a state of the book; nothing of it has run."""
        for module, names in AT_FIRST:                 # a block may have replaced some
            vars(module).update(names)
        sys.displayhook = sys.__displayhook__
        sys.settrace(None)
        self.done, self.took = 0, {}                   # {n: seconds}
        self.before = []                               # names, as each block found them
        self.chapter = Live(Book(texts, self.root, tangled=(outputs, [])), self.path, self)
        files = texts | {target: output.text for target, output in outputs.items()}
        for path, text in files.items():               # for sessions that read one from the disk
            file = self.chapter.book.file(path)
            os.makedirs(os.path.dirname(file), exist_ok=True)
            with open(file, "w", encoding="utf-8") as stream:
                stream.write(text)
        for name in [name for name in sys.modules if re.match(r"weave\.figures\.(?!draw)", name)]:
            del sys.modules[name]                      # figures use tf/

    def go_on(self, texts, outputs, done):
        """Opens a state of the book with other examples; what the first blocks made is kept."""
        before, self.done = self.chapter, min(self.done, done)
        self.chapter = Live(Book(texts, self.root, tangled=(outputs, [])), self.path, self)
        self.chapter.names, self.chapter.modules = before.names, before.modules

    def tell(self, **words):
        tell(dumps(words))

    # ---- What a reader asks for

    def run(self, n, codes):
        """Runs the n-th block, and first those above that have not run, are changed or below a change."""
        if self.change(codes, n):
            self.reach(n)

    def check(self, codes):
        """Runs the chapter from its beginning, and counts the answers that hold."""
        if self.change(codes, -1):
            self.begin(self.chapter.book.texts, self.chapter.book.outputs)
            asked = held = 0
            trouble = None
            for n in range(len(self.blocks)):
                raises = self.run_block(n)
                trouble = trouble or raises and (self.name(n), raises)
                asked, held = asked + self.chapter.asked, held + self.chapter.held
            says = self.say["hold"].format(asked=asked, held=held)
            says = self.say["changed"].format(says) if self.codes else says
            says = self.say["failed"].format(says, *trouble) if trouble else says
            self.tell(checked=says, holds=asked == held and not trouble)

    def guess(self, n, guess):
        """Compares a guess with the last answer of a session."""
        want = text_of(read_session(self.blocks[n])[0][-1].want)
        right = any(same(want, each + "\n") for each in readings(guess.strip()))
        told = [want] if right else [guess, want]
        quoted = [f"<code>{escape(each.strip())}</code>" for each in told]
        self.tell(n=n, guessed=self.say["right" if right else "wrong"].format(*quoted), right=right)

    def unfold(self, n, codes):
        """Shows a session's answers with numbers that can be opened."""
        if self.change(codes, n):
            if self.done <= n:
                self.reach(n)
            if self.done >= n:
                from weave.unfold import Unfolding      # which most visits do not need
                self.unfoldings[n] = Unfolding(self.chapter, n, self.took, self.lang, self.name)
                self.tell(n=n, fresh=True, html=self.unfoldings[n].html())

    def step(self, n, id, into):
        """Shows the arithmetic that made a number in what was unfolded of the n-th block."""
        known = n in self.unfoldings                   # by this Python, which may have begun anew
        html = self.unfoldings[n].step(id, into) if known else f"<p>{self.say['again']}</p>"
        self.tell(into=into, html=html)

    def turn(self, step, written):
        """Grades what the reader has written of a step. What is missing of the steps before is the book's."""
        with self.chapter.stage():
            from tf import grade, model
            names = grade.STEPS[:7]                    # the eighth is a text
            begun = {name for name in names[:step - 1] if "NotImplementedError" in written.get(name, "")}
            written = {name: code for name, code in written.items() if name not in begun}
            order = sorted(names, key=lambda name: names.index(name) != step - 1)    # its lines keep their numbers
            source = "\n\n".join(written[name] for name in order if name in written)
            texts = {name: text for name, text in written.items() if "." in name}
            try:
                theirs = grade.load(source)
                for name in names[:step - 1]:
                    vars(theirs).setdefault(name, getattr(model, name))
                verdict, = grade.judge(theirs, self.lang, step, texts)
            except grade.Odd:
                verdict, = grade.judge_source(source, self.lang, step, texts)
                lost = [names.index(name) + 1 for name in order
                        if unreadable(grade, written.get(name, ""))]
                if step < 8 and lost and lost[0] != step:
                    verdict["diagnosis"] = grade.say("below", self.lang, step=lost[0])
            passed, link = verdict["status"] == "passed", verdict["link"]
            html = f"<pre>{escape(grade.shown(verdict | {'link': None}, self.lang))}</pre>"
            if link:
                address = link.replace(".md", "/")
                html += f'<p><a href="../{address}">{escape(link.replace(".md", ""))}</a></p>'
        self.tell(state="held" if passed else "differs", html=html, passed=step if passed else -step)

    def figure(self, id, source, given, codes):
        """Draws the steps of a figure anew, by the page's own tf/ and with what is typed, {name: text}."""
        if self.change(codes, -1):
            with self.chapter.stage():
                from weave.figures import redraw
                try:
                    self.tell(figure=id, html=redraw(source, given, self.lang, id))
                except BaseException as problem:       # the reader's code may be anything
                    kind = "" if isinstance(problem, ValueError) else f"{type(problem).__name__}: "
                    self.tell(figure=id, error=f"{kind}{problem}")

    # ---- Which text the chapter has

    def change(self, codes, n):
        """Takes the changed codes over; True if the n-th block can be run with them."""
        codes = {int(key): code for key, code in codes.items()}
        changed = [key for key in {**self.codes, **codes} if self.codes.get(key) != codes.get(key)]
        if not changed:
            return True
        for key in codes:
            if line := self.breaks_out(key, codes[key]):
                place = "" if key == n else f"{self.name(key)}: "
                return self.refuse(n, place + self.say["fence"].format(line))
        texts = self.changed(codes)
        outputs, errors = tangle(texts)
        if errors:
            return self.refuse(n, "\n".join(self.placed(error, texts) for error in errors))
        if any("title" in self.blocks[key].attrs or key not in codes for key in changed):
            self.begin(texts, outputs)
        else:
            self.go_on(texts, outputs, min(changed))
        self.codes = codes
        return True

    def changed(self, codes):
        """The book with other codes in this chapter."""
        lines = self.texts[self.path].split("\n")
        for n in sorted(codes, reverse=True):
            block = self.blocks[n]
            code = codes[n].rstrip("\n").split("\n")
            lines[block.line:block.end - 1] = [block.prefix + line if line else block.prefix.rstrip()
                                               for line in code]
        return self.texts | {self.path: "\n".join(lines)}

    def breaks_out(self, n, code):
        """The number of the line that would end the block in the chapter, or None."""
        fence = self.texts[self.path].split("\n")[self.blocks[n].line - 1]
        marks = re.search("`{3,}|~{3,}", fence)[0]
        closing = re.compile(rf"\s*{marks[0]}{{{len(marks)},}}\s*")
        return next((k for k, line in enumerate(code.split("\n"), 1) if closing.fullmatch(line)), None)

    def refuse(self, n, words):
        self.tell(n=n, state="failed", error=words)

    def placed(self, error, texts):
        """What is wrong with the code, and in which block of the page."""
        for n, block in enumerate(runnable(scan(self.path, texts[self.path])[0])):
            if error.path == self.path and block.line <= error.line <= block.end:
                return f"{self.name(n)}: {error.message}"
        return str(error)

    def name(self, n):
        return self.say["block"].format(n + 1)

    # ---- Running

    def reach(self, n):
        """Runs what has to be run for the n-th block, and the block; what is below counts as not run."""
        for each in range(min(n, self.done), n + 1):
            if (raises := self.run_block(each)) and each < n:
                self.refuse(n, self.say["above"].format(self.name(each), raises))
                break

    def run_block(self, n):
        """Runs a block where it stands: with the names that those above have left. The name of
        what it raises, or None."""
        self.tell(n=n, state="running")
        names = self.chapter.names
        if n < len(self.before):
            names.clear()
            names.update(self.before[n])
        self.before[n:] = [names.copy()]
        begun = perf_counter()
        report = self.chapter.live(n)
        took = self.took[n] = perf_counter() - begun
        notes = [self.say["hold"].format(**report)] if report["asked"] else []
        notes += [self.say["ms"].format(took * 1000) if took < 9.95 else self.say["s"].format(took)]
        self.tell(n=n, note=self.say["and"].join(notes), **report)
        if n <= self.done:                             # or one above has raised
            self.done = n if self.chapter.raises else n + 1
        return self.chapter.raises


class Live(Chapter):
    """A chapter whose blocks tell what they print while they do, and show whole tracebacks."""

    def __init__(self, book, path, page):
        self.page, self.say = page, page.say
        super().__init__(book, path)
        self.file += "#page"                           # not on the disk, where Python would read its lines
        linecache.cache[self.file] = 0, None, [line + "\n" for line in self.lines()], self.file

    def lines(self):
        """The lines of the page as code: without what stands before a block, and without prompts."""
        lines = self.book.texts[self.path].split("\n")
        for block in self.blocks:
            for n, line in enumerate(block.code.split("\n")[:-1], block.line):
                lines[n] = re.sub(r"^(>>>|\.\.\.) ?", "", line) if block.lang == "pycon" else line
        return lines

    def restart(self):
        super().restart()
        self.out = Out()

    def live(self, n):
        """Runs a block, and only that one."""
        self.asked = self.held = 0
        self.done, self.n, self.raises, self.trace = n, n, None, ""
        self.ticks, self.shown, block = [], [], self.blocks[n]
        streams = block.lang != "pycon"
        self.out.tell = lambda text: streams and self.page.tell(n=n, text=text)
        self.out.room, self.out.cut = LIMIT, self.say["cut"]
        failures = self.run(n)
        self.out.post()
        told = [] if self.shown else [failure.message for failure in failures]
        return {"asked": self.asked, "held": self.held, "ticks": self.ticks,
                "state": "failed" if self.raises else "differs" if failures else "held",
                "html": "".join(self.shown),
                "error": "\n".join(told) if block.lang == "pycon" else self.trace or "\n".join(told)}

    def watch(self, action):
        try:
            self.error, self.printed = super().watch(action)
        except KeyboardInterrupt as problem:           # which nobody has pressed
            self.error, self.printed = problem, self.out.getvalue()
        return self.error, self.printed

    def raised(self, error, line, printed):
        self.raises = self.raises or type(error).__name__
        self.trace = self.trace or self.traceback(error)
        return super().raised(error, line, printed)

    def ask(self, example, prefix):
        failures = list(super().ask(example, prefix))
        free = self.n in self.page.codes and not example.want
        if example.want:
            last = example.line + len(example.source) + len(example.want) - 2
            self.ticks.append([last - self.blocks[self.n].line, not failures])
        if failures:
            came = self.printed + (self.traceback(self.error) if self.error else "")
            self.show(example, came, not free and text_of(example.want))
        yield from [] if free and not self.error else failures    # what nobody foretold is only shown

    def show(self, example, came, want):
        """Adds a question to what is shown, with what came and, unless False, what was to come."""
        asked = "\n... ".join(example.source)
        texts = {"written" if self.n in self.page.codes else "book": want, "came": came}
        rows = [f"<div><dt>{self.say[name]}</dt><dd><pre>{escape(text.rstrip()) or self.say['nothing']}"
                "</pre></dd></div>" for name, text in texts.items() if text is not False]
        self.shown.append(f"<p><code>&gt;&gt;&gt; {escape(asked)}</code></p><dl>{''.join(rows)}</dl>")

    def traceback(self, error):
        """As Python prints it, its lines numbered as those of the page's blocks."""
        told = TracebackException.from_exception(error)
        for each in chain(told):
            file = getattr(each, "filename", None)     # of a SyntaxError
            each.stack[:] = [frame for frame in each.stack if not INSIDE.search(frame.filename)]
            if file:
                each.msg = re.sub(r"(?<= line )\d+", lambda line: str(self.standing(file, line[0])[1]), each.msg)
        text = re.sub(r'File "([^"\n]+)", line (\d+)', self.located, "".join(told.format()))
        return text[:LIMIT] + self.say["cut"] * (len(text) > LIMIT)

    def located(self, match):
        n, line = self.standing(*match.groups())
        if n is None:
            return f'File "{match[1].removeprefix(self.book.root + "/")}", line {line}'
        return f'File "{os.path.basename(self.path)}, {self.page.name(n)}", line {line}'

    def standing(self, file, line):
        """(number of a block of the page, line in it), or (None, line in the file)."""
        path, at = self.place(file, int(line)) or ("", 0)
        for n, block in enumerate(self.blocks):
            if path == self.path and block.line <= at < block.end:
                return n, at - block.line
        return None, line


def unreadable(grade, source):
    """Does a part of the reader's model.py fail by itself, before any function is called?"""
    try:
        grade.load(source)
    except grade.Odd:
        return True


def readings(guess):
    """Yields a guess, how Python would print it, and that with its whole numbers as floats."""
    yield guess
    if len(guess) > 200:                               # Python would end at that many brackets
        return
    try:
        printed = repr(literal_eval(guess))
    except Exception:                                  # literal_eval raises more than it says
        return
    yield printed
    yield re.sub(r"(?<![\w.])\d+(?![\w.])", r"\g<0>.0", printed)


INSIDE = re.compile(r"(^|[/\\])(examine|weave.page|ast|importlib.\w+)\.py$|^<frozen importlib")


def chain(told):
    """Yields a traceback and those of the exceptions that led to it."""
    while told:
        yield told
        told = told.__cause__ or told.__context__


class Out(StringIO):
    """What a block prints: kept for the comparison, told in parcels, and only so much of it."""

    def __init__(self):
        super().__init__()
        self.tell, self.parcel, self.posted, self.room, self.cut = None, "", 0, LIMIT, ""

    def write(self, text):
        part = text[:self.room]
        self.room -= len(part)
        if len(part) < len(text):
            part, self.cut = part + self.cut, ""       # told once
        self.parcel += part
        super().write(part)
        if not self.room or perf_counter() - self.posted > PARCEL:
            self.post()
        return len(text)

    def close(self):                                   # by the reader's code, which is not all that writes here
        pass

    def post(self):
        if self.parcel:
            self.tell(self.parcel)
        self.parcel, self.posted = "", perf_counter()
