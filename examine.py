"""Examine the book: run the blocks of a chapter and compare every printed answer.

Blocks of a chapter share one namespace. A `python` block is an example and must not raise. In a
`pycon` block each answer is compared: a number printed with four or more decimals at that precision,
everything else exactly, `...` with anything. A block with a title is not run as a copy: its names
come from the tangled file, which must hold the block as it stands in the chapter.
"""

import ast
import doctest
import io
import re
import sys
import traceback
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections import namedtuple
from contextlib import contextmanager, redirect_stderr, redirect_stdout

from importlib import import_module
from importlib.util import spec_from_loader

from tangle import first_difference, original, read, scan, tangle, write

RUN = {"python", "pycon"}


class Failure(namedtuple("Failure", "path line message example got", defaults=(None, None))):
    """What did not hold at a place. example is a (block, doctest.Example) whose answer was `got`."""

    def __str__(self):
        return f"{self.path}:{self.line}: {self.message}"


# Comparing answers

NUMBER = r"[-+]?(?:\d+\.\d*|\.\d+|\d+(?=e))(?:e[-+]?\d+)?"
PRECISE = re.compile(r"(?<![\w.])[-+]?\d+\.\d{4,}(?:e[-+]?\d+)?(?![\w.])", re.I)


def same(want, got):
    """Does the printed answer agree with the one in the book?"""
    want, got = (re.sub(r"(?m)^<BLANKLINE>$", "", text) for text in (want, got))
    first, *middle, last = parts = want.split("...") if "..." in want else [want, None]
    if last is None:
        return match(first, got, whole=True) is not None
    start = match(first, got)
    if start is None:
        return False
    for part in middle:
        start = next((end for n in range(start, len(got) + 1)
                      if (end := match(part, got, n)) is not None), None)
        if start is None:
            return False
    return any(match(last, got, n, whole=True) is not None for n in range(start, len(got) + 1))


def match(want, got, start=0, whole=False):
    """Where in `got` the text `want`, which begins at start, ends; None if it does not."""
    numbers = PRECISE.findall(want)
    pattern = f"({NUMBER})".join(map(re.escape, PRECISE.split(want)))
    found = re.compile(pattern, re.I).match(got, start)
    if not found or whole and found.end() != len(got):
        return None
    near = all(abs(float(x) - float(w)) <= half_a_digit(w) for w, x in zip(numbers, found.groups()))
    return found.end() if near else None


def half_a_digit(number):
    """The tolerance that a printed number stands for: 0.00005 for 0.0900."""
    mantissa, _, exponent = number.lower().partition("e")
    return 0.5000001 * 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


# The book and its code

