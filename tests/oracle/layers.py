"""What PyTorch answers for tf/transformer.py and tf/gradients.py.

Its layer is TransformerEncoderLayer; gradients are autograd's, through PyTorch's functions and
modules, and again through the formula. gradcheck holds them against small steps as well.
"""

from random import Random

import torch
from attention import by_formula, by_sdpa
from golden import agree, at_random, case, causal, masks, tensor, vector
from torch import nn
from torch.nn import functional


# tf/transformer.py

FIELDS = ("W_q b_q W_k b_k W_v b_v W_o b_o gain_1 bias_1 "
          "W_1 b_1 W_2 b_2 gain_2 bias_2").split()


def layers():
    """{name: the numbers in the order of FIELDS}, as large as PyTorch makes them and larger."""
    def numbers(seed, d, wide, spread):
        random = Random(seed)
        shapes = {"W_1": (wide, d), "W_2": (d, wide), "b_1": (wide,)}
        for field in FIELDS:
            *rows, n = shapes.get(field, (d, d) if field[0] == "W" else (d,))
            if rows:
                yield [vector(random, n, spread / n ** 0.5) for _ in range(rows[0])]
            else:
                around = 1 if field[:4] == "gain" else 0
                yield [round(around + x, 4) for x in vector(random, n, 0.2)]
    return {
        "d 4": list(numbers(800, 4, 8, 1)),
        "d 6": list(numbers(801, 6, 4, 1)),
        "d 8": list(numbers(802, 8, 16, 1)),
        "d 4, loud": list(numbers(803, 4, 6, 4)),
    }


LAYERS = layers()


def trained():
    """The layers as they stand in the file."""
    return [{"name": name, "numbers": numbers} for name, numbers in LAYERS.items()]


def weights_of(name):
    return dict(zip(FIELDS, map(tensor, LAYERS[name])))


def layer_of(name, h, norm_first=True, activation="relu"):
    """PyTorch's encoder layer with these numbers."""
    w = weights_of(name)
    layer = nn.TransformerEncoderLayer(
        len(w["b_q"]), h, len(w["b_1"]), dropout=0, activation=activation, batch_first=True,
        norm_first=norm_first, dtype=torch.float64)
    with torch.no_grad():
        for part, field in parts_of(layer).items():
            part.copy_(torch.cat([w[f] for f in field]) if isinstance(field, tuple) else w[field])
    return layer


def parts_of(layer):
    """{a parameter of PyTorch's layer: our name, or three for the one that holds three}."""
    attn = layer.self_attn
    return {
        attn.in_proj_weight: ("W_q", "W_k", "W_v"), attn.in_proj_bias: ("b_q", "b_k", "b_v"),
        attn.out_proj.weight: "W_o", attn.out_proj.bias: "b_o",
        layer.norm1.weight: "gain_1", layer.norm1.bias: "bias_1",
        layer.linear1.weight: "W_1", layer.linear1.bias: "b_1",
        layer.linear2.weight: "W_2", layer.linear2.bias: "b_2",
        layer.norm2.weight: "gain_2", layer.norm2.bias: "bias_2",
    }


def through(layer, call, x, hidden=None):
    """What PyTorch's modules make of x."""
    if call in ("pre_ln", "post_ln"):
        return layer(x[None], src_mask=hidden)[0]
    x = x if call == "self_attention" else layer.norm1(x)
    x = layer.self_attn(x[None], x[None], x[None], attn_mask=hidden)[0][0]
    if call == "self_attention":
        return x
    return layer.linear2(functional.relu(layer.linear1(layer.norm2(x))))


def layer_cases():
    cases = []
    for seed, (name, n, h) in enumerate((
            ("d 4", 1, 1), ("d 4", 3, 2), ("d 6", 4, 3), ("d 8", 5, 4), ("d 8", 3, 1),
            ("d 4, loud", 4, 2))):
        X, *_ = at_random(810 + seed, n, 1, len(LAYERS[name][1]), 1)
        for call, kind, act in (("pre_ln", "no mask", "relu"), ("pre_ln", "causal", "gelu"),
                                ("post_ln", "causal", "relu"), ("post_ln", "any mask", "gelu"),
                                ("self_attention", "padding", None)):
            mask = masks(seed, n, n)[kind]
            options = {"act": {"function": [act]}} if act else {}
            out = layer_out(call, X, name, h, mask, act)
            cases.append(case(f"{call}, {name}, {n} rows, h {h}, {kind}, {act}", call, X,
                              {"layer": [name]}, h, mask, out=out, **options))
    return cases


