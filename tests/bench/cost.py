"""Measure what attention costs as the text grows: the numbers behind docs/12-cost.md.

    python3 tests/bench/cost.py [--write]

Every case is measured for every length, and all of them take turns, in an order drawn anew for each
round. A sample is at least 3 ms of CPU time. What counts is the fastest sample of a case, for
whatever else the machine does can only add to it. Times are given as multiples of the shortest
text's; memory is the peak that tracemalloc sees, in KiB. Printed is each number beside the one
that is checked in. With --write they are checked in: into tests/bench/cost.json, and into the
figure of the chapter, which draws them, in both languages.
"""

import json
import os
import re
import sys
from pathlib import Path
from random import Random

from clock import asked, count, machine, peak, seconds

ROOT = Path(__file__).resolve().parent.parent.parent
DATA, CHAPTERS = Path(__file__).with_suffix(".json"), sorted(ROOT.glob("docs/12-cost*.md"))
LENGTHS, WIDTH, HEADS, WINDOW = (4, 8, 16, 32, 64, 128, 256, 512), 64, 8, 32
ROUNDS, SAMPLE = 15, 0.003
CURVES = {"time": ("time", "time"), "masked": ("masked", "masked"), "cut": ("cut", "masked"),
          "window": ("window", "masked"), "cached": ("cached", "cached"),
          "again": ("masked", "cached")}    # a case, and the one whose shortest text is the unit


def main():
    write = asked(__doc__, "--write").write
    found = measured()
    if write:
        DATA.write_text(shown(found), encoding="utf-8")
        for chapter in CHAPTERS:
            text = chapter.read_text(encoding="utf-8")
            chapter.write_text(with_numbers(text, found), encoding="utf-8")
    print(comparison(found, json.loads(DATA.read_text(encoding="utf-8"))))


def measured():
    """{"made": where, "n": lengths, "time": [multiple of the first], ..., "memory": [KiB]}"""
    cases = {(name, n): call for n in LENGTHS for name, call in calls(n).items()}
    times = fastest(cases, Random(12))
    found = {"made": f"{machine()}, {os.cpu_count()} cores", "n": list(LENGTHS), "reach": WINDOW}
    for name, (case, unit) in CURVES.items():
        found[name] = [three_digits(times[case, n] / times[unit, LENGTHS[0]]) for n in LENGTHS]
    return found | {"memory": [three_digits(peak(cases["time", n]) / 1024) for n in LENGTHS]}


def calls(n):
    """{name: a function without arguments} for a text of n rows.

    `cached` takes in the last row; without a cache that is one more call of `masked`.
    """
    sys.path[:0] = [str(ROOT)]
    from tf.cost import Cache, attention_cut
    from tf.masks import sliding_window_mask
    from tf.model import attention, causal_mask, multi_head
    random = Random(n)
    X = [[random.gauss(0, 1) for _ in range(WIDTH)] for _ in range(n)]
    mask, near = causal_mask(n), sliding_window_mask(n, n, WINDOW - 1)

    def cached():
        cache = Cache()
        cache.K = cache.V = X[:-1]
        return cache.step(X[-1:], X[-1:], X[-1:])

    return {"time": lambda: multi_head(X, X, X, HEADS),
            "masked": lambda: attention(X, X, X, mask),
            "cut": lambda: attention_cut(X, X, X, mask),
            "window": lambda: attention_cut(X, X, X, near),
            "cached": cached}


def fastest(cases, random):
    """{case: seconds of its fastest sample}"""
    counts = {case: count(call, SAMPLE) for case, call in cases.items()}
    best = {}
    for _ in range(ROUNDS):
        for case in random.sample(list(cases), len(cases)):
            took = seconds(cases[case], counts[case]) / counts[case]
            best[case] = min(took, best.get(case, took))
    return best


def three_digits(x):
    rounded = float(f"{x:.3g}")
    return int(rounded) if rounded == int(rounded) else rounded


def shown(found):
    """JSON, a line for each case."""
    lines = [f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in found.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def with_numbers(text, found):
    """The chapter, its figure drawn from these numbers."""
    lines = "\n".join(f"{name} = {json.dumps(value)}" for name, value in found.items())
    return re.sub(r"(?ms)^(cost-curve\n).*?(?=^```$)", lambda match: f"{match[1]}{lines}\n", text)


def comparison(found, kept):
    lines = [f"here:       {found['made']}", f"checked in: {kept['made']}"]
    for name in [*CURVES, "memory"]:
        lines += [f"{name:8} here       " + "".join(f"{x:9}" for x in found[name]),
                  f"{'':8} checked in " + "".join(f"{x:9}" for x in kept[name])]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
