"""The grader fails what is wrong, says why, passes what is right, and leaves nothing behind."""

import json
import os
import shlex
import subprocess
import sys
from itertools import combinations, product
from math import inf, nan
from pathlib import Path
from types import SimpleNamespace

import pytest
from rendered import page

from tf import grade as grader
from tf import model as ours
from tf.grade import (CASES, SAYS, STEPS, TEXTS, apart, attempt, fault, grade, judge, judge_source,
                      main, near, right)
from tf.mistakes import BARE, MISTAKES, variation

ROOT = Path(__file__).parent.parent
REPORTS = {name: (ROOT / "tf" / name).read_text(encoding="utf-8") for name in TEXTS.values()}
FORMS = [pytest.param(mistake, edits, id=f"{mistake.id}-{n}")
         for mistake in MISTAKES.values() for n, edits in enumerate(mistake.forms)]


def model(edits=()):
    return SimpleNamespace(**variation(edits))


def wrong(verdicts):
    return [verdict for verdict in verdicts if verdict["status"] == "wrong"]


# ---- the mistakes

def test_the_text_that_is_edited_is_our_model():
    for n, case in enumerate(CASES):
        assert fault(n, attempt(model(), case)) is None
    assert wrong(judge(model())) == wrong(judge(ours, texts=REPORTS)) == []


@pytest.mark.parametrize("mistake, edits", FORMS)
def test_a_mistake_is_named_in_its_step_and_wherever_else_it_shows(mistake, edits):
    for old, _ in edits:
        assert BARE.count(old) == 1
    found = wrong(judge(model(edits)))
    assert found[0]["step"] == mistake.step
    assert {id for verdict in found for id in verdict["mistakes"]} == {mistake.id}
    assert all(verdict["mistakes"] for verdict in found)
    assert mistake.en in found[0]["diagnosis"] and found[0]["link"] == mistake.link


def test_no_case_is_idle():
    failed = {n for mistake in MISTAKES.values() for edits in mistake.forms
              for n, case in enumerate(CASES)
              if case.step == mistake.step and fault(n, attempt(model(edits), case))}
    assert failed == set(range(len(CASES)))


def test_no_case_of_attention_is_decided():
    """Or a missing root would not be seen."""
    for n, case in enumerate(CASES):
        if case.step == 2:
            assert max(map(max, right(n).table[1])) < 0.95


def test_an_infinity_is_near_nothing_but_itself():
    assert [near(1.0, inf), near(-inf, 1.0), near(inf, inf), near(nan, nan), near(1e9, 1e9 + 1)] == [
        False, False, True, True, True]
    assert not near(1.0, 1.00001)


def test_two_mistakes_that_can_be_made_together_are_python():
    for step in range(1, 8):
        own = [edits for mistake in MISTAKES.values() if mistake.step == step
               for edits in mistake.forms]
        for one, other in product(own, own):
            if apart(one, other):
                variation(one + other)


@pytest.mark.parametrize("ids, step", [
    (("no-scale", "scores-weigh"), 2),
    (("returns-swapped", "always-causal"), 2),
    (("mask-inverted", "causal-hides"), 3),
    (("heads-averaged", "heads-no-mask"), 4),
    (("variance-n-1", "eps-outside"), 6),
    (("no-residual", "block-no-mask"), 7),
    (("post-ln", "no-scale"), 7),
])
def test_two_mistakes_at_once_are_named(ids, step):
    names = variation([edit for id in ids for edit in MISTAKES[id].forms[0]])
    verdict = judge(SimpleNamespace(**names), step=step)[0]
    assert set(verdict["mistakes"]) == set(ids) or verdict["diagnosis"].startswith("The cause is in")
    assert all(MISTAKES[id].en in verdict["diagnosis"] for id in verdict["mistakes"]) \
        or "The cause" in verdict["diagnosis"]


ONE_OF_EACH = [MISTAKES[id] for id in ("no-shift", "no-scale", "mask-forgotten", "heads-strided",
                                       "pos-range", "variance-n-1", "no-residual")]


@pytest.mark.parametrize("pair", [*combinations(ONE_OF_EACH, 2)],
                         ids=lambda pair: f"{pair[0].id}, {pair[1].id}")
def test_two_steps_that_are_wrong_are_both_told(pair):
    found = wrong(judge(model(pair[0].forms[0] + pair[1].forms[0])))
    assert {mistake.step for mistake in pair} <= {verdict["step"] for verdict in found}
    assert found[0]["mistakes"] == [pair[0].id]
    assert {id for verdict in found for id in verdict["mistakes"]} <= {mistake.id for mistake in pair}
    assert all(verdict["mistakes"] for verdict in found)


# Code that stands below our own, and takes its place.
NAMELESS = {
    "an error of its own": "def attention(Q, K, V, mask=None):\n    x, y = 1, 2, 3",
    "the same, with a mask": "bare = attention\ndef attention(Q, K, V, mask=None):\n"
                             "    if mask: x, y = 1, 2, 3\n    return bare(Q, K, V, mask)",
    "a division by 0": "def block(X, h, mask=None):\n    return 1 / 0",
    "positions for eight": "bare = pos_encoding\ndef pos_encoding(n, d):\n    return bare(n // 8 * 8, d)",
}


