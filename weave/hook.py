"""What mkdocs asks of this book: code tangled, a page for each file, the file so far."""

import logging
import re
import subprocess
import sys
from pathlib import Path

from mkdocs.exceptions import Abort, PluginError
from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).parent.parent))    # mkdocs adds only this folder
from tangle import read  # noqa: E402
from weave import code  # noqa: E402
from weave.glossary import marked, terms  # noqa: E402
from weave.ids import Ids  # noqa: E402

log = logging.getLogger("mkdocs.plugins.book")
serving = False
texts = {}


def on_startup(command, dirty):
    global serving
    serving = command == "serve"


def on_config(config):
    config.markdown_extensions.append(Ids())
    return config


def on_pre_build(config):
    """Served, a chapter is tangled as it is saved; published, a stale tf/ is refused."""
    command = [sys.executable, "tangle.py"] + ([] if serving else ["--check"])
    root = Path(config.config_file_path).parent
    run = subprocess.run(command, cwd=root, capture_output=True, text=True, encoding="utf-8")
    if run.returncode:
        raise PluginError((run.stdout + run.stderr).strip())
    texts.clear()
    texts.update(read(root)[0])


def on_files(files, config):
    """A page for each file of code, which no chapter holds whole."""
    for path, markdown in code.pages(texts).items():
        files.append(File.generated(config, path, content=markdown))
    return files


def on_page_markdown(markdown, page, **_):
    chapter = f"docs/{page.file.src_uri}"
    return code.expand(chapter, markdown, texts) if chapter in texts else markdown


def on_page_content(html, page, **_):
    """Tells mkdocs of ids, book.css which captions name a chunk, readers what words mean."""
    page.present_anchor_ids.update(re.findall(r' id="([^"]+)"', html))
    if page.file.src_uri != "glossary.md":
        html = marked(html, terms(texts.get("docs/glossary.md", "")))
    return html.replace('<span class="filename">&lt;&lt;', '<span class="filename chunk">&lt;&lt;')


def on_post_page(output, **_):
    """Names the search dialog for screen readers: the theme leaves it without a name."""
    return output.replace(' role="dialog"', ' role="dialog" aria-label="Search"')


def on_serve(server, config, builder):
    """A chapter broken for a while does not end the server, which shows the last good pages."""
    def rebuild():
        try:
            builder()
        except Exception as error:
            log.error("%s The server goes on: mend it and save.", error,
                      exc_info=not isinstance(error, Abort))
    server.builder = rebuild
    return server
