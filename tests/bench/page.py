"""Measure Python in the page: how soon a block has run, and whether the page stays alive meanwhile.

    .venv/bin/python tests/bench/page.py

Chromium, on localhost, with a server that lets files be kept for ten minutes. Printed are medians
[lowest..highest] from the click on Run to the verdict: in a profile that has never been in the book,
on another page of one that has run a block before, and again on the same page. The longest gap is
that between two frames of the page while Python computes for three seconds. The exit status is 1
where a bar does not hold.
"""

import gzip
import os
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from clock import asked, machine

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/site"))
import host  # noqa: E402

FIRST_BAR, LATER_BAR, NEXT_BAR, GAP_BAR, SCRIPTS_BAR = 4000, 600, 30, 100, 8192    # ms, bytes
TIMES = 5
RUN = """n => new Promise(resolve => {
  const block = document.querySelector(`[data-block="${n}"]`), begun = performance.now();
  const look = () => (block.dataset.state == "held" && !document.querySelector(".busy")
                      ? resolve(performance.now() - begun) : setTimeout(look, 1));
  delete block.dataset.state;
  block.nextSibling.querySelector(".run").click();
  look();
})"""
GAP = """() => new Promise(resolve => {
  let last = performance.now(), longest = 0;
  const frame = now => {
    longest = Math.max(longest, now - last);
    last = now;
    document.querySelector(".busy") ? requestAnimationFrame(frame) : resolve(longest);
  };
  document.querySelector('[data-block="0"]').nextSibling.querySelector(".run").click();
  requestAnimationFrame(frame);
})"""
SLOW = """>>> from time import perf_counter
>>> begun = perf_counter()
>>> while perf_counter() < begun + 3: x = sum(range(1000))"""


def main():
    asked(__doc__)
    if lack := host.missing():
        sys.exit(lack)
    from playwright.sync_api import sync_playwright
    print(f"{machine()}, load {os.getloadavg()[0]:.1f}")
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        host.build(Path(folder, "book"))
        address = host.serve(folder).address + "book/"
        browser = playwright.chromium.launch(executable_path=host.chromium())
        held = [*runs(playwright, address), alive(browser, address), light(Path(folder, "book"))]
        browser.close()
    sys.exit(not all(held))


def runs(playwright, address):
    """Print how long a block takes: first, on a later page, and again; [true where a bar holds]."""
    first, later, again = [], [], []
    for _ in range(TIMES):
        profile = TemporaryDirectory()                 # on the disk, as a reader's is
        context = playwright.chromium.launch_persistent_context(profile.name, executable_path=host.chromium())
        tab = context.new_page()
        tab.goto(address + "01-softmax/")
        first.append(tab.evaluate(RUN, 0))
        host.wait_for_python(tab)
        for chapter in "03-mask/", "02-attention/":
            tab.goto(address + chapter, wait_until="networkidle")
            took = tab.evaluate(RUN, 0)
        later.append(took)
        again += [tab.evaluate(RUN, 0) for _ in range(TIMES)]
        context.close()
        profile.cleanup()
    return [told("the first Run", first, FIRST_BAR), told("on a later page", later, LATER_BAR),
            told("the next Run on a page", again, NEXT_BAR)]


def told(name, taken, bar):
    print(f"  {name}: {median(taken):.0f} [{min(taken):.0f}..{max(taken):.0f}] ms, bar {bar} ms")
    return median(taken) <= bar


def alive(browser, address):
    """Print the longest gap between two frames while Python computes; true if the bar holds."""
    tab = browser.new_page()
    tab.goto(address + "01-softmax/", wait_until="networkidle")
    tab.evaluate(RUN, 0)
    tab.locator("[data-block='0'] + .tools .edit").click()
    tab.locator("[data-block='0'] textarea").fill(SLOW)
    longest = tab.evaluate(GAP)
    print(f"  the longest gap between frames during 3 s of Python: {longest:.0f} ms, bar {GAP_BAR} ms")
    return longest <= GAP_BAR


def light(site):
    """Print how heavy our own scripts are; true if the bar holds."""
    sizes = {path.name: len(gzip.compress(path.read_bytes())) for path in sorted(site.glob("assets/js/*.js"))}
    print(f"  our scripts, compressed: {sum(sizes.values())} bytes, bar {SCRIPTS_BAR} ("
          + ", ".join(f"{name} {size}" for name, size in sizes.items()) + ")")
    return sum(sizes.values()) <= SCRIPTS_BAR


if __name__ == "__main__":
    main()
