"""The book on localhost as a host would serve it: below a path, compressed, and with its own page for
an address where there is none. Chromium is the machine's; nothing is downloaded."""

import gzip
import os
import shutil
import subprocess
import sys
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

ROOT = Path(__file__).resolve().parent.parent.parent
NAMES = "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"
MISSING = """the tests of the site need a browser and what drives it, and there is no {}
  Chromium:    apt-get install chromium (Debian), or CHROMIUM=/path/to/it
  playwright:  pip install -r requirements.lock, which make does by itself"""


def chromium():
    """The path of the browser; None if there is none."""
    return next(filter(None, map(shutil.which, [os.environ.get("CHROMIUM") or "", *NAMES])), None)


def missing():
    """What to say if the tests cannot run; None if they can."""
    try:
        import axe_playwright_python, playwright, properdocs, pypdfium2  # noqa: E401, F401
        lack = None if chromium() else "Chromium"
    except ModuleNotFoundError as error:
        lack = error.name
    return lack and MISSING.format(lack)


def build(folder, address="", by="mkdocs"):
    """The book built into the folder; exits with what was printed if that fails."""
    env = os.environ | {"NO_MKDOCS_2_WARNING": "1", "SITE_URL": address}
    command = [sys.executable, "-m", by, "build", "--strict", "--site-dir", str(folder)]
    made = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, encoding="utf-8")
    if made.returncode:
        sys.exit(made.stdout + made.stderr)
    return folder


def serve(folder):
    """A server of the folder, already running: .address, and .sent, a list of (path, bytes)."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder))
    server.address = f"http://127.0.0.1:{server.server_port}/"
    server.sent = []
    Thread(target=server.serve_forever, daemon=True).start()
    return server


def wait_for_python(tab):
    """Until the browser has kept what it compiled of the library and the book."""
    while not tab.evaluate("async () => (await (await caches.open('book-python')).keys()).length == 2"):
        tab.wait_for_timeout(500)


@cache
def compressed(file):
    return gzip.compress(file.read_bytes(), 6)


class Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = Path(self.translate_path(self.path))
        if path.is_dir() and not self.path.endswith("/"):
            return super().do_GET()    # to the address with the slash
        file = path / "index.html" if path.is_dir() else path
        status = 200 if file.is_file() else 404
        if status == 404:
            file = Path(self.directory) / self.path.split("/")[1] / "404.html"
        body = compressed(file) if file.is_file() else b""
        self.server.sent.append((self.path, len(body)))
        self.send_response(status)
        self.send_header("Content-Type", self.guess_type(file))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Cache-Control", "max-age=600")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass
