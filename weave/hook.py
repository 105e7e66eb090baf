"""What mkdocs asks of this book: code tangled, pages made of it, threads tied, two languages."""

import json
import logging
import re
import socket
import subprocess
import sys
from errno import EADDRINUSE
from functools import cache
from pathlib import Path

from jinja2 import FileSystemBytecodeCache
from material.plugins.search.plugin import SearchIndex
from mkdocs.exceptions import Abort, PluginError
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File
from mkdocs.utils import DuplicateFilter
from rjsmin import jsmin

ROOT = str(Path(__file__).parent.parent)
sys.path.insert(0, ROOT)             # mkdocs adds only this folder, and takes both away again
from tangle import read  # noqa: E402
from weave import again, code, cover, languages, live, maths, pieces, runtime, threads, turn  # noqa: E402
from weave.figures.fence import Figures  # noqa: E402
from weave.glossary import marked, terms  # noqa: E402
from weave.ids import Ids  # noqa: E402

FIGURES = Path(ROOT, "weave/figures")
log = logging.getLogger("mkdocs.plugins.book")
after_i18n, before_i18n = event_priority(-200), event_priority(200)
formulas, figures = maths.Maths(), Figures()
serving, texts, book, nav, made_of = False, {}, None, None, None    # made_of: code, figures
python = None                        # where pages find theirs; without it they have no buttons


def lang_of(config):
    return config.plugins["i18n"].current_language or "en"


def cache_of(config):
    folder = Path(config.config_file_path).parent / ".cache"
    folder.mkdir(exist_ok=True)
    return folder


def on_startup(command, dirty):
    global serving
    serving = command == "serve"
    if serving:
        again.sparing_search(SearchIndex)
    sys.path.insert(0, ROOT)         # for tf/
    logging.getLogger("jieba").setLevel(logging.WARNING)


