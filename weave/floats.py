"""Floats that remember how they were made, so that a printed number can be unfolded.

    chapter = Remembering(book, "docs/01-softmax.md")    a Chapter that computes with them
    chapter.run(n)                                       as ever: [Failure], the same text
    chapter.printed[line]                                what the example at a line printed
    chapter.unfold(id)                                   the arithmetic of a number, one step

`printed` is {line: dict}, line being that of the example's prompt in the page (of a block
without prompts, its first line of code):

    {"text": "[0.09003057317038046, 0.24472847105479767, 0.6652409557748219]\\n",
     "marks": [[1, 20, 0], [22, 41, 1], [43, 61, 2]],    [start, end, id] of numbers in text
     "answer": "[0.0900, 0.2447, 0.6652]\\n",             the book's answer, and where the
     "answer_marks": [[1, 7, 0], [9, 15, 1], ...],       same numbers stand in that
     "error": ""}                                        "ValueError: ..." if it raised one

`unfold(0)` returns

    {"id": 0, "value": "0.0900", "exact": "0.09003057317038046", "kind": "/",
     "code": "power / total", "formula": "0.1353 / 1.5032", "count": 2,
     "parts": [{"id": 3, "value": "0.1353", "exact": "0.1353352832366127",
                "name": "power", "start": 0},
               {"id": 4, "value": "1.5032", ..., "name": "total", "start": 9}],
     "path": "docs/01-softmax.md", "line": 173, "source": "return [power / total for ..."}

kind is an operator, "neg", a function's name, or "number" for one that is written in the
code: then formula is "" and there are no parts. code is
the expression that made the number, "" if it was made behind the code (by map). A part
whose id is None cannot be unfolded: an int, or a float from outside. name is the operand as
the code has it, or "". start is where the part's value stands in the formula. Of many parts
only the first three and the last are told (unfold(id, few=1000) tells more); count is how
many there are. Equal ids are the same number: the arithmetic is a graph, not a tree.

The code of the book is not asked to cooperate. It is compiled with its operators and its
float literals turned into calls, and its builtins, math and statistics are stand-ins that
compute with the real ones, on real floats, and tell beside it what they did. So every
number is the same to the last bit. Ints stay ints; where one was computed in the operand of
a float (exp(x - top)), its names are looked up in the frame. What other code does in C or
by itself (json, random, fractions) gives numbers that remember nothing.

At most LIMIT steps are remembered, later floats are plain. Before each example there is made
room: what made neither a number that was printed nor one that is left is forgotten, and if
that is not enough, what is farthest behind them. A chapter that starts again forgets everything.
"""

import ast
import builtins
import gc
import math
import operator
import re
import statistics
import sys
from collections import namedtuple
from functools import wraps
from itertools import count, islice
from types import ModuleType

from examine import FLOAT, ROUNDED, Chapter, Importer, near, said, text_of

LIMIT = 100_000
FEW = 8                                                # so many terms are written out

OPERATORS = {                                          # of an ast: symbol, function
    ast.Add: ("+", operator.add), ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul), ast.Div: ("/", operator.truediv),
    ast.FloorDiv: ("//", operator.floordiv), ast.Mod: ("%", operator.mod),
    ast.Pow: ("**", operator.pow), ast.USub: ("neg", operator.neg),
}
IN_PLACE = {ast.Add: operator.iadd, ast.Sub: operator.isub, ast.Mult: operator.imul,
            ast.Div: operator.itruediv, ast.FloorDiv: operator.ifloordiv,
            ast.Mod: operator.imod, ast.Pow: operator.ipow}
STATISTICS = """mean fmean geometric_mean harmonic_mean variance pvariance stdev pstdev
                covariance correlation"""
MATH = """acos acosh asin asinh atan atan2 atanh cbrt copysign cos cosh degrees dist erf erfc exp
          exp2 expm1 fabs fma fmod fsum gamma hypot ldexp lgamma log log10 log1p log2 nextafter
          pow prod radians remainder sin sinh sqrt sumprod tan tanh ulp"""
memory = None                                          # of the chapter that is running


# ---- Numbers

