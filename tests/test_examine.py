"""The examiner, by itself and under pytest: it must fail where a chapter is wrong, and there."""

import os
import re
import shutil
import subprocess
import sys
from doctest import DocTestParser
from pathlib import Path
from types import ModuleType

import pytest
from examine import Book, Chapter, differences, guard, main, read_session, rounded, same, update
from tangle import Block, read, scan

ROOT = Path(__file__).parent.parent
SMALL = Path(__file__).parent / "small_book"
PAGE = "docs/01-shares.md"


# ---- Is it the same answer?

@pytest.mark.parametrize("want, got", [
    ("", ""),
    ("1\n", "1\n"),
    ("[1.0, 0.0, 0.0]", "[1.0, 0.0, 0.0]"),
    ("0.0900", "0.09003057317038046"),
    ("[0.0900, 0.2447, 0.6652]", "[0.09003057317038046, 0.24472847105479767, 0.6652409557748219]"),
    ("(0.2500, 0.0)", "(0.25, 0.0)"),
    ("1.0000", "1.0"),
    ("1.0000", "0.9999999999999999"),
    ("0.0000", "1e-05"),
    ("-0.0000", "0.0"),
    ("0.0312", "0.03125"),                             # half a unit, either way
    ("0.0313", "0.03125"),
    ("4.4409e-16", "4.440892098500626e-16"),
    ("4.4409E-16", "4.440892098500626e-16"),
    ("1.2346e+22", "1.2345678e+22"),
    ("8886110.5205", "8886110.520507872"),
    ("-0.3333 to +0.3333", "-0.33333333333333331 to +0.333333"),
    ("it is 0.3333.", "it is 0.33333333333333331."),
    ("0.9999999999999999", "0.9999999999999999"),
    ("0.1234-0.5678", "0.12341-0.56779"),
    ("1,234.5678", "1,234.56781"),
    ("...", "anything\nat all"),
    ("...", ""),
    ("a...z", "az"),
    ("3.1415...", "3.14159265"),                       # cut off, as doctest has it
    ("[..., 0.5000]", "[0.1, 0.2, 0.5]"),
    ("[..., 0.5000, ...]", "[0.1, 0.2, 0.50001, 0.7]"),
    ("[..., 0.5000, ..., 0.5000]", "[0.1, 0.5, 0.5, 0.5]"),
    ("0.5000 ... 0.5000", "0.5 0.6 0.5"),
    ("<BLANKLINE>\nx\n<BLANKLINE>\n", "\nx\n  \n"),
    ("(a) [b] {1} \\d $ ^", "(a) [b] {1} \\d $ ^"),
    ("3.11.70000", "3.11.70000"),
])
def test_it_is_the_same_answer(want, got):
    assert same(want, got)


@pytest.mark.parametrize("want, got", [
    ("", "1\n"),
    ("1\n", ""),
    ("1", "1.0"),
    ("1", "True"),                                     # doctest lets this pass
    ("[1.0, 0.0, 0.0]", "[0.96, 0.04, 0.0]"),
    ("[1.0, 0.0]", "[0.9999999999999999, 0.0]"),
    ("0.0", "1e-17"),
    ("0.0", "-0.0"),
    ("0.1", "0.19"),
    ("0.333", "0.3333"),
    ("1.0000", "1"),                                   # an int, or a bool, is no float
    ("1.0000", "True"),
    ("0.0000", "0"),
    ("0.0900", "0.09005001"),
    ("0.0900", "0.08994999"),
    ("0.0900", "-0.09"),
    ("0.0900", "nan"),
    ("4.4409e-16", "4.4408e-16"),
    ("4.4409e-16", "0.0"),
    ("1.2345e+22", "1.2345678e+22"),
    ("0.9999999999999999", "1.0"),
    ("[0.3333]", "[0.3333, 0.3333]"),
    ("3.1415...", "3.1416"),
    ("[..., 0.5000]", "[0.5, 0.2]"),
    ("[..., 0.5000, ...]", "[0.1, 0.2, 0.6, 0.7]"),
    ("0.5000 ... 0.5000", "0.5 0.6"),
    ("0.5000 ... 0.5000", "0.5"),
    ("a...b...c", "acb"),
    ("...b...a...", "ab"),
    ("a\nb\n", "a\n\nb\n"),
    ("a\n", "a \n"),
    ("'0.5000x'", "'0.5x'"),
    ("3.11.70000", "3.11.7"),
    (".", "x"),
])
def test_it_is_another_answer(want, got):
    assert not same(want, got)


# ---- What does a session ask?

def block(code, lang="pycon"):
    return Block("docs/01-x.md", 10, 11 + code.count("\n"), "", lang, {}, code, lang)


def slips(code):
    return [(failure.line, failure.message) for failure in read_session(block(code))[1]]