@cache                               # from then on the port is ours
def port_is_free(host, port):
    """Says before the book is built what mkdocs would say after it, with a traceback."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as problem:
        if problem.errno != EADDRINUSE:
            raise
        raise PluginError(f"port {port} is taken: make book PORT={port + 1}") from problem


@before_i18n
def on_config(config):
    """A language is built once it has a cover, and a server once it has its port."""
    if serving:
        port_is_free(*config.dev_addr)
    for language in config.plugins["i18n"].config.languages:
        front = Path(config.docs_dir, languages.translated("index.md", language.locale))
        language.build = language.default or front.exists()
    if formulas not in config.markdown_extensions:
        config.markdown_extensions += [Ids(), formulas, figures]
    return config


def on_pre_build(config):
    """Served, a chapter is tangled as it is saved, and its code copied into its translations;
    published, a stale tf/ is refused."""
    global book, made_of
    if lang_of(config) != "en":
        return
    root = Path(config.config_file_path).parent
    for mode in (["--sync"], []) if serving else (["--check"],):
        run = subprocess.run([sys.executable, "tangle.py", *mode], cwd=root,
                             capture_output=True, encoding="utf-8")
        if run.returncode:
            raise PluginError((run.stdout + run.stderr).strip())
    texts.clear()
    texts.update(read(root)[0])
    book = pieces.book_of(texts)
    drawing = [path.stat().st_mtime for path in sorted(FIGURES.glob("*.py"))]
    made_of = [output.text for output in book.outputs.values()], drawing
    again.forget()


@after_i18n
def on_files(files, config):
    """Pages of code and an index of it; the font; in nav no page that a language lacks."""
    global nav
    lang, built = lang_of(config), config.plugins["i18n"].build_languages
    for uri, markdown in code.pages(book, lang).items():
        alternates = {each: generated(config, uri, markdown, each) for each in built}
        alternates[lang].alternates = alternates
        files.append(alternates[lang])
    if lang == "en":
        nav = config.nav
        for script in files.javascript_files():    # sent without their comments and margins
            files.remove(script)
            files.append(File.generated(config, script.src_uri, content=jsmin(script.content_string)))
        font = mended(maths.font)(cache_of(config))
        files.append(File.generated(config, f"assets/fonts/{font.name}", abs_src_path=str(font)))
        for file in mended(python_files)(config):
            files.append(file)
    else:
        config.nav = languages.only(nav, files.get_file_from_path)
    return files


def python_files(config):
    """[File] of the Python that runs in pages; none where it is not installed."""
    global python
    folder, python = runtime.installed(), None
    if not folder:
        log.info(runtime.ABSENT)
        return []
    served, python = runtime.served(folder, ROOT, texts, cache_of(config))
    return [File.generated(config, address, content=source) if isinstance(source, bytes) else
            File.generated(config, address, abs_src_path=str(source))
            for address, source in served.items()]


def generated(config, uri, markdown, lang):
    file = File.generated(config, uri, content=markdown)
    file.dest_uri = file.dest_uri if lang == "en" else f"{lang}/{file.dest_uri}"
    file.locale = file.locale_alternate_of = lang
    return file


def mended(function):
    """The function, with a ValueError told as mkdocs tells what an author can mend."""
    def told(*arguments, **named):
        try:
            return function(*arguments, **named)
        except ValueError as problem:
            raise PluginError(str(problem)) from problem
    return told


@mended
def on_page_markdown(markdown, page, config, files):
    lang, chapter = lang_of(config), f"docs/{page.file.src_uri}"
    if chapter in texts:
        markdown = code.expand(chapter, markdown, texts, lang)
        markdown = threads.tie(chapter, markdown, book, lang)
        markdown = turn.expand(markdown, lang)
    if lang != "en":
        markdown = languages.to_the_other(markdown, files.get_file_from_path, page.url.count("/"))
    formulas.source = figures.source = chapter, texts.get(chapter, markdown)
    figures.lang = lang
    if serving:
        page.render = again.sparing(page.render, page, markdown, made_of, tuple(files.src_uris))
    page.render = mended(page.render)
    return markdown


def on_page_content(html, page, config, **_):
    """Tells mkdocs of ids, book.css which captions name a chunk, readers what words mean."""
    page.present_anchor_ids.update(re.findall(r' id="([^"]+)"', html))
    if lang_of(config) == "en" and page.file.src_uri != "glossary.md":
        html = marked(html, terms(texts.get("docs/glossary.md", "")))
    page.meta.setdefault("description", languages.first_sentence(html))
    html = html.replace('<span class="filename">&lt;&lt;', '<span class="filename chunk">&lt;&lt;')
    html = languages.permalinks(languages.back(html), lang_of(config))
    chapter = f"docs/{page.file.src_uri}"
    if python and chapter in texts:
        html = live.numbered(html, chapter, texts[chapter])
        page.python = live.settings(chapter, lang_of(config), page.url, python)
    return languages.eyebrow(html, page.file.src_uri, lang_of(config))


def on_env(env, config, **_):
    env.globals |= {"picture": cover.picture, "python": python}
    env.bytecode_cache = FileSystemBytecodeCache(cache_of(config))    # the theme, compiled once


def on_post_template(output, template_name, config):
    """One 404 page, in both languages: the second build would write it over the first."""
    if template_name == "404.html":
        return languages.named(output, "en") if lang_of(config) == "en" else ""
    return output


def on_post_page(output, page, config):
    lang = lang_of(config)
    output = languages.named(output, lang)
    if len(page.file.alternates) < 2:
        output = languages.alone(output)
    return output if lang == "en" else languages.below(output)


@after_i18n
def on_post_build(config):
    """Each language searches its own pages."""
    path = Path(config.site_dir, "search/search_index.json")
    search = json.loads(path.read_text(encoding="utf-8"))
    for lang in config.plugins["i18n"].build_languages[1:]:
        search, own = languages.split(search, lang)
        below = Path(config.site_dir, lang, "search/search_index.json")
        below.parent.mkdir(parents=True, exist_ok=True)
        below.write_text(json.dumps(own, separators=(",", ":")), encoding="utf-8")
    path.write_text(json.dumps(search, separators=(",", ":")), encoding="utf-8")


def on_serve(server, config, builder):
    """A chapter broken for a while does not end the server, which shows the last good pages."""
    def rebuild():
        for each in logging.getLogger("mkdocs.commands.build").filters:
            if isinstance(each, DuplicateFilter):
                each.msgs.clear()    # or a mistake that is made again would not be told again
        try:
            builder()
        except Exception as error:
            log.error("%s The server goes on: mend it and save.", error,
                      exc_info=not isinstance(error, Abort))
    server.builder = rebuild
    server.watch(str(FIGURES))
    return server
