"""Figures that answer: what a reader types is drawn by the page's Python, and what is wrong is told."""

import json
import re

import pytest
from conftest import link, only_one_python, pages, pythons
from playwright.sync_api import expect
from test_pages import too_wide, violations

FORMS = pages('<form class="inputs"')
SOON, LOADED = 20_000, 120_000    # milliseconds, on a machine with much else to do

if not pages('id="python"'):
    pytest.skip("the Python that runs in pages is not installed", allow_module_level=True)


@pytest.fixture
def tab(visit):
    """The chapter of softmax, where code is edited, and nothing of it kept."""
    tab = visit("01-softmax/")
    yield tab
    tab.evaluate("localStorage.clear()")


class Figure:
    def __init__(self, tab, id):
        self.tab, self.all = tab, tab.locator(f"#{id}")
        self.form, self.shown = self.all.locator("form"), self.all.locator(".steps > li.shown")
        self.status = self.form.locator("[role=status]")
        self.count, self.slider = self.all.locator(".count"), self.all.locator(".controls [type=range]")
        self.voice = self.all.locator("p[aria-live]")
        self.form.scroll_into_view_if_needed()

    def says(self, words, timeout=SOON):
        expect(self.shown).to_contain_text(words, timeout=timeout)
        expect(self.status).to_have_text("", timeout=SOON)

    def put(self, label, value):
        field = self.form.get_by_label(label)
        field.fill(value)
        field.press("Enter")

    def button(self, name):
        return self.form.get_by_role("button", name=name)


def softmax(tab):
    return Figure(tab, "figure-softmax")


@pytest.mark.parametrize("page", FORMS)
def test_a_form_is_there_where_python_is_and_only_there(visit, page):
    tab = visit(page)
    for form in tab.locator("form.inputs").all():
        expect(form).to_be_visible()
    expect(visit(page, java_script_enabled=False).locator("form.inputs").first).to_be_hidden()


def test_keys_change_a_figure_and_the_step_and_the_focus_stay(visit):
    figure = softmax(visit("01-softmax/"))
    figure.slider.fill("3")
    scores = figure.form.get_by_label("Scores")
    scores.focus()
    figure.tab.keyboard.press("Control+A")
    figure.tab.keyboard.type("1, 2, 4")
    figure.tab.keyboard.press("Enter")
    expect(figure.status).to_contain_text(re.compile("loading|starting"))
    figure.says("Scores 1, 2, 4.", LOADED)
    expect(scores).to_be_focused()
    expect(figure.count).to_have_text("step 3 of 5")
    expect(figure.voice).to_contain_text("temperature 10: Hot: the gaps shrink, and the largest share falls to 0.3907.")
    figure.slider.fill("5")
    figure.put("Temperatures", "3")
    expect(figure.count).to_have_text("step 3 of 3", timeout=SOON)
    expect(figure.slider).to_have_attribute("max", "3")
    figure.tab.keyboard.press("Tab")
    expect(figure.button("Draw")).to_be_focused()
    figure.tab.keyboard.press("Tab")
    figure.tab.keyboard.press("Enter")
    figure.says("Scores 1000, 1001, 1002.")
    expect(figure.count).to_have_text("step 3 of 5")
    expect(scores).to_have_value("1000, 1001, 1002")


def test_what_is_wrong_is_told_and_the_last_figure_stays(visit):
    figure = softmax(visit("01-softmax/"))
    figure.put("Scores", "3, 4")
    figure.says("Scores 3, 4.", LOADED)
    for label, value in ("Scores", "three"), ("Temperatures", "0"), ("Temperatures", "1, 2, 3, 4, 5"):
        kept = figure.form.get_by_label(label).input_value()
        figure.put(label, value)
        expect(figure.status).to_have_text(re.compile(f"^{label}: write .*, not “{value}”.$"), timeout=SOON)
        expect(figure.shown).to_contain_text("Scores 3, 4.")
        assert not violations(figure.tab)
        figure.form.get_by_label(label).fill(kept)
    figure.button("Draw").click()
    figure.says("Scores 3, 4.")
    figure.put("Scores", "5")
    expect(figure.status).not_to_be_empty(timeout=SOON)
    figure.button("Reset").click()
    figure.says("Scores 1000, 1001, 1002.")


def test_the_mouse_changes_words_order_and_mask(visit):
    figure = Figure(visit("05-position/"), "figure-permutation")
    figure.put("Words", "we like warm tea")
    figure.says("The same four rows", LOADED)
    figure.slider.fill("2")
    figure.says("“like” receives the same vector in both")
    figure.form.get_by_label("Causal mask").check()
    figure.says("other company")
    figure.form.get_by_label("In the other order").select_option("swap")
    figure.says("like we warm tea")
    rows = figure.shown.locator("svg path")
    assert [each.get_attribute("class") for each in rows.all()] == ["broken", "broken", None, None]


