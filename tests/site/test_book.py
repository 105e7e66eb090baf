"""The book as a whole: found, linked, in two languages, printed, without a network, and in any folder."""

import os
import re
from pathlib import Path
from unicodedata import normalize

import host
import pytest
from conftest import pages
from playwright.sync_api import expect
from pypdfium2 import PdfDocument

FIGURES = pages("<step-player")
BOOK = Path(os.environ["BOOK"], "book")
BOTH = [page for page in pages() if page.startswith("zh/") and page != "zh/404.html"]


# Found

SEARCHES = [
    ("", "softmax overflow", "01-softmax/"), ("", "causal mask", "11-masks/"),
    ("", "square root", "02-attention/"), ("", "sinusoid", "05-position/"),
    *[("zh/", words, f"zh/{page}/") for words, page in {
        "溢出": "01-softmax", "和为一": "01-softmax", "温度": "01-softmax",
        "除以根号": "02-attention", "掩码": "03-mask", "填充": "03-mask", "泄漏": "03-mask",
        "多头": "04-heads", "位置编码": "05-position", "置换等变": "05-position",
        "方差": "06-layer-norm", "残差": "07-block", "旋转": "10-positions",
        "因果掩码": "11-masks", "缓存": "12-cost", "专家": "12-cost", "分块": "13-flash",
        "前馈": "14-feed-forward", "投影": "14-feed-forward", "梯度": "15-gradients",
        "反向传播": "15-gradients",
    }.items()],
]


@pytest.mark.parametrize("cover", ["", "zh/"])
def test_a_search_finds_the_page_and_stays_in_its_language(cover, visit):
    tab = visit(cover, search=True)
    tab.keyboard.press("/")
    box, found = tab.locator(".md-search__input"), tab.locator(".md-search-result__link")
    expect(box).to_be_focused()
    below = tab.evaluate("() => new URL(document.querySelector('a.md-logo').href).pathname")
    for words, wanted in [search[1:] for search in SEARCHES if search[0] == cover]:
        box.fill("")
        box.press("End")    # the theme listens to keys
        expect(found, words).to_have_count(0)
        box.fill(words)
        box.press("End")
        expect(found.first, words).to_be_attached()
        at = found.evaluate_all("links => links.map(link => new URL(link.href).pathname)")
        at = list(dict.fromkeys(path.removeprefix(below.removesuffix(cover)) for path in at))
        assert wanted in at[:5], (words, at)
        assert all(path.startswith("zh/") == (cover == "zh/") for path in at)


def test_a_search_suggests_and_a_hit_is_marked_on_its_page(visit):
    tab = visit("", search=True)
    box = tab.locator(".md-search__input")
    box.focus()
    box.press_sequentially("softm")
    expect(tab.locator(".md-search__suggest")).to_have_text(re.compile("softmax"))
    box.press("ArrowRight")
    expect(box).to_have_value("softmax")
    tab.locator(".md-search-result__link").first.click()
    expect(tab.locator("article mark").first).to_be_visible()


# In two languages

@pytest.mark.parametrize("page", BOTH[::6])
def test_the_switch_goes_to_the_same_page_in_the_other_language_and_back(page, visit):
    tab, english = visit(page), page.removeprefix("zh/")
    assert tab.evaluate("document.documentElement.lang") == "zh"
    for other, lang in (english, "en"), (page, "zh"):
        tab.get_by_role("button", name=re.compile("language|语言")).first.hover()
        tab.locator(f".md-select__link[hreflang={lang}]").click()
        tab.wait_for_load_state("networkidle")
        assert tab.url.split("#")[0].endswith(f"/book/{other}")
        assert tab.evaluate("document.documentElement.lang") == lang


def test_a_switch_keeps_the_section(visit):
    tab = visit("zh/01-softmax/")
    heading = tab.locator("article h2[id]").nth(1).get_attribute("id")
    tab.goto(tab.url + "#" + heading)
    tab.get_by_role("button", name=re.compile("语言")).first.hover()
    tab.locator(".md-select__link[hreflang=en]").click()
    tab.wait_for_load_state("networkidle")
    assert tab.url.endswith(f"/book/01-softmax/#{heading}")
    expect(tab.locator(f"#{heading}")).to_be_in_viewport()


def test_a_switch_keeps_the_step_of_a_figure(visit):
    tab = visit("zh/02-attention/")
    figure = tab.locator("step-player").nth(1)
    for _ in range(2):
        figure.locator("button.next").click()
    tab.get_by_role("button", name=re.compile("语言")).first.hover()
    tab.locator(".md-select__link[hreflang=en]").click()
    expect(tab).to_have_url(re.compile("/book/02-attention/#"))
    expect(tab.locator("step-player").nth(1).locator(".count")).to_have_text(re.compile("step 3"))
    expect(tab.locator("step-player").nth(1)).to_be_in_viewport()


def test_every_page_is_in_both_languages():
    english = {page for page in pages() if not page.startswith("zh/") and page != "404.html"}
    assert english == {page.removeprefix("zh/") for page in BOTH}


# Linked

def test_the_footer_leads_from_the_cover_through_every_chapter_in_order():
    at, seen = BOOK / "index.html", []
    while follow := re.search(r'<a href="([^"]*)" class="md-footer__link md-footer__link--next"',
                              at.read_text(encoding="utf-8")):
        at = (at.parent / follow[1] / "index.html").resolve()
        seen.append(at.parent.relative_to(BOOK.resolve()).as_posix())
    numbers = [int(page[:2]) for page in seen if page[:2].isdigit()]
    assert numbers == sorted(numbers) and len(seen) == len(set(seen))
    files = {path.stem for path in (host.ROOT / "docs").glob("*.md") if ".zh." not in path.name}
    assert {*seen, "index"} >= files


