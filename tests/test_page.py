"""The page's own Python, driven as its worker drives it: run, change, check, guess, unfold, draw."""

import builtins
import json
import math
import re
import sys
from html import unescape
from string import Formatter

import pytest
from test_house import ROOT

from examine import Book, Chapter, read_session, runnable
from tangle import read, scan
from weave import live, page, runtime, unfold

TEXTS, _ = read(ROOT)
PAGES = [path for path in TEXTS if runnable(scan(path, TEXTS[path])[0])]
SOFT = {path: TEXTS[path] for path in ("docs/00-weighted-average.md", "docs/01-softmax.md")}
PATH = "docs/01-small.md"

FIRST = """# First

```python {#other title="tf/other.py"}
z = 1.0
```

```python {#half title="tf/first.py"}
def half(x):
    return x / 2
```
"""
SMALL = """# Small

```text
words
```

```python
import json
x = 3.0
log = ["example"]
```

```python {#twice title="tf/small.py"}
from tf.first import half

STEPS = ["twice"]

def twice(x):
    # <<count>>
    return half(x) * 4
```

```python {#count title="<<count>>"}
STEPS.append(x)
```

```pycon {predict}
>>> log.append("session")
>>> twice(x)
6.0
>>> from tf.small import STEPS
>>> STEPS, len(log)
(['twice', 3.0], 2)
```

- In a list

    ```python
    log.append("list")

    if len(log) != 3:
        raise ValueError("twice")
    print("three", len(log))
    ```

```python { notest why="shown" }
nobody runs this
```

```pycon
>>> [1, 2][2]
Traceback (most recent call last):
IndexError: list index out of range
>>> x / 7
0.4286
```
"""
BOOK = {"docs/00-first.md": FIRST, PATH: SMALL}
EXAMPLE, TWICE, COUNT, SESSION, IN_LIST, LAST = range(6)
AS_BUILT = [block.code.removesuffix("\n") for block in runnable(scan(PATH, SMALL)[0])]


class Reader:
    """A page in the small book, or in another: what is asked of it gives what it tells."""

    def __init__(self, folder, texts=BOOK, path=PATH, lang="en"):
        self.folder, self.codes, self.heard = folder, {}, []
        zip = folder / "book.zip"
        zip.write_bytes(runtime.packed(runtime.book(ROOT, texts)))
        page.start(str(zip), path, lang)

    def ask(self, do, **order):
        self.heard.clear()
        page.ask(json.dumps({"do": do} | order))
        *heard, done = self.heard
        assert done == {"done": True}
        return heard

    def edit(self, n, code=None, **old_and_new):
        self.codes[n] = AS_BUILT[n] if code is None else code

    def replace(self, n, old, new):
        code = self.codes.get(n, AS_BUILT[n])
        assert old in code
        self.codes[n] = code.replace(old, new)

    def run(self, n):
        """What the n-th block comes to."""
        return self.heard_of("run", n)

    def heard_of(self, do, n, **order):
        told = self.ask(do, n=n, codes=self.codes, **order)
        self.ran = [each["n"] for each in told if each.get("state") == "running"]
        self.printed = "".join(each.get("text", "") for each in told)
        return [each for each in told if each["n"] == n][-1]

    def check(self):
        return self.ask("check", codes=self.codes)

    def value(self, name):
        return page.page.chapter.names[name]


@pytest.fixture
def reader(tmp_path, monkeypatch, nothing_left):
    """reader(...) -> a Reader"""
    monkeypatch.setattr(page, "page", None, raising=False)

    def opened(*arguments, **named):
        made = Reader(tmp_path, *arguments, **named)
        monkeypatch.setattr(page, "tell", lambda words: made.heard.append(json.loads(words)))
        return made
    return opened


def words(html):
    return unescape(re.sub("<[^>]+>", " ", html)).split()


# ---- The build

def test_the_words_of_both_languages_ask_for_the_same_values():
    for texts in live.WORDS, page.TEXT, unfold.TEXT:
        fields = [{key: sorted(str(field) for _, field, *_ in Formatter().parse(text) if field is not None)
                   for key, text in texts[lang].items()} for lang in ("en", "zh")]
        assert fields[0] == fields[1] and fields[0]


def test_scripts_learn_where_python_is_what_the_page_is_and_their_words():
    python = {"runtime": "assets/python/1/", "library": "assets/l.zip", "book": "assets/b.zip", "size": 7}
    for path, lang, url, up in [("docs/01-x.md", "en", "01-x/", "../"), ("docs/index.md", "en", "", ""),
                                ("docs/01-x.zh.md", "zh", "zh/01-x/", "../../")]:
        made = live.settings(path, lang, url, python)
        assert json.loads(made) == {
            "runtime": f"{up}assets/python/1/", "library": f"{up}assets/l.zip", "book": f"{up}assets/b.zip",
            "size": 7, "path": path.replace(".zh", ""), "lang": lang, "say": live.said(live.WORDS[lang])} | live.NAMED
        assert made.startswith('{"runtime":"') and live.WORDS[lang]["run"] in made      # which is short


