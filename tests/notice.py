"""Who notices that a file of tf/ is not what it was? The sessions and examples of the book.

The first that does is enough, and most take no time. So what takes long is left out at first, and
asked only where nothing else has noticed anything. Some things fail for want of what is left out.
They fail without a mistake as well, and do not count.
"""

import re
from functools import cache
from pathlib import Path

from examine import Chapter, open_book

BOOK = open_book(Path(__file__).parent.parent)
MODEL = BOOK.outputs["tf/model.py"]
PROGRAMS = [BOOK.outputs[f"tf/{name}.py"] for name in ("experiments", "02_attention", "grade")]
CODE = {path: output for path, output in BOOK.outputs.items() if path.startswith("tf/")}
CHAPTERS = [path for path in BOOK.chapters if "tf.model" in BOOK.texts[path]
            or any(place and place[0] == path for output in CODE.values() for place in output.origins)]
MEASURE = r"random_scores|compare|influence|deep(?=.bare|.lambda)|apart|peak|written|earned"
REPORT = r"largest_weights|scale|perm|notes|main|run_path|grade|shell"
CALL = r"(?<!def )\b(?:%s)\("


class InHaste(Chapter):
    """A chapter without the prompts that take long."""

    long = re.compile(CALL % f"{MEASURE}|{REPORT}")

    def ask(self, example, *rest):
        if not self.long.search("\n".join(example.source)):
            yield from super().ask(example, *rest)


class InLessHaste(InHaste):
    """A chapter with the reports and runs, for which alone the programs are there."""

    long = re.compile(CALL % MEASURE)


def noticed(source, line, file=MODEL):
    """What the first says that does not hold with this source, or None.

    Asked first is the chapter from which this line of the file was tangled.
    """
    first = file.origins[line - 1][0]
    for kind in InLessHaste if file in PROGRAMS else InHaste, Chapter:
        for path in sorted(CHAPTERS, key=lambda path: path != first):
            for failure in failures(kind(BOOK, path, {file.path: source})):
                if kind is Chapter or failure[:2] not in vain(path, kind):
                    return failure


def failures(chapter):
    """Yields each Failure, but for those of code that is tangled."""
    for n, block in enumerate(chapter.blocks):
        failed = chapter.run(n)
        if "title" not in block.attrs:
            yield from failed


@cache
def vain(path, kind=InHaste):
    """{(path, line): Failure} of what fails in haste, and without a mistake."""
    return {failure[:2]: failure for failure in failures(kind(BOOK, path))}
