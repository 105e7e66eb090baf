"""Measure tf/model.py against the plain loops of tests/baseline.py.

    python3 tests/bench/model.py [--json]

Five fresh processes; in each, loops and ours take turns in random order, a sample is at least 5 ms
of CPU time, and the garbage is collected between samples. A process gives the medians of its times
and of its rounds' ratios; printed are the medians over the processes, and of the ratio also
[lowest..highest]. Ratios can be compared between machines, milliseconds cannot. The exit status is
1 where a ratio is below the bar.
"""

import json
import os
import platform
import subprocess
import sys
from math import isclose
from pathlib import Path
from random import Random
from statistics import median

from clock import asked, count, seconds

ROOT = Path(__file__).resolve().parent.parent.parent
SIZES = (8, 64, 1), (64, 64, 1), (64, 64, 8)    # n, d, h
PROCESSES, ROUNDS, SAMPLE = 5, 15, 0.005
BAR = 3.0 if sys.version_info >= (3, 12) else 1.6    # math.sumprod came with 3.12


def main():
    as_json = asked(__doc__, "--json").json
    runs = [json.loads(subprocess.check_output([sys.executable, __file__, "--run", str(seed)]))
            for seed in range(PROCESSES)]
    results = [summary(case) for case in zip(*runs)]
    if as_json:
        print(json.dumps({"where": where(), "bar": BAR, "results": results}, indent=1))
    else:
        print(where(), *map(line, results), verdict(results), sep="\n")
    sys.exit(any(r["ratio"] < BAR for r in results))


def summary(runs):
    """One case over all processes."""
    ratios = [run["ratio"] for run in runs]
    return runs[0] | {
        "loops_ms": median(run["loops_ms"] for run in runs),
        "ours_ms": median(run["ours_ms"] for run in runs),
        "ratio": median(ratios), "lowest": min(ratios), "highest": max(ratios),
    }


def line(r):
    return (f"n={r['n']:<2} d={r['d']} h={r['h']} {'causal' if r['causal'] else 'no mask':7}"
            f"   loops {r['loops_ms']:9.3f} ms   ours {r['ours_ms']:9.3f} ms"
            f"   {r['ratio']:5.2f} times faster [{r['lowest']:.2f}..{r['highest']:.2f}]")


def verdict(results):
    below = sum(r["ratio"] < BAR for r in results)
    return f"bar on this Python: {BAR} times faster: {f'{below} BELOW IT' if below else 'holds'}"


def where():
    return (f"{platform.python_implementation()} {platform.python_version()}"
            f" ({platform.python_compiler()}), {platform.system()} {platform.machine()},"
            f" {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")


# In a process of its own

def run(seed):
    sys.path[:0] = str(ROOT), str(ROOT / "tests")
    random = Random(seed)
    cases = [measure(random, *size, causal) for size in SIZES for causal in (False, True)]
    print(json.dumps([case for case in cases if case]))


def measure(random, n, d, h, causal):
    """The median times of loops and ours and of their ratios; None if there is no multi_head."""
    calls = contestants(random, n, d, h, causal)
    if not calls:
        return None
    for X, Y in zip(*(call() for call in calls)):
        assert all(isclose(x, y, abs_tol=1e-12) for x, y in zip(X, Y)), "they disagree"
    counts = [count(call, SAMPLE) for call in calls]
    rounds = []
    for _ in range(ROUNDS):
        times = [0, 0]
        for side in random.sample((0, 1), 2):
            times[side] = seconds(calls[side], counts[side]) / counts[side]
        rounds.append(times)
    loops, ours = zip(*rounds)
    return {"n": n, "d": d, "h": h, "causal": causal,
            "loops_ms": 1000 * median(loops), "ours_ms": 1000 * median(ours),
            "ratio": median(a / b for a, b in rounds)}


def contestants(random, n, d, h, causal):
    """Two functions without arguments that return the same output."""
    import baseline
    from tf import model
    Q, K, V = ([[random.gauss(0, 1) for _ in range(d)] for _ in range(n)] for _ in range(3))
    mask = model.causal_mask(n) if causal else None
    if h == 1:
        return (lambda: baseline.attention(Q, K, V, causal)[1],
                lambda: model.attention(Q, K, V, mask)[0])
    if hasattr(model, "multi_head"):
        return (lambda: baseline.multi_head(Q, K, V, h, causal),
                lambda: model.multi_head(Q, K, V, h, mask))


if __name__ == "__main__":
    if "--run" in sys.argv:
        run(int(sys.argv[-1]))
    else:
        main()