def test_blocks_are_numbered_in_their_html():
    html = "".join(f'<div class="language-{lang} highlight"></div>' for lang in
                   ["python", "text", "python", "python", "pycon"])
    html += '<div id="x" class="language-python highlight"></div>' * 2
    html += '<div class="language-pycon highlight"></div>'
    made = live.numbered(html, PATH, SMALL)
    assert re.findall(r'data-block="(\d+)"(?: (data-predict)="")?', made) == [
        ("0", ""), ("1", ""), ("2", ""), ("3", "data-predict"), ("4", ""), ("5", "")]
    assert re.sub(' data-[a-z]+="[^"]*"', "", made) == html
    assert '<div id="x" class="language-python highlight"></div>' in made      # which nobody runs


def test_each_guess_that_the_book_asks_for_is_one_line():
    asked = [block for path in PAGES for block in runnable(scan(path, TEXTS[path])[0])
             if "predict" in block.attrs]
    assert len(asked) > 3
    for block in asked:
        assert block.lang == "pycon" and len(read_session(block)[0][-1].want) == 1, block.header


# ---- What is run

def test_run_runs_what_stands_above_and_has_not_run(reader):
    small = reader()
    for n, ran in [(2, [0, 1, 2]), (2, [2]), (5, [3, 4, 5]), (5, [5])]:
        assert small.run(n)["state"] == "held"
        assert small.ran == ran
    small.run(0)
    small.run(2)                                       # what is below is as new
    assert small.ran == [1, 2]


def test_an_edited_example_and_all_below_run_again_with_the_names_from_above(reader):
    small = reader()
    small.run(5)
    small.edit(EXAMPLE, "log")                         # of what ran before nothing is found
    assert small.run(0)["state"] == "failed" and "NameError" in small.run(0)["error"]
    small.edit(EXAMPLE, "x = 5.0\nlog = ['example']")
    assert small.run(1)["state"] == "held" and small.ran == [0, 1]
    assert small.value("log") == ["example"]
    assert small.run(5)["state"] == "differs" and small.ran == [2, 3, 4, 5]
    small.edit(LAST, ">>> x\n5.0")
    assert small.run(5)["state"] == "held" and small.ran == [5]
    small.codes.pop(EXAMPLE)
    small.run(0)
    assert small.value("x") == 3.0


def test_what_an_edit_has_done_to_a_list_is_gone_after_reset(reader):
    small = reader()
    assert small.run(IN_LIST)["state"] == "held"
    small.edit(IN_LIST, AS_BUILT[IN_LIST].replace("raise ValueError", "log.append"))
    assert small.run(IN_LIST)["state"] == "held"
    small.codes.clear()
    assert small.run(IN_LIST)["state"] == "held"


def test_what_a_block_has_replaced_is_back_when_the_page_begins_anew(reader, monkeypatch):
    for module, name in (math, "sqrt"), (builtins, "sum"), (sys, "displayhook"):
        monkeypatch.setattr(module, name, getattr(module, name))    # whatever comes of this
    small = reader()
    small.codes = {EXAMPLE: AS_BUILT[EXAMPLE] + "\nimport builtins, math, sys\nmath.sqrt = builtins.sum = abs\n"
                   "sys.displayhook = print\nsys.settrace(lambda *each: None)"}
    assert small.run(EXAMPLE)["state"] == "held" and math.sqrt(-1) == 1
    small.codes.clear()
    assert small.run(EXAMPLE)["state"] == "held"
    assert math.sqrt(4) == 2 and sum([1, 2]) == 3 and sys.gettrace() is None
    assert sys.displayhook is sys.__displayhook__


def test_an_edited_tangled_block_begins_the_page_anew_and_is_what_is_imported(reader):
    small = reader()
    small.run(5)
    small.replace(TWICE, "* 4", "* 6")
    told = small.run(3)
    assert small.ran == [0, 1, 2, 3] and told["state"] == "differs"
    assert "9.0" in words(told["html"]) and small.value("log") == ["example", "session"]
    small.edit(LAST, ">>> from tf.small import twice as imported\n>>> imported(1.0), STEPS\n"
                     "(3.0, ['twice', 3.0, 1.0])")
    assert small.run(5)["state"] == "held" and small.ran == [4, 5]
    assert (small.folder / "book/tf/small.py").read_text().count("half(x) * 6") == 1
    small.codes.clear()
    assert small.run(3)["state"] == "held" and small.ran == [0, 1, 2, 3]


def test_an_edited_chunk_is_tangled_into_the_function_that_asks_for_it(reader):
    small = reader()
    small.edit(COUNT, "STEPS.append(x)\nx = x + 1")
    assert "8.0" in words(small.run(3)["html"]) and small.ran == [0, 1, 2, 3]


def test_code_that_moves_still_defines_what_it_says(reader):
    small = reader()
    small.edit(EXAMPLE, "import json\n" * 30 + AS_BUILT[EXAMPLE])
    assert small.run(5)["state"] == "held"
    small.replace(EXAMPLE, "x = 3.0", "x = 'a'")
    assert '01-small.md, block 2", line 7, in twice' in small.run(3)["html"].replace("&quot;", '"')


def test_what_a_block_keeps_when_it_is_edited_in_a_list(reader):
    small = reader()
    small.edit(IN_LIST, "if x:\n\n    text = '''a\n\n  b'''\n\n\n")
    assert small.run(5)["state"] == "held" and small.value("text") == "a\n\n  b"
    small.edit(IN_LIST, "")
    assert small.run(5)["state"] == "held"


