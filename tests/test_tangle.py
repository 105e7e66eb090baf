"""tangle.py, held to cases, to pages at random, to being killed, and to itself."""

import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from examine import Chapter, open_book
from hypothesis import HealthCheck, given, settings
from tangle import PYTHON, main, original, read, scan, tangle
from tangle_cases import CASES, Case, cases, picture
from tangle_pages import BOOKS

ROOT = Path(__file__).parent.parent


def named(cases):
    return [pytest.param(*rest, id=name) for name, *rest in cases]


@pytest.mark.parametrize("files", named(cases()))
def test_case(files, tmp_path):
    Case(files, tmp_path).hold()


# ---- Pages

def pages():
    """[(title, page, what scan finds)]: each of the three ends in a line that is a point."""
    parts = re.split(r"(?m)^\.\n", (CASES / "scan.md").read_text(encoding="utf-8"))
    return zip(map(str.strip, parts[0::3]), parts[1::3], parts[2::3])


@pytest.mark.parametrize("page, wanted", named(pages()))
def test_scan(page, wanted):
    blocks, errors = scan("p", page)
    found = [f"{block.line} {block.lang} {block.code!r}" for block in blocks]
    found += [f"{error.line}: {error.message}" for error in errors]
    wanted = wanted.splitlines()
    begins = [line[:len(start)] for line, start in zip(found, wanted)]
    assert begins + found[len(wanted):] == wanted


LONG = 100_000


@pytest.mark.parametrize("before, many, behind", [
    ("", "`", ""), ("", "` ", ""), ("``` ", "a", " `"), ("~~~ ", "{", ""), ("~~~ {", "a=", "}"),
    ("~~~ a", " ", "{"), ('~~~ a {a="', "\\", "}"), ("", "> ", ""), ("", "- ", ""),
    ("-", " ", "x"), ("", "* ", "x"), ("", "1. ", ""), ("!!! ", "a ", '"'),
    ('!!! a "', '" ', "x"), ("=== ", '"', "x"),
    ("", "[", ""), ("", "[a", "]:"), ("", "<a ", ""), ("", "<!--", ""), ("", "`<!-- ", ""),
    ("", "<", ""), ("", ": ", ""), ("", "\t", "```"), ("~~~py\n", '"\\"', "\n# <<\n~~~"),
    ("~~~py\n# <<a>>", " ", "x\n~~~"), ("~~~py\n", "#<<", "\n~~~"), ("~~~py\n", " ", "<<a\n~~~"),
    ("~~~py\n", '"""', "<<a\n~~~"), ("", "<p>\n\n", ""), ("", "<!--\n", "")])
def test_a_long_line_takes_no_longer_for_each_letter(before, many, behind):
    """Where time grows with the square of the length, this takes minutes."""
    tangle({"docs/a.md": before + many * LONG + behind})


# ---- Books at random