@pytest.mark.parametrize("code, line, words", [
    ("", 10, "this session has no `>>> `"),
    ("1 + 1\n", 11, "nobody compares this line"),
    ("here it comes\n>>> 1\n1\n", 11, "nobody compares this line"),
    (">>> 1\n1\n\nand so on\n>>> 2\n2\n", 14, "nobody compares this line"),
    (">>> f()\n1\n\n2\n", 14, "nobody compares this line"),
    (">>> 1  # doctest: +SKIP\n2\n", 11, "directives to doctest"),
    (">>> for x in []:  #doctest:+ELLIPSIS\n...     x\n", 11, "directives to doctest"),
    (">>> for x in []:\n...     x  # doctest: +SKIP\n", 12, "directives to doctest"),
    (">>>1\n", 11, "begin a prompt"),
    (">>> 1\n1\n  >>> 2\n", 13, "begin a prompt"),
])
def test_a_line_that_nobody_would_compare_is_wrong(code, line, words):
    assert any(n == line and message.startswith(words) for n, message in slips(code))


def test_a_session_is_read_as_doctest_reads_it():
    """All sessions of this book, and a few that are difficult."""
    sessions = [each.code for path, text in read(ROOT)[0].items() for each in scan(path, text)[0]
                if each.lang == "pycon"]
    assert len(sessions) > 50
    sessions += [">>> 1\n1\n>>> 2\n2\n", ">>> for x in 'ab':\n...     x\n...\n'a'\n'b'\n",
                 ">>>\n>>> 1\n1\n", ">>> '''\n...\n... '''\n'\\n\\n'\n", ">>> f()\n  indented\n",
                 "\n\n>>> x = 1\n\n\n>>> x\n1\n"]
    for code in sessions:
        ours, wrong = read_session(block(code))
        assert not wrong
        theirs = DocTestParser().get_examples(code)
        assert [(each.line - 11, "\n".join(each.source).rstrip(), "\n".join(each.want))
                for each in ours if each.source != [""]] == [
            (each.lineno, each.source.rstrip(), each.want.rstrip("\n")) for each in theirs]


# ---- A chapter

def fenced(code, head="pycon"):
    return f"```{head}\n{code}```\n"


def failures(*blocks):
    """What is wrong with a page of these blocks; the code of the first begins in line 2."""
    chapter = Chapter(Book({"docs/01-x.md": "".join(blocks)}), "docs/01-x.md")
    return [str(failure).removeprefix("docs/01-x.md:") for failure in chapter.failures()]


TOP = "Traceback (most recent call last):\n"
HALF = fenced("def half(x):\n    return x / 2\n", 'python {#half title="tf/half.py"}')


@pytest.mark.parametrize("blocks, failure", [
    ([fenced(">>> 1 + 1\n3\n")],
     "2: `1 + 1` gives another answer\n    expected: 3\n    came:     2"),
    ([fenced(">>> 1 + 1\n")],
     "2: `1 + 1` gives another answer\n    expected: nothing\n    came:     2"),
    ([fenced(">>> x = 1\n1\n")],
     "2: `x = 1` gives another answer\n    expected: 1\n    came:     nothing"),
    ([fenced(">>> for x in 1, 2:\n...     x\n1\n3\n")],
     "2: `for x in 1, 2:` gives another answer\n"
     "    expected: 1\n              3\n    came:     1\n              2"),
    ([fenced(">>> import sys\n>>> print(1, file=sys.stderr)\n")],
     "3: `print(1, file=sys.stderr)` gives another answer\n"
     "    expected: nothing\n    came:     1"),
    ([fenced(">>> (1,\n...  1 / 0)\n1\n")],
     "3: `...  1 / 0)` raises ZeroDivisionError: division by zero"),
    ([fenced(">>> print(1); 1 / 0\n1\n")],
     "2: `print(1); 1 / 0` raises ZeroDivisionError: division by zero\n    printed:  1"),
    ([fenced("def f(x):\n    return 1 / x\n", "python"), fenced(">>> f(0)\n1\n")],
     "3: `return 1 / x` raises ZeroDivisionError: division by zero\n"
     "    called:   from docs/01-x.md:6"),
    ([HALF, fenced("print('so far')\nhalf('1')\n", "python")],
     "7: `half('1')` raises TypeError: unsupported operand type(s) for /: 'str' and 'int'\n"
     "    inside:   code of docs/01-x.md:3\n    printed:  so far"),
    ([fenced(f">>> 1 / 0\n{TOP}    ...\nZeroDivisionError: no\n")],
     "2: `1 / 0` raises something else\n"
     "    expected: ZeroDivisionError: no\n    came:     ZeroDivisionError: division by zero"),
    ([fenced(f">>> 1 / 0\n{TOP}    ...\nValueError: division by zero\n")],
     "2: `1 / 0` raises something else\n    expected: ValueError: division by zero\n"
     "    came:     ZeroDivisionError: division by zero"),
    ([fenced(f">>> 1\n{TOP}    ...\nValueError\n")],
     "2: `1` gives another answer\n    expected: Traceback (most recent call last):\n"
     "                  ...\n              ValueError\n    came:     1"),
    ([fenced(f">>> print(1); 1 / 0\n2\n{TOP}ZeroDivisionError: division by zero\n")],
     "2: `print(1); 1 / 0` raises something else\n"
     "    expected: 2\n              ZeroDivisionError: division by zero\n"
     "    came:     1\n              ZeroDivisionError: division by zero"),
    ([fenced(">>> x ===\n")], "2: `x ===` raises SyntaxError: invalid syntax"),
    ([fenced("x = 1\nx ===\n", "python")], "3: `x ===` raises SyntaxError: invalid syntax"),
    ([fenced("x = 1\nx ===\n", 'python {#x title="x.py"}')],
     "3: `x ===` raises SyntaxError: invalid syntax"),
    ([fenced("x = 1\n1 / 0\n", 'python {#x title="x.py"}')],
     "3: `1 / 0` raises ZeroDivisionError: division by zero"),
    ([fenced("exec('x ===')\n", "python")],
     "2: `exec('x ===')` raises SyntaxError: invalid syntax"),
    ([fenced("raise SystemExit(0)\n", "python")],
     "2: `raise SystemExit(0)` raises SystemExit: 0"),
    ([fenced("import pytest\npytest.skip('no time')\n", "python")],
     "3: `pytest.skip('no time')` raises Skipped: no time"),
    ([fenced("import warnings\nwarnings.warn('old')\n", "python")], "3: warns: UserWarning: old"),
    ([fenced(">>> 1\n1\n", "python")], "1: a block with `>>>` is a session: call it pycon"),
    ([fenced("x = '''\n>>> 1\n'''\nx = 0 / 0\n", "python")],
     "5: `x = 0 / 0` raises ZeroDivisionError: division by zero"),
    ([fenced(">>> half(1)\n0.5\n"), HALF],
     "2: `half(1)` raises NameError: name 'half' is not defined"),
])
def test_a_failure_says_where_what_was_expected_and_what_came(blocks, failure):
    assert failures(*blocks) == [failure]