def test_files_that_sessions_read_are_those_of_the_book_and_of_the_page(reader):
    small = reader()
    small.edit(EXAMPLE, AS_BUILT[EXAMPLE] + "\ntext = open('docs/01-small.md').read()")
    small.run(0)
    assert small.value("text") == SMALL
    assert (small.folder / "book/docs/00-first.md").read_text() == FIRST
    assert "half(x) * 4" in (small.folder / "book/tf/small.py").read_text()
    for name in "02-scale.txt", "05-perm.txt", "08-notes.md":
        assert (small.folder / "book/tf" / name).read_bytes() == (ROOT / "tf" / name).read_bytes()


# ---- What is refused

@pytest.mark.parametrize("n, code, line", [
    (EXAMPLE, "x = 1\n```", 2), (EXAMPLE, "  ````  \nx", 1), (IN_LIST, "'''\n\n    ```\n'''", 3)])
def test_code_that_would_end_its_block_is_refused_with_the_line(reader, n, code, line):
    small = reader()
    small.run(5)
    small.edit(n, code)
    told = small.ask("run", n=5, codes=small.codes)
    says = f"block {n + 1}: Line {line} would end the block in the chapter: write it in another way."
    assert told == [{"n": 5, "state": "failed", "error": says}]
    small.codes.clear()
    small.run(5)
    assert small.ran == [5]                            # nothing had changed


@pytest.mark.parametrize("code", ["``", "text = '```'", "~~~", "``` python"])
def test_what_does_not_end_the_block_may_be_written(reader, code):
    small = reader()
    small.edit(EXAMPLE, f"x = '''\n{code}\n'''\nlog = []")
    assert small.run(0)["state"] == "held" and small.value("x") == f"\n{code}\n"


def test_a_block_of_tildes_is_ended_by_as_many(reader):
    small = reader(BOOK | {PATH: SMALL.replace("```", "~~~~")})
    small.edit(EXAMPLE, "x = '''\n~~~\n```\n````\n'''")
    assert small.run(0)["state"] == "held"
    small.edit(EXAMPLE, "x = '''\n~~~~\n'''")
    assert small.run(0)["error"].startswith("Line 2 ")


def test_code_that_cannot_be_tangled_is_refused_with_the_block_that_is_wrong(reader):
    small = reader()
    small.run(5)
    small.replace(TWICE, "<<count>>", "<<cuont>>")
    told = small.run(3)
    assert told["state"] == "failed" and small.ran == []
    assert told["error"] == "block 2: no chunk is called <<cuont>>: did you mean <<count>>?"
    small.replace(TWICE, "# <<cuont>>", "pass")
    assert small.run(3)["error"].startswith("block 3: ")               # to which nothing refers
    small.replace(TWICE, "pass", "# <<cuont>>")
    small.edit(COUNT, "# <<nowhere>>")
    assert re.search("^block [23]: .*\nblock [23]: ", small.run(3)["error"])
    assert small.run(0)["state"] == "failed"           # as long as it is wrong
    small.codes.clear()
    assert small.run(5)["state"] == "held" and small.ran == [5]


def test_a_mistake_in_another_chapter_is_told_with_its_place(reader):
    more = '# More\n\n```python {#more title="tf/more.py"}\n# <<count>>\n```\n'
    small = reader(BOOK | {"docs/02-more.md": more})
    small.edit(COUNT, "# <<more>>")
    assert "block 3: " in small.run(0)["error"]
    wrong = {PATH: SMALL, "docs/00-first.md": FIRST.replace("def half", "# <<not>>\ndef half")}
    small = reader(wrong)
    small.edit(EXAMPLE, "x = 1")
    assert small.run(0)["error"].startswith("docs/00-first.md:8: ")


# ---- Verdicts

def test_a_session_that_holds_is_ticked_and_says_so(reader):
    told = reader().run(3)
    assert told["ticks"] == [[2, True], [5, True]] and told["html"] == told["error"] == ""
    assert re.fullmatch(r"2 of 2 answers hold, \d+ ms", told["note"])
    assert (told["asked"], told["held"]) == (2, 2)


def test_an_answer_that_differs_is_shown_beside_what_came(reader):
    small = reader()
    small.edit(EXAMPLE, "x, log = 4.0, [1]")
    told = small.run(3)
    assert told["ticks"] == [[2, False], [5, False]] and told["state"] == "differs"
    assert told["html"].startswith(
        "<p><code>&gt;&gt;&gt; twice(x)</code></p><dl><div><dt>the book</dt><dd><pre>6.0</pre></dd></div>"
        "<div><dt>came</dt><dd><pre>8.0</pre></dd></div></dl><p>")
    assert told["error"] == "" and told["note"].startswith("0 of 2 answers hold")


def test_in_an_edited_session_the_answer_is_what_was_written_and_what_nobody_foretold_is_shown(reader):
    small = reader()
    small.edit(SESSION, ">>> x < 4\n>>> x\n3.1\n>>> y = 2\n"
                        ">>> for i in 'ab':\n...     print(i)\n>>> None\nNone")
    told = small.run(3)
    rows = re.findall("<p>(.*?)</p><dl>(.*?)</dl>", told["html"], re.S)
    assert [(" ".join(words(asked)), words(rest)) for asked, rest in rows] == [
        (">>> x < 4", ["came", "True"]), (">>> x", ["written", "3.1", "came", "3.0"]),
        (">>> for i in 'ab': ... print(i)", ["came", "a", "b"]),
        (">>> None", ["written", "None", "came", "nothing"])]
    assert "\n...     print" in told["html"]
    assert told["ticks"] == [[2, False], [7, False]] and told["state"] == "differs"
    small.edit(SESSION, ">>> x < 4\n>>> x\n3.0")
    assert small.run(3)["state"] == "held"             # it is no failure


