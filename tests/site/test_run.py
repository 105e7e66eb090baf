"""Python in the page: blocks are run, changed, stopped, compared, by mouse and by keyboard."""

import json
import os
import re
from pathlib import Path

import host
import pytest
from axe_playwright_python.sync_playwright import Axe

from conftest import SIZES, link, only_one_python
from examine import open_book, read_session, runnable
from tangle import original, scan

BELOW = os.environ["BOOK_ADDRESS"] + "book/"
BOOK = open_book(Path(__file__).parents[2])
CHAPTERS = [path for path in BOOK.texts if not original(path) and any(
    block.lang in ("python", "pycon") for block in runnable(scan(path, BOOK.texts[path])[0]))]


@pytest.fixture(scope="module")
def reader(browser):
    """A browser that has run a block before, and has what it compiled."""
    context = browser.new_context(viewport=SIZES["wide"], permissions=["clipboard-read", "clipboard-write"])
    tab = context.new_page()
    tab.goto(BELOW + "00-weighted-average/")
    tab.locator("[data-block='0'] + .tools .run").click()
    host.wait_for_python(tab)
    tab.close()
    yield context
    context.close()


class Page:
    """A page with blocks, in a tab: numbers of blocks count from 0, as in its HTML."""

    def __init__(self, context, page, size="wide"):
        self.faults = []
        self.tab = context.new_page()
        self.tab.set_viewport_size(SIZES[size])
        self.tab.set_default_timeout(60_000)
        self.tab.on("request", lambda request: self.fault(not request.url.startswith((BELOW, "data:", "blob:")), request.url))
        self.tab.on("console", lambda said: self.fault(said.type in ("error", "warning"), said.text))
        self.tab.on("pageerror", lambda error: self.fault(True, str(error)))
        self.tab.goto(BELOW + page)

    def fault(self, found, what):
        if found:
            self.faults.append(what)

    def block(self, n):
        return self.tab.locator(f"[data-block='{n}']")

    def tools(self, n):
        return self.tab.locator(f"[data-block='{n}'] + .tools")

    def out(self, n):
        return self.tab.locator(f"[data-block='{n}'] + .tools + .out")

    def kept(self):
        return self.tab.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('book'))")

    def note(self, n):
        return self.tools(n).locator(".note").inner_text()

    def number(self, id):
        return int(self.tab.locator(f"#{id}").get_attribute("data-block"))

    def idle(self):
        self.tab.wait_for_function("() => !document.querySelector('.busy')")

    def run(self, n):
        self.tools(n).locator(".run").click()
        self.idle()
        return self.note(n)

    def edit(self, n, old, new):
        self.tools(n).locator(".edit").click()
        area = self.block(n).locator("textarea")
        code = area.input_value()
        assert old in code
        area.fill(code.replace(old, new))
        return area

    def write(self, n, code):
        if not self.block(n).locator("textarea").count():
            self.tools(n).locator(".edit").click()
        self.block(n).locator("textarea").fill(code)

    def check(self):
        self.tab.locator(".tools.page .check").click()
        self.tab.wait_for_function("() => document.querySelector('.tools.page .check').textContent != 'Stop'"
                                   " && /\\d/.test(document.querySelector('.tools.page .note').textContent)", timeout=180_000)
        return self.tab.locator(".tools.page .note").inner_text()


@pytest.fixture
def at(reader):
    pages = []

    def at(page, **options):
        pages.append(Page(reader, page, **options))
        return pages[-1]
    yield at
    if pages:
        pages[0].tab.evaluate("localStorage.clear()")
    for page in pages:
        page.tab.close()
    assert [fault for page in pages for fault in page.faults] == []


# ---- Every chapter

@pytest.mark.parametrize("path", CHAPTERS)
def test_every_answer_of_a_chapter_holds_in_the_page(at, path):
    sessions = [block for block in runnable(scan(path, BOOK.texts[path])[0]) if block.lang == "pycon"]
    answers = sum(bool(example.want) for block in sessions for example in read_session(block)[0])
    page = at(re.sub(r"docs/(index)?(.*)\.md", r"\2/", path).removeprefix("/"))
    assert page.check() == f"{answers} of {answers} answers hold"
    assert page.tab.locator(".tick.holds").count() == answers
    assert page.tab.locator("[data-state]:not([data-state=held])").count() == 0


