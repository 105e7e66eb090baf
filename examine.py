"""Examine the book: run the blocks of its chapters and compare every answer in them.

    ```python                        an example: it is run and must not raise
    ```pycon                         a session: every answer in it is compared
    ```python {#x title="tf/x.py"}   code that tangle.py puts into a file, which must
                                     be what the chapters say
    ```python { notest why="..." }   not run, for the reason given

A chapter is one namespace. A number printed with four decimals or more is compared to
the last digit shown, everything else to the letter; `...` stands for any text,
<BLANKLINE> for an empty line. Of an exception the last line is compared.

What is wrong is told as `docs/03-mask.md:42: what is wrong`, with what was expected and
what came, and the exit status is then 1.
"""

import ast
import os
import re
import sys
import warnings
from collections import Counter, namedtuple
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from decimal import Decimal
from functools import cache
from importlib import import_module
from importlib.abc import ExecutionLoader
from importlib.util import spec_from_loader
from io import StringIO
from traceback import format_exception_only, walk_tb
from types import ModuleType

from tangle import on_disk, original, read, scan, tangle


class Failure(namedtuple("Failure", "path line message answer", defaults=[None])):
    """What is wrong at a place; of a wrong answer also the right one."""

    def __str__(self):
        return f"{self.path}:{self.line}: {self.message}"


# ---- Is it the same answer?

ROUNDED = r"(?<![\w.])[-+]?\d+\.\d{4,}(?:[eE][-+]?\d+)?(?!\w|\.[\d.])"    # 0.0900, 4.4409e-16
FLOAT = r"((?<![\w.])[-+]?(?:\d+\.\d+(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+)(?!\w|\.\d))"
TOKEN = re.compile(rf"({ROUNDED}|\.\.\.)")


def same(want, got):
    """True if the text got is the answer wanted, by the rule of this book.

    A number with four decimals or more stands for every float that rounds to it. An
    int is no float: where 1.0000 is wanted, 1 is wrong.
    """
    want = re.sub(r"(?m)^<BLANKLINE>$", "", want)
    got = re.sub(r"(?m)^[ \t]+$", "", got)
    parts = [(r"\A", [])]                              # (regex, its numbers) between ellipses
    for n, token in enumerate(TOKEN.split(want)):
        regex, numbers = parts[-1]
        if token == "...":
            parts.append(("", []))
        elif n % 2:
            parts[-1] = regex + FLOAT, [*numbers, token]
        else:
            parts[-1] = regex + re.escape(token), numbers
    parts[-1] = parts[-1][0] + r"\Z", parts[-1][1]
    end = 0
    for regex, numbers in parts:
        regex = re.compile(regex)
        found = regex.search(got, end)
        while found and not all(map(near, numbers, found.groups())):
            found = regex.search(got, found.start() + 1)
        if not found:
            return False
        end = found.end()
    return True


def near(want, got):
    """True if got is within half a unit of the last digit of want."""
    want = Decimal(want)
    return abs(want - Decimal(got)) <= Decimal(5).scaleb(want.as_tuple().exponent - 1)


# ---- What does a session ask?

Example = namedtuple("Example", "line source want")    # source and want are lists of lines


def read_session(block):
    """([Example], [Failure]): every line of a session is asked or compared, or it is wrong."""
    examples, wrong, part = [], [], None
    for n, line in enumerate(block.code.split("\n")[:-1], block.line + 1):
        slip = None
        if line[:4] in (">>>", ">>> "):
            examples.append(Example(n, [line[4:]], []))
            part = "source"
        elif part == "source" and line[:4] in ("...", "... "):
            examples[-1].source.append(line[4:])
        elif not line:
            part = None
        elif line.lstrip().startswith(">>>"):
            slip = "begin a prompt at the margin of its block, with a blank behind it"
        elif part:
            examples[-1].want.append(line)
            part = "want"
        else:
            slip = "nobody compares this line: it follows no prompt (write an empty line " \
                   "in an answer as <BLANKLINE>)"
        if part == "source" and re.search(r"#\s*doctest:", line):
            slip = "directives to doctest are not obeyed: remove it"
        wrong += [Failure(block.path, n, slip)] * bool(slip)
    if not examples:
        wrong.append(Failure(block.path, block.line, "this session has no `>>> `"))
    return examples, wrong


