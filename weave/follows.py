"""Which English text does each Chinese page follow, and has that text changed since?

    python3 weave/follows.py                       names the pages that have gone stale
    python3 weave/follows.py docs/03-mask.zh.md    signs pages that follow their English again

The front matter of docs/03-mask.zh.md holds a checksum of docs/03-mask.md as it was when the two
last said the same, `follows: 1a2b3c4d`. The exit status is 1 if a page is stale, or cannot be signed.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))
from tangle import digest, original  # noqa: E402

FRONT = re.compile(r"\A---\n(.*?)^---\n", re.S | re.M)
SIGNED = re.compile(r"^follows: *['\"]?(.*?)['\"]? *\n", re.M)


def followed(path):
    """The English page that a translation follows."""
    return path.with_name(original(path.name))


def signature(text):
    """The digest in the front matter of a page; "" if there is none."""
    front = FRONT.match(text)
    found = front and SIGNED.search(front[1])
    return found[1] if found else ""


def signed(text, digest):
    """The page with this digest in its front matter, which is made if it has none."""
    front = FRONT.match(text)
    kept = SIGNED.sub("", front[1]) if front else ""
    return f'---\n{kept}follows: "{digest}"\n---\n' + text[front.end() if front else 0:]


def read(path):
    return path.read_text(encoding="utf-8-sig").replace("\r\n", "\n")


def stale(root):
    """[what is wrong, a line a page]"""
    found, sign = [], "python3 weave/follows.py"
    for path in sorted(Path(root, "docs").glob("*.zh.md")):
        name, source = path.relative_to(root).as_posix(), followed(path)
        if not source.exists():
            found.append(f"{name}: there is no {source.name} that it could follow")
        elif not signature(read(path)):
            found.append(f"{name}: is not signed yet. When it says what {source.name} says: {sign} {name}")
        elif signature(read(path)) != digest(read(source).encode()):
            found.append(f"{name}: {source.name} has changed since this page followed it. Mend the "
                         f"page where it says something else, then: {sign} {name}")
    return found


def main(root, names):
    wrong = [f"{name}: no such page" for name in names if not Path(root, name).is_file()]
    wrong += [f"{name}: not a translation, whose name ends in .zh.md" for name in names
              if not name.endswith(".zh.md")]
    for name in [] if wrong else names:
        path = Path(root, name)
        path.write_text(signed(read(path), digest(read(followed(path)).encode())), encoding="utf-8", newline="\n")
    wrong = wrong or [] if names else stale(root)
    print(*wrong, sep="\n", end="\n" * bool(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(print(__doc__.strip()) if "--help" in sys.argv else main(ROOT, sys.argv[1:]))