def test_the_chinese_page_runs_the_same_blocks(at):
    page = at("zh/01-softmax/")
    page.tab.locator(".tools.page .check").click()
    page.tab.wait_for_function("() => /48/.test(document.querySelector('.tools.page .note').textContent)")
    assert page.tab.locator(".tools.page .note").inner_text() == "48 个答案中 48 个相符"
    assert page.tools(0).locator(".run").inner_text() == "运行"


# ---- Running

def test_nothing_of_python_is_asked_for_before_the_first_run(visit):
    asked = []
    tab = visit("01-softmax/")
    tab.context.on("request", lambda request: asked.append(request.url))
    tab.reload()
    tab.wait_for_load_state("networkidle")
    assert asked and not [url for url in asked if "python" in url or "worker.js" in url]
    assert tab.locator(".tools .run").count() == tab.locator("[data-block], [data-turn]").count() > 30


def test_a_block_runs_those_above_it_first_and_is_compared_with_the_book(at):
    page = at("01-softmax/")
    n = page.number("softmax") + 1
    assert re.fullmatch(r"2 of 2 answers hold, \d+ ms", page.run(n))
    assert page.block(n).locator(".tick.holds").count() == 2
    assert page.block(0).get_attribute("data-state") == "held"
    assert page.block(n + 1).get_attribute("data-state") is None


def test_an_edit_is_what_every_later_block_uses(at):
    """The division by the square root of the width, taken away in chapter 2."""
    page = at("02-attention/")
    n = page.number("attention")
    page.edit(n, "dot(q, k) / root", "dot(q, k)")
    later = next(k for k in range(n + 1, 60) if "attention(" in (page.block(k).inner_text())
                 and page.block(k).locator(".go").count())
    page.run(later)
    assert page.block(later).get_attribute("data-state") == "differs"
    assert page.block(later).locator(".tick.differs").count()
    assert "the book" in page.out(later).inner_text() and "came" in page.out(later).inner_text()
    assert "changed" in page.tools(n).inner_text()
    page.tools(n).locator(".reset").click()
    page.run(later)
    assert page.block(later).get_attribute("data-state") == "held"


def test_an_edited_chunk_is_tangled_into_the_function_that_asks_for_it(at):
    page = at("03-mask/")
    n = page.number("hide")
    page.edit(n, "-inf", "0.0")    # hidden before it is shared out, but with the score 0
    assert re.fullmatch(r"\d+ of 39 answers hold, with your changes", page.check())
    assert page.tab.locator(".language-pycon[data-state=differs]").count() > 3
    assert page.block(n - 1).get_attribute("data-state") == "held"


def test_an_error_is_told_as_python_tells_it_with_block_and_line(at):
    page = at("01-softmax/")
    n = page.number("softmax")
    page.edit(n, "exp(x - top)", "exp(x - topp)")
    page.run(n + 1)
    came = page.out(n + 1).inner_text()
    assert "Traceback (most recent call last):" in came
    assert f'File "01-softmax.md, block {n + 2}", line 1, in <module>' in came
    assert f'File "01-softmax.md, block {n + 1}", line 9, in softmax' in came
    assert "NameError: name 'topp' is not defined" in came
    assert "page.py" not in came and "examine.py" not in came


def test_code_that_cannot_be_read_names_the_line(at):
    page = at("01-softmax/")
    page.write(0, ">>> 1 +* 2")
    page.run(0)
    assert 'File "01-softmax.md, block 1", line 1' in page.out(0).inner_text()
    assert "SyntaxError" in page.out(0).inner_text()
    page.write(0, "```\nleft")
    page.run(0)
    assert "Line 1 would end the block" in page.out(0).inner_text()


def test_what_a_block_above_raises_is_told_where_run_was_pressed(at):
    page = at("01-softmax/")
    page.write(0, ">>> scores = []\n>>> scores[0]")
    page.run(2)
    assert "Not run: block 1 above raises IndexError." in page.out(2).inner_text()
    assert page.block(2).get_attribute("data-state") == "failed"


def test_lines_added_above_a_module_do_not_part_it_from_its_names(at):
    page = at("01-softmax/")
    n = page.number("softmax")
    page.edit(0, ">>> scores", ">>> 1\n1\n" * 12 + ">>> scores")
    assert "2 of 2 answers hold" in page.run(n + 1)


def test_a_block_runs_with_the_names_that_those_above_it_leave(at):
    page = at("02-attention/")
    page.check()    # which binds some names anew, further below
    for n in 9, 3, 5, 0:
        page.run(n)
        assert page.block(n).get_attribute("data-state") == "held"
    page = at("01-softmax/")
    page.run(1)
    page.write(0, ">>> score = [3, 1, -1]")
    page.run(1)
    assert "NameError: name 'scores' is not defined" in page.out(1).inner_text()