@pytest.mark.parametrize("blocks, failure", [
    ([fenced(">>> 1 is 1\nTrue\n")], '2: warns: SyntaxWarning: "is" with '),
    ([fenced("x = 1\nx is 1\n", 'python {#x title="x.py"}')],
     '3: warns: SyntaxWarning: "is" with '),
    ([fenced("x = 1\n", "python{title=x}"), fenced(">>> 1\n1\n")],
     "4: not run: first mend docs/01-x.md:1: "),
])
def test_so_does_a_longer_one(blocks, failure):
    assert [each[:len(failure)] for each in failures(*blocks)] == [failure]


@pytest.mark.parametrize("blocks", [
    [fenced(">>> x = 1\n>>> x\n1\n"), fenced("assert x == 1\n", "python")],
    [fenced(">>> # so\n>>>\n>>> 1  # so\n1\n")],
    [HALF, fenced(">>> half(1)\n0.5\n>>> import tf.half\n>>> tf.half.half is half\nTrue\n")],
    [fenced(f">>> raise SystemExit(1)\n{TOP}    ...\nSystemExit: 1\n")],
    [fenced(f">>> print(1); 1 / 0\n1\n{TOP}    ...\nZeroDivisionError: division by zero\n")],
    [fenced(f">>> print(1); 1 / 0\n{TOP}    ...\nZeroDivisionError: ...by zero\n")],
    [fenced(f">>> raise ValueError(1 / 3)\n{TOP}ValueError: 0.3333\n")],
    [fenced(f">>> {{}}[1]\n{TOP}...\nKeyError: 1\n")],
    [fenced(f">>> x ===\n{TOP}SyntaxError: invalid syntax\n")],
    [fenced(">>> print(1, end='')\n1\n>>> print('a\\tb')\na\tb\n>>> print()\n<BLANKLINE>\n")],
    [fenced("1 / 0\n", 'python { notest why="it would raise" }')],
    [fenced("from dataclasses import dataclass\nfrom pickle import dumps, loads\n\n\n@dataclass\n"
            "class C:\n    x: int\n\n\nassert loads(dumps(C(1))) == C(1)\n", "python"),
     fenced(">>> C(1)\nC(x=1)\n>>> C\n<class '__main__.C'>\n")],
    [fenced("import warnings\nwith warnings.catch_warnings(record=True):\n"
            "    warnings.warn('old')\n", "python")],
])
def test_a_chapter_that_is_right_has_no_failures(blocks):
    assert failures(*blocks) == []


def test_ctrl_c_ends_the_run():
    with pytest.raises(KeyboardInterrupt):
        failures(fenced("raise KeyboardInterrupt\n", "python"))


@pytest.mark.parametrize("title, code, names", [
    ("a.py", "import os.path, sys as it\nfrom math import (\n    pi,\n    e)\n", "e it os pi"),
    ("a.py", "def f(a):\n    b = a\n\n\nclass C:\n    c = [d for d in 'a']\n", "C f"),
    ("a.py", "x, [y, *z] = 1, [2, 3]\nfor i in [1]:\n    if i:\n        j = [k for k in 'a']\n",
     "i j x y z"),
    ("a.py", "try:\n    t = lambda v: (w := v)\nfinally:\n    del t\n", "<BLANKLINE>"),
    ("a-b/c.py", "x = 1\n", "x"),
    ("a.txt", "x = 1\n", "<BLANKLINE>"),
])
def test_a_block_gives_the_names_that_its_lines_bind(title, code, names):
    block = fenced(code, f'python {{#a title="{title}"}}')
    later = fenced("later = 1\n", f'python {{#b title="{title}"}}')
    ask = ">>> print(*sorted(name for name in globals() if name[0] != '_'))\n"
    assert failures(block, fenced(f"{ask}{names}\n"), later) == []