# ---- Which blocks are run, and what would nobody run?

def runnable(blocks):
    """Those that can be right or wrong: code of files, and Python unless it says notest."""
    return [block for block in blocks if "title" in block.attrs or
            block.lang in ("python", "pycon") and "notest" not in block.attrs]


NAMES = re.compile(r"i?py[\w-]*|doctest", re.I)
FENCE = re.compile(r"(?i)[\s>:+*.)\d-]*(?:\[\^[^]]*\]:\s*)?(`{3,}|~{3,})\s*\{?\s*\.?"
                   rf"({NAMES.pattern})(?![\w-])[^`]*")
PROMPT = re.compile(r"[\s>]*?>>> \S")


def guard(path, text, blocks):
    """[Failure] for what looks like Python to a reader of a page and is run by nobody.

    blocks are those that scan() found. The rest is read line by line, without a notion of
    lists, notes or comments, so that none of them can hide anything.
    """
    lines = text.removeprefix("\ufeff").split("\n")
    wrong = {block.line: slip for block in blocks if (slip := misnamed(block))}
    heads = {block.line for block in blocks}
    for n, line in enumerate(lines, 1):
        around = next((block for block in blocks if block.line < n < block.end), None)
        if n in heads or around and around.lang in ("python", "pycon"):
            continue
        fence = FENCE.fullmatch(line)
        if fence and not (around and longer(lines[around.line - 1], fence[1])):
            wrong[n] = f"nobody runs this {fence[2]} block: move it to where it is one"
        elif PROMPT.match(line) and not (around and around.lang in ("markdown", "md")):
            wrong[n] = "nobody compares this: a session belongs into a block called pycon"
    return [Failure(path, n, slip) for n, slip in sorted(wrong.items())]


def misnamed(block):
    """What is wrong with the head of a block, and the mend; or None."""
    if "notest" in block.attrs and not block.attrs.get("why", "").strip():
        return 'say why this block is not run: { notest why="..." }'
    if NAMES.fullmatch(block.lang) and block.lang not in ("python", "pycon"):
        return f"nobody runs a block called {block.lang}: call it python, or pycon if it has >>>"
    if block.lang == "pycon" and "title" in block.attrs:
        return "nobody compares the answers in a block with a title: drop the title"


def longer(opening, marks):
    """True if a block that opens so can hold a fence of these marks, as text."""
    fence = re.search(r"`{3,}|~{3,}", opening)[0]
    return fence[0] != marks[0] or len(fence) > len(marks)


# ---- The book

class Book:
    """Chapters, tangled: texts is {path: text}, root the folder where the paths begin.

    rewrite(tree, source, file) may change the tree of an example before it is run. tangled is
    what tangle() makes of the chapters, if that is known.
    """

    def __init__(self, texts, root=".", draft=False, rewrite=None, tangled=None):
        self.texts, self.root, self.rewrite = texts, os.path.abspath(root), rewrite
        self.chapters = [path for path in texts if not original(path)]
        own = {path: texts[path] for path in self.chapters}
        self.outputs, self.errors = tangled or tangle(own, draft)
        self.broken = self.errors[:1]                  # then nothing can be run
        if own != texts:
            self.errors = self.errors or tangle(texts, draft)[1]
        self.stale = []                                # Failures where a file is not up to date
        self.origins = {(self.file(target), n): place for target, output in self.outputs.items()
                        for n, place in enumerate(output.origins, 1) if place}

    def file(self, path):
        return os.path.join(self.root, *path.split("/"))

    def faults(self, path):
        """[Failure] for what is wrong with a page before anything is run."""
        slips = [Failure(*error) for error in self.errors if error.path == path]
        found = guard(path, self.texts.get(path, ""), scan(path, self.texts.get(path, ""))[0])
        return slips + [slip for slip in found if slip.line not in {slip.line for slip in slips}]


def open_book(root, rewrite=None):
    """The Book in a folder, compared with the files that tangle.py has made of it."""
    texts, errors = read(root)
    book = Book(texts, root, rewrite=rewrite)
    book.errors = errors + book.errors
    for path, output in book.outputs.items():
        data, _ = on_disk(root, path)
        book.stale += [Failure(*place, f"{path} does not say this: run `make tangle`")
                       for place in differences(output, data and data.decode("utf-8", "replace"))]
    return book


