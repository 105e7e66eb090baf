"""The Python that runs in a page: CPython for browsers, and the book's own.

The first is Pyodide, out of the package flet-web, of which nothing else is used: `make` installs
what weave/runtime.txt says. Its library is packed anew without what no page needs. The second is
the tools and the chapters. The name of each zip tells what is in it, so that no cache can give a
page old code. Nothing is fetched here, and without the package the book is built all the same.
"""

from functools import lru_cache
from hashlib import sha256
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from tangle import original

VERSION = "314.0.7"    # which is CPython 3.14.2
HASHES = {
    "pyodide.mjs": "6f1d60f7bf529beb300f0f47983c921d3982363640ba20af0e38efdddbc66109",
    "pyodide.asm.mjs": "f7cdc8ece80678ceb712f8e65ebe6d3a83203a180c399865f49612a051693635",
    "pyodide.asm.wasm": "cc36e3cab04fdfc9a63ff13eb52eae2b911bf46c025cc7b281f394bd3de1d5e6",
    "python_stdlib.zip": "fa1957e5777068fc4f7437f96d860ae2fbe9c19732ba06c84e004ec16dd7dd7a",
}
ABSENT = ("The pages have no Run buttons, for the Python that runs in them is not installed: "
          "`pip install --no-deps -r weave/runtime.txt` brings it")

# Of the library: what neither starts Python nor is imported by who reads this book, and what is
# kept all the same of two packages that Python starts with.
LEFT_OUT = set("""
    _pydatetime _pyio _pyrepl antigravity asyncio/__main__ asyncio/proactor_events
    asyncio/windows_events compileall concurrent/futures/process configparser ctypes email
    encodings fileinput ftplib getpass http imaplib importlib/metadata logging/config
    logging/handlers mailbox mimetypes modulefinder multiprocessing netrc nturl2path optparse
    pickletools plistlib poplib pty py_compile pyclbr pyodide/console pyodide/http quopri
    rlcompleter shelve site-packages smtplib socketserver sqlite3 sre_compile sre_constants
    sre_parse tabnanny tarfile trace tty urllib/request urllib/robotparser wave
    webbrowser wsgiref xml xmlrpc zipapp zoneinfo""".split())
KEPT = set("""
    _pyrepl/__init__ _pyrepl/pager _pyrepl/trace _pyrepl/types _pyrepl/utils
    encodings/__init__ encodings/aliases encodings/ascii encodings/cp437 encodings/idna
    encodings/latin_1 encodings/raw_unicode_escape encodings/unicode_escape encodings/utf_16
    encodings/utf_16_le encodings/utf_8 encodings/utf_8_sig""".split())

# Of the book, beside its chapters.
TOOLS = ("tangle.py", "examine.py", "weave/page.py", "weave/floats.py", "weave/unfold.py", "weave/pyc.py",
         "weave/svg.py", "weave/figures/*.py", "tf/*.txt", "tf/*.md")
OF_MKDOCS = "weave/figures/fence.py"


def installed():
    """The folder of Pyodide in the package that carries it, which is not imported; or None."""
    package = find_spec("flet_web")
    return package and Path(package.submodule_search_locations[0], "web/pyodide")


def served(folder, root, texts, cache):
    """({address: path or bytes}, names): what a page asks for to run Python, and where it finds it.

    names are {"runtime", "library", "book": address, "size": of what is loaded, in bytes}. The
    folder is Pyodide's; the tools are below root, texts are {path: text}; cache keeps the library.
    """
    runtime = f"assets/python/{VERSION}/"
    files = {runtime + name: path for name, path in checked(folder).items()}
    whole = files.pop(runtime + "python_stdlib.zip")
    packs = library(whole, cache), packed(book(root, texts))
    names = {name: f"assets/python/{name}-{digest(data)}.zip"
             for name, data in zip(("library", "book"), packs)}
    wasm = files[f"{runtime}pyodide.asm.wasm"]
    size = wasm.stat().st_size + sum(map(len, packs))
    return files | dict(zip(names.values(), packs)), names | {"runtime": runtime, "size": size}


def digest(data):
    return sha256(data).hexdigest()[:8]


@lru_cache(1)
def checked(folder):
    """{name: path} of Pyodide's files. ValueError names one that is not what it should be."""
    files = {name: folder / name for name in HASHES}
    for name, path in files.items():
        if not path.is_file() or sha256(path.read_bytes()).hexdigest() != HASHES[name]:
            raise ValueError(f"{path} is not the {name} of Pyodide {VERSION}: `pip install "
                             "--force-reinstall --no-deps -r weave/runtime.txt` mends it")
    return files


@lru_cache(1)
def library(whole, cache):
    """Bytes of a zip with what is needed of the one at the path."""
    kept = cache / f"library-{digest(Path(__file__).read_bytes())}.zip"
    if not kept.exists():
        with ZipFile(whole) as files:
            data = packed({name: files.read(name) for name in files.namelist() if needed(name)})
        beside = kept.with_suffix(".part")
        beside.write_bytes(data)
        beside.replace(kept)
    return kept.read_bytes()


def needed(name):
    """Is the file, os.py or json/decoder.py, part of the library in a page?"""
    parts = name.removesuffix(".py").split("/")
    above = {"/".join(parts[:n]) for n in range(1, len(parts) + 1)}
    return "/".join(parts) in KEPT or not above & LEFT_OUT


def book(root, texts):
    """{name: bytes} of the tools and of the chapters, without translations: their code is the same."""
    tools = [path for pattern in TOOLS for path in Path(root).glob(pattern)]
    files = {path.relative_to(root).as_posix(): path.read_bytes() for path in tools}
    files |= {path: text.encode() for path, text in texts.items() if not original(path)}
    return {name: data for name, data in files.items() if name != OF_MKDOCS}


def packed(files):
    """Bytes of a zip of {name: bytes}, the same whenever the files are."""
    return zipped(tuple(sorted(files.items())))


@lru_cache(1)
def zipped(files):
    data = BytesIO()
    with ZipFile(data, "w") as zip:
        for name, content in files:
            zip.writestr(ZipInfo(name), content, ZIP_DEFLATED, 9)
    return data.getvalue()
