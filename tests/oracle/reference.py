"""The cases that ONNX publishes for its operators, and what its reference makes of ours.

The cases come with the package: onnx.backend.test holds the inputs and outputs, float32. Of each
we keep a head of one text, for heads and texts do not mix (of grouped heads, two groups), or the
first rows. What differs in nothing but its layout is kept once.
"""

import warnings
from math import inf

import numpy as np
import onnx
from golden import at_random, compact
from onnx.backend.test.case.node import collect_testcases
from onnx.reference import ReferenceEvaluator


def published(operator):
    """(name, {input: array}, {output: array}, {attribute: value}) of every float32 case."""
    with warnings.catch_warnings(action="ignore"):
        tests = collect_testcases(None)
    for test in tests:
        node, (inputs, outputs) = test.model.graph.node[0], test.data_sets[0]
        if node.op_type == operator and len(test.model.graph.node) == 1 and (
                inputs[0].dtype == np.float32):
            yield (test.name.removeprefix("test_"),
                   dict(zip(filter(None, node.input), inputs)),
                   dict(zip(filter(None, node.output), outputs)),
                   {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute})


def numbers(X):
    """Lists of the shortest decimals that mean these float32; -inf becomes null."""
    if X.ndim:
        return [numbers(x) for x in X]
    return None if X == -inf else float(str(X)) if X.dtype == np.float32 else int(X)


def once(cases):
    """The cases without those that ask the same again."""
    return list({compact([c["call"], c["options"]]): c for c in reversed(cases)}.values())[::-1]


def ours(name, call, *args, out, **options):
    options = {key: x for key, x in options.items() if x is not None}
    return {"name": f"ONNX: {name}", "call": {call: args}, "options": options, "out": out}


# Attention

def attentions():
    return once([attention(*test) for test in published("Attention")])


def attention(name, given, answer, attributes):
    Q, K, V, Y = (heads(given.get(X, answer.get(X)), attributes.get(f"{of}_num_heads"))
                  for X, of in (("Q", "q"), ("K", "kv"), ("V", "kv"), ("Y", "q")))
    if "past_key" in given:
        K = np.concatenate((given["past_key"], K), 2)
        V = np.concatenate((given["past_value"], V), 2)
    text, group = len(Q) - 1, Q.shape[1] // K.shape[1]
    mask, bias = mask_and_bias(given, attributes, Q.shape[2], K.shape[2], text, Q.shape[1] - 1)
    scale, softcap = attributes.get("scale"), attributes.get("softcap")
    if group > 1 and bias is None and scale is None and softcap is None:
        parts = Q[text, :2 * group], K[text, :2], V[text, :2]
        return ours(name, "gqa", *map(numbers, parts), mask, out=numbers(Y[text, :2 * group]))
    out = [numbers(Y[text, -1]), None]
    if attributes.get("qk_matmul_output_mode") == 3:
        out[1] = numbers(answer["qk_matmul_output"][text, -1])
    if not Y[text, -1].any(1).all():
        out = None     # a query that sees no key: zeros there, refused here
    return ours(name, "attend", *(numbers(X[text, -1]) for X in (Q, K, V)), out=out, mask=mask,
                bias=bias, scale=scale and numbers(np.float32(scale)), softcap=softcap)


def heads(X, h):
    """text x head x position x width, where the heads may have stood side by side."""
    return X if X.ndim == 4 else X.reshape(*X.shape[:2], h, -1).swapaxes(1, 2)


def mask_and_bias(given, attributes, n_q, n_k, text, head):
    """The mask as calls of ours, of which all must allow a key; the bias as numbers."""
    terms, bias, past = [], None, 0
    if "past_key" in given:
        past = given["past_key"].shape[2]
    if "nonpad_kv_seqlen" in given:
        valid = int(given["nonpad_kv_seqlen"][text])
        past = valid - n_q
        terms.append({"key_padding_mask": [n_q, n_k, [int(j < valid) for j in range(n_k)]]})
    if attributes.get("is_causal"):
        terms.append({"causal_mask_topleft": [n_q, n_k]} if past == 0 else
                     {"causal_mask_past": [n_q, n_k]} if past == n_k - n_q else
                     {"sliding_window_mask": [n_q, n_k, n_k, 0, past]})
    left, right = (attributes.get(f"{side}_window_size", -1) for side in ("left", "right"))
    if max(left, right) >= 0:
        left, right = (n_k if x < 0 else x for x in (left, right))
        terms.append({"sliding_window_mask": [n_q, n_k, left, right, past]})
    if "attn_mask" in given:
        table = given["attn_mask"]
        table = np.broadcast_to(table, (text + 1, head + 1, n_q, table.shape[-1]))[text, head]
        hidden = False if table.dtype == bool else np.float32(-inf)
        table = np.pad(table, ((0, 0), (0, n_k - table.shape[1])), constant_values=hidden)
        if table.dtype == bool:
            terms.append(numbers(table))
        else:
            bias = numbers(table)
    while len(terms) > 1:
        terms.append({"and_masks": [terms.pop(), terms.pop()]})
    return terms[0] if terms else None, bias