class Told(float):
    """A float in every respect; n is the number of the Step that made it, or None."""

    __slots__ = "n"

    def __new__(cls, value=0.0, n=None):
        self = float.__new__(cls, value)
        self.n = n
        return self

    def __repr__(self):
        return told_text(self, float.__repr__(self))

    def __format__(self, spec):
        return told_text(self, float.__format__(self, spec) if spec else float.__repr__(self))

    def __round__(self, ndigits=None):
        result = round(plain(self), ndigits)
        return result if ndigits is None else remember(result, "round", (self, ndigits))

    def __neg__(self):
        return remember(-plain(self), "neg", (self,))

    def __abs__(self):
        return remember(abs(plain(self)), "abs", (self,))

    def __pos__(self):
        return self

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce_ex__(self, protocol):
        return float, (plain(self),)


def method(symbol, function, name):
    """A float's method of this name, that remembers."""
    real, swapped = getattr(float, name), name.startswith("__r")

    def told(a, b, *modulus):
        result = real(a, b, *modulus)
        if type(result) is not float:                  # NotImplemented, or complex
            return result
        return remember(result, symbol, (b, a) if swapped else (a, b))
    return told


for symbol, function in OPERATORS.values():
    if symbol != "neg":
        for form in "__{}__", "__r{}__":
            name = form.format(function.__name__)
            setattr(Told, name, method(symbol, function, name))

Told.__name__ = Told.__qualname__ = "float"            # as messages name it
Told.__module__ = "builtins"


# Steps know each other by number, or a long chain of them, let go, would need a deep stack.
Step = namedtuple("Step", "value op args site")
Ref = namedtuple("Ref", "value n")                     # an operand that some Step made
COUNT = count()


def plain(x):
    """x, or the float that it is, or those in a list or tuple."""
    if type(x) is Told:
        return float(x)
    if type(x) in (list, tuple) and KINDS & set(map(type, x)):
        return [plain(each) for each in x]
    return x


NUMBERS = {Told, float, int, bool}
KINDS = {Told, list, tuple}                            # what plain() has to look at


def told_text(number, text):
    if memory and len(memory.formatted) < LIMIT:
        memory.formatted.append((text.strip(), number.n))
    return text


def remember(value, op, args, wrapper=None):
    """A Told float for value, if the book's code asked for it and there is room."""
    if not memory or len(memory.steps) >= LIMIT:
        return value
    frame = sys._getframe(1)
    while frame and frame.f_code.co_filename not in memory.sources:
        frame = frame.f_back
    if not frame:
        return value
    site = memory.site(frame, op, wrapper)
    if op == "number":                                 # is always the same
        if site not in memory.literals:
            memory.literals[site] = Told(value, memory.keep(value, op, args, site))
        return memory.literals[site]
    if site.computed:
        args = [worked_out(x, node, frame, site) for x, node in zip(args, site.operands)]
    return Told(value, memory.keep(value, op, args, site))


# ---- Where a number was made

class Site:
    """A place in the code: node is the ast of the operation, None if it is behind it."""

    def __init__(self, file, line, node):
        self.file, self.line, self.node = file, line, node
        self.operands = (
            [node.left, node.right] if isinstance(node, ast.BinOp) else
            [node.target, node.value] if isinstance(node, ast.AugAssign) else
            [node.operand] if isinstance(node, ast.UnaryOp) else
            node.args if isinstance(node, ast.Call) else [])
        if any(isinstance(each, ast.Starred) for each in self.operands):
            self.operands = []
        self.computed = any(isinstance(each, (ast.BinOp, ast.UnaryOp)) for each in self.operands)

    def name(self, n):
        """The n-th operand as the code has it; of a number, nothing."""
        node = self.operands[n] if n < len(self.operands) else ast.Constant(0)
        number = isinstance(getattr(node, "operand", node), ast.Constant)
        return "" if number else ast.unparse(node)


def is_made_by(node, op, wrapper, frame):
    """True if this ast, where the frame stands, is the operation and not around it."""
    if isinstance(node, ast.Constant):
        return op == "number"
    if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.AugAssign)):
        return OPERATORS.get(type(node.op), [""])[0] == op
    if isinstance(node, ast.Call) and wrapper:
        try:
            return look_up(node.func, frame) is wrapper
        except (LookupError, TypeError):
            pass
    return False