@pytest.mark.parametrize("code", NAMELESS.values(), ids=NAMELESS)
def test_what_is_not_on_the_list_gets_no_name(code):
    found = wrong(judge_source(BARE + "\n\n" + code))
    assert found and [each["mistakes"] for each in found] == [[]] * len(found)


def test_rows_that_are_used_up_get_no_name():
    source, _ = solution("a2")
    source = source.replace("(list(map(layer_norm, X)))", "(map(layer_norm, X))")
    assert [each["mistakes"] for each in wrong(judge_source(source))] == [[]]


@pytest.mark.parametrize("page_name", sorted({mistake.link.split("#")[0] for mistake in MISTAKES.values()}))
@pytest.mark.parametrize("ending", [".md", ".zh.md"])
def test_every_link_leads_somewhere(page_name, ending):
    html = page(page_name.replace(".md", ending))
    for mistake in MISTAKES.values():
        name, anchor = mistake.link.split("#")
        assert name != page_name or f'id="{anchor}"' in html, mistake.link


def test_a_verdict_needs_neither_processes_nor_signals():
    """Where the page runs it there are none."""
    lacking = "subprocess", "signal", "resource", "faulthandler", "multiprocessing"
    code = (f"import sys; sys.modules |= dict.fromkeys({lacking}); from tf.grade import judge; "
            "from tf import model; print([each['status'] for each in judge(model)])")
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == f"{['passed'] * 7 + ['not yet written']}\n", done.stderr


# ---- other ways to be right

@pytest.mark.parametrize("step, code", [
    (1, "from math import fsum\ndef softmax(xs):\n    top = max(xs)\n"
        "    return tuple(exp(x - top) / fsum(exp(y - top) for y in xs) for x in xs)"),
    (2, "_attention = attention\ndef attention(Q, K, V, mask=None):\n"
        "    out, weights = _attention(Q, K, V, mask)\n    return [tuple(out), weights]"),
    (3, "inf = 1e9"), (3, "inf = 1e4"),
    (3, "def causal_mask(n):\n    return [[1] * (i + 1) + [0] * (n - i - 1) for i in range(n)]"),
    (5, "def pos_encoding(n, d):\n    return [[i / n] * d for i in range(n)]"),
    (5, "def pos_encoding(n, d):\n    return [[(i >> c) % 2 for c in range(d)] for i in range(n)]"),
    (5, "import random\ndef pos_encoding(n, d):\n"
        "    return [[random.uniform(-1, 1) for c in range(d)] for i in range(n)]"),
])
def test_another_design_passes(step, code):
    assert [each["sentence"] for each in wrong(judge_source(BARE + code))] == []
    assert judge_source(BARE + code, step=step)[0]["status"] == "passed"


@pytest.mark.parametrize("code", [
    "    z = exp(1j * pi / 64)\n    P = [z ** i for i in range(n)]\n",
    "    z = exp(1j * pi / 64)\n    P = [1, z]\n"
    "    for i in range(n):\n        P.append(2 * cos(pi / 64) * P[-1] - P[-2])\n",
])
def test_positions_may_leave_their_range_by_rounding(code):
    """Where a cosine is made out of others, 1 may be 1.0000000000000002."""
    source = f"from cmath import exp, cos, pi\n\ndef pos_encoding(n, d):\n{code}" \
        "    return [[P[i].imag if c % 2 else P[i].real for c in range(d)] for i in range(n)]"
    assert judge_source(source, step=5)[0]["sentence"] == SAYS["passed"][0]


@pytest.mark.parametrize("angle", ["pi * p", "2 * pi * p", "2 * pi * p * (i + 1) / 4"])
def test_rows_that_differ_by_rounding_are_the_same(angle):
    code = f"""
from math import pi

def pos_encoding(n, d):
    return [[sin({angle}) for i in range(d)] for p in range(n)]
"""
    verdict = judge_source(BARE + code, step=5)[0]
    assert verdict["mistakes"] in (["pos-same"], ["pos-repeats"])


def test_a_billion_is_remarked_and_not_refused():
    verdict = judge_source(BARE + "inf = 1e9", step=3)[0]
    assert verdict["status"] == "passed" and "-1e9" in verdict["remarks"][0]


# ---- other ways to be wrong

PLAIN = """
def attention(Q, K, V, mask=None):
    out, weights = [], []
    for i, q in enumerate(Q):
        scores = []
        for j, k in enumerate(K):
            score = sum(x * y for x, y in zip(q, k)) / sqrt(len(K[0]))
            scores.append(-inf if mask is not None and not mask[i][j] else score)
        row = softmax(scores)
        weights.append(row)
        out.append([sum(w * v[c] for w, v in zip(row, V)) for c in range(len(V[0]))])
    return out, weights
"""


def test_the_plain_attention_is_right():
    assert wrong(judge_source(BARE + PLAIN)) == []


