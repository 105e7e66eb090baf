"""The reader's turn in a browser: written, checked, kept, and shown by the lamps of chapter 17."""

import pytest
from conftest import only_one_python, pages
from test_pages import too_wide, violations

if not pages('id="python"'):
    pytest.skip("the Python that runs in pages is not installed", allow_module_level=True)

WRONG = "from math import exp\ndef softmax(xs):\n    powers = [exp(x) for x in xs]\n    return [p / sum(powers) for p in powers]"
RIGHT = WRONG.replace("exp(x)", "exp(x - max(xs))")


class Turn:
    def __init__(self, tab, name="softmax"):
        self.tab, self.block = tab, tab.locator(f"[data-turn='{name}']")
        self.tools = tab.locator(f"[data-turn='{name}'] + .tools")
        self.out = tab.locator(f"[data-turn='{name}'] + .tools + .out")

    def write(self, code):
        if not self.block.locator("textarea").count():
            self.tools.locator(".edit").click()
        self.block.locator("textarea").fill(code)

    def check(self):
        self.tools.locator(".run").click()
        self.tab.wait_for_function("() => !document.querySelector('.busy')", timeout=60_000)
        return self.out.inner_text()


@pytest.fixture
def tab(visit):
    tab = visit("01-softmax/")
    yield tab
    tab.evaluate("localStorage.clear()")


def test_a_step_is_written_graded_and_kept(tab):
    turn = Turn(tab)
    assert "not yet written" in turn.check()
    turn.write(WRONG)
    assert "This is what you get when the largest score is not subtracted before exp." in turn.check()
    assert turn.out.locator("a").get_attribute("href") == "../01-softmax/#subtract-the-largest"
    turn.write(RIGHT)
    turn.block.locator("textarea").press("Control+Enter")
    turn.out.get_by_text("passed").wait_for(timeout=60_000)
    tab.reload()
    assert "exp(x - max(xs))" in turn.block.inner_text()
    tab.goto(tab.url.split("01-softmax")[0] + "17-check-yourself/")
    lamps = tab.locator(".lamps li")
    assert lamps.count() == 8
    assert lamps.nth(0).inner_text().split() == ["softmax", "passed"]
    assert lamps.nth(1).inner_text().split() == ["attention", "not", "yet", "passed"]
    lamps.nth(0).locator("a").click()
    assert tab.url.endswith("01-softmax/#your-turn")
    Turn(tab).write(WRONG)
    Turn(tab).check()
    tab.goto(tab.url.split("01-softmax")[0] + "17-check-yourself/")
    assert lamps.nth(0).inner_text().split() == ["softmax", "not", "yet", "passed"]


def test_what_hangs_is_stopped(tab):
    turn = Turn(tab)
    turn.write("def softmax(xs):\n    while True: pass")
    turn.tools.locator(".run").click()
    assert turn.tools.locator(".run").inner_text() == "Stop"
    turn.tools.locator(".run").click()
    assert turn.tools.locator(".note").inner_text() == "stopped"
    turn.write(RIGHT)
    assert "passed" in turn.check()
    assert only_one_python(tab)


@pytest.mark.parametrize("size", ["wide", "phone"])
def test_in_chinese_with_a_verdict_shown(visit, size):
    tab = visit("zh/01-softmax/", size=size)
    turn = Turn(tab)
    turn.write(WRONG)
    assert "错了" in turn.check() and turn.tools.locator(".run").inner_text() == "检查"
    assert not too_wide(tab, size)
    assert violations(tab) == []
    tab.evaluate("localStorage.clear()")