def test_code_that_asks_closes_or_says_more_than_a_page_can_show(at):
    page = at("01-softmax/")
    page.write(0, ">>> input('who? ')\n>>> import sys; sys.stdout.close()\n>>> 6 * 7")
    page.run(0)
    assert "EOFError" in page.out(0).inner_text() and "42" in page.out(0).inner_text()
    page.write(0, ">>> raise ValueError('x' * 10 ** 6)")
    page.run(0)
    assert 60_000 <= len(page.out(0).inner_text()) < 61_000
    page.write(0, ">>> if True:\n1")
    page.run(0)
    assert re.search("after 'if' statement on line 1$", page.out(0).inner_text(), re.M)
    assert "ast.py" not in page.out(0).inner_text()


def test_what_cannot_be_run_is_told_where_it_was_asked_for(at):
    page = at("01-softmax/")
    page.write(0, "```")
    page.run(3)
    assert "block 1: Line 1 would end the block" in page.out(3).inner_text()
    page.tab.locator(".tools.page .check").click()
    page.tab.locator(".tools.page").get_by_text("block 1: Line 1 would end the block").wait_for()


# ---- While it runs

def test_what_ran_before_an_edit_is_not_told_of_the_new_code(at):
    page = at("01-softmax/")
    page.write(0, ">>> import time; time.sleep(1)\n>>> 5\n6")
    page.tools(0).locator(".run").click()
    page.tab.wait_for_function("() => document.querySelector('[data-block=\"0\"]').dataset.state == 'running'")
    page.tools(0).locator(".reset").click()
    page.idle()
    assert page.block(0).get_attribute("data-state") is None and page.out(0).is_hidden()
    assert page.block(0).locator(".tick").count() == 0 and page.note(0) == ""


def test_a_check_is_named_while_it_runs_and_its_stop_leaves_no_block_running(at):
    page = at("01-softmax/")
    page.write(0, ">>> while True: pass")
    page.tab.locator(".tools.page .check").click()
    page.tab.wait_for_function("() => document.querySelector('[data-block=\"0\"]').dataset.state == 'running'")
    page.tools(2).locator(".run").click()
    assert page.note(2) == "Check this page is still running: stop it first"
    page.tab.locator(".tools.page .check").click()
    assert page.tab.locator(".tools.page .note").inner_text() == "stopped" and page.note(0) == ""


def test_a_file_of_python_that_does_not_come_is_told_of(at):
    page = at("01-softmax/")
    page.tab.route("**/worker.js", lambda route: route.abort())
    page.tools(0).locator(".run").click()
    page.tab.get_by_text("one of its files did not come").wait_for()
    page.faults.clear()


def test_marks_come_back_when_the_editor_is_closed_and_an_edit_ends_the_verdict(at):
    page = at("00-weighted-average/")
    page.check()
    n = int(page.tab.locator(".language-pycon[data-block]").first.get_attribute("data-block"))
    page.tools(n).locator(".edit").click()
    assert page.block(n).locator(".tick").count() == 0
    page.tools(n).locator(".edit").click()
    assert page.block(n).locator(".tick.holds").count() > 0
    page.write(n, ">>> 1")
    assert page.tab.locator(".tools.page .note").inner_text() == ""


# ---- Too much of it

def test_an_endless_loop_is_stopped_and_the_page_goes_on(at):
    page = at("01-softmax/")
    page.write(0, ">>> while True: pass")
    page.tools(0).locator(".run").click()
    page.tab.wait_for_function("() => document.querySelector('[data-block=\"0\"]').dataset.state == 'running'")
    assert page.tools(0).locator(".run").inner_text() == "Stop"
    page.tools(0).locator(".run").click()
    assert page.note(0) == "stopped" and page.tools(0).locator(".run").inner_text() == "Run"
    page.tools(0).locator(".reset").click()
    assert "1 of 1 answers hold" in page.run(0)
    assert only_one_python(page.tab)


def test_a_double_click_runs_once_and_does_not_stop_what_it_began(at):
    page = at("01-softmax/")
    page.write(0, ">>> while True: pass")
    page.tools(0).locator(".run").dblclick()
    page.tab.wait_for_timeout(500)
    assert page.tools(0).locator(".run").inner_text() == "Stop"
    page.tools(0).locator(".run").click()
    assert page.note(0) == "stopped"


