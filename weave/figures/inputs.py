"""What a reader may change in a figure: the controls of its form, and what is typed into them.

A figure that has inputs names them in its module, and its TEXT says what they are called:

    INPUTS = {"past": whole(0, 6)}
    TEXT = {"en": {"inputs": {"past": "Keys kept from before"}}}

The form is hidden until a page has a Python that answers, see docs/assets/js/run.js.
"""

from collections import namedtuple
from html import escape

from weave.figures.draw import attributes

Kind = namedtuple("Kind", "control read rule")
Kind.__doc__ = """What its control has in HTML; the value of what is typed, or a ValueError; a name
in TEXT of what may be typed, and what is put into that sentence."""

TEXT = {
    "en": {
        "draw": "Draw", "reset": "Reset",
        "wrong": "{}: write {}, not “{}”.",
        "entry": " “{}” is no such number.", "comma": " In “{}” a comma is missing.",
        "whole": "a whole number from {} to {}",
        "real": "a number from {} to {}",
        "some": "{} to {} numbers from {} to {}, with commas between them",
        "just": "{0} numbers from {2} to {3}, with commas between them",
        "wholes": "{} to {} different whole numbers from {} to {}, with commas between them",
        "words": "{} to {} different words of at most {} letters, with blanks between them",
        "choice": "one of those that are offered", "check": "",
    },
    "zh": {
        "draw": "重画", "reset": "还原",
        "wrong": "{}：请填{}，不能填“{}”。",
        "entry": "“{}”不是这样的数。", "comma": "“{}”里少了逗号。",
        "whole": " {} 到 {} 的整数",
        "real": " {} 到 {} 的数",
        "some": " {} 到 {} 个数，每个在 {} 到 {} 之间，用逗号隔开",
        "just": " {0} 个数，每个在 {2} 到 {3} 之间，用逗号隔开",
        "wholes": " {} 到 {} 个不同的整数，每个在 {} 到 {} 之间，用逗号隔开",
        "words": " {} 到 {} 个不同的词，每个不超过 {} 个字，用空格隔开",
        "choice": "列出的选项之一", "check": "",
    },
}


# ---- Kinds of inputs

def whole(least, most, step=1):
    """A whole number, with arrows beside it."""
    def read(typed):
        value = within(int(typed), least, most)
        if (value - least) % step:
            raise ValueError
        return value
    return Kind({"type": "number", "min": least, "max": most, "step": step}, read,
                ("whole", least, most))


def real(least, most, step):
    """A number that is slid along, and stands beside what is slid."""
    return Kind({"type": "range", "min": least, "max": most, "step": step},
                lambda typed: within(exact(typed), least, most), ("real", least, most))


def numbers(fewest, many, least, most):
    """Several numbers, in any order."""
    def read(typed):
        values = listed(typed, exact, least, most)
        within(len(values), fewest, many)
        return values
    return Kind({}, read, ("just" if fewest == many else "some", fewest, many, least, most))


def wholes(fewest, many, least, most):
    """Several whole numbers, no two alike; they are put in order."""
    def read(typed):
        values = sorted({*listed(typed, int, least, most)})
        within(len(values), fewest, many)
        return values
    return Kind({}, read, ("wholes", fewest, many, least, most))


def words(fewest, many, letters):
    """Several words, no two alike."""
    def read(typed):
        values = typed.split()
        within(len(values), fewest, many)
        within(len({*values}), len(values), many)
        within(max(map(len, values)), 1, letters)
        return values
    return Kind({}, read, ("words", fewest, many, letters))


def choice(*values):
    return Kind({"options": values}, {str(value): value for value in values}.__getitem__,
                ("choice",))


def check():
    """Yes or no. A box without a mark sends nothing."""
    return Kind({"type": "checkbox"}, bool, ("check",))


class Entry(ValueError):
    """What stands in a list and is none of what may be written there."""


def listed(typed, number, least, most):
    values = []
    for entry in typed.replace("，", ",").split(","):
        try:
            values.append(within(number(entry), least, most))
        except ValueError:
            raise Entry(entry.strip()) from None
    return values


def exact(typed):
    """A number; 10, not 10.0."""
    x = float(typed)
    return int(x) if x.is_integer() else x


def within(x, least, most):
    if not least <= x <= most:
        raise ValueError
    return x


# ---- The form

def read(inputs, labels, given, lang):
    """{parameter: value} of what is typed, {name: text}. ValueError says what may be typed."""
    say, values = TEXT[lang], {}
    for name, kind in inputs.items():
        typed, (rule, *bounds) = given.get(name, ""), kind.rule
        try:
            values[name] = kind.read(typed.replace("−", "-"))
        except (ValueError, LookupError) as problem:
            may = say[rule].format(*bounds).replace("-", "−")
            told = say["wrong"].format(labels[name], may, typed[:40])
            raise ValueError(told + which(problem, typed, say)) from None
    return values


def which(problem, typed, say):
    """The entry that is wrong, of several."""
    entry = str(problem) if isinstance(problem, Entry) else ""
    if len(entry.split()) > 1:
        return say["comma"].format(entry[:20])
    return say["entry"].format(entry[:20]) if entry not in ("", typed.strip()) else ""


def form(source, inputs, labels, values, lang):
    """HTML of the controls, with the figure's own values, hidden."""
    say = TEXT[lang]
    about = attributes(class_="inputs", autocomplete="off", data_source=source.strip())
    about = about.replace("\n", "&#10;")    # XML would make blanks of them
    fields = [field(name, kind.control, values[name], labels) for name, kind in inputs.items()]
    return (f'<form{about} hidden="" novalidate="">{"".join(fields)}<span><button>{say["draw"]}</button>'
            f' <button type="reset">{say["reset"]}</button></span><span role="status"></span></form>')


def field(name, control, value, labels):
    kind, value = control.get("type"), as_typed(value)
    if "options" in control:
        options = [f"<option{attributes(value=each, selected='selected' * (each == value))}>"
                   f"{escape(labels.get(each, each))}</option>"
                   for each in map(str, control["options"])]
        body = f'<select name="{name}">{"".join(options)}</select>'
    elif kind == "checkbox":
        body = f'<input{attributes(name=name, type=kind, checked="checked" * bool(value))}/>'
    else:
        limits = {key: str(limit) for key, limit in control.items()}
        body = f"<input{attributes(name=name, value=value, **limits)}/>"
    shown = f"<output>{value}</output>" * (kind == "range")
    return f"<label>{labels[name]} {body}{shown}</label>"


def as_typed(value):
    if isinstance(value, (list, tuple)):
        return (" " if isinstance(value[0], str) else ", ").join(map(str, value))
    return "" if value is False else str(value)