def test_there_is_no_step_3_without_a_causal_mask():
    """Chapter 2 asks for an attention without a mask."""
    unmasked = PLAIN.replace("mask is not None", "False")
    for code in "def causal_mask(n):\n    raise NotImplementedError", "del causal_mask":
        verdict = judge_source(f"{BARE}\n\n{unmasked}\n\n{code}", step=3)[0]
        assert verdict["sentence"] == "causal_mask is not there yet" and verdict["remarks"] == []
        assert [verdict["status"], verdict["diagnosis"]] == ["not yet written", None]


@pytest.mark.parametrize("hidden, remarked", [
    ("-inf", False), ("-1e9", True), ("-1e4", True), ("0", False), ("score", False), ("1e9", False)])
def test_a_billion_is_remarked_only_where_it_hides(hidden, remarked):
    verdict = judge_source(BARE + PLAIN.replace("-inf", hidden), step=3)[0]
    assert bool(verdict["remarks"]) == remarked == (verdict["status"] == "passed" and hidden != "-inf")


@pytest.mark.parametrize("old, new", [
    ("not mask[i][j]", "i != j and not mask[i][j]"),
    ("not mask[i][j]", "len(Q) == len(K) and not mask[i][j]"),
    ("not mask[i][j]", "j < len(Q) and not mask[i][j]"),
    ("not mask[i][j]", "mask[i][j] is False"),
    ("enumerate(K)", "enumerate(K[:4])"),
    ("len(K[0])", "len(K[1])"),
    ("len(K[0])", "len(Q[1])"),
])
def test_an_attention_that_suits_some_sizes_only_fails(old, new):
    assert PLAIN.count(old) == 1
    assert wrong(judge_source(BARE + PLAIN.replace(old, new), step=3))


def test_a_mask_for_four_fails():
    code = "bare = causal_mask\ndef causal_mask(n):\n    return bare(4)"
    assert wrong(judge_source(BARE + "\n\n" + code, step=3))


NAMED = [
    ("shift-place", 1, "def softmax(xs):\n    e = [exp(x - xs[0]) for x in xs]\n"
                       "    return [x / sum(e) for x in e]"),
    ("shift-place", 1, "def softmax(xs):\n    e = [exp(x - xs[-1]) for x in xs]\n"
                       "    return [x / sum(e) for x in e]"),
    ("values-compared", 4, "bare = multi_head\ndef multi_head(Q, K, V, h, mask=None):\n"
                           "    return bare(Q, V, V, h, mask)"),
    ("queries-scaled", 3, "bare = attention\ndef attention(Q, K, V, mask=None):\n"
                          "    out = bare(Q, K, V, mask)\n    if mask: Q[:] = times(Q, 1 / sqrt(len(Q[0])))\n"
                          "    return out"),
    ("keys-overwritten", 2, "bare = attention\ndef attention(Q, K, V, mask=None):\n"
                            "    out = bare(Q, K, V, mask)\n"
                            "    for k in K:\n        for j in range(len(k)): k[j] /= sqrt(len(k))\n"
                            "    return out"),
    ("values-overwritten", 2, "bare = attention\ndef attention(Q, K, V, mask=None):\n"
                              "    out = bare(Q, K, V, mask)\n    V[0][0] += 1\n    return out"),
    ("mask-plus", 3, PLAIN.replace("-inf", "inf")), ("mask-small", 3, PLAIN.replace("-inf", "score - 10")),
    ("scores-negated", 2, PLAIN.replace("/ sqrt", "/ -sqrt")),
    ("heads-key-width", 4, "def multi_head(Q, K, V, h, mask=None):\n    w = len(K[0]) // h\n"
                           "    heads = [attention([r[i:i + w] for r in Q], [r[i:i + w] for r in K],\n"
                           "                       [r[i:i + w] for r in V], mask)[0]\n"
                           "             for i in range(0, len(K[0]), w)]\n"
                           "    return [sum(rows, []) for rows in zip(*heads)]"),
    ("mask-identity", 3, PLAIN.replace("not mask[i][j]", "mask[i][j] is not True")),
    ("mask-identity", 3, PLAIN.replace("not mask[i][j]", "mask[i][j] is False")),
    ("mask-plus", 3, PLAIN.replace("-inf", "1e9")),
    ("heads-one-returned", 4, "def multi_head(Q, K, V, h, mask=None):\n"
                              "    return attention(*(split(X, h)[0] for X in (Q, K, V)), mask)[0]"),
    ("eps-guard", 6, "def layer_norm(row, eps=1e-5):\n    m = sum(row) / len(row)\n"
                     "    s = sqrt(sum((x - m) ** 2 for x in row) / len(row)) or 1\n"
                     "    return [(x - m) / s for x in row]"),
    ("eps-guard", 6, "def layer_norm(row, eps=1e-5):\n    m = sum(row) / len(row)\n"
                     "    s = sqrt(sum((x - m) ** 2 for x in row) / len(row) + 1e-12)\n"
                     "    return [(x - m) / s for x in row]"),
    ("eps-other", 7, "def block(X, h, mask=None):\n    N = [layer_norm(r, 1e-3) for r in X]\n"
                     "    return add(X, multi_head(N, N, N, h, mask))"),
    ("block-no-heads", 7, "def block(X, h, mask=None):\n"
                          "    return add(X, [layer_norm(row) for row in X])"),
]