def layer_out(call, X, name, h, mask, act):
    """By PyTorch's layer, and by its formula."""
    hidden = None if mask is None else tensor(mask) == 0
    layer = layer_of(name, h, call == "pre_ln", act or "relu")
    X, w = tensor(X), weights_of(name)
    with torch.no_grad():
        out = through(layer, call, X, hidden)
    agree(name, [out], [BY_FORMULA[call](X, w, h, mask, act)])
    return out


def heads_by_formula(X, w, h, mask, _act=None):
    Q, K, V = ((X @ w[f"W_{c}"].T + w[f"b_{c}"]).view(len(X), h, -1).transpose(0, 1)
               for c in "qkv")
    out, _ = by_formula(Q, K, V, mask)
    return out.transpose(0, 1).reshape(X.shape) @ w["W_o"].T + w["b_o"]


def feed_by_formula(X, w, act):
    inner = X @ w["W_1"].T + w["b_1"]
    if act == "gelu":
        inner = inner * (1 + torch.erf(inner / 2 ** 0.5)) / 2
    else:
        inner = inner.clamp(min=0)
    return inner @ w["W_2"].T + w["b_2"]


def norm_by_formula(X, gain, bias, eps=1e-5):
    X = X - X.mean(-1, keepdim=True)
    return X / (X.square().mean(-1, keepdim=True) + eps).sqrt() * gain + bias


def pre_by_formula(X, w, h, mask, act):
    X = X + heads_by_formula(norm_by_formula(X, w["gain_1"], w["bias_1"]), w, h, mask)
    return X + feed_by_formula(norm_by_formula(X, w["gain_2"], w["bias_2"]), w, act)


def post_by_formula(X, w, h, mask, act):
    X = norm_by_formula(X + heads_by_formula(X, w, h, mask), w["gain_1"], w["bias_1"])
    return norm_by_formula(X + feed_by_formula(X, w, act), w["gain_2"], w["bias_2"])


def bare_by_formula(X, w, h, mask, act):
    X = heads_by_formula(norm_by_formula(X, w["gain_1"], w["bias_1"]), w, h, mask)
    return feed_by_formula(norm_by_formula(X, w["gain_2"], w["bias_2"]), w, act)


BY_FORMULA = {"pre_ln": pre_by_formula, "post_ln": post_by_formula, "bare": bare_by_formula,
              "self_attention": heads_by_formula}


def part_cases():
    """linear, norm, feed_forward, gelu, by torch.nn.functional."""
    cases = []
    for seed, (n, d, out) in enumerate(((1, 1, 1), (3, 4, 2), (2, 3, 5))):
        X, W, _ = at_random(830 + seed, n, out, d, 1)
        b = vector(Random(seed), out, 1)
        cases.append(case(f"{n} x {d} to {out}", "linear", X, W, b,
                          out=functional.linear(*map(tensor, (X, W, b)))))
    for seed, (n, d, eps) in enumerate(((1, 4, 1e-5), (3, 6, 1e-5), (2, 8, 1e-3), (2, 2, 1.0))):
        X, *_ = at_random(840 + seed, n, 1, d, 1, 3)
        gain, bias = (vector(Random(k + seed), d, 1) for k in (0, 50))
        out = functional.layer_norm(tensor(X), (d,), tensor(gain), tensor(bias), eps)
        agree("norm", [out], [norm_by_formula(tensor(X), tensor(gain), tensor(bias), eps)])
        cases.append(case(f"{n} x {d}, eps {eps:g}", "norm", X, gain, bias, eps, out=out))
    for seed, (name, act) in enumerate((("d 4", "relu"), ("d 6", "gelu"), ("d 8", "gelu"),
                                        ("d 4, loud", "relu"), ("d 4, loud", "gelu"))):
        w = weights_of(name)
        tables = [w[f].tolist() for f in ("W_1", "b_1", "W_2", "b_2")]
        X, *_ = at_random(850 + seed, 3, 1, len(w["b_q"]), 1)
        inner = getattr(functional, act)(functional.linear(tensor(X), w["W_1"], w["b_1"]))
        out = functional.linear(inner, w["W_2"], w["b_2"])
        agree("feed", [out], [feed_by_formula(tensor(X), w, act)])
        cases.append(case(f"{name}, {act}", "feed_forward", X, *tables, out=out,
                          act={"function": [act]}))
    for x in (-40.0, -5.0, -1.0, -0.25, 0.0, 1e-6, 0.5, 1.0, 3.0, 40.0):
        cases.append(case(f"{x:g}", "gelu", x, out=functional.gelu(tensor(x))))
    for x in (-2.5, 0.0, 2.5):
        cases.append(case(f"{x:g}", "relu", x, out=functional.relu(tensor(x))))
    return cases


