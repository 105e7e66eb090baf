"""The player of figures: each control by mouse and by keyboard, and when it stands still."""

import re

import pytest
from conftest import pages
from playwright.sync_api import expect
from test_pages import too_wide, violations

FIGURES = pages("<step-player")
SEVERAL = pages("<step-player.*<step-player")[0]
CODE = pages("<step-player.*<td[^>]* data-line")[0]
LAST = 1000    # or as many steps as there are


class Player:
    def __init__(self, tab, n=0):
        self.tab, self.all = tab, tab.locator("step-player").nth(n)
        self.id = self.all.get_attribute("id")
        self.steps = self.all.locator(".steps > li")
        self.last = self.steps.count()
        self.figure = self.all.get_by_role("list", name="Steps")
        self.slider = self.all.get_by_role("slider", name="Step")
        self.dwell = self.all.get_by_role("combobox", name="Time for each step")
        self.count = self.all.get_by_role("link", name="step ")
        self.voice = self.all.locator("[aria-live]")
        self.dialog = self.all.get_by_role("dialog")

    def __getattr__(self, name):
        """player.next_step is the button "Next step"."""
        return self.all.get_by_role("button", name=name.replace("_", " ").capitalize(), exact=True)

    def shows(self, at, after=""):
        """Waits until one step is seen, and whatever says which one agrees."""
        at = min(at, self.last)
        says = f"step {at} of {self.last}"
        expect(self.steps.nth(at - 1), after).to_be_visible()
        expect(self.steps.filter(visible=True), after).to_have_count(1)
        expect(self.slider, after).to_have_value(str(at))
        expect(self.slider, after).to_have_attribute("aria-valuetext", says)
        expect(self.count, after).to_have_text(says)
        for button, end in (self.previous_step, 1), (self.next_step, self.last):
            expect(button, after).to_have_attribute("aria-disabled", str(at == end).lower())

    def sentence(self, at):
        return self.steps.nth(at - 1).locator(".says").text_content()

    def start(self):
        self.play.click()
        expect(self.pause).to_be_visible()

    def stands_still(self, after):
        expect(self.play, after).to_be_visible()
        at = int(self.slider.input_value())
        self.tab.clock.run_for(60_000)
        self.shows(at, after)


# Step by step

def test_the_mouse_goes_to_every_step(visit):
    player = Player(visit(SEVERAL))
    player.shows(1)
    for at in range(2, player.last + 1):
        player.next_step.click()
        player.shows(at)
    player.next_step.click(force=True)    # Playwright waits for a button to be enabled
    player.shows(LAST, "next at the end")
    for at in range(player.last - 1, 0, -1):
        player.previous_step.click()
        player.shows(at)
    player.previous_step.click(force=True)
    player.shows(1, "previous at the beginning")
    box = player.slider.bounding_box()
    for part, at in (0.99, LAST), (0.01, 1):
        player.tab.mouse.click(box["x"] + part * box["width"], box["y"] + box["height"] / 2)
        player.shows(at, "a click on the slider")


KEYS = [
    ("figure", "ArrowRight", 1, 2), ("figure", "ArrowRight", LAST, LAST),
    ("figure", "ArrowLeft", 3, 2), ("figure", "ArrowLeft", 1, 1),
    ("figure", "End", 1, LAST), ("figure", "Home", LAST, 1),
    ("slider", "ArrowRight", 1, 2), ("slider", "ArrowLeft", 3, 2), ("slider", "End", 1, LAST), ("slider", "Home", LAST, 1),
    ("next_step", "Enter", 1, 2), ("next_step", "Space", 1, 2), ("next_step", "Space", LAST, LAST),
    ("previous_step", "Enter", 3, 2), ("previous_step", "Space", 3, 2), ("next_step", "ArrowLeft", 3, 2),
]


def test_keys_go_to_every_step(visit):
    player = Player(visit(SEVERAL))
    for place, key, start, end in KEYS:
        player.slider.fill(str(min(start, player.last)))
        getattr(player, place).press(key)
        player.shows(end, f"{key} on {place} at step {start}")


def test_the_key_tab_reaches_every_control(visit):
    player = Player(visit(SEVERAL))
    player.previous_step.focus()
    cell = player.steps.first.locator("tbody td").first
    for control in (player.play, player.next_step, player.slider, player.count, player.dwell,
                    player.enlarge, player.figure, cell):
        player.tab.keyboard.press("Tab")
        expect(control).to_be_focused()