QUICK = settings(deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@pytest.mark.long
@settings(QUICK, max_examples=2000)
@given(BOOKS)
def test_any_book_is_tangled_whole_or_not_at_all(texts):
    outputs, errors = tangle(texts)
    lines = {path: text.replace("\r\n", "\n").split("\n") for path, text in texts.items()}
    assert all(error.message and 1 <= error.line <= len(lines[error.path]) for error in errors)
    assert bool(outputs) != bool(errors)
    again, _ = tangle(texts)
    assert [output.text for output in again.values()] == [o.text for o in outputs.values()]
    there = {origin for output in outputs.values() for origin in output.origins}
    for block in [block for path in texts for block in scan(path, texts[path])[0]]:
        shown = lines[block.path][block.line:block.end - 1]
        goes = outputs and "title" in block.attrs and not original(block.path)
        assert len(shown) == block.code.count("\n")
        for n, (code, line) in enumerate(zip(block.code.split("\n"), shown), block.line + 1):
            assert line.endswith(code) if code else not line.strip("> \t")
            if goes and code and "<<" not in code:
                assert (block.path, n) in there
    for output in outputs.values():
        for line, origin in zip(output.lines, output.origins, strict=True):
            assert not origin or lines[origin[0]][origin[1] - 1].endswith(line.lstrip(" \t"))


def command(root, *words):
    """(exit status, what it prints) of tangle.py."""
    with redirect_stdout(StringIO()) as out, redirect_stderr(out):
        return main(["--root", str(root), *words]), out.getvalue()


@pytest.mark.long
@settings(QUICK, max_examples=150)
@given(BOOKS)
def test_any_book_on_disk(texts):
    with TemporaryDirectory() as folder:
        place = Path(folder)
        files = {f"book/{path}": text for path, text in texts.items()}
        for path, text in (files | {"beside/a.py": "mine\n", "book/mine.py": "mine\n"}).items():
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_bytes(text.encode())
        before = picture(place)
        status, message = command(place / "book")
        after = picture(place)
        assert {path: after.get(path) for path in before} == before
        if status:
            assert (status, after) == (1, before) and message
        else:
            assert command(place / "book") == command(place / "book", "--check") == (0, "")
            assert picture(place) == after


# ---- Killed, and on a full disk

HALF = """
import io, os, signal, sys
import tangle

kind, left, *words = sys.argv[1:]
left = int(left)

def step(kinds=("kill",)):
    global left
    if kind in kinds:
        left -= 1
        if left == -1 and kind == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if left == -1:
            raise OSError(28, "No space left on device", "the disk")

class Half(io.FileIO):
    def write(self, data):
        super().write(data[:9])
        step(("kill", "full"))
        super().write(data[9:])

def stepping(do):
    def after_a_step(*args, **options):
        step()
        return do(*args, **options)
    return after_a_step

for name in "makedirs", "remove", "replace":
    setattr(os, name, stepping(getattr(os, name)))
tangle.open = lambda path, mode: Half(path, mode) if "x" in mode else open(path, mode)
sys.exit(tangle.main(words))
"""


def python(*words, cwd=ROOT):
    env = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, *map(str, words)],
                          cwd=cwd, env=env, capture_output=True, text=True)


def write_chapter(root, blocks):
    (root / "docs").mkdir(parents=True, exist_ok=True)
    (root / "docs/01-one.md").write_text("\n".join(map(block, blocks, blocks.values())))


def block(title, code):
    name = re.sub(r"\W", "-", title)
    return f'```python {{#{name} title="{title}"}}\n{code}\n```\n'


def contents(folder):
    """{path: bytes, or "a folder"} of all but the chapters."""
    return {path: seen if isinstance(seen, str) else seen[0]
            for path, seen in picture(folder).items() if not path.startswith("docs")}


OLD = {"tf/a.py": "a = 1", "tf/b.py": "b = 1", "tf/same.py": "", "tf/stale.py": "", "d.txt": "1"}
NEW = {"tf/a.py": "a = 2", "tf/b.py": "b = 2", "tf/same.py": "", "new/one/c.py": "", "d.txt": "2"}


@pytest.fixture
def halves(tmp_path):
    """(what OLD makes, what NEW makes, a function: a book tangled as OLD, with NEW's chapter)."""
    for name, blocks in ("old", OLD), ("new", NEW):
        write_chapter(tmp_path / name, blocks)
        assert command(tmp_path / name)[0] == 0

    def book(name):
        shutil.copytree(tmp_path / "old", tmp_path / name)
        write_chapter(tmp_path / name, NEW)
        return tmp_path / name

    return contents(tmp_path / "old"), contents(tmp_path / "new"), book


def test_killed_at_any_step(halves):
    old, new, book = halves
    for n in range(100):
        root = book(f"killed-{n}")
        done = python("-c", HALF, "kill", n, "--root", root)
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
        now = contents(root)
        for path in OLD | NEW:
            assert now.get(path) in (old.get(path), new.get(path))
        back = shutil.copytree(root, root.with_name(f"back-{n}"))
        write_chapter(back, OLD)
        assert command(back)[0] == 0
        assert {path: data for path, data in contents(back).items() if "new" not in path} == old
        assert (command(root)[0], contents(root)) == (0, new)
    assert n > 12 and contents(root) == new


def test_a_full_disk_changes_nothing(halves):
    old, new, book = halves
    for n in range(4):
        root = book(f"full-{n}")
        done = python("-c", HALF, "full", n, "--root", root)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == "the disk: No space left on device: no file was left half written\n"
        assert contents(root) == old
    done = python("-c", HALF, "full", n + 1, "--root", root)
    assert (done.returncode, contents(root)) == (0, new)


# ---- Itself