def test_threads_lead_to_the_next_piece_and_into_the_whole_file_and_back(visit):
    tab = visit("01-softmax/")
    tab.locator(".threads a[href*='source/model/#line-']").first.click()
    tab.wait_for_load_state("networkidle")
    assert "/source/model/#line-" in tab.url
    line = tab.locator("#" + tab.url.split("#")[1])
    expect(line).to_be_in_viewport()
    tab.locator("a[href*='01-softmax/#']").first.click()
    tab.wait_for_load_state("networkidle")
    assert "/01-softmax/#" in tab.url
    expect(tab.locator(f"[id='{tab.url.split('#')[1]}']")).to_be_in_viewport()


def test_an_address_without_a_page_has_one_that_leads_home(visit):
    tab = visit("nothing/here/")
    visit.faults[:] = [fault for fault in visit.faults if "404" not in fault]
    expect(tab.locator("article")).to_contain_text("There is no such page")
    tab.locator("article a").first.click()
    tab.wait_for_load_state("networkidle")
    assert "/book/" in tab.url and "nothing" not in tab.url


def test_the_palette_follows_the_system_and_can_be_set(visit):
    tab = visit("01-softmax/", anew=True, color_scheme="dark")    # which keeps what is set

    def shows(scheme):
        expect(tab.locator("body")).to_have_attribute("data-md-color-scheme", scheme)

    shows("slate")
    tab.emulate_media(color_scheme="light")
    shows("default")
    tab.locator("label[title='Switch to light mode']").click()
    expect(tab.get_by_role("radio", name="Switch to dark mode")).to_be_checked()
    tab.emulate_media(color_scheme="dark")
    shows("default")
    tab.reload()
    shows("default")


def test_the_controls_of_a_chinese_page_are_chinese(visit):
    tab = visit("zh/01-softmax/")
    named = tab.locator("[title], [aria-label]").evaluate_all(
        "all => all.map(each => each.title || each.ariaLabel)")
    assert [name for name in named if re.search(" ", name) and not re.search("[一-鿿]", name)] == []


# Printed

@pytest.mark.parametrize("page", FIGURES[::2])
def test_in_print_every_step_is_there_with_its_sentence(page, visit):
    tab = visit(page)
    pdf = tab.pdf(format="A4")
    assert len(pdf) < 2_000_000
    text = printed(pdf)
    says = tab.locator("step-player .steps .says").all_text_contents()
    assert says
    assert [each for each in says if squeezed(each) not in text] == []
    tab.emulate_media(media="print")
    tab.set_viewport_size({"width": 717, "height": 1000})    # A4 between the margins, in CSS pixels
    assert tab.evaluate("""() => [...document.querySelectorAll("step-player :is(table, pre, svg)")]
        .filter(each => each.getBoundingClientRect().right > 717 || each.scrollWidth > 717)
        .map(each => each.outerHTML.slice(0, 80))""") == []


def test_a_figure_that_is_enlarged_is_printed_in_its_place(visit):
    tab = visit("02-attention/")
    tab.get_by_role("button", name="Enlarge").first.click()
    text = printed(tab.pdf(format="A4"))
    says = tab.locator("step-player .steps .says").all_text_contents()
    assert {text.count(squeezed(each)) for each in says} == {1}


RADICALS = str.maketrans("⺠⺟⻄⻅⻆⻉⻋⻓⻔⻘⻚⻛⻜⻝⻢⻣⻤⻥⻦⻨⻩⻬⻮⻰⻳", "民母西见角贝车长门青页风飞食马骨鬼鱼鸟麦黄齐齿龙龟")


def printed(pdf):
    return squeezed("".join(page.get_textpage().get_text_range() for page in PdfDocument(pdf)))


def squeezed(text):
    """Without blanks, which a PDF has elsewhere, and with letters for ligatures and radicals."""
    return re.sub(r"\s+", "", normalize("NFKC", text.translate(RADICALS)))


# Anywhere

def test_below_another_path_with_no_address_given_every_page_works(visit):
    below = os.environ["BOOK_ADDRESS"] + "anywhere/"
    for page in "", "01-softmax/", "zh/01-softmax/", "source/model/":
        tab = visit(page, below=below)
        assert tab.locator("article h1").count() == 1
        links = tab.locator("a[href]").evaluate_all("all => all.map(each => each.href)")
        assert [link for link in links if link.startswith("http://127") and not link.startswith(below)] == []


def test_from_a_folder_without_a_server_it_can_be_read(visit):
    folder = Path(os.environ["BOOK"], "anywhere").as_uri() + "/"
    tab = visit("01-softmax/index.html", below=folder)
    visit.faults[:] = [fault for fault in visit.faults if "search" not in fault and "CORS" not in fault
                       and "null" not in fault and "versions.json" not in fault]
    expect(tab.locator("article h1")).to_be_visible()
    assert tab.evaluate("getComputedStyle(document.querySelector('.md-grid')).maxWidth") != "none"
    tab.locator("step-player button.next").first.click()
    expect(tab.locator("step-player .count").first).to_have_text(re.compile("step 2"))
    tab.locator("math").first.scroll_into_view_if_needed()
    assert tab.evaluate("document.fonts.ready.then(() => [...document.fonts].filter("
                        "font => font.status === 'loaded').length)") >= 1


def test_the_same_settings_build_under_properdocs():
    anywhere = BOOK.parent / "anywhere"
    written = {path.relative_to(anywhere) for path in anywhere.rglob("*.html")}
    assert written == {path.relative_to(BOOK) for path in BOOK.rglob("*.html")}
