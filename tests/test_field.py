"""The code of the chapters on the field, against PyTorch's numbers and ONNX's."""

import json
import math
from inspect import signature
from math import inf, isclose
from pathlib import Path

import pytest
from tf import cost, flash, gradients, masks, model, positions, transformer

ROOT = Path(__file__).parent.parent
GOLDEN, OF_MODEL = (json.loads((ROOT / "tests/golden" / file).read_text(encoding="utf-8"))
                    for file in ("field.json", "model.json"))
LAYERS = {layer["name"]: layer["numbers"] for layer in GOLDEN["layers"]}
PARTS = [part for part in GOLDEN if part not in ("made by", "layers")]


# What a case may call

def in_steps(Q, K, V, steps):
    """A cache that is given so many rows at a time."""
    cache, start, out = cost.Cache(), 0, []
    for n in steps:
        out += cache.step(*(list(X[start:start + n]) for X in (Q, K, V)))
        start += n
    return out


def rotary(X, cosines, sines, interleaved):
    """ONNX's RotaryEmbedding. Its published caches are no angles: the quarter of a turn that
    belongs to the sine is made of rope's first turn, 1 radian for every pair if the base is 1.
    """
    wide = 2 * len(cosines[0])
    rows = []
    for row, cos_row, sin_row in zip(X, cosines, sines):
        turned, = positions.rope([row[:wide]], 1, 1.0, interleaved)
        quarter = [(t - x * math.cos(1)) / math.sin(1) for t, x in zip(turned, row)]
        pair = [c // 2 if interleaved else c % (wide // 2) for c in range(wide)]
        rows.append([row[c] * cos_row[p] + quarter[c] * sin_row[p] for c, p in enumerate(pair)]
                    + list(row[wide:]))
    return rows


def rms_scaled(X, gain, eps):
    return [[g * x for g, x in zip(gain, transformer.rms_norm(row, eps), strict=True)]
            for row in X]


CALLS = {name: function for module in (gradients, transformer, flash, cost, positions, masks)
         for name, function in vars(module).items() if callable(function)}
CALLS |= {"in_steps": in_steps, "rotary": rotary, "rms_scaled": rms_scaled,
          "layer": lambda name: transformer.Layer(*LAYERS[name]),
          "softmax": model.softmax, "function": lambda name: CALLS[name]}


# How a case is compared

def answer(call, options, row_of=list):
    """What a case's call returns. The input must be left as it was."""
    (name, args), = call.items()
    args = [value(x, row_of) for x in args]
    options = {key: value(x, row_of) for key, x in options.items()}
    before = repr((args, options))
    out = CALLS[name](*args, **options)
    assert repr((args, options)) == before, "the input was changed"
    return out


def value(x, row_of):
    """An argument: a call is called, and a null among numbers is -inf."""
    if isinstance(x, dict):
        return answer(x, {}, row_of)
    if isinstance(x, list):
        return row_of([-inf if y is None else value(y, row_of) for y in x])
    return x


def difference(got, want, step=1e-12, size=1):
    """What is wrong with an answer, or None: floats are equal to a step, all else exactly.

    size is that of the numbers that went in, where it is below 1. A null wants nothing.
    """
    if want is None:
        return None
    if isinstance(want, list):
        if len(got) != len(want):
            return f"{len(got)} things are not {len(want)}"
        return next(filter(None, (difference(*two, step, size) for two in zip(got, want))), None)
    if isinstance(want, float):
        same = isclose(got, want, rel_tol=step, abs_tol=step * size)
    else:
        same = got == want
    return None if same else f"{got} is not {want}"


def wrong(part, case, row_of=list):
    step = 1e-6 if part == "onnx" else 1e-12
    try:
        out = answer(case["call"], case["options"], row_of)
    except ValueError as error:
        return None if case["out"] is None else f"refused: {error}"
    return difference(out, case["out"], step) if case["out"] is not None else "not refused"


def golden(*parts, of=lambda case: True):
    return pytest.mark.parametrize("part, case", [
        pytest.param(part, case, id=f"{'+'.join(case['call'])}: {case['name']}")
        for part in parts for case in GOLDEN[part] if of(case)])


# The numbers

@golden(*PARTS)
def test_the_field_agrees_with_pytorch_and_onnx(part, case):
    assert not wrong(part, case)


@golden(*PARTS, of=lambda case: "in_steps" not in case["call"])
def test_tables_may_be_tuples(part, case):
    assert not wrong(part, case, row_of=tuple)


@pytest.mark.parametrize("case", OF_MODEL["attention"], ids=lambda case: case["name"])
def test_every_attention_has_the_numbers_of_the_first(case):
    """Without extras attend is attention; so is a group of one head, and what is cut or tiled."""
    Q, K, V, mask, out, weights = (case[X] for X in ("Q", "K", "V", "mask", "out", "weights"))
    everything = mask or [[1] * len(K)] * len(Q)
    bias = [[0 if x else -inf for x in row] for row in everything]
    size = min(1, max(abs(x) for row in V for x in row))
    for both in (masks.attend(Q, K, V, mask), cost.attention_cut(Q, K, V, everything),
                 masks.attend(Q, K, V, bias=bias)):
        assert not difference(both[0], out, size=size)
        assert not difference(both[1], weights)
        assert all(w == 0 for row in zip(both[1], everything) for w, seen in zip(*row) if not seen)
    assert not difference(cost.gqa([Q], [K], [V], mask), [out], size=size)
    for block_size in {1, 2, 3, 5, 16, len(K), len(K) + 1, 1000}:
        assert not difference(flash.flash_attention(Q, K, V, mask, block_size), out, size=size)


@golden("flash")
def test_the_size_of_a_block_changes_nothing(part, case):
    Q, K, V, mask = case["call"]["flash_attention"]
    for size in range(1, len(K) + 2):
        assert not difference(flash.flash_attention(Q, K, V, mask, block_size=size), case["out"])


@golden("cost", of=lambda case: "gqa" in case["call"])
def test_a_head_of_keys_for_each_of_queries_is_attention_head_by_head(part, case):
    """The same heads of keys, given as often as they are read."""
    Qh, Kh, Vh, mask = case["call"]["gqa"]
    group = len(Qh) // len(Kh)
    Kh, Vh = ([X for X in heads for _ in range(group)] for heads in (Kh, Vh))
    assert not difference(cost.gqa(Qh, Kh, Vh, mask), case["out"])
    alone = [model.attention(*tables, mask)[0] for tables in zip(Qh, Kh, Vh)]
    assert cost.gqa(Qh, Kh, Vh, mask) == alone


@pytest.mark.parametrize("interleaved", [True, False])
@pytest.mark.parametrize("d", [2, 4, 16])
def test_turned_scores_know_only_the_distance(d, interleaved):
    rows = [[math.sin(3 * i + c) for c in range(d)] for i in range(6)]
    def scores(start):
        return [[model.dot(q, k) for k in positions.rope(rows, start, interleaved=interleaved)]
                for q in positions.rope(rows[::-1], start, interleaved=interleaved)]
    for start in 1, 7, 1000:
        assert not difference(scores(start), scores(0), 1e-11)
    for start in range(5):
        rest = positions.rope(rows[start:], start, interleaved=interleaved)
        assert rest == positions.rope(rows, interleaved=interleaved)[start:]


@golden("transformer", of=lambda case: {"pre_ln", "post_ln"} & {*case["call"]})
def test_a_causal_layer_does_not_look_ahead(part, case):
    """Without its last row the others come out as before."""
    (name, (X, w, h, mask)), = case["call"].items()
    if len(X) > 1 and mask == model.causal_mask(len(X)):
        short = {name: [X[:-1], w, h, [row[:-1] for row in mask[:-1]]]}
        assert not difference(answer(short, case["options"]), case["out"][:-1])


# The file

def test_the_golden_numbers_say_who_made_them():
    assert "PyTorch" in GOLDEN["made by"] and "onnx" in GOLDEN["made by"]
    names = [(str(list(case["call"])), case["name"]) for part in PARTS for case in GOLDEN[part]]
    assert len(names) == len(set(names)) >= 300
    assert sum(path.stat().st_size for path in (ROOT / "tests/golden").iterdir()) < 1_000_000


def test_what_the_chapters_promise_is_called():
    asked = {name for part in PARTS for case in GOLDEN[part] for name in names_in(case)}
    assert asked >= {
        "attend", "causal_mask_past", "causal_mask_topleft", "key_padding_mask", "and_masks",
        "sliding_window_mask", "rope", "alibi_slopes", "alibi_bias", "gqa", "attention_cut",
        "mixture", "flash_attention", "rms_norm", "linear", "norm", "feed_forward",
        "self_attention", "pre_ln", "post_ln", "logits"} | {
        name for name, function in vars(gradients).items()
        if name.endswith("_back") and "d_out" in signature(function).parameters}


def names_in(x):
    if isinstance(x, dict):
        return {*x, *(name for y in x.values() for name in names_in(y))}
    return {name for y in x for name in names_in(y)} if isinstance(x, list) else set()