def test_a_chapter_leaves_nothing_behind(monkeypatch):
    """Not even where the program that runs it has modules of the same names."""
    for name in "tf", "tf.half", "__main__":
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    modules, path, folder = dict(sys.modules), list(sys.meta_path), os.getcwd()
    session = ">>> import tf.half, sys\n>>> sys.modules['tf'] is tf\nTrue\n"
    assert failures(HALF, fenced(session + ">>> tf.half.half(1)\n0.5\n")) == []
    for name in "tf", "tf.half", "__main__":
        assert sys.modules.get(name) is modules[name]
    assert (sys.meta_path, os.getcwd()) == (path, folder)


def test_other_sources_can_stand_in_for_the_modules():
    text = HALF + fenced(">>> half(1)\n0.5\n>>> from tf.half import half\n>>> half(1)\n0.5\n")
    book = Book({"docs/01-x.md": text})
    third = Chapter(book, "docs/01-x.md", {"tf/half.py": "def half(x):\n    return x / 3\n"})
    assert [failure.line for failure in third.failures()] == [6, 9]
    assert (third.asked, third.held) == (2, 0)
    assert [*Chapter(book, "docs/01-x.md").failures()] == []


def test_blocks_can_be_run_in_any_order():
    text = fenced("x = 1\n", "python") + 3 * fenced(">>> x += 1\n>>> x\n2\n")
    chapter = Chapter(Book({"docs/01-x.md": text}), "docs/01-x.md")
    for order in range(4), (3, 2, 1, 0), (2, 2, 0, 3, 1):
        for n in order:
            assert [failure.line for failure in chapter.run(n)] == [[], [], [11], [16]][n]


# ---- Is the file what the chapters say?

@pytest.mark.parametrize("old, new, lines", [
    ("", "", []),
    ("y = 2", "y = 3", [3]),
    ("x = 1\n", "", [2]),
    ("y = 2", "y = 2\ny = 3", [3]),
    ("z = 3\n", "", [6]),
    ("z = 3", "z = 3\nz = 4", [6]),
    ("z = 3\n", "z = 3", [6]),
    ("y = 2\n", "y = 2\r\n", [3]),
    ("x = 1", "w = 0\nx = 1", [1]),                    # nothing stands above it
    ("generated", "written", [1]),
])
def test_an_edit_of_the_file_is_found_in_the_chapter(old, new, lines):
    text = (fenced("x = 1\ny = 2\n", 'python {#a title="m.py"}')
            + fenced("z = 3\n", 'python {#b title="m.py"}'))
    output = Book({"docs/01-x.md": text}).outputs["m.py"]
    assert [line for _, line in differences(output, output.text.replace(old, new))] == lines
    assert [line for _, line in differences(output, None)] == [2]


# ---- What would nobody run?

def guarded(text):
    return [(failure.line, failure.message) for failure in guard(PAGE, text, scan(PAGE, text)[0])]


@pytest.mark.parametrize("name", ["py", "py3", "python3", "Python", "PYTHON", "ipython", "Pycon",
                                  "python-repl", "pycon3", "doctest"])
@pytest.mark.parametrize("head", ["{}", "{} {{#x}}", "{{.{}}}", "{{ .{} #x }}"])
def test_only_python_and_pycon_are_run(name, head):
    (line, message), *rest = guarded("\n" + fenced("1 / 0\n", head.format(name)))
    assert (line, rest) == (2, []) and message.startswith("nobody runs ")


@pytest.mark.parametrize("text", [
    "<!--\n```python\n1 / 0\n```\n-->\n",
    "<!--\n~~~pycon\n>>> 1\n2\n~~~\n-->\n",
    "text\n\n    ```python\n    1 / 0\n    ```\n",
    "- ```python\n  1 / 0\n  ```\n",
    "1. x\n\n     - > ```python\n",
    "```text\n```python\n1 / 0\n```\n",
    "```text\n~~~\n```python\n1 / 0\n```\n",
    "[^1]: ```python\n",
    ":   ```python\n",
    '```python{title="x"}\n1 / 0\n```\n',
    "```python title='x\n1 / 0\n```\n",
    "```python\n1 / 0\n",
    "<!--\r\n```python\r\n1 / 0\r\n```\r\n-->\r\n",
    "\ufeff    ```python\n",
])
def test_what_nobody_runs_is_found_wherever_it_stands(text):
    lines = text.split("\n")
    wanted = next(n for n, line in enumerate(lines, 1) if re.search("python|pycon", line))
    (line, message), *_ = guarded(text)
    assert line == wanted and message.startswith("nobody runs ")


