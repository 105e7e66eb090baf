"""Hands the chapters to pytest-markdown-docs, and the blocks of each to examine.py.

pytest-markdown-docs collects: an item a block, `docs/03-mask.md::[CodeFence#5][line:42]`.
What a block is, tangle.py says; what is wrong with it, examine.py.
"""

from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest
from _pytest.assertion.rewrite import rewrite_asserts
from pytest_markdown_docs import _runners
from pytest_markdown_docs.plugin import MarkdownDocstringCodeModule, MarkdownTextFile

from examine import Chapter, open_book, runnable, write_update
from tangle import scan

ROOT = Path(__file__).parent
came = {}                              # {path: [Failure]}, for --update-docs


def show_both_sides(tree, source, file):
    """Let `assert a == b` tell what a and b are."""
    rewrite_asserts(tree, source.encode(), file)


@cache
def book():
    return open_book(ROOT, rewrite=show_both_sides)


@cache
def chapter(path):
    return Chapter(book(), path)


def path_of(file):
    """docs/03-mask.md; None if the file is no page of the book."""
    if file.suffix == ".md" and file.is_relative_to(ROOT / "docs"):
        return file.relative_to(ROOT).as_posix()


# ---- Blocks

class Parser:
    """In place of a parser of Markdown: finds the blocks that are to be run."""

    def parse(self, text):
        return [SimpleNamespace(type="fence", info="python", content=block.code,
                                map=(block.line - 1, block.end))
                for block in runnable(scan("", text)[0])]


def pytest_markdown_docs_markdown_it():
    return Parser()


@_runners.register_runner(default=True)
class Runner(_runners.DefaultRunner):

    def runtest(self, test, args, asyncio_runner=None):
        path = path_of(test.source_path)
        lines = [block.line for block in chapter(path).blocks]
        failures = chapter(path).run(lines.index(test.start_line))
        came.setdefault(path, []).extend(failures)
        fail_for(failures)

    def repr_failure(self, test, error, style=None):
        told = error.errisinstance(pytest.fail.Exception)
        return str(error.value if told else error.getrepr())


def fail_for(failures):
    if failures:
        pytest.fail("\n".join(map(str, failures)), pytrace=False)


# ---- Pages

@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path, parent):
    """The blocks of chapters and a guard for every page; nothing of other files.

    pytest-markdown-docs would import each .py file to look for blocks in docstrings, and
    run the blocks of translations, which tangle.py holds equal to those of the chapters.
    """
    collectors, path = (yield), path_of(file_path)
    foreign = MarkdownDocstringCodeModule, MarkdownTextFile
    if path in book().chapters:
        foreign = MarkdownDocstringCodeModule
    collectors = [each for each in collectors if not isinstance(each, foreign)]
    return collectors + [Page.from_parent(parent, path=file_path)] * bool(path)


class Page(pytest.File):
    def collect(self):
        yield Guard.from_parent(self, name="[nothing is left out]")


class Guard(pytest.Item):
    """Fails where a page has a block that nobody runs, or that cannot be tangled."""

    def runtest(self):
        if not self.config.option.markdowndocs:
            pytest.fail("nothing is run without --markdown-docs", pytrace=False)
        fail_for(book().faults(path_of(self.path)))

    def reportinfo(self):
        return self.path, 0, self.name


# ---- --update-docs

def pytest_addoption(parser):
    parser.addoption("--update-docs", action="store_true",
                     help="write into the chapters the answers that come, but never an exception")


def pytest_configure(config):
    if config.option.update_docs and getattr(config.option, "numprocesses", None):
        raise pytest.UsageError("--update-docs does not work with -n")


def pytest_terminal_summary(terminalreporter, config):
    if config.option.update_docs:
        for path, failures in came.items():
            if write_update(book(), path, failures):
                terminalreporter.write_line(f"{path} written: run pytest again")
