"""Measure the memory and the time of attention, by whole tables, by rows and by blocks.

    python3 tests/bench/flash.py [--write]

Memory is the highest that tracemalloc sees above what there was before; time is the CPU time of a
run without it, the least of three. With --write they go into flash.json, from which chapter 13 has
its table. Bytes and ratios can be compared between machines, milliseconds cannot.
"""

import json
import os
import sys
from math import sqrt
from pathlib import Path
from random import Random

from clock import asked, machine, peak, seconds

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from tf.experiments import random_rows    # noqa: E402
from tf.flash import flash_attention    # noqa: E402
from tf.model import attention, dot, softmax    # noqa: E402

SIZES, WIDTH, BLOCK = (64, 128, 256, 512, 1024), 16, 16
DATA = Path(__file__).with_suffix(".json")


def by_rows(Q, K, V):
    """The three lines, a query at a time: the weights of a row are forgotten with the row."""
    columns, out = list(zip(*V)), []
    for q in Q:
        weights = softmax([dot(q, k) / sqrt(len(k)) for k in K])
        out.append([dot(weights, column) for column in columns])
    return out


WAYS = {"tables": lambda Q, K, V: attention(Q, K, V)[0], "rows": by_rows,
        "blocks": lambda Q, K, V: flash_attention(Q, K, V, block_size=BLOCK)}


def measure(n):
    X = random_rows(Random(n), n, WIDTH)
    return {"n": n,
            "bytes": {name: peak(lambda: way(X, X, X)) for name, way in WAYS.items()},
            "ms": {name: round(1000 * least(lambda: way(X, X, X)), 2) for name, way in WAYS.items()}}


def least(call):
    return min(seconds(call) for _ in range(3))


def main():
    write = asked(__doc__, "--write").write
    where = f"{machine()}, {os.cpu_count()} cores"
    data = {"where": where, "width": WIDTH, "block": BLOCK, "results": [*map(measure, SIZES)]}
    if write:
        DATA.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    print(where)
    for result in data["results"]:
        print(f"n={result['n']:<5}", *(f"{name} {result['bytes'][name] / 1024:8.0f} KiB "
                                       f"{result['ms'][name]:8.1f} ms   " for name in WAYS))


if __name__ == "__main__":
    main()