def test_a_runaway_print_is_cut_and_can_be_stopped(at):
    page = at("01-softmax/")
    n = next(k for k in range(40) if page.block(k).evaluate("each => each.matches('.language-python') && !each.id"))
    page.write(n, "while True: print('on and on')")
    page.tools(n).locator(".run").click()
    page.out(n).get_by_text("the rest is not shown").wait_for()
    page.tools(n).locator(".run").click()
    assert page.note(n) == "stopped"
    assert 60_000 <= len(page.out(n).inner_text()) < 61_000


def test_python_that_ends_itself_is_told_of_and_begun_anew(at):
    page = at("01-softmax/")
    page.write(0, ">>> import js; js.close()")
    page.tools(0).locator(".run").click()
    page.tab.get_by_text("Python has ended").wait_for()
    assert "Python has ended: the code closed it." in page.note(0)
    page.tools(0).locator(".reset").click()
    assert "1 of 1 answers hold" in page.run(0)


def test_memory_that_is_used_up_is_told_of(at):
    page = at("01-softmax/")
    page.write(0, ">>> len([0] * 10 ** 9)")
    page.run(0)
    assert "MemoryError" in page.out(0).inner_text() or "memory" in page.note(0)


# ---- By keyboard

def test_the_editor_by_keyboard(at):
    page = at("01-softmax/")
    keyboard = page.tab.keyboard
    page.tools(0).locator(".edit").focus()
    keyboard.press("Enter")
    area = page.block(0).locator("textarea")
    assert area.evaluate("each => each == document.activeElement")
    area.fill(">>> if True:")
    area.press("End")
    keyboard.press("Enter")
    keyboard.type("print(7)")
    keyboard.press("Enter")
    keyboard.press("Enter")
    keyboard.type("8")
    assert area.input_value() == ">>> if True:\n...     print(7)\n...     \n>>> 8"
    keyboard.press("Control+Enter")
    page.idle()
    assert "7\n" in page.out(0).inner_text() and "8" in page.out(0).inner_text()
    assert area.evaluate("each => each == document.activeElement")
    keyboard.press("Tab")
    assert area.input_value().endswith(">>> 8    ")
    keyboard.press("Escape")
    assert not area.count() and page.tools(0).locator(".edit").evaluate("each => each == document.activeElement")
    keyboard.press("Tab")    # no trap
    assert page.tools(0).locator(".copy").evaluate("each => each == document.activeElement")


def test_shift_enter_goes_on_to_the_next_block(at):
    page = at("01-softmax/")
    page.tools(0).locator(".edit").click()
    page.tab.keyboard.press("Shift+Enter")
    page.idle()
    assert page.block(0).get_attribute("data-state") == "held"
    assert page.tools(1).locator(".run").evaluate("each => each == document.activeElement")


def test_shift_tab_leaves_the_editor_backwards(at):
    page = at("02-attention/")
    area = page.edit(0, ">>>", ">>>")
    area.press("Shift+Tab")
    assert not area.evaluate("each => each == document.activeElement")


# ---- What is kept, and what a link brings

def test_changes_survive_a_reload_and_can_be_forgotten(at):
    page = at("01-softmax/")
    page.write(0, ">>> scores = [3, 1]")
    page.tab.reload()
    assert page.block(0).inner_text() == ">>> scores = [3, 1]"
    assert page.block(0).get_attribute("class").endswith("changed")
    page.tab.locator(".tools.page .forget").click()
    assert "[1.0, 0.3333, -0.3333]" in page.block(0).inner_text()
    assert page.tab.locator(".tools.page .forget").is_hidden()
    assert page.kept() == []


def test_code_in_a_link_is_seen_before_it_runs(at):
    page = at("01-softmax/" + link(0, ">>> 6 * 7 # π"))
    assert page.block(0).inner_text() == ">>> 6 * 7 # π"
    assert page.note(0) == "This code came with the link. Read it before you run it."
    page.tools(1).locator(".run").click()
    assert "block 1 came with the link" in page.note(1)
    page.tab.locator(".tools.page .check").click()
    assert "block 1 came with the link" in page.tab.locator(".tools.page .note").inner_text()
    assert page.kept() == []
    page.run(0)
    assert "42" in page.out(0).inner_text()