@pytest.mark.parametrize("text, line, message", [
    (fenced("1 / 0\n", "python { notest }"), 1, "say why"),
    (fenced("1 / 0\n", 'python { notest why="" }'), 1, "say why"),
    (fenced("1 / 0\n", 'python { notest why=" " }'), 1, "say why"),
    (fenced(">>> 1\n", 'pycon {#x title="a.txt"}'), 1, "nobody compares the answers"),
    (fenced(">>> 1\n2\n", "text"), 2, "nobody compares this"),
    (fenced(">>> 1\n2\n", ""), 2, "nobody compares this"),
    (fenced("$ python\n>>> 1\n2\n", "console"), 3, "nobody compares this"),
    ("words\n\n    >>> 1\n    2\n", 3, "nobody compares this"),
    ("> >>> 1\n", 1, "nobody compares this"),
])
def test_what_nobody_compares_is_found(text, line, message):
    (found, said), *rest = guarded(text)
    assert (found, rest) == (line, []) and said.startswith(message)


@pytest.mark.parametrize("text", [
    fenced("1\n", "python"),
    fenced("1 / 0\n", 'python { notest why="it raises" }'),
    "````markdown\n```python\n1 / 0\n>>> 1\n```\n````\n",
    "~~~markdown\n```python\n1 / 0\n```\n~~~\n",
    fenced("s = '''\n    ```python\n    >>> 1\n'''\n", "python"),
    "A fence is ```` ```python ```` in a sentence, and >>> 1 is no prompt.\n",
    "```` ```python ```` is code\n",
    "```python``` is code\n",
    "python\n\npycon >>> 1\n\n>>>\n",
])
def test_the_guard_lets_this_pass(text):
    assert guarded(text) == []


# ---- What would be the right answer?

@pytest.mark.parametrize("want, got, new", [
    ("", "2", "2"),
    ("", "0.1", "0.1"),
    ("", "0.30000000000000004", "0.3000"),
    ("", "8886110.520507872", "8886110.5205"),
    ("", "4.440892098500626e-16", "4.4409e-16"),
    ("", "1.2345678901234e+22", "1.2346e+22"),
    ("", "1e-17 0.0625 0.03125 -0.0", "1e-17 0.0625 0.03125 -0.0"),
    ("0.333333", "0.6666666666666666", "0.666667"),
    ("[0.9, 0.0, 1.0]", "[0.04, 1.0, 1e-17]", "[0.04, 1.0, 1e-17]"),
    ("[0.9000, 0.0, 1.0000]", "[0.8, 0.20000000000000007, 1.0]", "[0.8000, 0.2000, 1.0000]"),
    ("[0.333333, 0.666667]", "[0.1428571428571428, 1.0, 0.0]", "[0.142857, 1.0, 0.0]"),
    ("4.4409e-16", "5.551115123125783e-17", "5.5511e-17"),
    ("0.0000", "5.551115123125783e-17", "0.0000"),
    ("4.4409e-16", "0.5123456789012345", "0.5123"),
    ("0.5000", "1.2345678901234e+22", "1.2346e+22"),
    ("-0.1234 +0.1234", "-0.43210123456789 +0.43210123456789", "-0.4321 +0.4321"),
    (f"{TOP}    ...\nValueError", "[0.1234567890123456]", "[0.1235]"),
])
def test_answers_are_rounded_as_the_author_did(want, got, new):
    assert rounded(want, got) == new
    assert same(new, got)


WRONG = '''\
\ufeff>>> stands at the margin

> ~~~pycon
> >>> for n in 1, 7:
> ...     1 / n
> 1.0
> 0.1428
> >>> print(); print(2)
> ~~~

1.  item

    ```pycon
    >>> [1 / 3]  
    [0.33333334]

    >>> 1 / 0
    1
    >>> print("```")
    >>> 1
    Traceback (most recent call last):
    ValueError
    >>> 5
    6
    >>> 7
    7
    ```
'''
RIGHT = (WRONG.replace("0.1428", "0.1429").replace("0.33333334", "0.33333333")
         .replace("print(2)\n", "print(2)\n> <BLANKLINE>\n> 2\n")
         .replace("    Traceback (most recent call last):\n    ValueError\n", "    1\n")
         .replace("    6\n", "    5\n"))


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_update_writes_the_answers_that_came_but_no_exception_and_no_fence(ending):
    def updated(text):
        chapter = Chapter(Book({"docs/01-x.md": text}), "docs/01-x.md")
        told = list(chapter.failures())
        return update(text, told), [failure.message.partition("\n")[0] for failure in told]
    text, right = WRONG.replace("\n", ending), RIGHT.replace("\n", ending)
    assert updated(text)[0] == right
    assert updated(right) == (right, [
        "`1 / 0` raises ZeroDivisionError: division by zero",
        '`print("```")` gives another answer'])


# ---- The command

def house(folder):
    """Puts the tools into a folder, beside its docs."""
    for name in "tangle.py", "examine.py", "conftest.py", "pyproject.toml":
        shutil.copy(ROOT / name, folder)
    return folder


def run(folder, *command):
    env = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, *command], cwd=folder, env=env,
                          capture_output=True, encoding="utf-8")


def edit(folder, path, old, new):
    text = (folder / path).read_bytes().decode()
    assert old in text
    (folder / path).write_bytes(text.replace(old, new, 1).encode())


@pytest.fixture
def small(tmp_path):
    """The small book in a house of its own, tangled."""
    shutil.copytree(SMALL, tmp_path, dirs_exist_ok=True)
    assert run(house(tmp_path), "tangle.py").returncode == 0
    return tmp_path

