"""What the oracle's scripts share: numbers to ask about, and the file of answers.

A script writes its file in tests/golden/. With --check it writes nothing, and compares what it
has computed with the file. Machines add in other orders, so numbers may differ in the 13th digit.
"""

import json
import platform
import sys
from math import isclose
from pathlib import Path
from random import Random

import torch

FOLDER = Path(__file__).resolve().parent.parent / "golden"


# Numbers

def at_random(seed, n_q, n_k, d, d_v, spread=1):
    random = Random(seed)
    shapes = (n_q, d), (n_k, d), (n_k, d_v)
    return [[vector(random, width, spread) for _ in range(n)] for n, width in shapes]


def vector(random, n, spread):
    """n numbers around 0, of few digits, so that the file stays small."""
    return [float(f"{random.gauss(0, spread):.3g}") for _ in range(n)]


def identity(n):
    return [[float(i == j) for j in range(n)] for i in range(n)]


def tensor(X):
    return torch.as_tensor(X, dtype=torch.float64)


# Masks: 1 where query i may see key j

def masks(seed, n_q, n_k):
    return {
        "no mask": None,
        "causal": causal(n_q, n_k),
        "padding": [[int(3 * j < 2 * n_k) for j in range(n_k)]] * n_q,
        "any mask": scattered(seed, n_q, n_k),
    }


def causal(n_q, n_k):
    """The last query sees every key, the one before it one less; each sees the first key."""
    return [[int(j <= max(0, n_k - n_q + i)) for j in range(n_k)] for i in range(n_q)]


def square(n, sees):
    return [[int(sees(i, j)) for j in range(n)] for i in range(n)]


def scattered(seed, n_q, n_k):
    """Any key may be hidden from any query, but never all."""
    random = Random(seed)
    rows = [[random.randint(0, 1) for j in range(n_k)] for i in range(n_q)]
    return [row if any(row) else [1] * n_k for row in rows]


# Answers

def case(name, call, *args, out, **options):
    """A call and its answer. An argument may be a call itself: {name: [arguments]}."""
    out = [X.tolist() for X in out] if isinstance(out, tuple) else out.tolist()
    return {"name": name, "call": {call: args}, "options": options, "out": out}


def agree(name, tables, others):
    """Two ways must agree better than the tests demand of us."""
    for X, Y in zip(tables, others, strict=True):
        if not torch.allclose(X, Y, rtol=2e-13, atol=2e-13):
            raise SystemExit(f"{name}: two ways differ by {(X - Y).abs().max():g}")


def deliver(file, made, parts):
    """Write the parts to the file, or with --check compare them with it."""
    path = FOLDER / file
    text = page(f"{made}; Python {platform.python_version()}", parts)
    if sys.argv[1:] == ["--check"]:
        new, old = json.loads(text), json.loads(path.read_text(encoding="utf-8"))
        new["made by"] = old["made by"]
        place = difference(new, old)
        if place:
            raise SystemExit(f"{file}: other numbers were computed: {place}")
    else:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    cases = sum(map(len, parts.values()))
    print(f"{file}: {cases} cases, {path.stat().st_size} bytes")


def difference(new, old):
    """The place where two pages differ, or None. A case is called by its name."""
    if isinstance(new, (dict, list)) and type(new) is type(old):
        new, old = (X if isinstance(X, dict) else dict(enumerate(X)) for X in (new, old))
        if list(new) != list(old):
            return f"{len(new)} things, not these {len(old)}"
        found = ((new[key]["name"] if isinstance(new[key], dict) and "name" in new[key] else key,
                  difference(new[key], old[key])) for key in new)
        return next((f"{key} / {place}" for key, place in found if place), None)
    if isinstance(new, float) and isinstance(old, float):
        same = isclose(new, old, rel_tol=5e-13, abs_tol=5e-13)
    else:
        same = new == old
    return None if same else f"{new}, not {old}"


def page(made, parts):
    """JSON with a case on each line."""
    lists = [f'"{part}": [\n' + ",\n".join(map(compact, cases)) + "\n]"
             for part, cases in parts.items()]
    return f'{{"made by": {compact(made)},\n' + ",\n".join(lists) + "}\n"


def compact(x):
    return json.dumps(x, separators=(",", ":"), allow_nan=False)