@pytest.fixture
def house(tmp_path):
    """A folder with tangle.py and its chapter, and nothing else."""
    (tmp_path / "docs").mkdir()
    shutil.copy(ROOT / "tangle.py", tmp_path)
    shutil.copy(ROOT / "docs/90-tangle.md", tmp_path / "docs")
    return tmp_path


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_it_makes_itself(house):
    for words in (), ("--check",):
        done = python("tangle.py", *words, cwd=house)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (house / "other").mkdir()
    write_chapter(house / "other", {"tf/a.py": "a = 1"})
    assert python("tangle.py", "--root", "other", cwd=house).stdout == "tf/a.py written\n"
    shutil.move(house / "tangle.py", house / "lost.py")
    assert python("lost.py", cwd=house).stdout == "tangle.py written\n"
    assert (house / "tangle.py").read_bytes() == (ROOT / "tangle.py").read_bytes()


@pytest.mark.parametrize("old, new, reason", [
    ("def scan(path, text):", "def scan(path, text:", "SyntaxError"),
    ("def scan(path, text):", "def scan(path):", "TypeError"),
    ("from zlib import crc32", "raise SystemExit(3)", "no reason given"),
])
def test_one_that_would_not_run_does_not_replace_it(house, old, new, reason):
    before = (house / "tangle.py").read_bytes()
    edit(house / "docs/90-tangle.md", old, new)
    done = python("tangle.py", cwd=house)
    assert done.returncode == 1
    assert re.fullmatch(r"tangle\.py:1: left as it is: the one in the chapters cannot read "
                        rf"this book \({reason}.*\): .+\n", done.stderr)
    assert (house / "tangle.py").read_bytes() == before
    edit(house / "docs/90-tangle.md", new, old)
    assert python("tangle.py", cwd=house).returncode == 0


def test_one_that_runs_replaces_it(house):
    edit(house / "docs/90-tangle.md", "Tangle the book: put", "Tangle this book: put")
    assert python("tangle.py", cwd=house).stdout == "tangle.py written\n"
    assert "Tangle this book" in python("tangle.py", "--help", cwd=house).stdout


def test_a_broken_chapter_leaves_it_as_it_is(house):
    (house / "docs/01-one.md").write_text("```python\n")
    for words in (), ("--force",):
        done = python("tangle.py", *words, cwd=house)
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    (house / "docs/01-one.md").unlink()
    assert python("tangle.py", "--check", cwd=house).returncode == 0


def test_its_chapter_holds_while_another_and_its_translation_differ(house):
    write_chapter(house, {"tf/a.py": "a = 1"})
    (house / "docs/01-one.zh.md").write_text("# 一\n", encoding="utf-8")
    book = open_book(str(house))
    assert book.errors and [*Chapter(book, "docs/90-tangle.md").failures()] == []


def test_beside_another_book_it_is_no_stale_output(tmp_path):
    shutil.copy(ROOT / "tangle.py", tmp_path)
    write_chapter(tmp_path, {"a.py": "a = 1"})
    done = python("tangle.py", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "a.py written\n", "")
    assert (tmp_path / "tangle.py").exists()


def test_a_hundred_chunks_deep_and_no_deeper():
    def deep(depth):
        inner = [block(f"<<{n}>>", f" # <<{n + 1}>>") for n in range(1, depth)]
        blocks = [block("a.py", "# <<1>>"), *inner, block(f"<<{depth}>>", "x = 1")]
        return tangle({"docs/a.md": "\n".join(blocks)})

    outputs, errors = deep(100)
    assert errors == [] and outputs["a.py"].lines[-1] == " " * 99 + "x = 1"
    outputs, errors = deep(101)
    assert outputs == {} and "more than 100 deep" in str(errors[0])


def test_chunks_that_double_and_double():
    inner = [block(f"<<{n}>>", f"# <<{n + 1}>>\n# <<{n + 1}>>") for n in range(60)]
    blocks = [block("a.py", "# <<0>>"), *inner, block("<<60>>", "x = 1")]
    outputs, errors = tangle({"docs/a.md": "\n".join(blocks)})
    assert outputs == {} and "grows longer than" in str(errors[0])


# ---- The house

def test_lines_of_code_are_short_and_end_where_they_end():
    texts, _ = read(ROOT)
    lines = [(block, n, line) for path in texts for block in scan(path, texts[path])[0]
             if block.lang in PYTHON and "title" in block.attrs
             for n, line in enumerate(block.code.split("\n"), block.line + 1)]
    assert [f"{block.path}:{n}: {len(line)}" for block, n, line in lines
            if len(line) > 83 or line.rstrip() != line] == []