def rms_norm_cases():
    random = Random(860)
    rows = {
        "one to four": [1, 2, 3, 4],
        "one number": [5],
        "minus one": [-1],
        "zeros": [0, 0, 0],
        "equal": [3, 3, 3, 3],
        "one hot": [1, 0, 0, 0],
        "both signs": [3, 1, -1],
        "far away": [1e6 + 1, 1e6 + 2],
        "far apart": [1e150, -1e150, 3e149],
        "small": [0.001, -0.002, 0.003],
        "smaller than eps": [1e-8, 2e-8],
        "64 numbers": vector(random, 64, 1),
        "33 loud numbers": vector(random, 33, 100),
    }
    cases = {name: (row, 1e-5) for name, row in rows.items()}
    for eps in (1e-12, 1e-6, 1e-3, 1):
        cases |= {f"{name}, eps {eps:g}": (rows[name], eps)
                  for name in ("one to four", "small", "smaller than eps")}
    made = []
    for name, (row, eps) in cases.items():
        out = functional.rms_norm(tensor(row), (len(row),), None, eps)
        agree(name, [out], [tensor(row) / (tensor(row).square().mean() + eps).sqrt()])
        made.append(case(name, "rms_norm", row, eps, out=out))
    return made


def logits_cases():
    cases = []
    for seed, (names, h, words) in enumerate((
            (["d 4"], 1, 3), ([], 1, 4), (["d 4", "d 4, loud"], 2, 5),
            (["d 6", "d 6", "d 6"], 3, 4), (["d 8"], 4, 6))):
        d = len(LAYERS[names[0]][1]) if names else 4
        tokens, positions, _ = at_random(870 + seed, words, 5, d, 1)
        gain, bias = [1 + x for x in vector(Random(seed), d, 0.1)], vector(Random(seed), d, 0.1)
        ids = [Random(seed + k).randrange(words) for k in range(4)]
        out = scored(ids, tokens, positions, names, h, gain, bias)
        model = {"Model": [tokens, positions, [{"layer": [name]} for name in names], gain, bias]}
        cases.append(case(f"{len(names)} layers, {words} tokens", "logits", ids, model, h,
                          out=out))
    return cases


def scored(ids, tokens, positions, names, h, gain, bias):
    """GPT-2's order, by PyTorch's modules."""
    n, d = len(ids), len(gain)
    X = tensor(tokens)[ids] + tensor(positions)[:n]
    hidden, Y = tensor(causal(n, n)) == 0, X
    with torch.no_grad():
        for name in names:
            X = layer_of(name, h, True, "gelu")(X[None], src_mask=hidden)[0]
            w = weights_of(name)
            Y = pre_by_formula(Y, w, h, causal(n, n), "gelu")
    out = functional.layer_norm(X, (d,), tensor(gain), tensor(bias)) @ tensor(tokens).T
    agree("logits", [out], [norm_by_formula(Y, tensor(gain), tensor(bias)) @ tensor(tokens).T])
    return out


# tf/gradients.py

def backward(function, inputs, d_out):
    """Gradients of sum(function(inputs) * d_out), by autograd."""
    inputs = [tensor(x).clone().requires_grad_() for x in inputs]
    return torch.autograd.grad(function(*inputs), inputs, tensor(d_out))


def gradient_case(name, call, args, d_out, options, function, formula, inputs=None):
    """The first of the ways is through PyTorch's function, the second through the formula."""
    inputs = args if inputs is None else inputs
    out = backward(function, inputs, d_out)
    agree(f"{call}, {name}", out, backward(formula, inputs, d_out))
    rough = [tensor(x).clone().requires_grad_() for x in inputs]
    torch.autograd.gradcheck(lambda *xs: (function(*xs) * tensor(d_out)).sum(), rough, atol=1e-3)
    out = out if len(out) > 1 else out[0]
    return case(name, call, *args, d_out, out=out, **options)