@pytest.mark.parametrize("id, step, code", NAMED)
def test_it_has_its_name_and_no_other(id, step, code):
    found = wrong(judge_source(BARE + "\n\n" + code))
    assert found[0]["step"] == step and {tuple(each["mistakes"]) for each in found} == {(id,)}


@pytest.mark.parametrize("step, code", [
    (3, PLAIN.replace("-inf", "score - 30")), (3, PLAIN.replace("mask[i][j]", "mask[i][i]")),
    (3, PLAIN.replace("mask[i][j]", "mask[i][0]")),
    (1, "def softmax(xs):\n    e = [exp(x - max(xs[1:])) for x in xs]\n    return [x / sum(e) for x in e]"),
    (4, "inner = attention\n" + PLAIN.replace("-inf", "-50").replace("def attention", "def leaky")
        + "\ndef multi_head(Q, K, V, h, mask=None):\n    parts = zip(split(Q, h), split(K, h), split(V, h))\n"
        "    heads = [leaky(q, k, v, mask)[0] for q, k, v in parts]\n    return [sum(rows, []) for rows in zip(*heads)]"),
    (5, "def pos_encoding(n, d):\n    return [[2 * i / (n - 1) - 1] * d for i in range(n)]"),
])
def test_what_is_wrong_fails_in_its_step_and_has_no_false_name(step, code):
    found = wrong(judge_source(BARE + "\n\n" + code))
    assert found[0]["step"] == step and {*found[0]["mistakes"]} <= {"mask-small"}


@pytest.mark.parametrize("below, above, step", [
    ("def attention(Q, K, V, mask=None):\n    return Qs", "def multi_head(Q, K, V, h, mask=None):\n"
                                                          "    return [Ks]", 4),
    ("def layer_norm(row, eps=0):\n    return size", "def block(X, h, mask=None):\n    pass", 7),
])
def test_an_error_below_is_the_cause_of_the_same_error_only(below, above, step):
    judged = [judge_source(f"{BARE}\n\n{code}", step=step)[0]["diagnosis"] or ""
              for code in (below, f"{below}\n\n{above}")]
    assert [each.startswith("The cause is in step") for each in judged] == [True, False]


def test_two_that_call_each_other_are_the_cause_wherever_they_stop():
    code = "def softmax(xs):\n    return again(xs)\n\ndef again(xs):\n    return softmax(xs)"
    found = wrong(judge_source(f"{BARE}\n\n{code}"))
    assert [each["step"] for each in found] == [1, 2, 3, 4, 7]
    assert {each["diagnosis"] for each in found[1:]} == {SAYS["below"][0].format(step=1)}


@pytest.mark.parametrize("code", [
    "def softmax(xs):\n    return [xep(x) for x in xs]",
    "def softmax(xs):\n    return xs[99]",
    "def softmax(xs):\n    return sorted(xs, key='top')",
    "def softmax(xs):\n    x, y = 1, 2, 3",
    "def softmax(xs):\n    assert False, 'sum'",
    "def softmax(xs):\n    raise SystemExit",
    "def softmax(xs):\n    return softmax(xs)",
    "def softmax(xs):\n    input()",
    "def softmax():\n    return 1",
    "def softmax(xs):\n    pass",
    "def softmax(xs):\n    return map(exp, xs)",
    "def softmax(xs):\n    return str(xs)",
    "softmax = 3",
    "bare = multi_head\ndef multi_head(Q, K, V, h, mask=None):\n"
    "    out = bare(Q, K, V, h, mask)\n    K.clear()\n    return out",
    "def pos_encoding(n, d):\n    return x",
])
def test_where_the_sentence_is_the_cause_nothing_unknown_is_said(code):
    verdict = wrong(judge_source(f"{BARE}\n\n{code}"))[0]
    assert verdict["diagnosis"] is None and verdict["mistakes"] == []


@pytest.mark.parametrize("code", [
    "def softmax(xs):\n    return 1 / 0", "def softmax(xs):\n    return [0.4 for x in xs]",
    "def softmax(xs):\n    return [0.4]", "def softmax(xs):\n    return 0.4",
])
def test_where_it_is_not_the_cause_is_unknown(code):
    verdict = wrong(judge_source(f"{BARE}\n\n{code}"))[0]
    assert verdict["diagnosis"] == "Wrong, cause unknown."


# ---- the three texts

