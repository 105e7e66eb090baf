"""Hands the chapters to pytest-markdown-docs, and their blocks to examine.py."""

import os
import types
from pathlib import Path

import pytest
from _pytest.assertion.rewrite import rewrite_asserts
from pytest_markdown_docs import _runners                   # private: hence the exact pins
from pytest_markdown_docs.plugin import MarkdownDocstringCodeModule, MarkdownTextFile

import examine
from tangle import original, scan

CHAPTERS, FAILURES = {}, []


def pytest_addoption(parser):
    parser.addoption("--update-docs", action="store_true", help="write the real answers into the chapters of docs/")


def pytest_configure(config):
    global CONFIG, BOOK
    CONFIG, BOOK = config, examine.Book(config.rootpath)


def name_of(path):
    return Path(path).relative_to(CONFIG.rootpath).as_posix()


# Which blocks there are

class Parser:
    """What pytest-markdown-docs takes for a Markdown parser: it finds the blocks that examine.py runs."""

    def parse(self, text):
        return [types.SimpleNamespace(type="fence", info="python", content=block.code, level=0,
                                      map=[block.line - 1, block.end], meta={})
                for block in scan("", text)[0] if examine.runs(block)]


def pytest_markdown_docs_markdown_it():
    return Parser()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path, parent):
    """A guard beside the blocks of each chapter; no docstrings of .py files; no translations, which hold the same code."""
    found = [each for each in (yield) if not isinstance(each, MarkdownDocstringCodeModule)]
    if file_path.suffix == ".md":
        if original(file_path.as_posix()):
            return []
        found.append(Guard.from_parent(parent, path=file_path))
    return found


class Guard(pytest.File):
    def collect(self):
        yield Unrun.from_parent(self, name="[every block runs]")


class Unrun(pytest.Item):
    def runtest(self):
        failures = examine.guard(name_of(self.path), self.path.read_bytes().decode())
        failures += [failure for failure in BOOK.errors if failure not in failures]
        if failures:
            pytest.fail("\n".join(map(str, failures)), pytrace=False)

    def reportinfo(self):
        return self.path, 0, self.name


# How a block runs

class Wrong(Exception):
    """The failures of one block."""


@_runners.register_runner(default=True)
class Runner(_runners.DefaultRunner):
    def runtest(self, test, args, *, asyncio_runner=None):
        path = name_of(test.source_path)
        if path not in CHAPTERS:
            CHAPTERS[path] = examine.Chapter(BOOK, path, lambda tree, source, name: rewrite_asserts(tree, source, name, CONFIG))
        chapter = CHAPTERS[path]
        block = next(block for block in chapter.blocks if block.line == test.start_line)
        if failures := chapter.reach(block):
            FAILURES.extend(failures)
            raise Wrong("\n".join(map(str, failures)))

    def repr_failure(self, test, excinfo, style=None):
        return str(excinfo.value)


def pytest_sessionfinish(session):
    if session.config.option.update_docs:
        for path in {failure.path for failure in FAILURES}:
            mine = [failure for failure in FAILURES if failure.path == path]
            examine.rewrite(CONFIG.rootpath, path, BOOK.texts[path], mine)