def test_a_slider_redraws_after_a_pause(visit):
    figure = Figure(visit("04-heads/", clock=True), "figure-heads")
    figure.slider.fill("2")
    before = figure.shown.locator("td").first.text_content()
    slid = figure.form.get_by_label("How far one side is preferred")
    slid.focus()
    slid.press("End")
    expect(figure.form.locator("output")).to_have_text("2")
    figure.tab.clock.run_for(100)
    figure.tab.wait_for_timeout(500)    # in which a worker would be heard of; for the page no time passes
    assert not pythons(figure.tab)
    figure.tab.clock.run_for(900)
    expect(figure.shown.locator("td").first).not_to_have_text(before, timeout=LOADED)
    figure.button("Reset").click()
    expect(figure.form.locator("output")).to_have_text("0.5")
    expect(figure.shown.locator("td").first).to_have_text(before)


def test_chinese_on_a_phone(visit):
    tab = visit("zh/05-position/", "phone")
    figure = Figure(tab, "figure-permutation")
    figure.put("词", "猫 追 小 狗")
    figure.says("同样的四行", LOADED)
    expect(figure.shown).to_contain_text("猫追小狗")
    figure.put("词", "猫")
    expect(figure.status).to_have_text("词：请填 2 到 4 个不同的词，每个不超过 12 个字，用空格隔开，不能填“猫”。", timeout=SOON)
    assert not too_wide(tab, "phone")
    assert not violations(tab)


def test_a_figure_uses_the_code_that_the_reader_has_edited(tab):
    block, bar = tab.locator("#softmax"), tab.locator("#softmax + .tools")
    bar.get_by_role("button", name="Edit").click()
    area = block.locator("textarea")
    area.fill(area.input_value().replace("[power / total", "[2 * power / total"))
    figure = softmax(tab)
    figure.slider.fill("2")
    expect(figure.shown).to_contain_text("0.6652")
    figure.button("Draw").click()
    figure.says("2 * power / total", LOADED)
    expect(figure.shown).to_contain_text("1.3305")
    area.fill(area.input_value().replace("/ total for", "/ totl for"))
    figure.button("Draw").click()
    expect(figure.status).to_have_text("softmax: name 'totl' is not defined", timeout=SOON)
    expect(figure.shown).to_contain_text("1.3305")
    bar.get_by_role("button", name="Reset").click()
    figure.button("Draw").click()
    figure.says("0.6652")


def test_a_figure_waits_for_a_block_and_a_block_for_a_figure(visit):
    tab = visit("01-softmax/")
    figure, bar = softmax(tab), tab.locator("[data-block='0'] + .tools")
    bar.get_by_role("button", name="Run").click()
    figure.put("Scores", "1, 2")
    expect(figure.status).to_have_text("Python is still at work: this comes next")
    figure.says("Scores 1, 2.", LOADED)
    expect(bar.locator(".note")).to_contain_text("ms")


def test_an_endless_loop_in_a_figure_is_ended_by_reset(tab):
    tab.locator("#softmax + .tools").get_by_role("button", name="Edit").click()
    area, figure = tab.locator("#softmax textarea"), softmax(tab)
    whole = area.input_value()
    area.fill(whole.replace("    total = sum(powers)", "    while True: pass\n    total = sum(powers)"))
    figure.put("Scores", "1, 2")
    tab.wait_for_function("document.querySelector('#figure-softmax [role=status]').textContent == 'running'", timeout=LOADED)
    figure.button("Reset").click()
    figure.says("Scores 1000, 1001, 1002.")
    area.fill(whole)
    figure.put("Scores", "1, 2")
    figure.says("Scores 1, 2.", LOADED)
    assert only_one_python(tab)


def test_code_that_came_with_a_link_is_read_before_a_figure_uses_it(tab):
    n = tab.locator("#softmax").get_attribute("data-block")
    tab.goto(tab.url + link(int(n), "def softmax(xs): return xs"))
    tab.reload()
    figure = softmax(tab)
    figure.put("Scores", "1, 2")
    expect(figure.status).to_contain_text("came with the link: read it")
    expect(figure.shown).to_contain_text("Scores 1000")


def test_print_has_no_form(visit):
    tab = visit("01-softmax/")
    tab.emulate_media(media="print")
    expect(tab.locator("form.inputs").first).to_be_hidden()