SCALES = [
    ("0.8701 0.3556", None), ("不除时1.0，除以后0.36。", None), ("99.9 % and 35 %", None),
    ("undivided 1.0", "scale-two"), ("8 and 64", "scale-two"), ("0.51 0.50", "scale-near"),
    ("0.99 0.98", "scale-near"), ("", "scale-two"),
]
PERMS = [
    ("permutation equivariance: 4.4e-16 without, 2.05 with", None),
    ("置换等变：不加位置时相同，加了以后不同", None), ("结果为True和False，等变", None),
    ("순열 등변: True / False", None),
    ("shuffled [3, 0, 1, 2]: 0 without, 1.9 with", None),
    ("equivariant: 4.4E-16, 2.05", None), ("permuted: holds without positions, breaks with them", None),
    ("순열 등변: 같다 / 다르다", None),
    ("打乱以后输出是不一样的", "perm-both"), ("permutation: without positions not the same", "perm-both"),
    ("2.2e-16, 2.05", "perm-name"), ("permutation equivariance", "perm-both"),
    ("equivariant: 2.05 without, 1.2 with", "perm-both"), ("shuffled: yes", "perm-both"),
]
NOTES = "스케일링: 0.87, 0.36\n순서: equivariant\n제곱: 4x"
NOTED = [
    (NOTES, None), (NOTES.replace("4x", "x4"), None), (NOTES.replace("4x", "quadruples"), None),
    (NOTES.replace("4x", "").replace("제곱", "4. 제곱"), "notes-factor"),
    (NOTES.replace("0.36", "0.8701"), "notes-weights"), (NOTES.replace("4x", "变成4倍"), None), (NOTES.replace("4x", "four times"), None),
    (NOTES.replace("\n", " "), "notes-lines"), (NOTES.replace("순서", "order"), "notes-words"),
    (NOTES.replace("0.36", ""), "notes-weights"), (NOTES.replace("0.87", "0.77"), "notes-weights"),
    (NOTES.replace("equivariant", "?"), "notes-property"), (NOTES.replace("4x", "4k"), "notes-factor"),
    (NOTES.replace("4x", "2"), "notes-factor"),
]


@pytest.mark.parametrize("name, text, kind", [
    *(("02-scale.txt", *each) for each in SCALES), *(("05-perm.txt", *each) for each in PERMS),
    *(("08-notes.md", *each) for each in NOTED)])
def test_a_text_in_any_wording_that_holds_what_it_should(name, text, kind):
    step = {file: step for step, file in TEXTS.items()}[name]
    verdict = judge(ours, step=step, texts=REPORTS | {name: text})[0]
    assert verdict["sentence"] == SAYS[kind or "passed"][0].format(name=name)


def test_without_a_text_the_step_is_not_yet_written():
    for step, name in TEXTS.items():
        texts = {each: text for each, text in REPORTS.items() if each != name}
        verdict = judge(ours, step=step, texts=texts)[0]
        assert verdict["status"] == "not yet written" and name in verdict["sentence"]
        assert ("the function is right" in verdict["sentence"]) == (step < 8)


# ---- whoever does not behave

def folder_of(place, source, texts=REPORTS):
    place.mkdir(exist_ok=True)
    for name, text in (texts | {"model.py": source}).items():
        if isinstance(text, bytes):
            (place / name).write_bytes(text)
        else:
            (place / name).write_text(text, encoding="utf-8")
    return place


def listing(place):
    return {path.name: path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file()}


def running(mark):
    """The processes with a word in their command line."""
    found = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True).stdout
    return [line for line in found.splitlines() if mark in line and " ps " not in line]


def softmax(body):
    return BARE + f"\n\ndef softmax(xs):\n    {body}\n"