class Book:
    """The chapters in a folder, what they tangle to, and the modules made of it.

    `sources`, {"tf/model.py": text}, puts other code in the place of the files on disk, and
    `chapters` other texts in the place of the chapters there.
    """

    def __init__(self, root=".", chapters=None, sources=None, draft=False):
        self.root, self.sources = root, sources
        self.texts, errors = (chapters, []) if chapters else read(root)
        self.outputs, wrong = tangle(self.texts, draft)
        self.errors = [Failure(*error) for error in errors + wrong]

    def chapters(self):
        return [path for path in self.texts if not original(path)]

    def on_disk(self, path):
        try:
            with open(f"{self.root}/{path}", encoding="utf-8", newline="") as file:
                return file.read().replace("\r\n", "\n")
        except FileNotFoundError:
            return ""

    def names(self, block):
        """{name: object} of what this block's lines define in the modules made of them."""
        names = {}
        for path, output in self.outputs.items():
            if path.endswith(".py") and any(place in lines_of(block) for place in output.origins):
                for node in ast.parse(output.text).body:
                    if output.origins[node.lineno - 1] in lines_of(block):
                        module = import_module(path.removesuffix(".py").replace("/", "."))
                        names.update((name, getattr(module, name)) for name in bound_by(node)
                                     if hasattr(module, name))
        return names

    def untangled(self, block):
        """The Failure of the block where a file on disk leaves what the chapters say, or None."""
        for path, output in self.outputs.items():
            disk = None if self.sources else self.on_disk(path)
            if disk not in (None, output.text):
                n = first_difference(disk.split("\n")[1:], output.lines[1:]) + 1
                place = next(filter(None, output.origins[min(n, len(output.lines) - 1)::-1]), None)
                if (place or (block.path, block.line)) in [(block.path, block.line), *lines_of(block)]:
                    return Failure(*(place or lines_of(block)[0]),
                                   f"{path} is not what this block says: run `make tangle`")

    @contextmanager
    def installed(self):
        """While a chapter runs, `import tf.model` finds the book's modules."""
        before, paths = dict(sys.modules), list(sys.path)
        if self.sources is None:
            sys.path.insert(0, str(self.root))
        else:
            for name in [name for name in sys.modules if self.owns(name)]:
                del sys.modules[name]
            sys.meta_path.insert(0, self)
        try:
            yield
        finally:
            sys.path[:] = paths
            if self.sources is not None:
                sys.meta_path.remove(self)
                for name in [name for name in sys.modules if self.owns(name)]:
                    del sys.modules[name]
                sys.modules.update((name, before[name]) for name in before if self.owns(name))

    def owns(self, name):
        path = name.replace(".", "/")
        return path + ".py" in self.outputs or any(each.startswith(path + "/") for each in self.outputs)

    def find_spec(self, name, path=None, target=None):
        if self.owns(name):
            package = name.replace(".", "/") + ".py" not in self.outputs
            return spec_from_loader(name, self, is_package=package)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        path = module.__name__.replace(".", "/") + ".py"
        if path in self.outputs:
            module.__file__ = f"{self.root}/{path}"
            source = self.sources.get(path, self.outputs[path].text)
            exec(compile(source, module.__file__, "exec", dont_inherit=True), module.__dict__)


def lines_of(block):
    return [(block.path, line) for line in range(block.line + 1, block.end)]