def test_a_guess_that_goes_very_deep_is_wrong_and_ends_nothing(at):
    page = at("01-softmax/")
    form = page.tab.locator("form.guess").first
    form.locator("input").fill("[" * 300)
    form.locator("input").press("Enter")
    form.get_by_text("You say").wait_for()
    assert page.tab.get_by_text("Python has ended").count() == 0


def test_a_link_leads_into_an_answer_that_is_folded(at):
    n = at("00-weighted-average/").tab.locator("details [data-block]").first.get_attribute("data-block")
    page = at("00-weighted-average/" + link(int(n), ">>> 6 * 7"))
    assert page.block(n).is_visible() and page.block(n).inner_text() == ">>> 6 * 7"


def test_two_links_followed_in_one_tab_do_not_lock_each_other(at):
    page = at("01-softmax/" + link(1, ">>> 6 * 7"))
    page.tab.evaluate(f"location.hash = '{link(0, '>>> 7 * 8')}'")
    page.tab.get_by_text("This code came with the link").first.wait_for()
    page.tools(0).locator(".run").click()
    assert "block 2 came with the link" in page.note(0)
    page.run(1)
    assert "42" in page.out(1).inner_text()
    page.run(0)
    assert "56" in page.out(0).inner_text()


def test_focus_is_not_lost_with_the_button_that_had_it(at):
    page = at("01-softmax/")
    page.write(0, ">>> 1")
    page.tab.locator(".tools.page .forget").press("Enter")
    assert page.tab.evaluate("document.activeElement.matches('.check')")
    page.tab.locator("form.guess .show").first.press("Enter")
    assert page.tab.evaluate("document.activeElement.tagName") == "INPUT"


@pytest.mark.parametrize("link", ["%%%", "abc", "bnVsbA==", "WzAsIDVd", "Wzk5OSwgIngiXQ=="])
def test_rubbish_in_a_link_is_passed_over(at, link):
    page = at(f"01-softmax/#run={link}")    # null, [0, 5], [999, "x"]
    assert page.block(0).inner_text().startswith(">>> scores = [3, 1, -1]")
    assert page.tab.locator("form.inputs").first.is_visible()


def test_a_link_leaves_the_readers_own_changes(at):
    page = at("01-softmax/")
    page.write(0, ">>> mine = 1")
    code = link(0, ">>> theirs = 1")
    page.tab.evaluate(f"location.hash = '{code}'")    # on a page that is open already
    page.tab.get_by_text("This code came with the link").wait_for()
    assert page.block(0).inner_text() == ">>> theirs = 1"
    page.run(0)
    page.tab.goto("about:blank")
    page.tab.goto(BELOW + "01-softmax/" + code)
    assert page.block(0).inner_text() == ">>> theirs = 1"
    page.tools(0).locator(".reset").click()
    assert page.block(0).inner_text() == ">>> mine = 1"


def test_two_tabs_of_a_page_keep_the_changes_of_both(at):
    one = at("01-softmax/")
    other = at("01-softmax/")
    one.write(0, ">>> one = 1")
    other.write(1, ">>> other = 1")
    one.tab.reload()
    assert [one.block(n).inner_text() for n in (0, 1)] == [">>> one = 1", ">>> other = 1"]


@pytest.mark.parametrize("rubbish", ["null", "{", '"abc"', '{"0": null}'])
def test_rubbish_that_is_kept_is_passed_over(at, rubbish):
    page = at("01-softmax/")
    page.tab.evaluate("rubbish => localStorage['book docs/01-softmax.md'] = rubbish", rubbish)
    page.tab.reload()
    page.write(0, ">>> again = 1")
    page.tab.reload()
    assert page.block(0).inner_text() == ">>> again = 1"


def test_the_link_brings_the_code(at):
    page = at("01-softmax/")
    page.write(0, ">>> 6 * 7 # π")
    page.tools(0).locator(".link").click()
    page.tab.wait_for_function("() => document.querySelector('[data-block=\"0\"] + .tools .note').textContent == 'the link is copied'")
    link = page.tab.evaluate("navigator.clipboard.readText()")
    page.tab.evaluate("localStorage.clear()")
    other = at(link.removeprefix(BELOW))
    assert other.block(0).inner_text() == ">>> 6 * 7 # π"


def test_a_session_is_copied_without_its_answers(at):
    page = at("01-softmax/")
    page.tools(0).locator(".copy").click()
    page.tab.wait_for_function("() => document.querySelector('[data-block=\"0\"] + .tools .note').textContent == 'copied'")
    assert page.tab.evaluate("navigator.clipboard.readText()") == "scores = [3, 1, -1]\n[s / sum(scores) for s in scores]"