EVERY = range(1, 8)
MISBEHAVIOURS = {
    "an endless loop": (softmax("while True: pass"), [1, 2, 3, 4, 7],
                        "softmax had not ended after 1 seconds, in line"),
    "sleep": (BARE + "\n\ndef layer_norm(row, eps=0):\n    import time; time.sleep(99)", [6, 7],
              "layer_norm had not ended"),
    "sys.exit": (softmax("import sys; sys.exit()"), [1], "softmax leaves Python in line"),
    "exit": (softmax("raise SystemExit(3)"), [1], "softmax leaves Python in line"),
    "os._exit": (softmax("import os; os._exit(0)"), [1, 2, 3, 4, 7],
                 "softmax ended the whole of Python, with status 0"),
    "a signal": (softmax("import os; os.kill(os.getpid(), 11)"), [1, 2, 3, 4, 7],
                 "softmax ended the whole of Python, with status -11"),
    "an error": (softmax("return 1 / 0"), [1], "softmax raises ZeroDivisionError in line"),
    "a slip": (softmax("return [x for x in ys]"), [1],
               "softmax raises NameError in line 99: name 'ys' is not defined"),
    "input": (softmax("return [float(input()) for x in xs]"), [1], "softmax waits for input in line"),
    "recursion": (softmax("return softmax(xs)"), [1], "softmax calls itself without end, in line"),
    "memory": (softmax("return [0] * 10 ** 12"), [1], "softmax needs more memory than there is"),
    "memory, bit by bit": (softmax("while True: xs += xs"), [1],
                           "softmax needs more memory than there is|softmax had not ended"),
    "nan": (softmax("return [float('nan') for x in xs]"), [1], "there is a nan or an inf in what softmax"),
    "inf": (softmax("return [float('inf') for x in xs]"), [1], "there is a nan or an inf in what softmax"),
    "a name that is no function": (BARE + "softmax = 3", [1], "softmax is of type int, not a function"),
    "other arguments": (BARE + "\n\ndef attention(Q, K, V):\n    return Q, K", [2, 3, 4, 7],
                        "attention(Q, K, V) does not fit: the number of arguments on the sheet is 4"),
    "no argument": (BARE + "\n\ndef softmax():\n    pass", [1], "softmax() does not fit"),
    "no return": (softmax("xs = 3"), [1], "softmax returns None: is its return missing?"),
    "a generator": (softmax("yield 1"), [1], "softmax returns a generator, which holds no numbers yet"),
    "a map": (softmax("return map(exp, xs)"), [1], "softmax returns a map, which holds no numbers yet"),
    "a dictionary": (softmax("return {}"), [1], "softmax returns a dict where lists"),
    "text": (softmax("return str(xs)"), [1], "softmax returns a str where lists"),
    "complex numbers": (softmax("return [x + 1j for x in xs]"), [1], "softmax returns a table with a complex in it"),
    "one number": (softmax("return sum(xs)"), [1], "softmax returns one number, and a table of 3 is wanted"),
    "a pair with a number in it": (BARE + "\n\ndef attention(Q, K, V, mask=None):\n    return Q, 1",
                                   [2, 3, 4, 7],
                                   "attention returns a table of (2 × 4, 1), and (2 × 2, 2 × 3) is wanted"),
    "another size": (softmax("return xs + xs"), [1], "softmax returns a table of 6, and 3 is wanted"),
    "a huge whole number": (softmax("return [10 ** 999 for x in xs]"), [1], "softmax raises OverflowError"),
    "a None among numbers": (softmax("return [None for x in xs]"), [1],
                             "softmax returns a table with a NoneType in it, where a number is wanted"),
    "a million numbers": (softmax("return [0.1] * 10 ** 6"), [1],
                          "softmax returns a list of 1000000: no case asks for so many"),
    "a list without an end": (softmax("return L()") + "\nclass L(list):\n    def __iter__(self):\n"
                              "        while True: yield 1.0", [1], "softmax had not ended after 1 seconds"),
    "a number that is never one": (softmax("return [F(x) for x in xs]") + "\nclass F(float):\n"
                                   "    def __float__(self):\n        while True: pass", [1],
                                   "softmax had not ended after 1 seconds, in line"),
    "an error without words": (softmax("raise E") + "\nclass E(Exception):\n    def __str__(self): return 1",
                               [1], "softmax raises E in line 99: ?"),
    "an error of two lines": (softmax("raise KeyError('a\\nb', '\\x1b[31m\\ud800')"), [1],
                              "softmax raises KeyError in line 99: ('a\\nb', '\\x1b[31m\\ud800')"),
    "an error in colour": (softmax("raise ValueError('a\\nb \\x1b[31m \\ud800')"), [1],
                           "softmax raises ValueError in line 99: a b  [31m  "),
    "exit()": (softmax("exit()"), [1], "softmax leaves Python in line"),
    "a key that is pressed": (softmax("raise KeyboardInterrupt"), [1, 2, 3, 4, 7],
                              "softmax ended the whole of Python, with status -2"),
    "a return at the start": (BARE + "\nreturn 3\n", EVERY, "model.py is not Python, in line"),
    "a sum of thirty thousand": (BARE + "\nx = " + "+".join(["1"] * 30_000), EVERY,
                                 "model.py is not Python, in line"),
    "what a script may look at": (
        "import sys\nfrom pathlib import Path\nsys.stdout.reconfigure(encoding='utf-8')\n"
        "HERE = Path(__file__).parent\nN = int(sys.argv[1]) if len(sys.argv) > 1 else 8\n"
        "sys.stdout.buffer.write(b'x')\n" + BARE, [], ""),
    "changed inputs": (softmax("xs[0] = 3; return xs"), [1], "softmax changes the lists that it is given"),
    "a mistake in the grammar": (BARE + "\ndef f(:", EVERY, "model.py is not Python, in line"),
    "a zero byte": (BARE + "\0", EVERY, "model.py is not Python, in line"),
    "numpy": ("import math, numpy\n" + BARE, EVERY, "model.py imports numpy in line 1: only the standard"),
    "torch": ("from torch.nn import functional\n" + BARE, EVERY, "model.py imports torch.nn in line 1"),
    "a name that cannot be imported": ("from math import softmax\n" + BARE, EVERY,
                                       "model.py raises ImportError in line 1: cannot import"),
    "an error at the start": ("1 / 0\n", EVERY, "model.py raises ZeroDivisionError in line 1"),
    "an exit at the start": ("import sys\nsys.exit()\n", EVERY, "model.py leaves Python in line 2"),
    "an end at the start": ("import os\nos._exit(7)\n", EVERY,
                            "model.py ended the whole of Python, with status 7"),
    "a loop at the start": ("while True: pass\n", EVERY,
                            "model.py had not ended after 1 seconds, in line 1"),
    "input at the start": ("input()\n", EVERY, "model.py waits for input in line 1"),
    "a process that is left": ("import os, subprocess, sys\nsubprocess.Popen([sys.executable, '-c', "
                               "'import time; time.sleep(99)', os.getcwd()])\n" + BARE, [],
                               "a process was left running, and was stopped"),
    "a thread that is left": ("import threading, time\n"
                              "threading.Thread(target=time.sleep, args=[99]).start()\n" + BARE, [],
                              "a thread was left running"),
    "files": ("open('model.py', 'w').close()\nopen('x.txt', 'w').close()\n" + BARE, [],
              "written into a copy of the folder, and thrown away: x.txt"),
    "prints": (softmax("print('hi'); top = max(xs); p = [exp(x - top) for x in xs]; "
                       "return [x / sum(p) for x in p]"), [], "softmax prints 24 characters"),
    "very much print": (softmax("print('x' * 10 ** 7); top = max(xs); p = [exp(x - top) for x in xs]; "
                                "return [x / sum(p) for x in p]"), [], "softmax prints 80000008 characters"),
    "what goes past print": (softmax("import os; os.write(1, b'hi'); top = max(xs); "
                                     "p = [exp(x - top) for x in xs]; "
                                     "return [x / sum(p) for x in p]"), [], ""),
}