def test_what_the_book_does_not_foretell_is_a_difference(reader):
    small = reader(BOOK | {PATH: SMALL.replace(">>> x / 7", ">>> x\n\n>>> x / 7")})
    told = small.run(5)
    assert told["state"] == "differs" and told["ticks"] == [[2, True], [6, True]]
    assert words(told["html"]) == [">>>", "x", "the", "book", "nothing", "came", "3.0"]


def test_an_exception_that_nobody_foretold_fails_even_in_an_edited_session(reader):
    small = reader()
    small.edit(SESSION, ">>> print(7); nothing\n>>> 1 / 0\n0.0")
    told = small.run(3)
    assert told["state"] == "failed" and told["error"] == "" and told["ticks"] == [[2, False]]
    assert words(told["html"])[:6] == ">>> print(7); nothing came 7 Traceback".split()
    assert told["html"].count("Traceback") == 2
    small.edit(SESSION, ">>> [][0]\nTraceback (most recent call last):\nKeyError: 0")
    told = small.run(3)
    assert told["state"] == "differs" and "IndexError" in told["html"]


def test_what_is_wrong_with_a_session_itself_is_said(reader):
    small = reader()
    small.edit(SESSION, "x\n>>>y")
    told = small.run(3)
    assert told["state"] == "differs" and told["html"] == ""
    assert "nobody compares this line" in told["error"] and "\nbegin a prompt" in told["error"]


def test_a_warning_is_told(reader):
    small = reader()
    small.edit(EXAMPLE, "import warnings\nx = 1\nwarnings.warn('careful')")
    told = small.run(0)
    assert (told["state"], told["error"]) == ("differs", "warns: UserWarning: careful")


def test_time_is_told_in_ms_and_then_in_seconds(reader, monkeypatch):
    small, clock = reader(), iter([0, 0.0126, 0, 9.94, 0, 9.96])
    page.page.chapter.raises = None
    monkeypatch.setattr(page.Live, "live", lambda *_: {"asked": 0})
    monkeypatch.setattr(page, "perf_counter", clock.__next__)
    assert [small.run(0)["note"] for _ in range(3)] == ["13 ms", "9940 ms", "10.0 s"]


# ---- Errors

def trace(text):
    """The lines of a traceback without the marks below the code."""
    return [line.strip() for line in text.split("\n") if line.strip(" ^~")]


def test_a_traceback_names_chapter_block_and_line_and_shows_none_of_our_frames(reader):
    small = reader()
    small.edit(IN_LIST, "def f():\n    return twice(None)\n\nf()")
    told = small.run(4)
    assert told["state"] == "failed" and told["html"] == ""
    assert trace(told["error"]) == [
        "Traceback (most recent call last):",
        'File "01-small.md, block 5", line 4, in <module>', "f()",
        'File "01-small.md, block 5", line 2, in f', "return twice(None)",
        'File "01-small.md, block 2", line 7, in twice', "return half(x) * 4",
        'File "tf/first.py", line 4, in half', "return x / 2",
        "TypeError: unsupported operand type(s) for /: 'NoneType' and 'int'"]


def test_the_exceptions_that_led_to_one_are_cut_and_named_too(reader):
    small = reader()
    small.edit(EXAMPLE, "try:\n    try:\n        {}[1]\n    except KeyError as key:\n"
                        "        raise TypeError from key\nexcept TypeError:\n    import tf.not_there")
    assert [line for line in trace(small.run(0)["error"]) if line.startswith("File")] == [
        f'File "01-small.md, block 1", line {n}, in <module>' for n in (3, 5, 7)]


@pytest.mark.parametrize("ending", ["    kept = error\nraise TypeError from kept", "    nothing"])
def test_an_exception_that_led_to_another_is_cut_too(reader, ending):
    small = reader()
    small.edit(TWICE, "# <<count>>\nx = (")
    small.edit(EXAMPLE, "try:\n    import tf.small\nexcept SyntaxError as error:\n" + ending)
    error = small.run(0)["error"]
    assert "importlib" not in error and 'block 2", line 2\n    x = (' in error


def test_frames_of_the_library_are_shown_and_lines_as_they_are(reader):
    small = reader()
    small.edit(EXAMPLE, "import json\n...; json.loads('{')")
    shown = trace(small.run(0)["error"])
    assert shown[1:3] == ['File "01-small.md, block 1", line 2, in <module>', "...; json.loads('{')"]
    assert re.match('File ".*json.__init__.py", line', shown[3])


def test_in_a_session_a_traceback_shows_the_code_without_its_prompt(reader):
    small = reader()
    small.edit(LAST, ">>> def f():\n...     return [][0]\n>>> f()\n1")
    text = unescape(small.run(5)["html"])
    assert 'block 6", line 3, in <module>\n    f()\n' in text
    assert 'block 6", line 2, in f\n    return [][0]\n' in text


