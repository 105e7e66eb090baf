"""A zip of Python made ready: beside each source what it compiles to, so that importing it is quick.

A page runs this in the reader's browser, once, and keeps the outcome there: what compiles is then
the Python that runs it, and the book is built by whichever Python there is.
"""

import marshal
from importlib.util import MAGIC_NUMBER
from io import BytesIO
from zipfile import ZipFile, ZipInfo

UNCHECKED = bytes([1, 0, 0, 0]) + bytes(8)    # PEP 552: to be used without a look at the source


def compiled(path):
    """Makes one file ready a step, that others may have their turn; returns the bytes of the zip.

    It is to be put where the zip at the path is. The sources stay in it, for tracebacks."""
    data = BytesIO()
    with ZipFile(path) as source, ZipFile(data, "w") as target:
        for name in source.namelist():
            text = source.read(name)
            target.writestr(ZipInfo(name), text)
            if name.endswith(".py"):
                code = marshal.dumps(compile(text, f"{path}/{name}", "exec", dont_inherit=True))
                target.writestr(ZipInfo(name + "c"), MAGIC_NUMBER + UNCHECKED + code)
            yield
    return data.getvalue()