BRIEFLY = ("an endless loop", "os._exit", "an error", "a generator", "changed inputs", "numpy",
           "a process that is left", "files", "prints")


@pytest.mark.parametrize("what", [
    pytest.param(what, marks=[] if what in BRIEFLY else pytest.mark.long) for what in MISBEHAVIOURS])
def test_misbehaviour_has_its_sentence_and_costs_no_other_step(what, tmp_path, monkeypatch, capfd):
    source, steps, sentence = MISBEHAVIOURS[what]
    monkeypatch.setattr(grader, "SECONDS", 1)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))    # which every process then names
    folder = folder_of(tmp_path / "f", source)
    before = listing(folder)
    told = []
    verdicts, notes = grade(grader.read(folder), tell=told.append)
    assert told == verdicts and [each["step"] for each in verdicts] == [*range(1, 9)]
    assert {each["step"] for each in wrong(verdicts)} >= set(steps)
    assert all(each["status"] == "passed" for each in verdicts if each["step"] in (5, 8)) or steps == EVERY
    said = [*notes, *(remark for each in verdicts for remark in [*each["remarks"], each["sentence"]])]
    assert any(part in each for part in sentence.split("|") for each in said), said
    assert listing(folder) == before and not (folder / "__pycache__").exists()
    assert running(str(tmp_path)) == []
    assert capfd.readouterr().out == ""


# ---- the command

def command(*words, cwd=ROOT):
    return subprocess.run([sys.executable, "-m", "tf.grade", *map(str, words)], cwd=cwd,
                          capture_output=True, encoding="utf-8")


def test_our_own_folder_passes():
    done = command("tf")
    assert done.returncode == 0 and done.stdout.endswith("8 of 8 steps passed\n")
    assert command("tf", "--lang", "zh").stdout.endswith("8 步里通过了 8 步\n")


def test_a_wrong_step_is_shown_in_full_and_the_exit_status_is_1(tmp_path, capsys):
    names = ("no-scale", "post-ln")
    source = BARE
    for name in names:
        for old, new in MISTAKES[name].forms[0]:
            source = source.replace(old, new)
    folder = str(folder_of(tmp_path / "f", source))
    assert main([folder]) == 1 and main([folder, "--step", "6"]) == 0
    said = capsys.readouterr().out
    assert "2  attention     wrong: attention returns other numbers: the largest difference is 0." in said
    for part in "input: attention([[", "got: [[[", "expected: [[[", "largest difference: 0.":
        assert f"\n     {part}" in said
    assert "This is what you get when the scores are not divided by √d_k." in said
    assert "docs/02-attention.md#divided-by-the-wrong-thing" in said
    assert "4 of 8 steps passed" in said and "1 of 1 steps passed" in said
    assert main([folder, "--step", "2", "--lang", "zh"]) == 1
    said = capsys.readouterr().out
    assert "这样的结果，出自这个错误：分数没有除以 √d_k。" in said
    assert "docs/02-attention.zh.md#divided-by-the-wrong-thing" in said
    assert main([folder, "--json"]) == 1
    report = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert [each["status"] == "passed" for each in report["steps"]] == [
        True, False, True, True, True, True, False, True] or report


@pytest.mark.parametrize("make, sentence", [
    (lambda place: None, "{} is not there"),
    (lambda place: place.write_text("x"), "{} is no folder"),
    (lambda place: place.mkdir(), "there is no model.py in {}"),
    (lambda place: (place / "model.py").mkdir(parents=True), "there is no model.py in {}"),
    (lambda place: folder_of(place, b"x = 1\n# \xff\n"), "model.py is not UTF-8, in line 2"),
])
def test_a_folder_that_cannot_be_graded(make, sentence, tmp_path, capsys):
    make(tmp_path / "f")
    assert main([str(tmp_path / "f")]) == 1
    assert sentence.format(tmp_path / "f") in capsys.readouterr().err


def test_a_stub_below_is_what_is_missing():
    stub = BARE + "\n\ndef softmax(xs):\n    raise NotImplementedError\n"
    verdicts = judge_source(stub, texts=REPORTS)
    assert {each["sentence"] for each in verdicts if each["status"] == "not yet written"} == {
        "softmax is not there yet"}
    assert [each["step"] for each in verdicts if each["status"] == "not yet written"] == [1, 2, 3, 4, 7]