def bound_by(node):
    """The names that a statement binds in its module."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [(alias.asname or alias.name).split(".")[0] for alias in node.names]
    return [each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]


# Running a chapter

def runs(block):
    """Is this block examined? Every example, session and tangled block is, unless it says notest."""
    return (block.lang in RUN or "title" in block.attrs) and "notest" not in block.attrs


class Chapter:
    """A chapter at work: its blocks, run in order in one namespace."""

    def __init__(self, book, path, rewrite=None):
        self.book, self.path, self.rewrite = book, path, rewrite
        self.blocks = [block for block in scan(path, book.texts[path])[0] if runs(block)]
        self.begin()

    def begin(self):
        self.done, self.namespace = 0, {"__name__": "__main__"}

    def examine(self):
        """[Failure] of the whole chapter."""
        return [failure for block in self.blocks for failure in self.reach(block)]

    def reach(self, block):
        """[Failure] of a block, after those above it have run; they are not run twice."""
        index = self.blocks.index(block)
        if self.done > index:
            self.begin()
        with self.book.installed():
            while self.done < index:
                self.run(self.blocks[self.done])
                self.done += 1
            self.done += 1
            return self.run(block)

    def run(self, block):
        if "title" in block.attrs:
            if failure := self.book.untangled(block):
                return [failure]
            return self.caught(block, lambda: self.namespace.update(self.book.names(block)))
        return self.session(block) if block.lang == "pycon" else self.example(block)

    def example(self, block):
        if re.search(r"^>>> ", block.code, re.M):
            return [self.failure(block.line, "a block with prompts is a session: call it `pycon`")]

        def execute():
            source = "\n" * block.line + block.code
            tree = ast.parse(source, self.path)
            if self.rewrite:
                self.rewrite(tree, source.encode(), self.path)
            exec(compile(tree, self.path, "exec", dont_inherit=True), self.namespace)
        return self.caught(block, execute)

    def caught(self, block, execute):
        """[Failure] of running something that should not raise."""
        printed = io.StringIO()
        try:
            with redirect_stdout(printed), redirect_stderr(printed):
                execute()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            shown = f"\nprinted before that:\n{printed.getvalue()}" if printed.getvalue() else ""
            return [self.failure(self.line_of(error, block.line), describe(error) + shown)]
        return []

    def session(self, block):
        try:
            examples = doctest.DocTestParser().get_examples(block.code)
        except ValueError as error:
            return [self.failure(block.line, f"this session cannot be read: {error}")]
        failures = [self.failure(block.line + 1 + n, f"this line is compared with nothing: {reason}")
                    for n, reason in uncompared(block.code, examples)]
        return failures + [failure for example in examples for failure in self.answer(block, example)]

    def answer(self, block, example):
        line = block.line + 1 + example.lineno
        printed, error, hook = io.StringIO(), None, sys.displayhook
        try:
            sys.displayhook = sys.__displayhook__
            with redirect_stdout(printed), redirect_stderr(printed):
                exec(compile("\n" * (line - 1) + example.source, self.path, "single", dont_inherit=True),
                     self.namespace)
        except KeyboardInterrupt:
            raise
        except BaseException as raised:
            error = raised
        finally:
            sys.displayhook = hook
        got, source = printed.getvalue(), example.source.strip()
        if error is None and example.exc_msg is None:
            if same(example.want, got):
                return []
            message = f"wrong answer of {source}\n  in the book: {example.want.strip() or 'nothing'}" \
                      f"\n  what came:   {got.strip() or 'nothing'}"
            return [self.failure(line, message, (block, example), got)]
        if error is None:
            return [self.failure(line, f"{source} should raise {example.exc_msg.strip()}, and gives "
                                       f"{got.strip() or 'nothing'}")]
        came = "".join(traceback.format_exception_only(error))
        if example.exc_msg is not None and same(example.exc_msg, came[came.index(came.strip().split("\n")[-1]):]):
            return []
        wanted = f"\n  in the book: {example.exc_msg.strip()}" if example.exc_msg else ""
        place = self.line_of(error, line)
        return [self.failure(line, f"{source} raises {describe(error)}" + wanted
                             + (f"\n  in line {place}" if place != line else ""))]

    def failure(self, line, *rest):
        return Failure(self.path, line, *rest)

    def line_of(self, error, line):
        """The deepest line of this chapter that the error came through."""
        if isinstance(error, SyntaxError) and error.filename == self.path:
            return error.lineno or line
        frames = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == self.path]
        return frames[-1] if frames else line


def describe(error):
    return f"{type(error).__name__}: {error}".rstrip(": ")


def uncompared(code, examples):
    """(line, counted from 0, and a reason) for each line of a session that nothing checks."""
    compared = {example.lineno + n for example in examples
                for n in range(example.source.count("\n") + example.want.count("\n"))}
    for n, line in enumerate(code.split("\n")):
        if line.strip() and n not in compared:
            yield n, "every line is a prompt or an answer, and an empty line in an answer is written <BLANKLINE>"
    for example in examples:
        if example.options:
            yield example.lineno, "a doctest directive would change how; leave it out"
    if not examples:
        yield -1, "there is no >>> in it"


# What nobody runs

FENCE = re.compile(r"[\s>]*(?:(?:[-+*]|\d+[.)])\s+)*(`{3,}|~{3,})[ \t]*\{?[ \t]*\.?([\w-]*)")
PYTHONIC = re.compile(r"py\d?|pycon\d?|python\d?|ipython\d?|python-repl|pytb|doctest", re.I)


def guard(path, text):
    """[Failure] for each block that looks like Python to a reader and is run by nobody."""
    blocks, errors = scan(path, text)
    opened = {block.line: block for block in blocks}
    inside = {line: block for block in blocks for line in range(block.line + 1, block.end)}
    lines = text.split("\n")
    failures = [Failure(*error) for error in errors]
    for n, line in enumerate(lines, 1):
        fence = FENCE.match(line)
        if not fence or not PYTHONIC.fullmatch(fence[2]):
            continue
        block = opened.get(n)
        if block is None and not shown(lines, inside.get(n), fence[1]):
            failures.append(Failure(path, n, f"this {fence[2]} block is run by nobody: move it out of what holds it, or "
                                             "show it in a longer fence"))
        elif block and block.lang not in RUN:
            failures.append(Failure(path, n, f"this block is run by nobody: call it `python` or `pycon`, not `{block.lang}`"))
    for block in blocks:
        if "notest" in block.attrs and not block.attrs.get("why"):
            failures.append(Failure(path, block.line, "notest needs a reason: add why=\"...\""))
    return failures


def shown(lines, block, ticks):
    """Is a fence inside this block an example, that is, inside a longer fence or inside code?"""
    if block is None:
        return False
    outer = FENCE.match(lines[block.line - 1])[1]
    return block.lang in RUN or outer[0] != ticks[0] or len(outer) > len(ticks)


# Putting the real answers in

FLOAT = re.compile(r"[-+]?\d+\.\d+(?:e[-+]?\d+)?|[-+]?\d+e[-+]?\d+", re.I)


def update(text, failures):
    """The chapter with the real answers in the places of the wrong ones, at the precision that the author chose."""
    lines = text.split("\n")
    for failure in sorted(failures, key=lambda failure: -failure.line):
        if failure.example:
            block, example = failure.example
            prompt = lines[block.line + example.lineno]
            lead, ending = prompt[:prompt.index(">>>")], "\r" if prompt.endswith("\r") else ""
            first = block.line + example.lineno + example.source.count("\n")
            answer = like(example.want, failure.got).split("\n")[:-1] if failure.got else []
            lines[first:first + example.want.count("\n")] = [
                (lead + (line or "<BLANKLINE>")).rstrip() + ending for line in answer]
    return "\n".join(lines)


def like(want, got):
    """The answer that came, its long numbers rounded as those in the book are, or to four decimals."""
    digits = [len(re.split("[.e]", number.lower())[1]) for number in PRECISE.findall(want)]
    n = max(set(digits), key=digits.count) if digits else 4

    def rounded(match):
        number, decimals = match[0], len(match[0].lower().partition("e")[0].partition(".")[2])
        form = "e" if "e" in number.lower() else "f"
        return f"{float(number):.{n}{form}}" if decimals > n else number
    got = FLOAT.sub(rounded, got)
    return got if got.endswith("\n") else got + "\n"


# The command

def main(words=None):
    """Examine chapters; return 1 if an answer does not hold, else 0."""
    parser = ArgumentParser("examine.py", description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("chapters", nargs="*", metavar="CHAPTER", help="such as docs/01-softmax.md (default: all)")
    parser.add_argument("--root", default=".", metavar="DIR", help="the folder that holds docs/ (default: this one)")
    parser.add_argument("--update", action="store_true", help="write the real answers into the chapters")
    options = parser.parse_args(words)
    book = Book(options.root)
    paths = [path.replace("\\", "/").removeprefix("./") for path in options.chapters] or book.chapters()
    if unknown := [path for path in paths if path not in book.texts]:
        parser.error(f"no chapter is called {unknown[0]}: name it like {book.chapters()[0]}")
    failures, asked = list(book.errors), 0
    for path in paths if not failures else ():
        chapter = Chapter(book, path)
        found = guard(path, book.texts[path]) + chapter.examine()
        if options.update:
            rewrite(options.root, path, book.texts[path], found)
        failures += found
        asked += sum(count(block) for block in chapter.blocks)
    for failure in failures:
        print(failure, file=sys.stderr)
    wrong = sum(failure.example is not None for failure in failures)
    print(f"{asked - wrong} of {asked} answers hold" + (f", {len(failures)} failures" if failures else ""))
    return int(bool(failures))


def count(block):
    """How many examples a session holds."""
    return len(re.findall(r"^>>> ", block.code, re.M)) if block.lang == "pycon" else 0


def rewrite(root, path, text, failures):
    """Write the real answers into a chapter; say what was written, and what was not."""
    new = update(text, failures)
    if new != text:
        write(root, {path: (text.encode(), new.encode())})
    for failure in failures:
        verb = "updated" if failure.example else "NOT updated"
        print(f"{verb} {failure.path}:{failure.line}")


if __name__ == "__main__":
    sys.exit(main())