def seen_by_onnx(n_q, n_k, left, right, past):
    """1 where ONNX's sliding window lets a query see a key, of scores that are all 0."""
    zeros = {"Q": (n_q, 1), "K": (n_k - past, 1), "V": (n_k - past, 1)}
    zeros |= {"past_key": (past, 1), "past_value": (past, 1)} if past else {}
    names = ["Q", "K", "V", "", *list(zeros)[3:]]
    node = onnx.helper.make_node("Attention", names, ["", "", "", "seen"], left_window_size=left,
                                 right_window_size=right, qk_matmul_output_mode=3)
    seen = run(node, 25, "seen", {X: np.zeros((1, 1, *shape)) for X, shape in zeros.items()})
    return (seen[0, 0] > 0).astype(int).tolist()


def run(node, opset, output, given):
    """The output of one node, by ONNX's reference, in float32."""
    given = {name: x.astype(np.int64 if x.dtype == int else np.float32)
             for name, x in given.items()}
    value = onnx.helper.make_tensor_value_info
    kinds = {name: onnx.helper.np_dtype_to_tensor_dtype(x.dtype) for name, x in given.items()}
    graph = onnx.helper.make_graph(
        [node], "one", [value(name, kinds[name], x.shape) for name, x in given.items()],
        [value(output, onnx.TensorProto.FLOAT, None)])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", opset)])
    return ReferenceEvaluator(model).run([output], given)[0]


# RotaryEmbedding

def rotations():
    """Those that ONNX publishes have caches that are no angles; ours are rope's angles."""
    cases = []
    for name, given, answer, attributes in published("RotaryEmbedding"):
        X, Y = (heads(x, attributes.get("num_heads")) for x in (given["input"], answer["output"]))
        caches = given["cos_cache"], given["sin_cache"]
        if "position_ids" in given:
            caches = [cache[given["position_ids"]] for cache in caches]
        args = numbers(X[1, -1]), *(numbers(cache[1]) for cache in caches)
        cases.append(ours(name, "rotary", *args, bool(attributes.get("interleaved")),
                          out=numbers(Y[1, -1])))
    for seed, (n, d, start, base) in enumerate((
            (1, 2, 1, 10000), (3, 4, 0, 10000), (4, 8, 5, 10000), (3, 8, 1000, 10000),
            (2, 16, 40, 500000), (3, 6, 2, 10))):
        X, *_ = at_random(520 + seed, n, 1, d, 1)
        angles = np.outer(np.arange(start + n), float(base) ** (-np.arange(0, d, 2) / d))
        given = {"X": np.array([[X]]), "cos": np.cos(angles), "sin": np.sin(angles),
                 "ids": np.arange(start, start + n)[None]}
        for interleaved in 0, 1:
            node = onnx.helper.make_node("RotaryEmbedding", list(given), ["Y"],
                                         interleaved=interleaved)
            out = numbers(run(node, 23, "Y", given)[0, 0])
            name = f"{n} x {d} from {start}, base {base}, interleaved {interleaved}"
            cases.append(ours(name, "rope", X, start, base, bool(interleaved), out=out))
    return once(cases)


# LayerNormalization and RMSNormalization

def normalisations():
    """A row is what is normalised at once, however many axes it has. Three rows of each."""
    cases = []
    for operator, call in (("LayerNormalization", "norm"), ("RMSNormalization", "rms_scaled")):
        for name, given, answer, attributes in published(operator):
            axis = attributes.get("axis", -1)
            X, Y = (x.reshape(int(np.prod(x.shape[:axis])), -1)[:3] for x in
                    (given["X"], answer["Y"]))
            given = [numbers(given[W].flatten()) for W in ("W", "B") if W in given]
            eps = numbers(np.float32(attributes.get("epsilon", 1e-5)))
            if "negative" not in name:
                cases.append(ours(name, call, numbers(X), *given, eps, out=numbers(Y)))
    return once(cases)