def test_the_command_counts_the_answers_that_hold(small, capsys):
    assert main(["--root", str(small)]) == 0
    assert capsys.readouterr().out == "12 of 12 answers hold\n"
    edit(small, PAGE, "0.1667", "0.1666")
    edit(small, "tf/shares.txt", "one", "two")
    assert main(["--root", str(small), "docs/02-more.md"]) == 0
    assert main(["--root", str(small)]) == 1
    *told, last = capsys.readouterr().out.splitlines()[1:]
    assert [line for line in told if line[0] != " "] == [
        f"{PAGE}:27: `shares([1, 2, 3])` gives another answer",
        f"{PAGE}:122: tf/shares.txt does not say this: run `make tangle`"]
    assert last == "11 of 12 answers hold; failures: 2"
    assert main(["--root", str(small), "--update"]) == 1
    assert capsys.readouterr().out.splitlines()[::2] == [
        f"{PAGE} written", "12 of 12 answers hold; failures: 1"]
    assert (small / PAGE).read_text() == (SMALL / PAGE).read_text()


def test_the_command_runs_nothing_of_a_book_that_cannot_be_tangled(small, capsys):
    edit(small, PAGE, "<<refuse>>", "<<accept>>")
    assert main(["--root", str(small)]) == 1
    *slips, last = capsys.readouterr().out.splitlines()
    assert slips[0].startswith(f"{PAGE}:15: ") and last == "nothing was run"


def test_the_command_wants_chapters_that_are_there(small, capsys):
    with pytest.raises(SystemExit):
        main(["--root", str(small), "docs/99-x.md"])
    assert capsys.readouterr().err.endswith("no such chapter: docs/99-x.md\n")
    assert main(["--root", str(small / "tf")]) == 1
    assert "there are no chapters in" in capsys.readouterr().out


# ---- Under pytest: mutations of the small book
#
# Each is a chapter of its own, all in one book, so that one run of pytest tries them all.

TEXT = (SMALL / PAGE).read_text(encoding="utf-8")
END = "The end.\n"

