"""How the benchmarks are called and measure: CPU time, memory, and on what machine."""

import gc
import platform
import tracemalloc
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from time import process_time


def asked(about, *flags):
    """Which flags a benchmark was called with. With --help it says what it is about, and ends."""
    parser = ArgumentParser(description=about, formatter_class=RawDescriptionHelpFormatter)
    for flag in flags:
        parser.add_argument(flag, action="store_true", help="see above")
    return parser.parse_args()


def machine():
    return (f"{platform.python_implementation()} {platform.python_version()},"
            f" {platform.system()} {platform.machine()}")


def count(call, sample):
    """How many calls take as many seconds as a sample is to have."""
    n = 1
    while (took := seconds(call, n)) < sample:
        n = max(n + 1, int(1.2 * n * sample / took))
    return n


def seconds(call, n=1):
    gc.collect()
    gc.disable()
    start = process_time()
    for _ in range(n):
        call()
    took = process_time() - start
    gc.enable()
    return took


def peak(call):
    """The most bytes that a call holds at a time, beside what was there before."""
    gc.collect()
    tracemalloc.start()
    call()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most
