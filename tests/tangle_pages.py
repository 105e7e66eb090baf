"""Pages and books at random, from the parts that Markdown is made of, fitting or not."""

from random import Random

from hypothesis import strategies as st

INDENTS = ["", "", "", " ", "  ", "   ", "    ", "    ", "     ", "        ", "\t", "> ", "> > ",
           ">"]
TEXTS = ["text", "more `code`", "# heading", "- item", "* item", "1. item", "12. item", "1) item",
         "- - two", "-", "-\ttab", "!!! note", '??? question "Q"', '=== "Tab"', '!!! note "open',
         "[^1]: foot", ":   definition", "[x]: http://a.b", "<!-- remark -->", "<!--", "-->",
         "a `<!--` b", "text <!-- more", "<div>", "</div>", "<div markdown>", "<b>x</b>", "---",
         "===", "- > quote", "```a``` b", "é\u2028", "---\ntitle: a\n---"]
CODE = ["x = 1", "", "  ", "    y = 2  ", "\tz", "def f():", "# <<a>>", "    # <<b c>>", '"""',
        "```", "~~~", "    ```", "<!--", "-->", "> q", "- item", "#!/bin/sh", "\x0c", "\\"]
HEADERS = ["python", "pycon", "text", "", "python { notest why='x' }", 'python {#ID title="a.py"}',
           'python {#ID title="b/c.py"}', 'python {#ID title="<<a>>"}',
           'python {#ID title="<<b c>>"}', 'js {#ID title="d.js"}', 'text {#ID title="e.txt"}']
WRONG_TEXTS = ["\r", "\ufeff", "\0"]
WRONG_CODE = ["# <<nowhere>>"]
WRONG_HEADERS = ['python title="a.py"', 'python {#same title="a.py"}', "python notest",
                 "python{#ID}", "{.python #ID}", 'python {#ID title="../a.py"}',
                 'python {#ID title="A.py"}',
                 'python {#ID title="<<a"}', 'python {#ID title="x', 'python {#ID title="b"}',
                 "python {#ID `}"]
END = """
```python {#all title="all.py"}
# <<a>>

if x:
    # <<b c>>
```

```python {#a title="<<a>>"}
a = 1
```

```python {#b title="<<b c>>"}
b = 2
```
"""


def parts(texts, headers, code):
    """3,000 pieces of pages, lists of lines: drawn whole, they cost Hypothesis little time."""
    random = Random(1)
    pieces = []
    for _ in range(3000):
        fence = random.choice(["```", "```", "````", "~~~"])
        end = random.choice(["", "", "", "", "`", " "])
        lines = random.choices(code, k=random.randrange(5))
        block = [fence + random.choice(headers), *lines, fence + end]
        piece = random.choice([block, block, random.choices(texts, k=random.randint(1, 2))])
        indent = random.choice(INDENTS)
        pieces.append([indent + line for line in piece] + random.choice([[], [""]]))
    return pieces


PARTS = parts(TEXTS, HEADERS, CODE)
WRONG_PARTS = parts(TEXTS + WRONG_TEXTS, HEADERS + WRONG_HEADERS, CODE + WRONG_CODE)


def page(numbers, end, parts=PARTS):
    """The text of a page of these parts; no id stands twice in it, unless a header says so."""
    lines = [line.replace("#ID", f"#id{n}")
             for n, number in enumerate(numbers) for line in parts[number]]
    return end.join(lines) + end


def book(pages, translation, parts):
    """{path: text}: chapters, maybe a translation, and a last one that uses all the chunks."""
    texts = {f"docs/{n}.md": page(*drawn, parts).replace("#id", f"#c{n}-")
             for n, drawn in enumerate(pages)}
    if translation is not None:
        texts["docs/0.zh.md"] = page(*translation) if translation else texts["docs/0.md"]
    return texts | {"docs/9.md": END}


DRAWN = st.tuples(st.lists(st.integers(0, len(PARTS) - 1), max_size=6),
                  st.sampled_from(["\n", "\n", "\r\n"]))
PAGES = DRAWN.map(lambda drawn: page(*drawn))
BOOKS = st.builds(book, st.lists(DRAWN, min_size=1, max_size=2),
                  st.sampled_from([None, None, ()]) | DRAWN,
                  st.booleans().map([PARTS, WRONG_PARTS].__getitem__))