def softmax_gradients():
    random = Random(900)
    rows = {
        "three": [0, 1, 2], "one": [5], "equal": [3, 3, 3, 3], "saturated": [40, 0, -3],
        "saturated for good": [1000, 0, 1], "overflow": [1000, 1001, 1002],
        "64 numbers": vector(random, 64, 1), "9 loud numbers": vector(random, 9, 30),
    }
    return [gradient_case(
        name, "softmax_back", [{"softmax": [row]}], vector(Random(len(row)), len(row), 1), {},
        lambda xs: torch.softmax(xs, 0),
        lambda xs: (xs - max(row)).exp() / (xs - max(row)).exp().sum(), inputs=[row])
        for name, row in rows.items()]


def attention_gradients():
    cases = []
    for seed, (n_q, n_k, d, d_v) in enumerate(((1, 1, 2, 2), (2, 5, 4, 3), (4, 4, 3, 2))):
        tables, (d_out, *_) = (at_random(910 + seed, n_q, n_k, d, d_v),
                               at_random(920 + seed, n_q, 1, d_v, 1))
        for kind, mask in masks(seed, n_q, n_k).items():
            cases.append(gradient_case(
                f"{n_q} x {n_k}, {kind}", "attention_back", tables, d_out, {"mask": mask},
                lambda Q, K, V: by_sdpa(Q, K, V, mask),
                lambda Q, K, V: by_formula(Q, K, V, mask)[0]))
    for seed, (n, d, h) in enumerate(((2, 4, 1), (3, 4, 2), (4, 6, 3))):
        tables, (d_out, *_) = at_random(930 + seed, n, n, d, d), at_random(940 + seed, n, 1, d, 1)
        for kind in "no mask", "causal":
            mask = masks(seed, n, n)[kind]
            cases.append(gradient_case(
                f"{n} x {d}, h {h}, {kind}", "multi_head_back", [*tables, h], d_out,
                {"mask": mask},
                lambda *X: torch.cat([by_sdpa(*x, mask) for x in zip(
                    *(x.chunk(h, 1) for x in X))], 1),
                lambda *X: together(by_formula(*(x.view(n, h, -1).transpose(0, 1) for x in X),
                                               mask)[0]), inputs=tables))
    return cases


def together(heads):
    return heads.transpose(0, 1).flatten(1)


def norm_gradients():
    random = Random(950)
    rows = {
        "one to four": ([1, 2, 3, 4], 1e-5), "one hot": ([1, 0, 0, 0], 1e-5),
        "both signs": ([3, 1, -1], 1e-5), "small": ([0.01, 0.02, -0.03], 1e-5),
        "eps 1": ([1, 2, 3, 4], 1), "33 numbers": (vector(random, 33, 1), 1e-5),
        "7 loud numbers": (vector(random, 7, 50), 1e-5),
    }
    cases = []
    for name, (row, eps) in rows.items():
        d_out, n = vector(Random(len(row)), len(row), 1), len(row)
        cases.append(gradient_case(
            name, "layer_norm_back", [row], d_out, {"eps": eps},
            lambda x: functional.layer_norm(x, (n,), eps=eps),
            lambda x: norm_by_formula(x, 1, 0, eps)))
        cases.append(gradient_case(
            name, "rms_norm_back", [row], d_out, {"eps": eps},
            lambda x: functional.rms_norm(x, (n,), None, eps),
            lambda x: x / (x.square().mean() + eps).sqrt()))
    for seed, (n, d) in enumerate(((1, 4), (3, 6), (4, 3))):
        X, d_out, _ = at_random(960 + seed, n, n, d, 1, 2)
        gain = vector(Random(seed), d, 1)
        cases.append(gradient_case(
            f"{n} x {d}", "norm_back", [X, gain], d_out, {},
            lambda X, gain, bias: functional.layer_norm(X, (d,), gain, bias),
            norm_by_formula, inputs=[X, gain, [0.0] * d]))
    return cases