WRONG_CHAPTERS = [  # what is wrong; old; new; the line that must be named; what is said
    ("wrong output", "0.3333, 0.5]", "0.3334, 0.5]", ">>> shares([1, 2, 3])", "came:     [0.1666"),
    ("wrong output of the second", "[1.0]", "[1.1]", ">>> shares([5])", "expected: [1.1]"),
    ("a zero that is none", "3.3333e-17", "0.0", ">>> [sqrt(2)", "expected: [1.41421, 0.0]"),
    ("no output given", "[1.0]\n", "", ">>> shares([5])", "expected: nothing"),
    ("wrong exception", "ValueError: n", "KeyError: n", ">>> shares([])", "raises something else"),
    ("wrong message", "to share\n```\n\nAn", "to do\n```\n\nAn", ">>> shares([])", "to do"),
    ("no exception", ">>> shares([])", ">>> shares([1])", ">>> shares([1])", "came:     [1.0]"),
    ("an exception", ">>> shares([5])", ">>> shares(5)", ">>> shares(5)", "TypeError: 'int'"),
    ("a false assertion", "== 1.5", "== 1.6", "== 1.6", "assert 1.5 == 1.6"),
    ("a raising example", "assert halve(3) == 1.5", "halve(None)", "return x / 2", "TypeError"),
    ("a TypeError the first time", "assert halve(3) == 1.5",
     'if not globals().setdefault("tried", False):\n    tried = True\n    raise TypeError("once")',
     "raise TypeError", "once"),
    ("a syntax error", "assert halve(3) == 1.5", "assert (halve", "assert (halve", "SyntaxError"),
    ("an early end", "assert halve(3) == 1.5", "raise SystemExit",
     "raise SystemExit", "SystemExit"),
    ("a skip", "assert halve(3) == 1.5", 'import pytest\npytest.skip("x")',
     "pytest.skip", "Skipped"),
    ("a warning", "assert halve(3) == 1.5", "import warnings\nwarnings.warn('x')", "warnings.warn",
     "warns: UserWarning: x"),
    ("a name before its block", "[1.0]\n", "[1.0]\n>>> sqrt(4)\n2.0\n", ">>> sqrt(4)",
     "NameError"),
    ("in a list", "    0.5\n", "    0.6\n", ">>> halve(1)", "came:     0.5"),
    ("in a deeper list", "        1.0\n", "        1.1\n", ">>> halve(2)", "came:     1.0"),
    ("in a quote", "> 2.0", "> 2.1", ">>> halve(4)", "came:     2.0"),
    ("in a note", "    2.5", "    2.6", ">>> halve(5)", "came:     2.5"),
    ("in a tab", "        3.0", "        3.1", ">>> halve(6)", "came:     3.0"),
    ("in another tab", "halve(7) == 3.5", "halve(7) == 3.6", "== 3.6", "assert 3.5 == 3.6"),
    ("folded", "    4.5", "    4.6", ">>> print(halve(8)", "              4.5"),
    ("no prompt", END, "```pycon\n1 + 1\n```\n", "1 + 1", "nobody compares"),
    ("a line before the prompt", END, "```pycon\nthus\n>>> 1\n1\n```\n", "thus",
     "nobody compares"),
    ("a line after the answer", END, "```pycon\n>>> 1\n1\n\n2\n```\n", "2",
     "nobody compares"),
    ("a directive", END, "```pycon\n>>> 1  # doctest: +SKIP\n```\n", "+SKIP", "directives"),
    ("a session called python", END, "```python\n>>> 1\n1\n```\n", "```python", "call it pycon"),
    ("a session called text", END, "```text\n>>> 1\n1\n```\n", ">>> 1", "called pycon"),
    ("a session without a fence", END, "x\n\n    >>> 1\n    1\n", ">>> 1", "called pycon"),
    ("a session with a title", END, '```pycon {#z title="tf/z.txt"}\n>>> 1\n```\n', "title=",
     "drop the title"),
    ("py", END, "```py\n1 / 0\n```\n", "```py", "call it python"),
    ("py3", END, "```py3\n1 / 0\n```\n", "```py3", "call it python"),
    ("Python", END, "```Python\n1 / 0\n```\n", "```Python", "call it python"),
    ("ipython", END, "```ipython { #z }\n1 / 0\n```\n", "```ipython", "call it python"),
    ("python-repl", END, "```python-repl\n>>> 1\n2\n```\n", "```python-repl", "call it python"),
    ("no reason", ' why="would wait for ever"', "", "notest", "say why"),
    ("no good reason", "would wait for ever", "", "notest", "say why"),
    ("notest for an id", END, "```python {#notest}\n1 / 0\n```\n", "1 / 0", "ZeroDivisionError"),
    ("commented out", END, "<!--\n```python\n1 / 0\n```\n-->\n", "```python", "nobody runs"),
    ("indented", END, "x\n\n    ```python\n    1 / 0\n    ```\n", "```python", "nobody runs"),
    ("in a fence as long", END, "~~~text\n~~~python\n1 / 0\n~~~\n", "~~~python", "nobody runs"),
]
RIGHT_CHAPTERS = [
    ("as it is", "", ""),
    ("CRLF", "\n", "\r\n"),
    ("BOM", "# Shares", "\ufeff# Shares"),
    ("shown", END, "~~~markdown\n```python\n1 / 0\n```\n~~~\n"),
    ("rounded", "0.3333", "0.333333"),
    ("elided", "[0.1667, 0.3333, 0.5]", "[0.1667, ...]"),
]
STALE_CHAPTERS = [  # edited after tangling: which file; old; new; the line
    ("the program edited", "tf/m{}.py", "fsum(xs)", "fsum(xs) or 1", "total = fsum"),
    ("a chunk edited", "tf/m{}.py", "total == 0", "not total", "if total"),
    ("a text edited", "tf/m{}.txt", "sum to", "add up to", "Shares sum"),
    ("a line added to the program", "tf/m{}.py", "fsum(xs)", "fsum(xs)\n    total += 0",
     "total = fsum"),
    ("the chapter edited", None, "fsum(xs)", "fsum(xs) or 1", "total = fsum"),
]


def line_of(text, sign):
    """The number of the last line that holds a sign; the example at the end is the last."""
    return [n for n, line in enumerate(text.split("\n"), 1) if sign in line][-1]


BROKEN_CHAPTERS = [  # what tangle.py refuses
    ("never closed", END, "```python\n1 / 0\n", "```python", "never closed"),
    ("no blank before the braces", END, '```python{title="x"}\n1 / 0\n```\n', "```python{",
     "with a blank between"),
    ("braces alone", END, "```{.python}\n1 / 0\n```\n", "```{.python}", "braces"),
    ("a word without braces", END, "```python notest\n1 / 0\n```\n", "```python notest",
     "as text"),
    ("behind the mark of an item", END, "- ```python\n  1 / 0\n  ```\n", "- ```python",
     "list item"),
    ("no such chunk", "# <<refuse>>", "# <<accept>>", "# <<m", "no chunk is called"),
    ("no id", END, '```python {title="x.py"}\nx = 1\n```\n', "title=", "needs an id"),
    ("a footnote", END, "x[^1]\n\n[^1]: y\n\n    ```python\n    1 / 0\n    ```\n", "    ```python",
     "disagree"),
    ("a definition", END, "x\n\n:   y\n\n    ```python\n    1 / 0\n    ```\n", "    ```python",
     "disagree"),
]




def mutants(folder, mutations):
    """Makes a book with a chapter for each mutation; returns {path: (line, what is said)}."""
    house(folder)
    (folder / "docs").mkdir()
    wanted = {}
    for n, (name, old, new, *said) in enumerate(mutations, 10):
        path = path_of(n, name)
        assert old in TEXT, name
        text = TEXT.replace(old, new, -1 if name == "CRLF" else 1)
        text = (text.replace("tf/shares", f"tf/m{n}").replace("tf.shares", f"tf.m{n}")
                .replace("{#", f"{{#m{n}-").replace("<<", f"<<m{n} "))
        (folder / path).write_bytes(text.encode())
        if said:
            wanted[path] = line_of(text, said[0]), said[1]
    return wanted


