"""Figures, a module each: `figure(lang="en", **parameters)` returns a Figure, in one language.

Its numbers come out of tf/, its parts out of `draw`, its sentences stand in its module. Only the
standard library is used, so that a page can draw a figure anew. `draw` makes HTML of one:

    mask-table
    past = 3
"""

import ast
import json
from collections import namedtuple
from difflib import get_close_matches
from html import escape
from importlib import import_module
from inspect import signature
from pkgutil import iter_modules

from weave.figures.draw import attributes, lenient    # before `draw`, or the module would take that name
from weave.figures.inputs import form, read

Step = namedtuple("Step", "head body says")
Step.__doc__ = "The condition in force, in a few words; HTML; a sentence."

Figure = namedtuple("Figure", "title question steps")
Figure.__doc__ = "A title, the question that it answers or an empty string, and [Step]."

NO_FIGURES = "__init__", "draw", "fence", "inputs"
KIND = {"en": "step-by-step figure", "zh": "分步图"}
STEPS = {"en": "Steps", "zh": "步骤"}
PLAYER = {
    "en": {"previous": "Previous step", "next": "Next step", "play": "Play", "pause": "Pause",
           "enlarge": "Enlarge", "close": "Close", "step": "Step", "dwell": "Time for each step",
           "seconds": "{} s per step", "at": "step {} of {}"},
    "zh": {"previous": "上一步", "next": "下一步", "play": "播放", "pause": "暂停",
           "enlarge": "放大图形", "close": "关闭", "step": "步骤", "dwell": "每步停留时间",
           "seconds": "每步 {} 秒", "at": "第 {} 步，共 {} 步"},
}
ICONS = {"previous": "M15 5 8 12l7 7", "next": "m9 5 7 7-7 7", "play": "M8 5v14l11-7z",
         "pause": "M8 5v14M16 5v14", "enlarge": "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
         "close": "m5 5 14 14M19 5 5 19"}


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


def module_of(name):
    """The module of a figure. ValueError if there is none, with the nearest name."""
    if name not in names():
        near = get_close_matches(name, names(), 1)
        mend = (f"did you mean {near[0]!r}?" if near else
                f"write one of {', '.join(names())} in the first line")
        raise ValueError(f"there is no figure {name!r}: {mend}")
    return import_module(f"weave.figures.{name.replace('-', '_')}")


def figure_of(source, lang="en", given=None):
    """The Figure that is described, with what is typed into its form, if that is given as
    {name: text}. ValueError says what is wrong, and the mend."""
    name, parameters = parse(source)
    module = module_of(name)
    known = [each for each in signature(module.figure).parameters if each != "lang"]
    for key in parameters:
        if key not in known:
            raise ValueError(f"{name} has no parameter {key!r}: "
                             f"it takes {', '.join(known) or 'none'}")
    if given is not None:
        parameters |= read(module.INPUTS, module.TEXT[lang]["inputs"], given, lang)
    try:
        return module.figure(lang=lang, **parameters)
    except Exception as problem:
        raise ValueError(f"{name}: {problem}") from problem


def form_of(source, lang):
    """HTML of the controls of what a reader may change in the figure, or an empty string."""
    name, parameters = parse(source)
    module = module_of(name)
    if not hasattr(module, "INPUTS"):
        return ""
    say, own = module.TEXT[lang], signature(module.figure).parameters
    values = {key: parameters.get(key, own[key].default) for key in module.INPUTS}
    values = {key: say[key] if value is None else value for key, value in values.items()}
    return form(source, module.INPUTS, say["inputs"], values, lang)


def anchor(source):
    """The id of a figure whose header gives none. No heading, and no block of code, has it."""
    return f"figure-{parse(source)[0]}"


def player_words(lang):
    """HTML of what the player says, and the lines of its buttons: once in a page with figures."""
    words = json.dumps(PLAYER[lang] | {"icons": ICONS}, ensure_ascii=False, separators=(",", ":"))
    return f'<script type="application/json" id="player-words">{words}</script>'


def draw(source, lang="en", id=""):
    """HTML of the figure that is described: all its steps, each with its sentence."""
    if lang not in KIND:
        raise ValueError(f"a figure speaks {' or '.join(KIND)}, not {lang!r}")
    title, question, steps = figure_of(source, lang)
    id = id or anchor(source)
    about = attributes(class_="figure", id=id, role="group",
                       aria_roledescription=KIND[lang], aria_label=title)
    asked = f'<p class="question">{escape(question)}</p>' if question else ""
    return "\n".join([
        f"<step-player{about}>",
        f'<figure><figcaption><p class="title">{escape(title)}</p>{asked}</figcaption>'
        + form_of(source, lang),
        f'<ol class="steps" tabindex="0" aria-label="{STEPS[lang]}">',
        items(steps, id), "</ol></figure></step-player>"])


def redraw(source, given, lang, id):
    """HTML of the steps alone, with what a reader has typed, {name: text}."""
    before = lenient.set(True)
    try:
        return items(figure_of(source, lang, given).steps, id)
    finally:
        lenient.reset(before)


def items(steps, id):
    return "\n".join(
        f'<li id="{id}-{n}"><p class="head">{n} / {len(steps)} · {escape(step.head)}</p>'
        f'{step.body}<p class="says">{escape(step.says)}</p></li>'
        for n, step in enumerate(steps, 1))