def linear_gradients():
    cases = []
    for seed, (n, d, wide) in enumerate(((1, 1, 1), (3, 4, 2), (2, 3, 5))):
        X, W, _ = at_random(970 + seed, n, wide, d, 1)
        d_out, *_ = at_random(975 + seed, n, 1, wide, 1)
        cases.append(gradient_case(
            f"{n} x {d} to {wide}", "linear_back", [X, W], d_out, {}, functional.linear,
            lambda X, W, b: X @ W.T + b, inputs=[X, W, [0.0] * wide]))
    for seed, name in enumerate(LAYERS):
        w = dict(zip(FIELDS, LAYERS[name]))
        X, d_out, _ = at_random(980 + seed, 3, 3, len(w["b_q"]), 1)
        cases.append(gradient_case(
            name, "feed_forward_back", [X, w["W_1"], w["b_1"], w["W_2"]], d_out, {},
            lambda X, *w: functional.linear(functional.relu(functional.linear(X, *w[:2])), *w[2:]),
            lambda X, *w: (X @ w[0].T + w[1]).clamp(min=0) @ w[2].T + w[3],
            inputs=[X, w["W_1"], w["b_1"], w["W_2"], w["b_2"]]))
    return cases


def layer_gradients():
    cases = []
    for seed, (name, n, h, kind) in enumerate((
            ("d 4", 1, 1, "no mask"), ("d 4", 3, 2, "causal"), ("d 6", 4, 3, "any mask"),
            ("d 4, loud", 3, 2, "no mask"))):
        X, d_out, _ = at_random(990 + seed, n, n, len(LAYERS[name][1]), 1)
        mask = masks(seed, n, n)[kind]
        for call in "pre_ln", "post_ln", "bare", "self_attention":
            cases.append(layer_gradient(f"{name}, {n} rows, h {h}, {kind}", call, X, name, h,
                                        d_out, mask))
    return cases


def layer_gradient(title, call, X, name, h, d_out, mask):
    hidden = None if mask is None else tensor(mask) == 0
    layer, x = layer_of(name, h, call == "pre_ln"), tensor(X).requires_grad_()
    through(layer, call, x, hidden).backward(tensor(d_out))
    found = gradients_of(layer)
    fields = [field for field in FIELDS if field in found]
    w = weights_of(name)
    others = backward(lambda x, *ws: BY_FORMULA[call](x, dict(zip(fields, ws)), h, mask, "relu"),
                      [X, *map(w.get, fields)], d_out)
    agree(title, [x.grad, *found.values()], others)
    made = case(title, f"{call}_back", X, {"layer": [name]}, h, d_out, out=x.grad, mask=mask)
    return made | {"out": [made["out"], [found[field].tolist() for field in fields]]}


def gradients_of(layer):
    """{our name: gradient}, in the order of FIELDS."""
    found = {}
    for part, field in parts_of(layer).items():
        if part.grad is not None:
            names = field if isinstance(field, tuple) else (field,)
            found |= dict(zip(names, part.grad.chunk(len(names))))
    return {field: found[field] for field in FIELDS if field in found}


def stack_gradients():
    cases = []
    for seed, (call, names, n, h) in enumerate((
            ("pre_ln", ["d 4"], 2, 2), ("pre_ln", ["d 4", "d 4, loud", "d 4"], 3, 1),
            ("post_ln", ["d 4", "d 4, loud"], 3, 2), ("bare", ["d 4, loud", "d 4"], 2, 2))):
        X, d_out, _ = at_random(995 + seed, n, n, 4, 1)
        x, modules = tensor(X).requires_grad_(), []
        y = x
        for name in names:
            modules.append(layer_of(name, h, call == "pre_ln"))
            y = through(modules[-1], call, y)
        functional.layer_norm(y, (4,)).backward(tensor(d_out))
        tables = [gradients_of(layer) for layer in modules]
        agree(call, [x.grad], backward(lambda x: stack_by_formula(call, x, names, h), [X], d_out))
        made = case(f"{len(names)} of {call}", "stack_back", X, [{"layer": [n]} for n in names], h,
                    d_out, {"function": [call]}, {"function": [f"{call}_back"]}, out=x.grad)
        tables = [[table.tolist() for table in found.values()] for found in tables]
        cases.append(made | {"out": [made["out"], tables]})
    return cases


def stack_by_formula(call, x, names, h):
    for name in names:
        x = BY_FORMULA[call](x, weights_of(name), h, None, "relu")
    return norm_by_formula(x, 1, 0)