def test_arrows_walk_through_a_table_and_not_through_the_steps(visit):
    player = Player(visit(CODE))
    row, below = player.steps.first.locator("tbody tr").all()[:2]
    row.locator("td").first.focus()
    for key, to in (("ArrowRight", row.locator("td").nth(1)), ("ArrowDown", below.locator("td").nth(1)),
                    ("Home", below.locator("td").first), ("End", below.locator("td").last),
                    ("ArrowRight", below.locator("td").last)):
        player.tab.keyboard.press(key)
        expect(to, key).to_be_focused()
        expect(player.steps.first.locator("table").first.locator("[tabindex='0']"), key).to_have_count(1)
    player.shows(1)


def test_keys_with_others_held_are_the_browsers(visit):
    player = Player(visit(SEVERAL))
    for held in "Shift", "Control", "Meta":
        player.figure.press(f"{held}+ArrowRight")
        player.shows(1, held)


# Played

def test_it_stands_still_until_asked(visit):
    player = Player(visit(SEVERAL, clock=True))
    player.stands_still("nothing")
    player.shows(1)


@pytest.mark.parametrize("seconds", [None, "2", "8"])
def test_played_it_dwells_on_each_step_and_stops_at_the_last(visit, seconds):
    player = Player(visit(SEVERAL, clock=True))
    if seconds:
        player.dwell.select_option(seconds)
    player.start()
    for at in range(1, player.last):
        player.shows(at)
        player.tab.clock.run_for(1000 * int(seconds or 4) - 1)
        player.shows(at)
        player.tab.clock.run_for(1)
    player.shows(LAST)
    player.stands_still("the last step")
    player.start()
    player.shows(1, "play at the end")


def test_the_dwell_time_is_chosen_by_keys_and_while_playing(visit):
    player = Player(visit(SEVERAL, clock=True))
    player.start()
    player.tab.clock.run_for(1000)
    player.dwell.press("ArrowUp")
    expect(player.dwell).to_have_value("2")
    player.tab.clock.run_for(1999)
    player.shows(1)
    player.tab.clock.run_for(1)
    player.shows(2)
    expect(player.pause).to_be_visible()


STOPS = {
    "pause": lambda player: player.pause.click(),
    "Enter on pause": lambda player: player.pause.press("Enter"),
    "Space on the figure": lambda player: player.figure.press("Space"),
    "next": lambda player: player.next_step.click(),
    "previous": lambda player: player.previous_step.click(),
    "slider": lambda player: player.slider.fill("2"),
    "a key": lambda player: player.figure.press("ArrowRight"),
    "Home": lambda player: player.figure.press("Home"),
    "a link to a step": lambda player: player.tab.evaluate("id => { location.hash = id }", f"{player.id}-2"),
    "off screen": lambda player: away(player),
    "a hidden tab": lambda player: hide(player.tab),
}


def away(player):
    player.tab.evaluate("scrollTo({top: 0, behavior: 'instant'})")
    expect(player.all).not_to_be_in_viewport()


def hide(tab):
    """What a browser does as its user looks at another tab; Playwright's tabs are never hidden."""
    tab.evaluate("""() => {
        Object.defineProperty(document, "hidden", {value: true, configurable: true})
        document.dispatchEvent(new Event("visibilitychange"))
        delete document.hidden
    }""")


def test_it_stops_when_something_else_is_done_or_nobody_can_see_it(visit):
    player = Player(visit(SEVERAL, clock=True))
    for how, stop in STOPS.items():
        player.figure.press("Home")
        player.figure.press("Space")    # or Enter on the button, below
        player.tab.clock.run_for(5000)
        player.shows(2, how)
        stop(player)
        player.stands_still(how)


def test_less_motion(visit):
    player = Player(visit(SEVERAL, reduced_motion="reduce"))
    expect(player.dwell).to_have_value("8")
    for button in player.next_step, player.play:
        button.click()
        assert player.tab.evaluate("document.getAnimations().length") == 0


# Heard

def test_a_step_by_hand_is_said_and_a_played_one_is_not(visit):
    player = Player(visit(SEVERAL, clock=True))
    player.next_step.click()
    expect(player.voice).to_contain_text(player.sentence(2))
    expect(player.voice).to_have_attribute("aria-live", "polite")
    player.start()
    player.tab.clock.run_for(4000)
    player.shows(3)
    expect(player.voice).to_have_attribute("aria-live", "off")
    player.figure.press("ArrowLeft")
    expect(player.voice).to_have_attribute("aria-live", "polite")
    expect(player.voice).to_contain_text(player.sentence(2))


