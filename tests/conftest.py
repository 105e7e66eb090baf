"""Which tests one process runs, when several share the work; and what a page leaves behind."""

import linecache
import sys

import pytest
from xdist.scheduler import LoadScopeScheduling

# Those that share what is slow to make. The marks of pytest-xdist would say so beside the tests, but
# this pytest loses them on the way.
TOGETHER = {
    "house": "the site", "weave": "the site", "runtime": "the site",
    "glossary": "pages", "questions": "pages", "translations": "pages",
    "examine": "runs of pytest",
}


class Together(LoadScopeScheduling):
    def _split_scope(self, nodeid):
        file = nodeid.partition(".py::")[0].rpartition("test_")[2]
        return TOGETHER.get(file, nodeid)


def pytest_xdist_make_scheduler(config, log):
    if config.getoption("dist") == "loadgroup":
        return Together(config, log)


@pytest.fixture
def nothing_left(monkeypatch):
    """What a page imports, and puts in place of stdin, is gone after the test."""
    monkeypatch.setattr(sys, "stdin", sys.stdin)
    modules, lines = dict(sys.modules), dict(linecache.cache)
    yield
    sys.modules.clear()
    sys.modules.update(modules)
    for name in modules:
        package, _, leaf = name.rpartition(".")
        if package == "weave.figures":
            setattr(modules[package], leaf, modules[name])
    linecache.cache.clear()
    linecache.cache.update(lines)