def test_what_hangs_or_fails_in_a_neighbour_is_told_of_the_function(tmp_path, monkeypatch):
    monkeypatch.setattr(grader, "SECONDS", 1)
    loop = {"parts.py": BARE + "\n\ndef softmax(xs):\n    while True: pass\n", "resource.py": "1 / 0"}
    folder = folder_of(tmp_path / "f", "from parts import *\n", REPORTS | loop)
    verdict = grade(grader.read(folder), last=1)[0][0]
    assert verdict["sentence"] == "softmax had not ended after 1 seconds, in line ?"


@pytest.mark.parametrize("data, sentence", [
    ("0.8701 0.3556".encode("utf-16"), "as the sheet asks"),
    ("\ufeff0.8701 0.3556".encode(), "as the sheet asks"),
    ("除以后".encode("gbk"), "02-scale.txt is not UTF-8: save it as UTF-8")])
def test_a_text_in_the_encoding_of_another_system(data, sentence, tmp_path):
    folder = folder_of(tmp_path / "f", BARE, {"02-scale.txt": data})
    assert grade(grader.read(folder), last=2)[0][1]["sentence"] == sentence


def test_a_neighbour_may_be_imported(tmp_path):
    folder = folder_of(tmp_path / "f", "from parts import *\n", REPORTS | {"parts.py": BARE})
    assert wrong(grade(grader.read(folder))[0]) == []


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_start_lays_out_a_model_and_never_overwrites(lang, tmp_path, capsys):
    folder = tmp_path / "new" / "tf"
    assert main(["--start", str(folder), "--lang", lang]) == 0
    source = (folder / "model.py").read_text(encoding="utf-8")
    assert f"python3 -m tf.grade {folder}" in source
    assert all(f"def {name}(" in source for name in STEPS[:7])
    assert {each["status"] for each in judge_source(source, lang)} == {"not yet written"}
    assert main(["--start", str(folder)]) == 1 and main([str(folder)]) == 1
    assert (folder / "model.py").read_text(encoding="utf-8") == source
    assert [path.name for path in folder.iterdir()] == ["model.py"]


@pytest.mark.parametrize("name", ["C:\\\\new\\\\U", 'a """b', "with a blank", os.fsdecode(b"caf\xe9")])
def test_start_lays_out_python_whatever_the_name_of_the_folder(name, tmp_path):
    folder = tmp_path / name
    told = command("--start", folder).stdout
    source = (folder / "model.py").read_text(encoding="utf-8", errors="surrogateescape")
    compile(source.encode("utf-8", "replace"), "model.py", "exec")
    words = shlex.split(source.partition("python3 -m tf.grade ")[2].partition("\n")[0])
    assert words == [str(folder)] and "python3 -m tf.grade " in told


def test_the_script_of_the_reading_notes_returns_the_wrong_way_round():
    script = (ROOT / "tf/02_attention.py").read_text(encoding="utf-8")
    verdict = judge_source(script, step=2)[0]
    assert verdict["mistakes"] == ["returns-swapped", "always-causal"]
    assert "attention returns (weights, out)" in verdict["diagnosis"]
    adapted = script.replace("causal=True", "mask=None").replace("if causal", "if mask") \
        .replace("j <= i else", "mask[len(weights)][j] else").replace("and n_q != n_k", "and False")
    verdict = judge_source(adapted, step=2)[0]
    assert verdict["mistakes"] == ["returns-swapped"]


def test_every_sentence_stands_in_both_languages():
    for english, chinese in SAYS.values():
        assert english != chinese and not set("，。：？“”") & set(english)
        assert any("\u4e00" <= letter <= "\u9fff" for letter in chinese)
    assert {each["sentence"] for each in judge(ours, "zh", texts=REPORTS)} == {SAYS["passed"][1]}


# ---- what others wrote, from the task sheet, without having seen our code

SOLUTIONS = ROOT / "tests/solutions"
OTHERS = sorted(path.name for path in SOLUTIONS.iterdir() if path.is_dir())
SLIPS = json.loads((SOLUTIONS / "mistakes.json").read_text(encoding="utf-8"))


def solution(name):
    folder = SOLUTIONS / name
    return [(folder / "model.py").read_text(encoding="utf-8"),
            {text: (folder / text).read_text(encoding="utf-8") for text in TEXTS.values()}]


@pytest.mark.parametrize("name", OTHERS)
def test_another_solution_passes(name):
    source, texts = solution(name)
    assert [each["sentence"] for each in judge_source(source, texts=texts)
            if each["status"] != "passed"] == []


@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: f"{slip['from']}: {slip['what']}")
def test_a_mistake_in_it_is_named_if_it_is_one_of_ours_and_never_by_another_name(slip):
    source, texts = solution(slip["from"])
    assert source.count(slip["old"]) == 1
    found = wrong(judge_source(source.replace(slip["old"], slip["new"]), texts=texts))
    assert found[0]["step"] == slip["step"]
    assert {id for each in found for id in each["mistakes"]} == {slip["id"]} - {None}
    assert slip["id"] or found[0]["diagnosis"] == "Wrong, cause unknown."


def test_there_are_enough_of_them():
    assert len(OTHERS) == 10 and len(MISTAKES) >= 40 and len(MISBEHAVIOURS) >= 25
    assert [sum(slip["id"] is None for slip in SLIPS), len(SLIPS)] == [15, 45]