def test_what_an_import_of_a_tangled_module_raises_is_told_without_the_import(reader):
    small = reader()
    small.replace(TWICE, "STEPS = [", "STEPS = 1 / 0, [")
    told = small.run(1)
    assert trace(told["error"])[1:] == ['File "01-small.md, block 2", line 3, in <module>',
                                        'STEPS = 1 / 0, ["twice"]', "ZeroDivisionError: division by zero"]
    small.edit(EXAMPLE, "import tf.small")
    assert trace(small.run(0)["error"])[1:3] == [
        'File "01-small.md, block 1", line 1, in <module>', "import tf.small"]


@pytest.mark.parametrize("n, code, says", [
    (EXAMPLE, "a = 1\nx = 1 +* 2", ['File "01-small.md, block 1", line 2', "x = 1 +* 2"]),
    (IN_LIST, "if x:\ny", ['File "01-small.md, block 5", line 2', "y"]),
    (SESSION, ">>> 1\n1\n>>> 1 +* 2", ['File "01-small.md, block 4", line 3', "1 +* 2"]),
    (TWICE, "# <<count>>\ndef f(x:", ['File "01-small.md, block 2", line 2', "def f(x:"])])
def test_code_that_cannot_be_read_is_told_as_it_stands_now(reader, n, code, says):
    small = reader()
    small.edit(n, code)
    told = small.run(n)
    shown = trace(unescape(re.sub("</?p(re)?>", "\n", told["html"])) or told["error"])
    assert told["state"] == "failed" and "Traceback" not in "".join(shown)
    start = shown.index(says[0])
    assert shown[start + 1] == says[1] and re.match("(Syntax|Indentation)Error: ", shown[start + 2])


def test_what_a_block_above_raises_is_told_where_run_was_pressed(reader):
    small = reader()
    small.replace(EXAMPLE, "x = 3.0", "x = 3.0\nraise EOFError")
    told = small.ask("run", n=3, codes=small.codes)
    assert told[1]["n"] == 0 and "EOFError" in told[1]["error"]
    assert told[2:] == [{"n": 3, "state": "failed", "error": "Not run: block 1 above raises EOFError."}]
    small.run(3)
    assert small.ran == [0]                            # it is tried again
    small.codes.clear()
    assert small.run(3)["state"] == "held"
    small.edit(SESSION, ">>> nothing")
    assert small.run(3)["state"] == "failed" and small.run(4)["error"].startswith("Not run: block 4 above")


@pytest.mark.parametrize("code", [
    "raise SystemExit(3)", "exit()", "raise KeyboardInterrupt", "raise GeneratorExit"])
def test_code_that_would_end_python_does_not(reader, code):
    small = reader()
    small.edit(EXAMPLE, f"print('before')\nimport sys; exit = sys.exit\n{code}")
    told = small.run(0)
    assert told["state"] == "failed" and small.printed == "before\n"
    assert re.search("^(SystemExit|KeyboardInterrupt|GeneratorExit)", told["error"], re.M)
    small.edit(EXAMPLE, AS_BUILT[EXAMPLE])
    assert small.run(5)["state"] == "held"


# ---- What is printed

def test_output_is_told_while_it_comes_in_parcels(reader, monkeypatch):
    small, now = reader(), [0.0]
    monkeypatch.setattr(page, "perf_counter", lambda: now[0])
    small.edit(EXAMPLE, "for i in range(6):\n    tick(); print(f'{i}\\n', end='')")
    page.page.chapter.names["tick"] = lambda: now.__setitem__(0, now[0] + page.PARCEL * 0.4)
    texts = [each["text"] for each in small.ask("run", n=0, codes=small.codes) if "text" in each]
    assert texts == ["0\n1\n2\n", "3\n4\n5\n"]


def test_what_is_printed_at_the_end_is_told_before_the_block_ends(reader):
    small = reader()
    told = small.ask("run", n=4, codes={})
    assert told[-2] == {"n": 4, "text": "three 3\n"} and told[-1]["state"] == "held"
    assert [each for each in told if "text" in each] == [told[-2]]       # a session's is compared


def test_too_much_output_is_cut_once_with_a_note(reader):
    small = reader()
    small.edit(EXAMPLE, f"print('a' * {page.LIMIT - 10}, end='')\nprint('b' * 100)\nprint('c')\n"
                        "import sys\nn = sys.stdout.write('dd')")
    small.run(0)
    assert small.printed == "a" * (page.LIMIT - 10) + "b" * 10 + page.TEXT["en"]["cut"]
    assert small.value("n") == 2
    small.edit(EXAMPLE, f"print('a' * {page.LIMIT - 1})")
    small.run(0)
    assert small.printed == "a" * (page.LIMIT - 1) + "\n"               # and each block has as much
    small.edit(EXAMPLE, "x = 1; log = []")
    small.edit(SESSION, f">>> print('a' * {page.LIMIT + 5})")
    assert page.TEXT["en"]["cut"].strip() in small.run(3)["html"]
    small.edit(SESSION, ">>> 1\n1")
    small.run(3)
    small.edit(IN_LIST, f"print('a' * {2 * page.LIMIT})")
    small.run(4)
    assert small.printed.endswith(page.TEXT["en"]["cut"])


