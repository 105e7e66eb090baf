"""The book is built twice and served: with its address known, at book/, and by another generator,
properdocs, with its address unknown, at anywhere/."""

import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

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


@pytest.fixture(scope="session")
def browser():
    from playwright.sync_api import sync_playwright
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=host.chromium())
        yield browser
        browser.close()


@pytest.fixture
def visit(browser):
    """visit("01-softmax/") -> the page, in a browser that has never been there.

    All that a page asks for elsewhere, does not get, or complains of fails the test, which may take
    from visit.faults what it expects. With clock=True no time passes but by page.clock; without
    search=True there is nothing to find.
    """
    contexts, faults = [], []

    def visit(page, size="wide", clock=False, search=False, below=os.environ["BOOK_ADDRESS"] + "book/",
              **options):
        context = browser.new_context(viewport=SIZES[size], **options)
        contexts.append(context)
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
        tab = context.new_page()
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
    assert faults == []