def path_of(n, name):
    return f"docs/{n}-{name.replace(' ', '-')}.md"


def pytest_on(folder, *words):
    return run(folder, "-m", "pytest", "-q", "-rf", "-p", "no:cacheprovider",
               "-p", "no:hypothesispytest", *words)


def check(done, wanted):
    """These chapters fail, at that line and saying that, and no other does."""
    assert done.returncode == 1, done.stdout + done.stderr
    assert {*re.findall(r"^FAILED (docs/.*?\.md)::", done.stdout, re.M)} == {*wanted}
    told = re.split(r"^(?=docs/)", done.stdout, flags=re.M)
    for path, (line, said) in wanted.items():
        mine = [each for each in told if each.startswith(f"{path}:{line}: ")]
        assert any(said in each for each in mine), f"{path}:{line}: {said}\n{''.join(mine)}"


@pytest.fixture(scope="module")
def mutated(tmp_path_factory):
    """(the folder of the mutants, what is wanted of them, what pytest says)."""
    folder = tmp_path_factory.mktemp("mutated")
    unchanged = [(name, "", "") for name, *_ in STALE_CHAPTERS]
    wanted = mutants(folder, unchanged + WRONG_CHAPTERS + RIGHT_CHAPTERS)
    done = run(folder, "tangle.py")
    assert done.returncode == 0, done.stderr
    for n, (name, file, old, new, sign) in enumerate(STALE_CHAPTERS, 10):
        path = path_of(n, name)
        wanted[path] = line_of((folder / path).read_text(), sign), "run `make tangle`"
        edit(folder, file.format(n) if file else path, old, new)
    return folder, wanted, pytest_on(folder, "docs")


def test_each_mutation_is_found(mutated):
    folder, wanted, done = mutated
    check(done, wanted)


@pytest.mark.long
def test_each_mutation_is_found_by_two_processes(mutated):
    folder, wanted, _ = mutated
    check(pytest_on(folder, "docs", "-n", "2"), wanted)


@pytest.mark.long
def test_each_mutation_is_found_in_reversed_order(mutated):
    folder, wanted, _ = mutated
    (folder / "backwards.py").write_text(
        "def pytest_collection_modifyitems(items):\n    items.reverse()\n")
    check(pytest_on(folder, "docs", "-p", "backwards"), wanted)


def test_each_mutation_is_found_when_only_its_block_is_run(mutated):
    folder, wanted, done = mutated
    ids = re.findall(r"^FAILED (docs/.*?\.md::.*?\])(?= - |$)", done.stdout, re.M)
    check(pytest_on(folder, *reversed(ids)), wanted)


def test_each_mutation_that_cannot_be_tangled_is_found(tmp_path):
    wanted = mutants(tmp_path, BROKEN_CHAPTERS)
    done = pytest_on(tmp_path, "docs")
    check(done, wanted)
    assert "not run: first mend docs/10-never-closed.md:" in done.stdout
    assert " passed" not in done.stdout                # nothing is taken for right


# ---- Under pytest: the rest

def test_pytest_writes_the_answers_that_came(small):
    edit(small, PAGE, "0.1667", "0.16")
    edit(small, PAGE, "    4.5", "    4.6")
    edit(small, PAGE, "ValueError: n", "ValueError: N")
    assert "does not work with -n" in pytest_on(small, "docs", "--update-docs", "-n", "2").stderr
    done = pytest_on(small, "docs", "--update-docs")
    assert f"{PAGE} written: run pytest again" in done.stdout
    edit(small, PAGE, "ValueError: N", "ValueError: n")
    assert (small / PAGE).read_text() == (SMALL / PAGE).read_text()
    assert pytest_on(small, "docs").returncode == 0


def test_pytest_runs_chapters_and_nothing_else(small):
    """No translation, no other page, no module for its docstrings."""
    for path in "docs/01-shares.md", "docs/02-more.md":
        shutil.copy(small / path, small / path.replace(".md", ".zh.md"))
    (small / "tf/notes.md").write_text("```python\n1 / 0\n```\n")
    (small / "tf/quits.py").write_text("raise SystemExit(1)\n")
    done = pytest_on(small, "docs", "tf", "--co")
    blocks = re.findall(r"^(.*\.md)::\[CodeFence", done.stdout, re.M)
    assert (len(blocks), {*blocks}) == (17, {PAGE, "docs/02-more.md"})
    guards = re.findall(r"^(.*\.md)::\[nothing", done.stdout, re.M)
    assert len(guards) == 4 and "notes.md" not in done.stdout and not done.returncode
    (small / "docs/02-more.zh.md").write_text("```python\n1 / 0\n```\n")
    (small / "docs/03-latin.md").write_bytes(b"\xe9")
    check(pytest_on(small, "docs"), {"docs/02-more.zh.md": (1, "docs/02-more.md"),
                                     "docs/03-latin.md": (1, "UTF-8")})


def test_pytest_does_not_pass_without_its_flag(small):
    done = pytest_on(small, PAGE, "-o", "addopts=")
    assert done.returncode == 1 and "nothing is run without --markdown-docs" in done.stdout
