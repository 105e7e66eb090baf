"""Measure the site: how long it takes to build, to show a saved chapter, and what a first visit loads.

    .venv/bin/python tests/bench/site.py

A visit is Chromium's, of a chapter by somebody who has never been in the book, and what counts is
what came over the wire, compressed, without the search index; printed are the heaviest chapter and
the median. A build is a fresh process. A chapter is saved five times while `mkdocs serve` runs, in a
copy of the book; printed are medians [lowest..highest] from when mkdocs sees the change to when
browsers are told. The exit status is 1 where a bar does not hold.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, sleep

from clock import asked, machine

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/site"))
import host  # noqa: E402

WEIGHT_BAR, REQUESTS_BAR, SAVED_BAR = 200_000, 12, 2    # bytes, requests, seconds
SAVES = 5


def main():
    asked(__doc__)
    print(f"{machine()}, load {os.getloadavg()[0]:.1f}")
    with TemporaryDirectory() as folder:
        folder = Path(folder)
        start = perf_counter()
        host.build(folder / "book")
        pages = len(list((folder / "book").rglob("*.html")))
        print(f"  the whole book, {pages} pages: built in {perf_counter() - start:.1f} s")
        held = [saved(folder / "copy"), visits(folder)]
    sys.exit(not all(held))


# A saved chapter

def saved(folder):
    """Print how long a saved chapter takes to be shown; true if the bar holds."""
    kept = shutil.ignore_patterns(".git", ".venv", "site", ".cache", "__pycache__")
    shutil.copytree(ROOT, folder, ignore=kept)
    command = [sys.executable, "-u", "-m", "mkdocs", "serve", "--no-strict", "--dev-addr", "127.0.0.1:0"]
    env = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    served = subprocess.Popen(command, cwd=folder, env=env, stderr=subprocess.PIPE, encoding="utf-8")
    try:
        took(served.stderr)
        kinds = [prose(folder / "docs/02-attention.md", served.stderr),
                 code(folder / "docs/02-attention.md", served.stderr)]
    finally:
        served.kill()
        served.wait()
    for name, seconds in zip(("a sentence", "a line of code"), kinds):
        print(f"  {name} changed in a chapter: shown after {median(seconds):.2f}"
              f" [{min(seconds):.2f}..{max(seconds):.2f}] s"
              + (f", bar {SAVED_BAR} s" if name == "a sentence" else ""))
    return median(kinds[0]) < SAVED_BAR


def prose(chapter, log):
    return save(chapter, log, lambda text, n: text + f"\nOne more sentence, the {n}th.\n")


def code(chapter, log):
    return save(chapter, log, lambda text, n: text.replace(
        "    root = sqrt(len(K[0]))\n", f"    root = sqrt(len(K[0]))    # {n}\n"))


def save(chapter, log, change):
    text, seconds = chapter.read_text(encoding="utf-8"), []
    for n in range(SAVES):
        changed = change(text, n)
        assert changed != text
        chapter.write_text(changed, encoding="utf-8")
        seconds.append(took(log))
    chapter.write_text(text, encoding="utf-8")
    took(log)
    return seconds


def took(log):
    """Wait until what is served is new; return the seconds since mkdocs saw that it was not."""
    start = perf_counter()
    for line in log:
        if "Detected file changes" in line:
            start = perf_counter()
        elif "Serving on" in line or "Reloading browsers" in line:
            seconds = perf_counter() - start
            sleep(1)    # it looks for changes now and then, and knows them by the time of writing
            return seconds
    sys.exit("mkdocs serve ended before it had built the book")


# A first visit

def visits(folder):
    """Print what the heaviest first visit of a chapter loads; true if the bars hold."""
    if lack := host.missing():
        print(lack)
        return False
    from playwright.sync_api import sync_playwright
    server, weights = host.serve(folder), []
    chapters = sorted(path.parent.relative_to(folder / "book").as_posix()
                      for path in (folder / "book").rglob("[0-9]*/index.html"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=host.chromium())
        for chapter in chapters:
            context = browser.new_context()
            del server.sent[:]
            context.new_page().goto(f"{server.address}book/{chapter}/", wait_until="networkidle")
            sent = [size for path, size in server.sent if not path.endswith("search_index.json")]
            weights.append((sum(sent), len(sent), chapter))
            context.close()
        browser.close()
    weight, _, heaviest = max(weights)
    requests = max(requests for _, requests, _ in weights)
    print(f"  a first visit of {len(weights)} chapters: at most {weight / 1000:.0f} kB compressed"
          f" ({heaviest}), median {median(weight for weight, *_ in weights) / 1000:.0f} kB,"
          f" bar {WEIGHT_BAR / 1000:.0f} kB; at most {requests} requests, bar {REQUESTS_BAR};"
          " both without the search index")
    return weight <= WEIGHT_BAR and requests <= REQUESTS_BAR


if __name__ == "__main__":
    main()