def test_what_is_full_is_told_at_once():
    told, out = [], page.Out()
    out.tell, out.room, out.cut, out.posted = told.append, 5, " cut", float("inf")
    assert [out.write(text) for text in ("abc", "de", "f", "g")] == [3, 2, 1, 1]
    assert told == ["abcde", " cut"] and out.getvalue() == "abcde cut"
    out.post()
    assert len(told) == 2


# ---- The whole page

@pytest.mark.parametrize("path", ["docs/01-softmax.md", "docs/03-mask.md", "docs/11-masks.md"])
def test_a_chapter_that_is_checked_in_the_page_comes_to_the_same_count(reader, path):
    chapter = Chapter(Book(TEXTS, ROOT), path)
    assert list(chapter.failures()) == [] and chapter.asked > 30
    lang = "zh" if path == "docs/03-mask.md" else "en"
    told = reader(TEXTS, path, lang).check()
    says = page.TEXT[lang]["hold"].format(held=chapter.held, asked=chapter.asked)
    assert told[-1] == {"checked": says, "holds": True}
    assert [each["n"] for each in told if each.get("state") == "running"] == [*range(len(chapter.blocks))]


def test_of_a_block_that_raises_twice_the_first_exception_is_told(reader):
    small = reader()
    small.edit(LAST, ">>> 1 / 0\n>>> nothing")
    assert small.check()[-1]["checked"].endswith("; block 6 raises ZeroDivisionError")


def test_a_check_begins_anew_and_tells_what_is_changed_and_what_is_wrong(reader):
    small = reader()
    small.run(5)
    assert small.check()[-1] == {"checked": "4 of 4 answers hold", "holds": True}
    small.replace(EXAMPLE, "3.0", "3.5")
    told = small.check()
    assert told[-1] == {"checked": "1 of 4 answers hold, with your changes", "holds": False}
    small.edit(EXAMPLE, "x = 3.0\nlog = [1]\nnothing")
    small.edit(LAST, ">>> x\n3.0\n>>> nothing either")
    told = small.check()
    assert told[-1] == {"checked": "3 of 3 answers hold, with your changes; block 1 raises NameError",
                        "holds": False}
    assert [each["n"] for each in told if each.get("state") == "running"] == [*range(6)]
    small.edit(EXAMPLE, "```")
    says = "block 1: " + page.TEXT["en"]["fence"].format(1)
    assert small.check() == [{"n": -1, "state": "failed", "error": says}]
    small.codes = {COUNT: "# <<nowhere>>"}
    assert [each["n"] for each in small.check()] == [-1]


def test_in_chinese_the_page_speaks_chinese(reader):
    small = reader(lang="zh")
    small.edit(EXAMPLE, "x = nothing")
    assert small.check()[-1]["checked"].endswith("相符（含你的改动）；代码块 1抛出 NameError")
    assert small.run(3)["error"] == "没有运行：上面的代码块 1抛出 NameError。"


# ---- Guesses

@pytest.mark.parametrize("want, guess, right", [
    ("6.0", "6.0", True), ("6.0", " 6.0 ", True), ("6.0", "6", True), ("6.0", "7", False),
    ("6.0", "6.01", False), ("6", "6.0", False), ("0.0900", "0.09", True), ("0.0900", "0.1", False),
    ("'a'", '"a"', True), ("[1.0, 2.0]", "[1,2]", True), ("[1.0, 2.5]", "[1, 2.5]", True),
    ("[1, 2.0]", "[1, 2.0]", True), ("x10", "x10", True), ("True", "yes", False), ("(1, 2)", "1, 2", True),
    ("1", "{[]}", False), ("1", "(" * 300, False), ("1", "\0", False), ("1", "<b>", False),
    ("1", "", False)])
def test_a_guess_is_judged_as_an_answer_is(reader, want, guess, right):
    small = reader(BOOK | {PATH: SMALL.replace("(['twice', 3.0], 2)", want)})
    [told] = small.ask("guess", n=3, guess=guess)
    assert told["n"] == 3 and told["right"] is right
    assert unescape(told["guessed"]) == (f"Right: <code>{want}</code>." if right else
                                         f"You say <code>{guess.strip()}</code>. It is <code>{want}</code>.")
    assert "<b>" not in told["guessed"]


# ---- Unfolding

def asks(html):
    """[(label, what its button asks for)]"""
    return [(words(label)[0], json.loads(unescape(ask))) for ask, label in
            re.findall(r'<button type="button" data-ask="([^"]*)">(.*?)</button>', html)]


def numbers(reader, n):
    told = reader.heard_of("unfold", n)
    return told, asks(told.get("html", ""))


def test_the_numbers_of_a_session_open_to_the_arithmetic_that_made_them(reader):
    small = reader()
    told, found = numbers(small, SESSION)
    assert small.ran == [0, 1, 2, 3] and told["fresh"] is True
    asked = "&gt;&gt;&gt; log.append(&quot;session&quot;)"
    assert told["html"].startswith(f'<pre><span class="asked">{asked}</span>\n')
    assert told["html"].endswith('</pre><div id="unfolded-3"></div>')
    assert [label for label, _ in found] == ["6.0", "3.0"]
    [step] = small.ask(**found[0][1])
    assert step["into"] == "unfolded-3"
    into = f"unfolded-3-{found[0][1]['id']}"
    where = '<small><a href="#twice">block 2, line 7</a></small>'
    assert step["html"].endswith(f'{where}</p><div id="{into}"></div>')
    assert words(step["html"])[:9] == "6.0 = half(x) * 4 = 1.5 * 4".split()
    [(label, ask)] = asks(step["html"])
    assert label == "1.5" and ask["into"] == into
    [step] = small.ask(**ask)
    assert words(step["html"]) == "1.5 = x / 2 = 3.0 / 2 00-first#half".split()
    assert '<a href="../00-first/#half">' in step["html"]
    [step] = small.ask(**asks(step["html"])[0][1])
    says = "<p><strong>3.0</strong> is given: it was written down, or computed by other code."
    assert step["html"] == says + " <small>block 1, line 2</small></p>"
    assert [label for label, _ in numbers(small, SESSION)[1]] == ["6.0", "3.0"] and small.ran == []


