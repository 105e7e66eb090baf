"""The Python that pages run, as far as it can be tried without a browser."""

import re
import subprocess
import sys
from zipfile import ZipFile

import pytest
from test_house import PROJECT, README, ROOT, small  # noqa: F401

from tangle import read
from weave import pyc, runtime

TEXTS, _ = read(ROOT)
FOLDER = runtime.installed()
assert FOLDER, "these tests need the Python of the pages: pip install --no-deps -r weave/runtime.txt"

FOR_READERS = """
    abc argparse ast base64 bisect calendar code collections/__init__ contextlib copy csv dataclasses
    datetime decimal difflib dis doctest enum fractions functools hashlib heapq inspect io
    json/__init__ linecache logging/__init__ numbers operator pathlib/__init__ pickle pprint pydoc
    queue random re/__init__ reprlib statistics string/__init__ struct tempfile textwrap threading
    timeit traceback types typing unittest/__init__ warnings weakref zipfile/__init__ _ast_unparse
    _pylong _strptime tomllib/__init__""".split()


@pytest.fixture(scope="module")
def whole():
    return runtime.checked(FOLDER)["python_stdlib.zip"]


def alone(path, code):
    """What the code prints where there is nothing but the library and the zip, in which a Python
    before 3.13 finds no folder that lacks __init__.py."""
    begin = (f"import sys, types; path = {str(path)!r}; sys.path.insert(0, path); "
             "sys.modules['weave'] = types.ModuleType('weave'); "
             "sys.modules['weave'].__path__ = [path + '/weave']\n")
    made = subprocess.run([sys.executable, "-I", "-S", "-c", begin + code], capture_output=True,
                          encoding="utf-8")
    assert made.returncode == 0, made.stderr
    return made.stdout


# ---- what is installed

def test_the_package_is_pinned_once_more_with_its_hash_and_explained():
    pins = re.findall(r"^[^#\s]\S+", (ROOT / "weave/runtime.txt").read_text(encoding="utf-8"), re.M)
    assert pins == PROJECT["dependency-groups"]["page"]
    assert all(f"| {pin.split('==')[0]} |" in README for pin in pins)


@pytest.mark.parametrize("name", runtime.HASHES)
@pytest.mark.parametrize("content", [b"// another\n", None])
def test_a_file_that_is_not_pyodides_is_refused_by_name_with_the_mend(tmp_path, name, content):
    for each in set(runtime.HASHES) - {name}:
        (tmp_path / each).symlink_to(FOLDER / each)
    if content:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=r"--force-reinstall --no-deps -r weave/runtime\.txt") as told:
        runtime.served(tmp_path, ROOT, TEXTS, tmp_path)
    assert str(tmp_path / name) in str(told.value)


# ---- the library

def imports(name, source):
    """"json/decoder", or "json/decoder/__init__": what a file imports as soon as it is imported."""
    for dots, module in re.findall(r"(?m)^(?:import|from) (\.*)([\w.]*)", source):
        above = name.split("/")[:-len(dots)] if dots else []
        file = "/".join(above + module.split("."))
        yield from (file, file + "/__init__")


def test_the_library_has_what_readers_import_and_whatever_that_imports(whole):
    with ZipFile(whole) as files:
        sources = {name.removesuffix(".py"): files.read(name).decode()
                   for name in files.namelist() if name.endswith(".py")}
    kept = {name for name in sources if runtime.needed(name + ".py")}
    assert [name for name in FOR_READERS if name not in kept] == []
    lacking = [(name, file) for name in kept for file in imports(name, sources[name])
               if file in sources and file not in kept]
    assert lacking == []


def test_whatever_is_left_out_or_kept_is_there_to_be(whole):
    with ZipFile(whole) as files:
        names = [name.removesuffix(".py") for name in files.namelist()]
    assert [name for name in runtime.KEPT if name not in names] == []
    assert [name for name in runtime.LEFT_OUT
            if not any(each == name or each.startswith(name + "/") for each in names)] == []


def test_the_library_is_packed_the_same_again_and_kept(whole, tmp_path):
    first, second = tmp_path / "a", tmp_path / "b"
    for folder in first, second:
        folder.mkdir()
        runtime.library.cache_clear()
        runtime.zipped.cache_clear()
        data = runtime.library(whole, folder)
    kept, = first.iterdir()
    assert kept.read_bytes() == data and len(data) < 0.6 * whole.stat().st_size
    kept.write_bytes(b"as it was kept")
    assert runtime.library(whole, first) == b"as it was kept"


# ---- the book

