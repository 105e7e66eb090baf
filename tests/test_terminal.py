"""What a chapter shows of a terminal comes when it is typed: those lines of the grader that watch
another process can be held by no session, for the page runs sessions where there is none."""

import re
from pathlib import Path

import pytest

from tf.grade import grade, main

CHAPTER = Path(__file__).parent.parent / "docs/17-check-yourself.md"


def test_each_command_prints_what_stands_below_it(tmp_path, monkeypatch, capsys):
    """But for `$ cat`, below which is the file."""
    monkeypatch.chdir(tmp_path)
    shown = "".join(re.findall(r"(?ms)^```console\n(.*?)^```$", CHAPTER.read_text(encoding="utf-8")))
    ran = 0
    for words, below in re.findall(r"(?m)^\$ (.*)\n((?:(?!\$ ).*\n)*)", shown):
        if words.startswith("cat "):
            path = tmp_path / words.removeprefix("cat ")
            path.parent.mkdir()
            path.write_text(below, encoding="utf-8")
        else:
            assert words.startswith("python3 -m tf.grade ")
            main(words.split()[3:])
            assert capsys.readouterr() == (below, "")
            ran += 1
    assert ran == 2


def test_where_no_process_can_be_started_it_is_said(monkeypatch):
    monkeypatch.setattr("sys.executable", "false")
    with pytest.raises(RuntimeError, match="child.py ends with status 1"):
        grade({"model.py": b""})