def differences(output, text):
    """[(path, line)] of the chapters where a file's text is not the output, one a change."""
    if text == output.text:
        return []
    from difflib import SequenceMatcher
    lines = (text or "").split("\n")[:-1]
    places = []
    for kind, start, end, *_ in SequenceMatcher(None, output.lines, lines, False).get_opcodes():
        if kind != "equal":
            near_by = output.origins[start:end] or output.origins[:start][::-1]
            places += list(filter(None, near_by))[:1]
    return places or [(output.blocks[0].path, output.blocks[0].line)]


def holds(block, place):
    return place and place[0] == block.path and block.line <= place[1] < block.end


SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda,
          ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def bound(tree):
    """Yields (name, line) of all that the statements of a module bind."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.alias):
            yield (node.asname or node.name).split(".")[0], node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, SCOPES):
            yield getattr(node, "name", ""), node.lineno
        else:
            yield from bound(node)


@cache
def names_of(output):
    """[(name, place in a chapter)] of all that a tangled module binds."""
    return [(name, output.origins[line - 1]) for name, line in bound(ast.parse(output.text))]


class Importer(ExecutionLoader):
    """Lets `import tf.model` run a text, as if it stood in the file; {name: (file, text)}."""

    def __init__(self, modules):
        self.modules = modules

    def find_spec(self, name, path=None, target=None):
        return spec_from_loader(name, self) if name in self.modules else None

    def is_package(self, name):
        return False

    def get_filename(self, name):
        return self.modules[name][0]

    def get_source(self, name):
        return self.modules[name][1]


def module_name(path):
    return path.removesuffix(".py").replace("/", ".")


# ---- A chapter

Answer = namedtuple("Answer", "prefix first want got")  # first: its line in the page, from 0
TRACEBACK = re.compile(r"(?ms)(.*?)^Traceback \(most recent call last\):\n(?:^\W[^\n]*\n)*(\w.*)")


class Chapter:
    """The blocks of a chapter and their namespace.

    sources is {path: text} of modules that are to be others than those tangled.
    """

    def __init__(self, book, path, sources={}):
        self.book, self.path, self.file = book, path, book.file(path)
        texts = {target: output.text for target, output in book.outputs.items()} | sources
        self.targets = {book.file(target): target for target in texts if target.endswith(".py")}
        self.importer = Importer({module_name(target): (file, texts[target])
                                  for file, target in self.targets.items()})
        self.blocks = runnable(scan(path, book.texts[path])[0])
        self.restart()

    def restart(self):
        self.done = self.asked = self.held = 0         # blocks; answers
        self.out = StringIO()
        self.modules = {"__main__": ModuleType("__main__")}
        self.names = vars(self.modules["__main__"])
        for target in self.targets.values():           # the folders are packages
            while target := os.path.dirname(target):
                package = self.modules[module_name(target)] = ModuleType(module_name(target))
                package.__path__ = [self.book.file(target)]

    def failures(self):
        """Yields all that is wrong, block by block, from the beginning."""
        self.restart()
        for n in range(len(self.blocks)):
            yield from self.run(n)

    def run(self, n):
        """[Failure] of the n-th block. What stands above it is run first, unless it just was."""
        if n < self.done:
            self.restart()
        while self.done < n:
            self.run(self.done)
        self.done, block = n + 1, self.blocks[n]
        if self.book.broken:
            return [Failure(self.path, block.line, f"not run: first mend {self.book.broken[0]}")]
        run = (self.run_tangled if "title" in block.attrs else
               self.run_session if block.lang == "pycon" else self.run_example)
        with self.stage() as heard:
            failures = list(run(block))
        for each in heard:
            if place := self.place(each.filename, each.lineno):
                failures.append(Failure(*place, f"warns: {said(each.message)}".rstrip()))
        return failures

    @contextmanager
    def stage(self):
        """Where a block runs: in the root, with the modules of its book, and overheard."""
        def take_modules():
            ours = {*self.modules, *self.importer.modules} & {*sys.modules}
            return {name: sys.modules.pop(name) for name in ours}
        outside = take_modules()
        sys.modules.update(self.modules)
        sys.meta_path.insert(0, self.importer)
        try:
            with (chdir(self.book.root), redirect_stdout(self.out), redirect_stderr(self.out),
                  warnings.catch_warnings(record=True) as warned):
                warnings.simplefilter("always")
                warnings.simplefilter("ignore", ResourceWarning)
                yield warned
        finally:
            sys.meta_path.remove(self.importer)
            self.modules = take_modules()
            sys.modules.update(outside)

    def watch(self, action):
        """(exception or None, what was printed) of an action."""
        self.out.seek(0)
        self.out.truncate()
        error = None
        try:
            action()
        except KeyboardInterrupt:
            raise
        except BaseException as problem:               # SystemExit too
            error = problem
        printed = self.out.getvalue()
        return error, printed + "\n" * (printed[-1:] not in ("", "\n"))

    def execute(self, mode, line, source):
        source = "\n" * (line - 1) + source            # its lines are the chapter's
        tree = ast.parse(source, self.file, mode)
        if self.book.rewrite and mode == "exec":
            self.book.rewrite(tree, source, self.file)
        exec(compile(tree, self.file, mode), self.names)

    def run_tangled(self, block):
        """Take from the module the names that it has from this block."""
        yield from [failure for failure in self.book.stale if holds(block, failure)][:1]
        for target, output in self.book.outputs.items():
            if target.endswith(".py") and any(holds(block, place) for place in output.origins):
                error, printed = self.watch(lambda: import_module(module_name(target)))
                if error:
                    yield self.raised(error, block.line, printed)
                    continue
                module = vars(sys.modules[module_name(target)])
                self.names.update((name, module[name]) for name, place in names_of(output)
                                  if name in module and holds(block, place))

    def run_example(self, block):
        error, printed = self.watch(lambda: self.execute("exec", block.line + 1, block.code))
        if isinstance(error, SyntaxError) and re.search(r"(?m)^\s*>>>", block.code):
            yield Failure(self.path, block.line, "a block with `>>>` is a session: call it pycon")
        elif error:
            yield self.raised(error, block.line, printed)

    def run_session(self, block):
        examples, failures = read_session(block)
        yield from failures
        for example in examples:
            failures = list(self.ask(example, block.prefix))
            yield from failures
            self.asked += bool(example.want)
            self.held += bool(example.want and not failures)

    def ask(self, example, prefix):
        line, source, want = example.line, text_of(example.source), text_of(example.want)
        mode = "single" if re.search(r"(?m)^\s*[^\s#]", source) else "exec"    # only a comment
        error, printed = self.watch(lambda: self.execute(mode, line, source))
        asked = f"`{example.source[0]}`"
        expected = TRACEBACK.fullmatch(want)
        if error and expected:
            before, message = expected.groups()
            if not same(message, said(error)) or before and not same(before, printed):
                yield Failure(self.path, line, f"{asked} raises something else" + told(
                    expected=before + message, came=(before and printed) + said(error)))
        elif error:
            yield self.raised(error, line, printed)
        elif not same(want, printed):
            answer = Answer(prefix, line - 1 + len(example.source), want, printed)
            yield Failure(self.path, line, f"{asked} gives another answer" + told(
                expected=want or "nothing", came=printed or "nothing"), answer)

    def raised(self, error, line, printed):
        """The Failure for an exception, at its deepest line in the chapter."""
        spots = [(frame.f_code.co_filename, n) for frame, n in walk_tb(error.__traceback__)]
        if isinstance(error, SyntaxError):
            spots.append((error.filename, error.lineno))
        here = [self.place(*spot) for spot in spots if spot[0] == self.file]
        code = [self.place(*spot) for spot in spots if spot in self.book.origins]
        path, line = (here or code or [(self.path, line)])[-1]
        source = self.book.texts[path].split("\n")[line - 1].strip(" \t\r>")
        return Failure(path, line, f"`{source}` raises {said(error)}".rstrip() + told(
            called="from {}:{}".format(*here[0]) if here[1:] else "",
            inside="code of {}:{}".format(*code[-1]) if here and code else "",
            printed=printed))

    def place(self, file, line):
        """(path, line) where a line of code stands in the chapters, or None."""
        return (self.path, line) if file == self.file else self.book.origins.get((file, line))


def said(error):
    """The end of a traceback: type and message."""
    lines = format_exception_only(error)
    return lines[-1] if isinstance(error, SyntaxError) else "".join(lines)


def text_of(lines):
    return "".join(line + "\n" for line in lines)


def told(**texts):
    """Texts below each other, each behind its name."""
    return "".join(f"\n    {name + ':':10}" + text.rstrip("\n").replace("\n", "\n" + " " * 14)
                   for name, text in texts.items() if text)


# ---- What would be the right answer?

def update(text, failures):
    """The page with the answers that came where others stood; no exception is an answer."""
    lines = text.split("\n")
    for failure in sorted(failures, key=lambda failure: failure.line, reverse=True):
        if failure.answer:
            prefix, first, want, got = failure.answer
            ending = "\r" * lines[failure.line - 1].endswith("\r")
            new = rounded(want, got)
            misread = re.search(r"(?m)\A\.\.\.|^\s*(?:>>>|```|~~~)", new)
            if same(new, got) and not misread:
                lines[first:first + want.count("\n")] = [
                    prefix + (line if line.strip() else "<BLANKLINE>") + ending
                    for line in new.split("\n")[:-1]]
    return "\n".join(lines)


def rounded(want, got):
    """The text got, its floats printed as those of want are, or with four decimals.

    A float that is short is exact, and stays as it is unless want has more digits for it.
    """
    models = re.findall(FLOAT, want)
    usual = Counter(n for n in map(decimals, models) if n >= 4).most_common(1) or [(4, 1)]
    models = iter(models if len(models) == len(re.findall(FLOAT, got)) else [])

    def printed(match):
        number, model = match[1], next(models, "")
        digits = decimals(model)
        if digits < 4:
            if sum(map(str.isdigit, number)) < 13:     # not the noise of a computation
                return number
            digits = usual[0][0]
        large = abs(float(number)) > 1
        kind = "e" if "e" in number and (large or "e" in model or not model) else "f"
        return f"{float(number):{'+' * (number[0] == '+')}.{digits}{kind}}"
    return re.sub(FLOAT, printed, got)


def decimals(number):
    return len(number.lower().partition("e")[0].partition(".")[2])


def write_update(book, path, failures):
    """Bring the answers that came into the file of a chapter; True if that changes it."""
    text = update(book.texts[path], failures)
    if text != book.texts[path]:
        with open(book.file(path), "wb") as file:
            file.write(text.encode())
        return True


# ---- The command

def main(argv=None):
    """Run the command; return its exit status."""
    from argparse import ArgumentParser, RawDescriptionHelpFormatter
    parser = ArgumentParser("examine.py", description=__doc__,
                            formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=".", metavar="DIR",
                        help="the folder that holds docs/ (default: this one)")
    parser.add_argument("--update", action="store_true",
                        help="write into the chapters the answers that come, but never an exception")
    parser.add_argument("chapters", nargs="*", metavar="CHAPTER",
                        help="examine only these, such as docs/03-mask.md (default: all)")
    options = parser.parse_args(argv)
    for stream in sys.stdout, sys.stderr:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    book = open_book(options.root)
    paths = options.chapters or list(book.texts)
    if unknown := [path for path in paths if path not in book.texts]:
        parser.error(f"no such chapter: {', '.join(unknown)}")
    if options.update:
        for path in paths:
            if path in book.chapters:
                if write_update(book, path, Chapter(book, path).failures()):
                    print(f"{path} written")
        book = open_book(options.root)
    return report(book, paths)


def report(book, paths):
    """Print what is wrong with these chapters; return 1 if anything is, else 0."""
    if book.broken:
        print(*book.errors, "nothing was run", sep="\n")
        return 1
    failures = [error for error in book.errors if error.path not in book.texts]
    asked = held = 0
    for path in paths:
        failures += book.faults(path)
        if path in book.chapters:                      # and no translation
            chapter = Chapter(book, path)
            failures += chapter.failures()
            asked, held = asked + chapter.asked, held + chapter.held
    failures = dict.fromkeys(map(str, failures))       # a broken module fails in many blocks
    print(*failures, sep="\n", end="\n" * bool(failures))
    print(f"{held} of {asked} answers hold" + f"; failures: {len(failures)}" * bool(failures))
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