# ---- Guesses, and what is behind a number

def test_a_guess_is_judged_before_the_answer_is_shown(at):
    page = at("01-softmax/")
    n = int(page.tab.locator("[data-predict]").first.get_attribute("data-block"))
    answer, form = page.block(n).locator(".go").last, page.tab.locator("form.guess").first
    assert answer.is_hidden()
    form.locator("input").fill("[0.5, 0.5]")
    form.locator("input").press("Enter")
    form.get_by_text("You say [0.5, 0.5]").wait_for()
    form.locator("input").fill("[1, 0]")
    form.get_by_text("Compare").click()
    form.get_by_text("Right: [1.0, 0.0].").wait_for()
    assert answer.is_visible()


def test_running_a_session_shows_its_answer(at):
    page = at("01-softmax/")
    n = int(page.tab.locator("[data-predict]").first.get_attribute("data-block"))
    page.run(n)
    assert page.block(n).locator(".go").last.is_visible() and page.block(n).locator(".tick.holds").count() == 1


def test_an_answer_asked_for_is_seen_once_a_block_below_has_run_in_the_editor_and_on_paper(at):
    page = at("01-softmax/")
    n = int(page.tab.locator("[data-predict]").first.get_attribute("data-block"))
    answer = page.block(n).locator(".go").last
    page.run(n + 1)
    assert answer.is_hidden()
    page.tab.emulate_media(media="print")
    assert answer.is_visible()
    page.tab.emulate_media(media="null")
    page.block(n).locator(".show").click()
    assert answer.is_visible()
    page.tab.reload()
    page.tools(n).locator(".edit").click()
    page.tools(n).locator(".edit").click()
    assert answer.is_visible() and page.block(n).locator(".show").count() == 0


def test_numbers_of_two_sessions_unfold_until_python_has_ended(at):
    page = at("01-softmax/")
    n = page.number("softmax") + 1
    for k in n, n + 1:
        page.run(k)
        page.tools(k).locator(".unfold").click()
        page.idle()
    for k in n, n + 1:
        page.out(k).locator("[data-ask]").first.click()
        page.out(k).get_by_text("power / total").wait_for()
        page.idle()
    page.write(n + 1, ">>> while True: pass")
    page.tools(n + 1).locator(".run").click()
    page.tools(n + 1).locator(".run").click()
    page.out(n).locator("[data-ask]").nth(1).click()
    page.out(n).get_by_text("Python has begun anew since: unfold this block again.").wait_for()


def test_a_number_unfolds_to_the_arithmetic_that_made_it(at):
    page = at("01-softmax/")
    n = page.number("softmax") + 1
    page.run(n)
    page.tools(n).locator(".unfold").click()
    page.out(n).get_by_role("button", name="0.0900").first.focus()    # to focus it is enough
    step = page.out(n).get_by_text("power / total")
    step.wait_for()
    assert "0.0900 = power / total = 0.1353 / 1.5032" in page.out(n).inner_text()
    page.out(n).get_by_role("button", name="1.5032").click()
    page.out(n).get_by_text("sum(powers)").wait_for()
    assert "1.5032 = sum(powers) = 0.1353 + 0.3679 + 1.0" in page.out(n).inner_text()
    assert page.out(n).locator("a").first.get_attribute("href") == "#softmax"


# ---- For everybody

@pytest.mark.parametrize("size", ["wide", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_with_the_editor_open_and_an_error_shown(at, size, scheme):
    page = at("01-softmax/", size=size)
    page.tab.emulate_media(color_scheme=scheme)
    page.edit(0, "scores = [3, 1, -1]", "scores = [3, 1, -1" + " " * 90 + "]")
    page.run(0)
    page.write(1, ">>> print('on a line that is longer than a telephone is wide, and than its page' * 3)\n>>> 1 / 0")
    page.run(1)
    assert "ZeroDivisionError" in page.out(1).inner_text()
    page.run(2)
    assert page.out(2).locator(".error").is_visible()
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= SIZES[size]["width"]
    assert Axe().run(page.tab).response["violations"] == []
    assert page.out(1).get_attribute("aria-live") == "polite"
    assert page.out(1).get_attribute("aria-label") == "Output of block 2"


def test_without_javascript_the_book_reads_as_before(visit):
    tab = visit("01-softmax/", java_script_enabled=False)
    assert tab.locator(".tools").count() == 0
    assert tab.locator("[data-predict] .go").last.is_visible()
