"""The book is built twice and served: with its address known, at book/, and by another generator,
properdocs, with its address unknown, at anywhere/."""

import json
import os
import re
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

import host
import pytest

NOTHING_TO_FIND = {"config": {"lang": ["en"], "separator": " ", "pipeline": [], "fields": {}}, "docs": []}
SIZES = {"wide": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}


def pytest_configure(config):
    """Before tests are collected, for there is one for each page, and once for all workers."""
    if "BOOK" in os.environ:
        return
    if lack := host.missing():
        pytest.exit(lack, returncode=1)
    folder = TemporaryDirectory()
    config.add_cleanup(folder.cleanup)
    address = host.serve(folder.name).address
    builds = (f"{folder.name}/book", f"{address}book/"), (f"{folder.name}/anywhere", "", "properdocs")
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda build: host.build(*build), builds))
    os.environ |= {"BOOK": folder.name, "BOOK_ADDRESS": address}


def pages(pattern=""):
    """["", "01-softmax/", ...], the addresses of the pages in whose HTML the pattern is found."""
    book = Path(os.environ["BOOK"], "book")
    return [file.relative_to(book).as_posix().removesuffix("index.html")
            for file in sorted(book.rglob("*.html"))
            if re.search(pattern, file.read_text(encoding="utf-8"), re.S)]


def link(n, code):
    """The fragment of an address that carries the code of a block."""
    return "#run=" + quote(b64encode(json.dumps([n, code], ensure_ascii=False).encode()).decode(), safe="")


def pythons(tab):
    """The workers of a page in which Python lives."""
    return [each for each in tab.workers if each.url.endswith("/worker.js")]


def only_one_python(tab):
    """True once no other lives: Chromium gives one in a loop two seconds to end by itself."""
    return any(len(pythons(tab)) == 1 or tab.wait_for_timeout(100) for _ in range(100))


@pytest.fixture(scope="session")
def browser():
    from playwright.sync_api import sync_playwright
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=host.chromium())
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def used():
    """The tabs that stay open from test to test, by how they were opened; and what went wrong in them."""
    return {}, []


@pytest.fixture
def visit(browser, used):
    """visit("01-softmax/") -> the page, in a tab that has been at others, which takes half the time.

    All that a page asks for elsewhere, does not get, or complains of fails the test, which may take
    from visit.faults what it expects. With clock=True no time passes but by page.clock; without
    search=True there is nothing to find; with anew=True the browser has never been there and will be
    closed, for a test that leaves something behind.
    """
    tabs, faults = used
    contexts = []

    def reader(size, search, below, options):
        context = browser.new_context(viewport=SIZES[size], **options)
        if not search:    # to index the whole book takes longer than most tests
            context.route("**/search_index.json", lambda route: route.fulfill(json=NOTHING_TO_FIND))

        def asked(request):
            if not request.url.startswith((below, "data:", "blob:")):
                faults.append(f"asks for {request.url}")

        def failed(request):
            if request.failure != "net::ERR_ABORTED":    # by a reader who went on to another page
                faults.append(f"fails: {request.url}")

        context.on("request", asked)
        context.on("requestfailed", failed)
        context.on("response", lambda got: got.status >= 400 and faults.append(f"{got.status}: {got.url}"))
        context.on("console", lambda said: said.type in ("error", "warning") and faults.append(said.text))
        context.on("weberror", lambda raised: faults.append(str(raised.error)))
        context.set_default_timeout(10_000)
        return context

    def visit(page, size="wide", clock=False, search=False, below=os.environ["BOOK_ADDRESS"] + "book/",
              anew=False, **options):
        kind = str((size, search, below, options))
        if anew or clock:    # which cannot be taken out again
            tab = reader(size, search, below, options).new_page()
            contexts.append(tab.context)
        elif kind in tabs:
            tab = tabs[kind]
            tab.set_viewport_size(SIZES[size])
            tab.emulate_media(media="null", color_scheme="null")
            tab.mouse.move(0, 0)
        else:
            tab = tabs[kind] = reader(size, search, below, options).new_page()
        if clock:
            tab.clock.install(time=0)
        tab.goto(below + page)
        if clock:
            tab.clock.pause_at(3600)
        return tab

    visit.faults = faults
    yield visit
    for context in contexts:
        context.close()
    found, faults[:] = faults[:], []
    assert found == []
