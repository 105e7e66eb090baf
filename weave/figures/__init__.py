"""Figures, a module each: `figure(lang="en", **parameters)` returns a Figure, in one language.

Its numbers come out of tf/, its parts out of `draw`, its sentences stand in its module. Only the
standard library is used, so that a page can draw a figure anew. `draw` makes HTML of one:

    mask-table
    past = 3
"""

import ast
from collections import namedtuple
from difflib import get_close_matches
from html import escape
from importlib import import_module
from inspect import signature
from pkgutil import iter_modules

from weave.figures.draw import attributes    # before `draw`, or the module would take that name

Step = namedtuple("Step", "head body says")
Step.__doc__ = "The condition in force, in a few words; HTML; a sentence."

Figure = namedtuple("Figure", "title question steps")
Figure.__doc__ = "A title, the question that it answers or an empty string, and [Step]."

NO_FIGURES = "__init__", "draw", "fence"
KIND = {"en": "step-by-step figure", "zh": "分步图"}
STEPS = {"en": "Steps", "zh": "步骤"}


def names():
    """["mask-table", ...]"""
    modules = [module.name for module in iter_modules(__path__)]
    return [name.replace("_", "-") for name in modules if name not in NO_FIGURES]


def parse(source):
    """(name, {parameter: value}) of a figure's description. ValueError says what is wrong."""
    name, *rest = [line for line in source.splitlines() if line.strip()] or [""]
    parameters = {}
    for line in rest:
        key, equals, value = (part.strip() for part in line.partition("="))
        try:
            if not equals or not key.isidentifier() or key in parameters:
                raise SyntaxError
            parameters[key] = ast.literal_eval(value)
        except (SyntaxError, ValueError):
            raise ValueError(f"`{line.strip()}`: write each parameter once, as `past = 3`, "
                             "with a number, a string or a list of such") from None
    return name.strip(), parameters


def figure_of(source, lang="en"):
    """The Figure that is described. ValueError says what is wrong, and the mend."""
    name, parameters = parse(source)
    if name not in names():
        near = get_close_matches(name, names(), 1)
        mend = (f"did you mean {near[0]!r}?" if near else
                f"write one of {', '.join(names())} in the first line")
        raise ValueError(f"there is no figure {name!r}: {mend}")
    figure = import_module(f"weave.figures.{name.replace('-', '_')}").figure
    known = [each for each in signature(figure).parameters if each != "lang"]
    for key in parameters:
        if key not in known:
            raise ValueError(f"{name} has no parameter {key!r}: "
                             f"it takes {', '.join(known) or 'none'}")
    try:
        return figure(lang=lang, **parameters)
    except Exception as problem:
        raise ValueError(f"{name}: {problem}") from problem


def anchor(source):
    """The id of a figure whose header gives none. No heading, and no block of code, has it."""
    return f"figure-{parse(source)[0]}"


def draw(source, lang="en", id=""):
    """HTML of the figure that is described: all its steps, each with its sentence."""
    if lang not in KIND:
        raise ValueError(f"a figure speaks {' or '.join(KIND)}, not {lang!r}")
    title, question, steps = figure_of(source, lang)
    id = id or anchor(source)
    about = attributes(class_="figure", id=id, role="group",
                       aria_roledescription=KIND[lang], aria_label=title)
    asked = f'<p class="question">{escape(question)}</p>' if question else ""
    parts = [f"<step-player{about}>",
             f'<figure><figcaption><p class="title">{escape(title)}</p>{asked}</figcaption>',
             f'<ol class="steps" tabindex="0" aria-label="{STEPS[lang]}">']
    for n, step in enumerate(steps, 1):
        parts += [f'<li id="{id}-{n}"><p class="head">{n} / {len(steps)} · {escape(step.head)}</p>'
                  f'{step.body}<p class="says">{escape(step.says)}</p></li>']
    return "\n".join(parts + ["</ol></figure></step-player>"])
