"""Measure tangle.py: how much longer than a bare Python it takes, and how it grows with the book.

    python3 tests/bench/tangle.py

Every run is a fresh process with nothing tangled yet, the competitors take turns in random order,
and what is printed is the median [lowest..highest]. All start the same interpreter, which looks
for its site-packages each time. Entangled tangles the same book beside ours if it can be imported.
Bars are for CPU time: wall time is about the same on a quiet machine, and noise on a busy one. The
exit status is 1 where a bar does not hold.
"""

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from random import Random
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from clock import asked, machine

TANGLE = str(Path(__file__).resolve().parent.parent.parent / "tangle.py")
BARE = [sys.executable, "-c", "pass"]
OURS = [sys.executable, TANGLE, "--root", "."]
ENTANGLED = [sys.executable, "-c", "from entangled.main import cli; cli()", "tangle"]
SIZES = 50, 200, 800    # chapters
START_BAR, BIG_BAR, GROWTH_BAR = 20, 0.2, 5    # ms; s for 200 chapters; times for 4 times the book


def main():
    asked(__doc__)
    print(f"{machine()}, load {os.getloadavg()[0]:.1f}")
    with TemporaryDirectory() as folder:
        held = [start(Path(folder)), *growth(Path(folder))]
        entangled(Path(folder))
    sys.exit(not all(held))


def start(folder):
    """Print what a small book costs beyond a bare start; true if the bar holds."""
    book = write_book(folder, 3, parts=2)
    bare, ours = take_turns(25, (BARE, book), (OURS, book))
    more, wall = ([1000 * (getattr(b, clock) - getattr(a, clock)) for a, b in zip(bare, ours)]
                  for clock in ("cpu", "wall"))
    alone = 1000 * median(t.cpu for t in bare)
    print(f"  3 chapters, {lines_of(book):6} lines: {shown(more, 1)} ms of CPU time more than"
          f" `python -c pass`, {alone:.1f} ms{bar(median(more), START_BAR, 'ms')}"
          f" (wall time {shown(wall, 1)})")
    return median(more) < START_BAR


def growth(folder):
    """Print the user CPU of larger and larger books; return which bars hold."""
    books = [write_book(folder, size) for size in SIZES]
    times = take_turns(7, (BARE, folder), *((OURS, book) for book in books))
    bare, *ours = [[t.user for t in side] for side in times]
    for size, book, side in zip(SIZES, books, ours):
        assert is_whole(book, size)
        note = bar(median(side), BIG_BAR, "s") if size == 200 else ""
        print(f"{size:3} chapters, {lines_of(book):6} lines: {shown(side, 3)} s of user CPU{note}")
    small, big = (median(side) - median(bare) for side in ours[1:])
    print(f"from 200 to 800 chapters, less a bare Python's {median(bare):.3f} s:"
          f" {big / small:.2f} times as much{bar(big / small, GROWTH_BAR, 'times')}")
    return median(ours[1]) < BIG_BAR, big / small < GROWTH_BAR


def entangled(folder):
    if not find_spec("entangled"):
        return print("Entangled is not installed here (pip install entangled-cli)")
    book = write_book(folder, 200, dialect=entangled_dialect)
    times, = take_turns(5, (ENTANGLED, book))
    assert is_whole(book, 200)
    print(f"200 chapters, Entangled {version('entangled-cli')}:"
          f" {shown([t.user for t in times], 3)} s of user CPU")


# A book

def write_book(folder, size, parts=10, dialect=str):
    """A book of so many chapters, each of 2 · parts + 1 blocks; return its folder."""
    book = folder / f"{dialect.__name__}-{size}"
    (book / "docs").mkdir(parents=True)
    chapters = [f"chapter-{c}" for c in range(1, size + 1)]
    pages = [block("book", "tf/book.py", *map(reference, chapters))]
    pages += [chapter(name, parts) for name in chapters]
    for number, page in enumerate(pages):
        path = book / "docs" / f"{number:03}-page.md"
        path.write_text(dialect(f"# Page {number}\n\n{page}"), encoding="utf-8")
    return book


def chapter(name, parts):
    """A function in parts, each a block that refers to one more."""
    names = [f"{name}-{p}" for p in range(parts)]
    calls = ["    " + reference(part) for part in names]
    page = block(name, f"<<{name}>>", f"def {name.replace('-', '_')}(x):", *calls)
    for part in names:
        inner = f"{part}-inner"
        page += block(part, f"<<{part}>>", "if x:", "    " + reference(inner), *CODE)
        page += block(inner, f"<<{inner}>>", *CODE)
    return page


PROSE = ["Some words that say what the next block is for, and why it has to be",
         "there at all. They run over some lines, with `code` and *stress* and",
         "a [link](000-page.md), as the prose of a chapter does. The last line",
         "of a paragraph is shorter.", ""]
CODE = ["y = x + 1", "z = [y * k for k in range(10)]", "", "for k in z:", "    x = x + k",
        "    y = y - k  # as before", "", "w = {'x': x, 'y': y}", "x = w['x'] + w['y']", "y = x"]


def block(name, title, *lines):
    header = f'```python {{#{name} title="{title}"}}'
    return "\n".join([*PROSE, header, *lines, "```", "", ""])


def reference(name):
    return f"# <<{name}>>"


def entangled_dialect(page):
    page = re.sub(r"^( *)# (<<.+>>)$", r"\1\2", page, flags=re.M)
    page = re.sub(r'python {(#\S+) title="<<.+>>"}', r"{.python \1}", page)
    return re.sub(r'python {(#\S+) title="(.+)"}', r"{.python \1 file=\2}", page)


def is_whole(book, size):
    return (book / "tf/book.py").read_text(encoding="utf-8").count("def chapter_") == size


def lines_of(book):
    return sum(page.read_text(encoding="utf-8").count("\n") for page in book.glob("docs/*.md"))


# A race

class Time:
    """The seconds that a command takes where nothing is tangled yet: wall, CPU, and user CPU."""

    def __init__(self, command, folder):
        for made in "tf", ".entangled":
            shutil.rmtree(folder / made, ignore_errors=True)
        wall, before = perf_counter(), getrusage(RUSAGE_CHILDREN)
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        self.wall, after = perf_counter() - wall, getrusage(RUSAGE_CHILDREN)
        self.user = after.ru_utime - before.ru_utime
        self.cpu = self.user + after.ru_stime - before.ru_stime


def take_turns(rounds, *sides):
    """[times] for each side (command, folder), which run once a round in random order."""
    random, times = Random(1), [[] for _ in sides]
    for _ in range(rounds):
        for side in random.sample(range(len(sides)), len(sides)):
            times[side].append(Time(*sides[side]))
    return times


# Words

def shown(numbers, digits):
    return f"{median(numbers):.{digits}f} [{min(numbers):.{digits}f}..{max(numbers):.{digits}f}]"


def bar(number, limit, unit):
    return f"   bar {limit}{unit and ' ' + unit}: {'holds' if number < limit else 'DOES NOT HOLD'}"


if __name__ == "__main__":
    main()
