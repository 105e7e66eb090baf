"""Which tests one process runs, when several share the work: those that share what is slow to make.

The marks of pytest-xdist would say so beside the tests, but this pytest loses them on the way.
"""

from xdist.scheduler import LoadScopeScheduling

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