# Enlarged

@pytest.mark.parametrize("size", ["wide", "phone"])
def test_enlarged_it_is_the_same_player_on_top_of_the_page(visit, size):
    player = Player(visit(SEVERAL, size, reduced_motion="reduce"))
    player.next_step.click()
    player.enlarge.click()
    expect(player.dialog).to_be_visible()
    assert player.dialog.evaluate("dialog => dialog.matches(':modal')")
    player.shows(2)
    player.tab.keyboard.press("ArrowRight")
    player.shows(3)
    player.previous_step.click()
    player.shows(2)
    assert violations(player.tab) + too_wide(player.tab, size) == []


ENDS = {
    "Escape": lambda player: player.tab.keyboard.press("Escape"),
    "the button": lambda player: player.close.click(),
    "Enter": lambda player: player.close.press("Enter"),
}


def test_escape_makes_it_small_again_and_the_focus_is_back(visit):
    player = Player(visit(SEVERAL))
    for how, end in ENDS.items():
        player.enlarge.press("Enter")
        expect(player.dialog, how).to_be_visible()
        end(player)
        expect(player.dialog, how).to_have_count(0)
        expect(player.enlarge, how).to_be_focused()
        player.shows(1, how)


# Linked to

def test_a_link_to_a_step_moves_the_player_that_has_it(visit):
    first, second = (Player(visit(SEVERAL), n) for n in range(2))
    tab = visit(f"{SEVERAL}#{second.id}-3")
    first, second = Player(tab, 0), Player(tab, 1)
    second.shows(3)
    expect(second.all).to_be_in_viewport()
    first.shows(1)
    tab.evaluate("id => { location.hash = id }", f"{first.id}-2")
    first.shows(2)
    expect(first.all).to_be_in_viewport()
    second.shows(3)
    second.next_step.click()
    second.count.click()
    expect(tab).to_have_url(f"{tab.url.split('#')[0]}#{second.id}-4")


# A cell

def test_a_cell_lights_its_row_its_column_and_its_line_of_code(visit):
    tab = visit(CODE)
    player = Player(tab)
    player.figure.press("ArrowRight")    # to the lines of code
    player.shows(2)
    cell = player.all.locator("td[data-line]").filter(visible=True).first
    first = player.steps.nth(1).locator("tbody td").first

    def walk():
        first.focus()
        while not cell.evaluate("cell => cell === document.activeElement"):
            tab.keyboard.press("ArrowRight")

    for way in cell.hover, walk:
        tab.mouse.move(0, 0)
        expect(tab.locator(".lit")).to_have_count(0)
        way()
        expect(cell).to_have_class(re.compile(r"\blit\b"))
        lit = cell.evaluate("""cell => {
            const row = [...cell.parentNode.cells], i = row.indexOf(cell)
            const column = [...cell.closest("table").rows].map(row => row.cells[i])
            const line = cell.closest("li").querySelectorAll(`pre [data-line="${cell.dataset.line}"]`)
            return [row, column, [...line]].map(each => each.length > 0 && each.every(one => one.matches(".lit")))
        }""")
        assert lit == [True, True, True]


# All figures

@pytest.mark.parametrize("page", FIGURES[:FIGURES.index("zh/01-softmax/")] + FIGURES[-1:])
def test_every_step_of_every_figure_can_be_seen_on_a_phone(page, visit):
    tab = visit(page, "phone")
    for figure in tab.locator("step-player").all():
        steps = figure.locator(".steps > li")
        for step in range(steps.count()):
            if step:
                figure.locator("button.next").click()
            expect(steps.nth(step)).to_be_visible()
            expect(steps.filter(visible=True)).to_have_count(1)
            assert steps.nth(step).locator(".says").inner_text().strip()
            assert too_wide(tab, "phone") == []


@pytest.mark.parametrize("page", [page for page in FIGURES if not page.startswith("zh/")])
def test_without_a_script_all_steps_are_there(page, visit):
    tab = visit(page, java_script_enabled=False)
    steps = tab.locator("step-player .steps > li")
    assert steps.count() == steps.filter(visible=True).count() > 0
    assert tab.locator("step-player button").filter(visible=True).count() == 0