def test_every_number_that_is_shown_is_computed_again_from_its_step(reader):
    soft = reader(SOFT, "docs/01-softmax.md", "zh")
    n = next(n for n, block in enumerate(page.page.blocks) if block.attrs.get("id") == "softmax") + 1
    todo, seen = [ask for _, ask in numbers(soft, n)[1]], set()
    while todo:
        ask = todo.pop()
        if ask["id"] not in seen:
            seen.add(ask["id"])
            [told] = soft.ask(**ask)
            todo += [ask for _, ask in asks(told["html"])]
            if "=" in (formula := unescape(re.sub("<small>.*|<[^>]+>", "", told["html"], flags=re.S))):
                value, *_, made = formula.split(" = ")
                assert eval(made, {"exp": math.exp}) == pytest.approx(float(value), abs=2e-4), formula
    assert len(seen) > 10


def test_a_session_without_such_numbers_says_so(reader):
    small = reader(lang="zh")
    small.run(4)
    small.edit(LAST, ">>> 'text < 1'")
    told, found = numbers(small, LAST)
    assert small.ran == [5]
    assert told["html"] == "<p>这里没有可以展开的数。</p>" and found == []


def test_answers_are_shown_as_the_book_rounds_them_and_others_as_they_came(reader):
    small = reader()
    told, found = numbers(small, LAST)
    assert [label for label, _ in found] == ["0.4286"]
    small.edit(EXAMPLE, "x = 3.5\nlog = [1]")
    assert [label for label, _ in numbers(small, LAST)[1]] == ["0.5"] and small.ran == [0, 1, 2, 3, 4, 5]
    small.edit(LAST, ">>> x, x / 7\n(3.5, 0.1234)")
    assert "(<button" in (html := numbers(small, LAST)[0]["html"]) and ">0.5</button>)" in html
    small.edit(LAST, ">>> x / 7\n0...")
    assert [label for label, _ in numbers(small, LAST)[1]] == ["0.5"]
    small.edit(LAST, ">>> for i in 1.5, 2.5:\n...     print(i * x, '<')")
    told, found = numbers(small, LAST)
    assert [label for label, _ in found] == ["5.25", "8.75"]
    assert "\n...     print" in told["html"] and "</button> &lt;\n" in told["html"]


def test_what_is_unfolded_of_two_blocks_stays_open_and_is_gone_with_its_python(reader):
    small = reader()
    last = numbers(small, LAST)[1]
    first = numbers(small, SESSION)[1]
    assert words(small.ask(**last[0][1])[0]["html"])[:7] == "0.4286 = x / 7 = 3.0".split()
    assert words(small.ask(**first[0][1])[0]["html"])[0] == "6.0"
    again = reader()
    says = "<p>Python has begun anew since: unfold this block again.</p>"
    assert again.ask(**first[0][1]) == [{"into": "unfolded-3", "html": says}]


def test_what_no_line_of_the_book_calls_has_no_code(reader):
    small = reader()
    small.edit(LAST, ">>> from math import exp\n>>> list(map(exp, [x]))")
    [told] = small.ask(**numbers(small, LAST)[1][0][1])
    assert re.search("</strong> = <code>exp[(]<button", told["html"])


def test_many_terms_are_counted(reader):
    small = reader()
    small.edit(LAST, ">>> sum([x * i for i in range(101) if i < 100])\n14850.0")
    [told] = small.ask(**numbers(small, LAST)[1][0][1])
    assert "</code> (100 numbers in all) <small>" in told["html"] and "i &lt; 100])</code> = " in told["html"]


def test_from_the_cover_links_go_to_chapters(reader):
    cover = reader({"docs/00-first.md": FIRST, "docs/index.md": "# Cover\n\n```pycon\n"
                    ">>> from tf.first import half\n>>> half(3.0)\n1.5\n```\n"}, "docs/index.md")
    [told] = cover.ask(**numbers(cover, 0)[1][0][1])
    assert '<a href="00-first/#half">' in told["html"]


def test_nothing_is_unfolded_below_what_raises(reader):
    small = reader()
    small.edit(EXAMPLE, "nothing")
    told, found = numbers(small, SESSION)
    assert told["error"] == "Not run: block 1 above raises NameError." and found == []
    small.edit(SESSION, "```")
    told = small.ask("unfold", n=5, codes=small.codes)
    assert [each["n"] for each in told] == [5]
    small.codes = {LAST: ">>> x / 7\n>>> nothing"}
    told, found = numbers(small, LAST)
    assert [label for label, _ in found] == ["0.42857142857142855"]
    assert "nothing</span>\nNameError: name &#x27;nothing&#x27; is not defined\n</pre>" in told["html"]