def look_up(node, frame):
    """What a name, an item or an attribute of a module is, without running any code."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        for names in frame.f_locals, frame.f_globals, frame.f_builtins:
            if node.id in names:
                return names[node.id]
    if isinstance(node, ast.Subscript):
        row = look_up(node.value, frame)
        if type(row) in (list, tuple):
            return row[look_up(node.slice, frame)]
    if isinstance(node, ast.Attribute):
        module = look_up(node.value, frame)
        if type(module) is ModuleType:
            return vars(module)[node.attr]
    raise LookupError


def worked_out(value, node, frame, site):
    """value, or if it is an int that node computes, the Ref of a Step that tells how."""
    def work(node):
        if isinstance(node, (ast.BinOp, ast.UnaryOp)) and type(node.op) in OPERATORS:
            symbol, function = OPERATORS[type(node.op)]
            spot = Site(site.file, node.lineno, node)
            args = [work(each) for each in spot.operands]
            found = function(*map(value_of, args))
            return Ref(found, memory.keep(found, symbol, args, spot))
        found = look_up(node, frame)
        if type(found) is not int:
            raise LookupError
        return found

    if type(value) is int and isinstance(node, (ast.BinOp, ast.UnaryOp)):
        try:
            found = work(node)
        except (LookupError, TypeError, ArithmeticError):
            return value
        if found.value == value:
            return found
    return value


class Memory:
    """What a run of a chapter has to know: its code, its sites and what it formatted."""

    def __init__(self):
        self.steps, self.formatted, self.marked = {}, [], set()
        self.sources, self.nodes, self.sites, self.literals = {}, {}, {}, {}

    def read(self, file, text, mode="exec"):
        """The tree of a source that will remember."""
        lines = self.sources.setdefault(file, {})
        lines.update((n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip())
        for node in ast.walk(ast.parse(text, file, mode)):
            if hasattr(node, "end_col_offset"):
                span = node.lineno, node.end_lineno, node.col_offset, node.end_col_offset
                if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Call, ast.Constant,
                                     ast.AugAssign)):
                    self.nodes[file, *span] = node
        return ast.fix_missing_locations(Rewriter().visit(ast.parse(text, file, mode)))

    def site(self, frame, op, wrapper):
        code, n = frame.f_code, frame.f_lasti // 2     # a code unit has two bytes
        key = id(code), n, op
        if key not in self.sites:
            span = next(islice(code.co_positions(), n, None))
            node = self.nodes.get((code.co_filename, *span))
            node = node if is_made_by(node, op, wrapper, frame) else None
            site = Site(code.co_filename, frame.f_lineno, node)
            self.sites[key] = site, code               # which keeps its id
        return self.sites[key][0]

    def keep(self, value, op, args, site):
        n = next(COUNT)
        self.steps[n] = Step(value, op, [self.ref(each) for each in args], site)
        return n

    def ref(self, x):
        """x, with a Ref in the place of each float that remembers."""
        if type(x) is Told:
            return Ref(float(x), x.n) if x.n in self.steps else float(x)
        return [self.ref(each) for each in x] if type(x) in (list, tuple) else x

    def make_room(self):
        """Forget what made no number that is printed or left; if that is too little, more."""
        if len(self.steps) <= LIMIT * 3 // 4:
            return
        kept = set()
        for roots in self.marked, [each.n for each in gc.get_objects() if type(each) is Told]:
            todo = [*roots]
            for n in todo:                             # the nearest first
                if n in self.steps and n not in kept and len(kept) < LIMIT // 2:
                    kept.add(n)
                    todo += (ref.n for ref in refs(self.steps[n].args))
        self.steps = {n: step for n, step in self.steps.items() if n in kept}


def value_of(x):
    return x.value if type(x) is Ref else x


def refs(args):
    for each in args:
        if type(each) is Ref:
            yield each
        elif type(each) is list:
            yield from refs(each)


# ---- Code that remembers

class Rewriter(ast.NodeTransformer):
    """Turns operators and float literals into calls that stand at the same place."""

    def call(self, name, node, *args):
        function = ast.copy_location(ast.Name(name, ast.Load()), node)
        return ast.copy_location(ast.Call(function, list(args), []), node)

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if type(node.op) not in OPERATORS:
            return node
        return self.call(f"told {OPERATORS[type(node.op)][0]}", node, node.left, node.right)

    def visit_UnaryOp(self, node):
        if not isinstance(node.op, ast.USub) or isinstance(node.operand, ast.Constant):
            return self.generic_visit(node)
        self.generic_visit(node)
        return self.call("told neg", node, node.operand)

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        if not isinstance(node.target, ast.Name) or type(node.op) not in OPERATORS:
            return node
        before = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        name = f"told {OPERATORS[type(node.op)][0]}="
        made = self.call(name, node, before, node.value)
        return ast.copy_location(ast.Assign([node.target], made), node)

    def visit_Constant(self, node):
        return self.call("told number", node, node) if type(node.value) is float else node

    def visit_MatchValue(self, node):
        return node                                    # a pattern cannot be a call


def arithmetic(symbol, function):
    def told(*args):
        if not {*map(type, args)} <= NUMBERS:
            return function(*args)
        result = function(*map(plain, args))
        return remember(result, symbol, args) if type(result) is float else result
    return told


def remembering(function):
    """A function that calls this one on plain floats, and remembers the result."""
    @wraps(function)
    def told(*args, **options):
        args = [list(each) if hasattr(each, "__next__") else each for each in args]
        result = function(*map(plain, args), **{k: plain(v) for k, v in options.items()})
        if type(result) is not float:
            return result
        return remember(result, function.__name__, (*args, *options.values()), told)
    return told


@wraps(sum)
def told_sum(values, /, start=0):
    values = list(values)
    if not {type(start), *map(type, values)} <= NUMBERS:
        return sum(values, start)
    result = sum(plain(values), plain(start))
    if type(result) is not float:
        return result
    return remember(result, "sum", ([start] * bool(start) + values,), told_sum)


def told_number(value):
    return remember(value, "number", (), told_number)


def stand_in(module, **instead):
    """A copy of a module, with other functions in place of some."""
    copy = ModuleType(module.__name__)
    vars(copy).update(vars(module), **instead)
    return copy


def functions(module, names):
    return {name: remembering(getattr(module, name)) for name in names}


def world():
    """The builtins of code that remembers."""
    telling = {f"told {symbol}": arithmetic(symbol, function)
               for symbol, function in OPERATORS.values()}
    telling |= {f"told {OPERATORS[kind][0]}=": arithmetic(OPERATORS[kind][0], function)
                for kind, function in IN_PLACE.items()}
    in_c = {*MATH.split()} & {*vars(math)}             # some came after Python 3.11
    modules = {
        "math": stand_in(math, **functions(math, in_c)),
        "statistics": stand_in(statistics, **functions(statistics, STATISTICS.split())),
    }

    def importing(name, globals=None, locals=None, fromlist=(), level=0):
        found = builtins.__import__(name, globals, locals, fromlist, level)
        return found if level else modules.get(name, found)

    return vars(builtins) | functions(builtins, ["abs", "pow", "round"]) | telling | {
        "sum": told_sum, "told number": told_number, "__import__": importing}


class RememberingImporter(Importer):
    """Imports the modules of the book as code that remembers."""

    def __init__(self, modules, memory, names):
        super().__init__(modules)
        self.memory, self.names = memory, names

    def source_to_code(self, data, path):
        return compile(self.memory.read(path, data), path, "exec")

    def exec_module(self, module):
        vars(module)["__builtins__"] = self.names
        super().exec_module(module)


class Remembering(Chapter):
    """A chapter that runs as it always does, with floats that remember."""

    def restart(self):
        super().restart()
        self.memory, self.printed, names = Memory(), {}, world()
        self.importer = RememberingImporter(self.importer.modules, self.memory, names)
        self.names["__builtins__"] = names

    def execute(self, mode, line, source):
        self.asked_at = line
        tree = self.memory.read(self.file, "\n" * (line - 1) + source, mode)
        exec(compile(tree, self.file, mode), self.names)

    def ask(self, example, prefix):
        self.answer = text_of(example.want)
        yield from super().ask(example, prefix)

    def watch(self, action):
        global memory
        self.memory.make_room()
        self.memory.formatted, self.asked_at, outside = [], None, memory
        memory = self.memory
        try:
            error, text = super().watch(action)
        finally:
            memory = outside
        if self.asked_at:
            found = marks(text, self.memory.formatted)
            answer, self.answer = getattr(self, "answer", ""), ""
            self.printed[self.asked_at] = {
                "text": text, "marks": self.numbered(found),
                "answer": answer, "answer_marks": self.numbered(carried(found, text, answer)),
                "error": said(error) if error else ""}
        return error, text

    def numbered(self, found):
        found = [[*mark] for mark in found if mark[2] in self.memory.steps]
        self.memory.marked.update(n for _, _, n in found)
        return found

    def unfold(self, n, few=FEW):
        """One step of the arithmetic that made the number with this id, as plain data.

        KeyError if it is forgotten.
        """
        step = self.memory.steps[n]
        site, formula = step.site, Formula(step, self.memory.steps, few)
        path, line = self.place(site.file, site.line) or (None, None)
        return {
            "id": n, "value": short(step.value), "exact": exact(step.value), "kind": step.op,
            "code": ast.unparse(site.node) if site.node else "",
            "formula": formula.text, "count": formula.count,
            "parts": formula.parts,
            "path": path, "line": line,
            "source": self.memory.sources[site.file][site.line].strip(),
        }


# ---- Formulas

def exact(number):
    return float.__repr__(number) if isinstance(number, float) else repr(number)


def short(number):
    """A number for people: four decimals as in the book, or five digits, or fewer."""
    text = exact(number)
    if type(number) is not float:
        return text
    rounded = f"{number:.4f}" if 0.01 <= abs(number) < 1e5 else f"{number:.5g}"
    return text if len(text) < 7 or len(text) <= len(rounded) else rounded


class Formula:
    """The arithmetic of a step: text, parts (as of unfold), and how many there are."""

    def __init__(self, step, steps, few):
        self.text, self.parts, self.count = "", [], 0
        self.steps, self.site, self.few = steps, step.site, few
        op, args = step.op, step.args
        self.show = exact if op == "round" else short
        if op == "number":
            return
        if op == "neg":
            self.say("-", args[0], 0, closed=True)
        elif op in [symbol for symbol, _ in OPERATORS.values()]:
            self.say("", args[0], 0, closed=op == "**")
            self.say(f" {op} ", args[1], 1)
        elif op in ("sum", "fsum"):
            self.many(" + ", [[each] for each in args[0]])
        elif op == "sumprod":
            self.many(" + ", list(zip(*args)))
        else:
            self.text = f"{op}("
            for n, each in enumerate(args):
                self.text += ", " * bool(n)
                if type(each) is list:
                    self.text += "["
                    self.many(", ", [[x] for x in each])
                    self.text += "]"
                else:
                    self.say("", each, n)
            self.text += ")"

    def say(self, before, number, n=None, closed=False):
        value, n_made = (number.value, number.n) if type(number) is Ref else (number, None)
        text = self.show(value)
        around = "()" if closed and text.startswith("-") else ("", "")
        self.text += before + around[0]
        self.parts.append({
            "id": n_made if n_made in self.steps else None, "value": text,
            "exact": exact(value), "name": "" if n is None else self.site.name(n),
            "start": len(self.text)})
        self.text += text + around[1]
        self.count += 1

    def many(self, between, terms):
        """Terms, each a product of one number or two; the middle of many is left out."""
        left_out = range(3, len(terms) - 1) if len(terms) > self.few else ()
        for n, term in enumerate(terms):
            if n in left_out:
                self.count += len(term)
                if n == 3:
                    self.text += f"{between}..."
                continue
            for m, number in enumerate(term):
                self.say(" * " if m else between if n else "", number)
        if left_out:
            self.text += f" ({len(terms)} terms)" * (between == " + ")


# ---- Which printed number is which?

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?(?:[eE][-+]?\d+)?%?"
                    r"|inf|nan)(?!\w)")


def marks(text, formatted):
    """[(start, end, id)] of a text in which numbers were printed.

    formatted is [(text of a number, id)] in order, of all that were made into text,
    printed or not. Of numbers with one text the latest are taken, in their order; if the
    text shows more than there are, some of them remember nothing, and none is marked.
    """
    numbers, spots, found = {}, {}, []
    for word, number in formatted:
        numbers.setdefault(word, []).append(number)
    for spot in NUMBER.finditer(text):
        spots.setdefault(spot[0], []).append(spot.span())
    for word in numbers.keys() & spots.keys():
        if len(numbers[word]) >= len(spots[word]):
            latest = numbers[word][-len(spots[word]):]
            found += [(*span, number) for span, number in zip(spots[word], latest)]
    return sorted(found, key=lambda mark: mark[:2])


def carried(found, text, answer):
    """The marks of a text, carried to the book's answer, where numbers are rounded."""
    numbers = {start: number for start, _, number in found}
    spots, carried, rest = [*NUMBER.finditer(text)], [], 0
    for wanted in NUMBER.finditer(answer):
        for n, spot in enumerate(spots[rest:], rest):
            if stands_for(wanted[0], spot[0]):
                rest = n + 1
                if spot.start() in numbers:
                    carried.append((*wanted.span(), numbers[spot.start()]))
                break
    return carried


def stands_for(want, got):
    """True if same() may take got for want."""
    return want == got or bool(re.fullmatch(ROUNDED, want) and re.fullmatch(FLOAT, got)
                               and near(want, got))