def test_the_name_of_the_book_follows_from_what_is_in_it(tmp_path):
    def name(texts):
        return runtime.served(FOLDER, ROOT, texts, tmp_path)[1]["book"]

    changed = {**TEXTS, "docs/01-softmax.md": TEXTS["docs/01-softmax.md"] + "\n"}
    assert re.fullmatch(r"assets/python/book-[0-9a-f]{8}\.zip", name(TEXTS))
    assert name(TEXTS) == name(dict(reversed(TEXTS.items()))) != name(changed)
    assert name(TEXTS) == name({**TEXTS, "docs/01-softmax.zh.md": "# 别的\n"})


def test_the_chapters_are_in_the_book_to_the_byte():
    files = runtime.book(ROOT, TEXTS)
    assert files["docs/01-softmax.md"] == (ROOT / "docs/01-softmax.md").read_bytes()
    assert {name for name in files if name.startswith("docs/")} == {
        path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/*.md")
        if not path.name.endswith(".zh.md")}


EVERYTHING = """
from importlib import import_module
from zipfile import ZipFile
import examine, tangle
files = ZipFile(path)
texts = {name: files.read(name).decode() for name in files.namelist() if name.endswith(".md")}
outputs, errors = tangle.tangle(texts)
assert not errors, errors
modules = {examine.module_name(name): (name, output.text) for name, output in outputs.items()}
sys.meta_path.insert(0, examine.Importer(modules))
sys.modules["tf"] = types.ModuleType("tf")
sys.modules["tf"].__path__ = []
for name in files.namelist():
    if name.endswith(".py"):
        import_module(name.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
from weave import figures
print(*figures.names())
print(figures.draw("softmax"))
"""


@pytest.mark.parametrize("ready", [False, True])
def test_the_book_needs_nothing_but_the_library_and_draws_its_figures(tmp_path, ready):
    path = tmp_path / "book.zip"
    path.write_bytes(runtime.packed(runtime.book(ROOT, TEXTS)))
    if ready:
        path.write_bytes(compiled(path))
    names, drawn = alone(path, EVERYTHING).split("\n", 1)
    from weave import figures
    assert names.split() == figures.names()
    assert drawn == figures.draw("softmax") + "\n"


# ---- compiled once

def compiled(path):
    steps = pyc.compiled(path)
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value


def test_what_is_compiled_is_not_compiled_again_and_keeps_its_source(tmp_path):
    path = tmp_path / "a.zip"
    path.write_bytes(runtime.packed({"a.py": b"def f():\n    return 1 / 0\n", "b.md": b"# B\n"}))
    path.write_bytes(compiled(path))
    assert ZipFile(path).read("b.md") == b"# B\n"
    told = alone(path, """if True:
        import inspect, linecache, traceback, zipimport
        files = []
        sys.addaudithook(lambda event, args: event == "compile" and files.append(args[1]))
        import a
        print(path + "/a.py" in files, inspect.getsource(a.f))
        try:
            a.f()
        except ZeroDivisionError:
            print(traceback.format_exc())
        """)
    assert told.startswith("False def f():\n    return 1 / 0\n")
    assert f'File "{path}/a.py", line 2, in f\n    return 1 / 0\n' in told


def test_making_ready_goes_step_by_step(tmp_path):
    path = tmp_path / "a.zip"
    path.write_bytes(runtime.packed({f"{name}.py": b"x = 1\n" for name in "abc"}))
    assert len(list(pyc.compiled(path))) == 3


# ---- the built site

def built(folder, hidden=""):
    """What is printed when the book is built, with a module hidden."""
    code = f"import sys; sys.modules |= {{name: None for name in {hidden.split()}}}; " \
           "from mkdocs.__main__ import cli; cli(['build', '--strict'])"
    made = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True,
                          encoding="utf-8")
    assert made.returncode == 0, made.stderr
    return made.stderr


@pytest.fixture
def bilingual(small):  # noqa: F811
    (small / "docs/index.zh.md").write_text("# 小书\n", encoding="utf-8")
    return small


def test_a_site_has_the_files_once_for_both_languages(bilingual):
    told = built(bilingual)
    assert runtime.ABSENT not in told
    files = sorted(path.relative_to(bilingual / "site").as_posix()
                   for path in (bilingual / "site").rglob("*")
                   if "python" in path.parts and path.is_file())
    assert [re.sub("-[0-9a-f]{8}", "", name) for name in files] == [f"assets/python/{name}" for name in (
        "314.0.7/pyodide.asm.mjs", "314.0.7/pyodide.asm.wasm", "314.0.7/pyodide.mjs",
        "book.zip", "library.zip")]


def test_without_the_package_a_strict_build_says_so_in_one_line(bilingual):
    told = built(bilingual, hidden="flet_web")
    assert [line for line in told.splitlines() if "Run buttons" in line] == [
        f"INFO    -  {runtime.ABSENT}"]
    assert not (bilingual / "site/assets/python").exists()
    assert not any('id="python"' in path.read_text(encoding="utf-8")
                   for path in (bilingual / "site").rglob("*.html"))