def test_what_a_session_raises_is_shown_among_its_numbers(reader):
    told, _ = numbers(reader(), LAST)
    assert "[1, 2][2]</span>\nIndexError: list index out of range\n<span" in told["html"]


SLOW = """# Slow

```python {#third title="tf/third.py"}
def third(x):
    # <<a third>>
    return y
```

```python
import json
from functools import cache
from math import exp as e
class Kept:
    rows = [1.5]
@cache
def slow(x):
    # twice as much
    calls.append(x)
    return x * 2.0
calls, double = [], lambda x: x + x
y = slow(2.0)
modules, marked = [json], open("ran", "a").write("0")
```

```pycon
>>> marked = open("ran", "a").write("2")
>>> calls.append(7); rows = [slow(1.0)]
>>> 1 +* 2
Traceback (most recent call last):
SyntaxError: invalid syntax
>>> def fourth(x):
...     return x / 4
>>> import nowhere
Traceback (most recent call last):
ModuleNotFoundError: No module named 'nowhere'
```

```pycon
>>> calls.append(8)
>>> fourth(third(y)), e(0), json.loads("1"), Kept.rows, modules[0] is json
(0.3333, 1.0, 1, [1.5], True)
>>> slow(double(rows[0])), slow.cache_info().maxsize
(8.0, None)
```

```python {#a-third title="<<a third>>"}
y = x / 3
```
"""


@pytest.mark.parametrize("seconds, ran", [(0.9, "022"), (1.1, "02")])
def test_blocks_that_took_long_are_not_run_again_their_results_are_given(reader, seconds, ran):
    slow = reader({PATH: SLOW})
    assert slow.run(3)["state"] == "held"
    page.page.took = {n: unfold.QUICK * (seconds if n == 2 else 1) for n in range(4)}
    told, found = numbers(slow, 3)
    assert (slow.folder / "book/ran").read_text() == ran
    assert slow.value("calls") == [2.0, 7, 1.0, 8, 4.0]                 # the page's own
    assert [label for label, _ in found] == ["0.3333", "1.0", "8.0"]
    chains = []
    for _, ask in found:
        chains.append([])
        while ask:
            html = slow.ask(**ask)[0]["html"]
            chains[-1].append(" ".join(words(html)))
            ask = next((ask for _, ask in asks(html)), None)
    assert chains[0] == [
        "0.3333 = x / 4 = 1.3333 / 4 block 3, line 7", "1.3333 = x / 3 = 4.0 / 3 block 5, line 1"]
    assert chains[1] == ["1.0 = e(0) = exp(0) block 4, line 2"]
    assert chains[2][0] == "8.0 = x * 2.0 = 4.0 * 2.0 block 2, line 10"


# ---- Figures

def test_a_figure_is_drawn_by_the_edited_code(reader):
    soft = reader(SOFT, "docs/01-softmax.md")
    blocks = page.page.blocks
    n = next(n for n, block in enumerate(blocks) if block.attrs.get("id") == "softmax")
    given = {"scores": "1, 3", "temperatures": "1"}

    def drawn(given=given, **codes):
        [told] = soft.ask("figure", id="f", source="softmax", given=given, codes=codes)
        assert told.pop("figure") == "f"
        return told
    assert drawn()["html"].startswith('<li id="f-1"') and "0.8808" in drawn()["html"]
    soft.edit(n, blocks[n].code.replace("exp(x - top)", "2 ** (x - top)"))
    changed = drawn(**{str(n): soft.codes[n]})
    assert "0.8000" in changed["html"] and "0.8808" not in changed["html"]
    assert "0.8808" in drawn()["html"]
    assert drawn(given | {"scores": "one"})["error"][:1].isalpha()
    broken = drawn(**{str(n): "def softmax(scores):\n    nothing"})
    assert broken["error"].startswith("softmax: name 'nothing'")
    assert drawn(**{str(n): "1 / 0"})["error"] == "ZeroDivisionError: division by zero"
    told = soft.ask("figure", id="f", source="softmax", given=given, codes={n: "```"})
    assert [each["n"] for each in told] == [-1] and "Line 1" in told[0]["error"]
    told = soft.ask("figure", id="f", source="softmax", given=given, codes={n: "# <<nothing>>"})
    assert [each["n"] for each in told] == [-1] and f"block {n + 1}: " in told[0]["error"]


def test_a_figure_speaks_the_language_of_its_page(reader):
    soft = reader(SOFT, "docs/01-softmax.md", "zh")
    told = soft.ask("figure", id="f", source="softmax", codes={},
                    given={"scores": "1, 3", "temperatures": "2"})
    assert "温度" in told[0]["html"]


@pytest.mark.parametrize("ending", ["raise SystemExit", "raise KeyboardInterrupt"])
def test_a_figure_whose_code_would_end_python_does_not(reader, ending):
    soft = reader(SOFT, "docs/01-softmax.md")
    n = next(n for n, block in enumerate(page.page.blocks) if block.attrs.get("id") == "softmax")
    [told] = soft.ask("figure", id="f", source="softmax", codes={n: f"def softmax(scores):\n    {ending}"},
                      given={"scores": "1, 3", "temperatures": "1"})
    assert told["error"].startswith(ending.split()[1])
