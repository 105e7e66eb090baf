"""What figures are made of: numbers, tables, bars, lines of code. Lists go in, HTML comes out.

The HTML is well-formed XML. A colour never says anything alone: whatever is marked has a sign, and
words for those who listen.
"""

import ast
from contextvars import ContextVar
from html import escape
from inspect import getsource
from math import inf
from textwrap import dedent, indent

lenient = ContextVar("lenient", default=False)    # may a line be gone? A reader may have edited it

SIGNS = {"seen": "✓", "hidden": "×", "key": "◆", "row": "▸", "column": "▾"}


def number(x, places=4):
    """A number as the book writes it: 0.0900, 10, −2, −∞. Whole numbers have no decimals."""
    if x != x:
        return "nan"
    if x in (inf, -inf):
        text = "∞"
    else:
        text = str(abs(int(x))) if x == int(x) else f"{abs(x):.{places}f}"
    return f"−{text}" if x < 0 and text.strip("0.") else text


def cell(value):
    """HTML of a value: a word stays as it is, a number is written as the book does."""
    return escape(value) if isinstance(value, str) else number(value)


def sign(mark, word=""):
    """HTML of the sign of a mark; those who listen hear the word."""
    if mark not in SIGNS:
        raise ValueError(f"no sign for the mark {mark!r}: take one of {', '.join(SIGNS)}")
    ears = f'<span class="for-ears">{escape(word)} </span>' if word else ""
    return f'<span class="sign" aria-hidden="true">{SIGNS[mark]}</span>{ears}'


def attributes(**given):
    """' class="x" id="y"', without those that are empty. `class_` and `data_line` as in HTML."""
    return "".join(f' {name.strip("_").replace("_", "-")}="{escape(value)}"'
                   for name, value in given.items() if value)


def matrix(values, rows, columns, marks=None, corner="", caption="", *,
           heat=None, line=None, legend=None, row=None, column=None):
    """HTML of a table: a header for each row and column, a number or a word in each cell.

    marks[i][j]      "", or what the cell is: seen, hidden, key (look here)
    heat[i][j]       None, or how deeply to shade the cell, 0 to 1
    line[i][j]       "", or the name of the line of code that made the cell, see `listing`;
                     marks, heat and line may be one for all cells
    legend           {"hidden": "may not be read"}: what a mark means, written below the table;
                     a marked cell needs it unless the cell is a word that says it already
    row, column      the number of the one in force
    """
    legend, shape = legend or {}, (len(rows), len(columns))
    tables = [table(each, shape) for each in (values, marks or "", heat, line or "")]
    heads = [header(name, "col", j == column) for j, name in enumerate(columns)]
    parts = ['<table class="matrix">', f"<caption>{escape(caption)}</caption>" if caption else "",
             "<thead><tr>", header(corner, "col") if corner else "<td></td>", *heads,
             "</tr></thead><tbody>"]
    for i, name in enumerate(rows):
        cells = [data(*each, legend, j == column)
                 for j, each in enumerate(zip(*(each[i] for each in tables)))]
        parts += [f"<tr{attributes(class_='now' * (i == row))}>", header(name, "row", i == row),
                  *cells, "</tr>"]
    parts += ["</tbody></table>"]
    if legend:
        words = "&#8195;".join(f"{sign(mark)} {escape(word)}" for mark, word in legend.items())
        parts += [f'<p class="legend">{words}</p>']
    return f'<div class="table">{"".join(parts)}</div>'


def table(cells, shape):
    """Rows of cells, of which there may be one for all. ValueError if the shape is another."""
    n_rows, n_columns = shape
    if not isinstance(cells, (list, tuple)):
        return [[cells] * n_columns] * n_rows
    if [len(row) for row in cells] != [n_columns] * n_rows:
        raise ValueError(f"a table of {n_rows} rows and {n_columns} columns cannot hold {cells}")
    return cells


def header(name, scope, now=False):
    mark = sign("row" if scope == "row" else "column") if now else ""
    return f'<th scope="{scope}"{attributes(class_="now" * now)}>{mark}{cell(name)}</th>'


def data(value, mark, heat, line, legend, now):
    if mark and not isinstance(value, str) and mark not in legend:
        raise ValueError(f"a number is marked {mark!r}, and no legend says what that means")
    shade = "" if heat is None else f"--heat:{min(1, max(0, heat)):.2f}"
    names = " ".join(filter(None, [mark, "heat" * bool(shade), "now" * now]))
    shown = sign(mark, legend.get(mark, "")) if mark else ""
    return f"<td{attributes(class_=names, style=shade, data_line=line)}>{shown}{cell(value)}</td>"


def bars(values, labels, top=1, caption="", *, line=""):
    """HTML of a table with a bar beside each number, none beside a word; a full one is top."""
    if len(values) != len(labels):
        raise ValueError(f"{len(values)} values but {len(labels)} labels")
    parts = ['<table class="bars">', f"<caption>{escape(caption)}</caption>" if caption else "",
             "<tbody>"]
    for value, label in zip(values, labels):
        part = 0 if isinstance(value, str) else min(1, max(0, value / top))
        parts += [f'<tr><th scope="row">{cell(label)}</th><td{attributes(data_line=line)}>'
                  f'<span class="bar" style="--part:{part:.4f}"></span>{cell(value)}</td></tr>']
    return f'<div class="table">{"".join(parts)}</tbody></table></div>'


def listing(function, lines, now=""):
    """HTML of some statements of a function, out of its source: {"out": "out ="} names the one
    that begins with `out =`. The statement that `now` names is marked. Where one returns, the
    `def` stands above them, to say from what."""
    source = dedent(getsource(function))
    codes = {name: statement(source, start) for name, start in lines.items()}
    lost = [name for name, code in codes.items() if not code]
    if lost and not lenient.get():
        raise ValueError(f"no line of {function.__name__} begins with {lines[lost[0]]!r}")
    codes = {name: code for name, code in codes.items() if code}
    if not codes:
        return ""
    parts, margin = [], ""
    if any("return " in code for code in codes.values()):
        parts, margin = [code_line("", statement(source, "def ").splitlines()[0])], "    "
    parts += [code_line(name, indent(code, margin), name == now) for name, code in codes.items()]
    return code_lines(parts)


def given(**values):
    """HTML of what a figure starts from, a line each: given(V=[[10]]) is `V = [[10]]`, named V."""
    return code_lines(code_line(name, f"{name} = {value}") for name, value in values.items())


def code_line(name, code, now=False):
    blank, lines = '<span class="sign"></span>', []
    for line in code.splitlines():
        begin = line.lstrip()
        margin = f'<span class="margin">{line.removesuffix(begin)}</span>' * (line != begin)
        lines.append(blank + margin + escape(begin))
    if now:
        lines[0] = sign("row") + lines[0].removeprefix(blank)
    return f"<span{attributes(class_='now' * now, data_line=name)}>{chr(10).join(lines)}</span>"


def code_lines(parts):
    return f'<pre class="lines"><code>{chr(10).join(parts)}</code></pre>'


def statement(source, start):
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt) and lines[node.lineno - 1].strip().startswith(start):
            return dedent("\n".join(lines[node.lineno - 1:node.end_lineno]))


def condition(*lines):
    """HTML of what is in force, a line each."""
    return f'<p class="condition">{"<br/>".join(map(escape, lines))}</p>'


def side_by_side(*parts):
    """HTML of several tables, in a row where there is room."""
    return f'<div class="beside">{"".join(parts)}</div>'
