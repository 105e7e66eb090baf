"""What the house promises: its map, its pins, its targets, its site."""

import ast
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from mkdocs.config import load_config

from tangle import natural, scan
from weave.links import faults

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PINS = PROJECT["dependency-groups"]["dev"]


def run(*command, cwd=ROOT):
    env = {name: value for name, value in os.environ.items()     # or a make within make says more
           if not name.startswith("MAKE") and name != "PYTHON"}
    env |= {"NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, encoding="utf-8")


# ---- the map, the pins, the targets

def chapters():
    return [path.name for path in (ROOT / "docs").glob("*.md") if not path.name.endswith(".zh.md")]


def in_nav(items):
    """(title, page), in order, whatever the sections."""
    for item in items:
        title, page = next(iter(item.items())) if isinstance(item, dict) else ("", item)
        yield from in_nav(page) if isinstance(page, list) else [(title, page)]


def test_nav_lists_every_page_and_the_chapters_in_reading_order():
    nav = list(in_nav(load_config(str(ROOT / "mkdocs.yml")).nav))
    pages = [page for _, page in nav]
    assert sorted(pages) == sorted(chapters() + ["source/index.md"])
    numbered = [page for page in pages if page[0].isdigit()]
    assert numbered == sorted(numbered, key=natural)
    titles = [title for title, page in nav if page in numbered and page < "90"]
    assert [title.split()[0] for title in titles] == [str(n) for n in range(len(titles))]


def test_the_map_in_the_readme_has_every_top_level_name_and_no_other():
    listed = run("git", "ls-files", "--cached", "--others", "--exclude-standard")
    files = listed.stdout.splitlines()
    tops = {file.split("/")[0] + "/" * ("/" in file) for file in files} - {"README.md"}
    the_map = README.split("## The map of the house")[1].split("\n## ")[0]
    first_cells = re.findall(r"^\|([^|]*)\|", the_map, re.M)
    assert set(re.findall("`([^`]+)`", " ".join(first_cells))) == tops


def test_every_dependency_is_pinned_as_in_the_lock_and_explained_in_the_readme():
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    locked = {line.split()[0] for line in lock.splitlines() if not line.startswith("#")}
    assert [pin for pin in PINS if pin not in locked] == []
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", package) for package in locked)
    reasons = README.split("## What is installed")[1]
    assert [pin for pin in PINS if not re.search(rf"\b{pin.split('==')[0]}\b(?!-)", reasons)] == []


def targets():
    return set(re.search(r"^\.PHONY: (.*)", (ROOT / "Makefile").read_text(), re.M)[1].split())


def test_make_alone_lists_every_target_in_a_line():
    lines = run("make").stdout.splitlines()
    assert [line for line in lines if not re.fullmatch(r"make [\w-]+ +\S.{20,}", line)] == []
    assert sorted(line.split()[1] for line in lines) == sorted(targets() - {"help"})


@pytest.mark.parametrize("path", ["README.md", ".ci/run", ".github/workflows/book.yml"])
def test_no_text_names_a_target_that_is_not_there(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    named = set(re.findall(r"(?:^|[`:] ?)make ([a-z-]+)", text, re.M))
    assert named and named <= targets()


def test_a_command_is_named_as_debian_has_it():
    listed = run("git", "grep", "-nIE", r"(^|[^/])python (-m|[a-z/]+\.py)").stdout
    assert listed == ""


def test_an_old_python_is_refused_by_name(tmp_path):
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "requirements.lock").touch()
    old = tmp_path / "old"
    old.write_text("#!/bin/sh\n"
                   "case $1 in -V) echo Python 3.9.18;; -m) mkdir .venv;; *) exit 1;; esac\n")
    old.chmod(0o755)
    made = run("make", "test", "PYTHON=./old", cwd=tmp_path)
    assert made.returncode and "or newer is needed, and ./old is Python 3.9.18" in made.stdout
    assert not (tmp_path / ".venv").exists()


def test_make_tangle_brings_code_into_tf_and_into_the_chinese_page(tmp_path):
    page = '# One\n\n```python {#one title="tf/one.py"}\nx = 1\n```\n'
    site(tmp_path, {"docs/01-one.md": page.replace("1\n```", "2\n```"), "docs/01-one.zh.md": page})
    for tool in "Makefile", "tangle.py":
        shutil.copy(ROOT / tool, tmp_path)
    made = run("make", "tangle", f"PYTHON={sys.executable}", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    for path in "docs/01-one.zh.md", "tf/one.py":
        assert "x = 2\n" in (tmp_path / path).read_text()


def test_another_python_that_is_asked_for_gets_an_environment_of_its_own(tmp_path):
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "requirements.lock").touch()
    for version in "3.12", "3.13":
        python = tmp_path / f"python{version}"
        python.write_text(f"#!/bin/sh\n"
                          f"case $*-$1 in *-V) echo Python {version}.1;; '-m venv'*) rm -rf .venv\n"
                          f"mkdir -p .venv/bin; cp $0 .venv/bin/python; echo made;; esac\n")
        python.chmod(0o755)

    def made(*words):
        return "made\n" in run("make", ".venv/lock", *words, cwd=tmp_path).stdout

    assert made("PYTHON=./python3.12") and not made("PYTHON=./python3.12")
    assert made("PYTHON=./python3.13") and not made("PYTHON=./python3.13") and not made()


COMMANDS = ["tangle.py", "examine.py", "weave/follows.py", "weave/links.py", *(
    f"tests/bench/{name}.py" for name in ("cost", "flash", "model", "page", "site", "tangle"))]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_says_what_a_command_is_for_and_does_nothing(command):
    told = run(sys.executable, command, "--help")
    opening = ast.get_docstring(ast.parse((ROOT / command).read_text(encoding="utf-8")))
    assert told.returncode == 0 and opening in told.stdout


# ---- links

CLEAN = {
    "index.html": '<a href="a/#code">code</a> <a href="https://other.org/">out</a>'
                  '<link rel="canonical" href="https://book.org/">',
    "a/index.html": '<h1 id="top"></h1> <div id="code"></div> <a href="..">up</a>'
                    '<a href="#top">top</a> <link rel="stylesheet" href="../book.css">'
                    '<img src="data:image/png;base64,A==">',
    "404.html": '<a href="/a/">a</a>',
    "book.css": "body { background: url(data:image/png;base64,A==) }",
}


def site(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def test_a_whole_site_has_no_fault(tmp_path):
    assert faults(site(tmp_path, CLEAN)) == []


@pytest.mark.parametrize("name, added, fault", [
    ("a/index.html", '<a href="../b/">', "../b/ leads nowhere"),
    ("a/index.html", '<a href="../../a/b.html">', "../../a/b.html leads nowhere"),
    ("index.html", '<a href="a/#cod">', "a/#cod leads nowhere"),
    ("index.html", '<a href="#top">', "#top leads nowhere"),
    ("index.html", '<img src="page.png">', "page.png leads nowhere"),
    ("index.html", "<p id=x></p><p id=x></p>", "the id x stands twice"),
    ("index.html", '<script src="http://c.org/">', "http://c.org/ is fetched from elsewhere"),
    ("index.html", '<link rel="preconnect" href="//c.org">', "//c.org is fetched from elsewhere"),
    ("index.html", '<img srcset="//c.org/x 2x">', "//c.org/x is fetched from elsewhere"),
    ("index.html", '<p style="color: url(//c.org)">', "//c.org is fetched from elsewhere"),
    ("index.html", '<style>@import "//c.org"</style>', "//c.org is fetched from elsewhere"),
    ("book.css", "p { color: url('http://c.org') }", "http://c.org is fetched from elsewhere"),
])
def test_each_fault_is_told_with_its_page(tmp_path, name, added, fault):
    assert faults(site(tmp_path, CLEAN | {name: CLEAN[name] + added})) == [f"{name}: {fault}"]


def test_the_command_fails_and_an_empty_folder_is_no_site(tmp_path):
    command = sys.executable, "weave/links.py", str(site(tmp_path / "site", CLEAN))
    assert run(*command).returncode == 0
    site(tmp_path / "site", {"index.html": '<a href="b/">'})
    told = run(*command)
    assert (told.returncode, told.stdout) == (1, "index.html: b/ leads nowhere\n")
    assert run(*command[:2], str(tmp_path / "nowhere")).returncode == 1


def test_a_site_below_the_root_of_its_host_keeps_below(tmp_path):
    site(tmp_path, CLEAN)
    assert faults(tmp_path, "/book/") == ["404.html: /a/ leads nowhere"]
    site(tmp_path, {"404.html": '<a href="/book/a/#code">a</a>'})
    assert faults(tmp_path, "/book/") == []


# ---- the site

FOLDERS = []


@pytest.fixture
def built(tmp_path_factory):
    """The real book, built once for this file and test_weave.py."""
    if not FOLDERS:
        folder = tmp_path_factory.mktemp("site")
        made = run(sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder))
        assert made.returncode == 0, made.stderr
        FOLDERS.append(folder)
    return FOLDERS[0]


def test_the_book_has_no_broken_link_no_double_id_and_fetches_nothing(built):
    assert faults(built) == []


def test_the_id_of_every_tangled_block_is_an_anchor_of_its_page(built):
    for name in chapters():
        blocks, _ = scan(name, (ROOT / "docs" / name).read_text(encoding="utf-8"))
        ids = [block.attrs["id"] for block in blocks if "title" in block.attrs]
        page = built / ("" if name == "index.md" else name.removesuffix(".md")) / "index.html"
        html = page.read_text(encoding="utf-8")
        assert [id for id in ids if f'<div id="{id}" class="language-' not in html] == []


SMALL = {
    "docs/index.md": "# Small\n\nSee [the code](01-one.md#softmax).\n",
    "docs/01-one.md": "# Softmax\n\nfirst words\n\n"
                      '```python {#softmax title="tf/model.py"}\n# <<body>>\n```\n\n'
                      '```python {#body title="<<body>>"}\nx = 1\n```\n',
}


@pytest.fixture
def small(tmp_path):
    """A book of two pages in the real house, tangled."""
    site(tmp_path, SMALL)
    shutil.copytree(ROOT / "docs/assets", tmp_path / "docs/assets")
    shutil.copytree(ROOT / "weave", tmp_path / "weave")
    for tool in "tangle.py", "examine.py":
        shutil.copy(ROOT / tool, tmp_path)
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    nav = re.sub(r"(?ms)^nav:\n.*?\n\n", "nav: [index.md, 01-one.md, source/index.md]\n\n", config)
    (tmp_path / "mkdocs.yml").write_text(nav, encoding="utf-8")
    assert run(sys.executable, "tangle.py", cwd=tmp_path).returncode == 0
    return tmp_path


def build(folder):
    return run(sys.executable, "-m", "mkdocs", "build", "--strict", cwd=folder)


def test_a_link_means_the_code_though_a_heading_has_its_name(small):
    made = build(small)
    assert made.returncode == 0, made.stderr
    assert faults(small / "site") == []
    html = (small / "site/01-one/index.html").read_text(encoding="utf-8")
    assert '<div id="softmax" class="language-python' in html
    assert '<h1 id="softmax-heading">' in html
    assert '<span class="filename chunk">&lt;&lt;body&gt;&gt;</span>' in html


def test_a_broken_anchor_is_named_by_its_chapter(small):
    site(small, {"docs/index.md": "# Small\n\nSee [the code](01-one.md#softmaxx).\n"})
    made = build(small)
    assert made.returncode and "'index.md' contains a link '01-one.md#softmaxx'" in made.stderr


def test_the_site_is_not_built_from_stale_code(small):
    (small / "docs/01-one.md").write_text(SMALL["docs/01-one.md"].replace("x = 1", "x = 2"))
    made = build(small)
    assert made.returncode and "-x = 1\n+x = 2" in made.stderr
    assert not (small / "site").exists()


def test_a_port_that_is_taken_is_named_before_the_book_is_built(small):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        made = run(sys.executable, "-m", "mkdocs", "serve", "--dev-addr", f"127.0.0.1:{port}", cwd=small)
    assert made.returncode and f"port {port} is taken: make book PORT={port + 1}\n" in made.stderr
    assert "Traceback" not in made.stderr and "Cleaning" not in made.stderr


def test_a_saved_chapter_is_tangled_and_a_broken_one_does_not_end_the_server(small):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    log = open(small / "log", "w+", encoding="utf-8")
    server = subprocess.Popen([sys.executable, "-m", "mkdocs", "serve", "--dev-addr", address],
                              cwd=small, stdout=log, stderr=log)

    def page():
        try:
            return urlopen(f"http://{address}/01-one/", timeout=5).read().decode()
        except (URLError, ConnectionError):
            return ""

    def until(condition):
        for _ in range(300):
            if condition():
                return
            assert server.poll() is None, (small / "log").read_text()
            time.sleep(0.1)
        pytest.fail((small / "log").read_text())

    def save(old, new):
        text = SMALL["docs/01-one.md"].replace(old, new)
        (small / "docs/01-one.md").write_text(text, encoding="utf-8")

    try:
        until(lambda: "first words" in page())
        save("first words", "broken words\n\n# <<\n\n```python")
        until(lambda: "docs/01-one.md:" in (small / "log").read_text())
        assert "first words" in page()
        save("first words", "broken words again\n\n# <<\n\n```python")
        until(lambda: (small / "log").read_text().count("docs/01-one.md:") > 1)
        save("x = 1", "x = 2")
        until(lambda: '<span class="mi">2</span>' in page())
        assert "x = 2" in (small / "tf/model.py").read_text()
    finally:
        server.terminate()
        server.wait()
        log.close()
