"""Let PyTorch and ONNX compute what the chapters on the field have to answer: golden/field.json.

A case says what to call: "call" is {"a function's name": [its arguments]}, and an argument that
is such a pair is called first; "options" are arguments by name; "out" is the answer, null where
the input has to be refused. A layer's trained numbers are called {"layer": [its name]}, as many
cases share them. A null among numbers is -inf, and in an answer it is what nobody has computed.

As in make.py, PyTorch's numbers are computed in two ways, and must agree. Those of ONNX, float32,
are its own.

    make oracle                                    # compares
    .oracle/bin/python tests/oracle/field.py       # writes
"""

import attention
import layers
import reference
import torch
from golden import deliver

parts = {
    "layers": layers.trained(),
    "masks": attention.extras() + attention.mask_cases() + attention.masked_cases(),
    "positions": attention.learned_cases() + attention.rope_cases() + attention.alibi_cases(),
    "cost": attention.gqa_cases() + attention.cut_cases() + attention.mixture_cases(),
    "flash": attention.flash_cases(),
    "transformer": (layers.part_cases() + layers.rms_norm_cases() + layers.layer_cases()
                    + layers.logits_cases()),
    "gradients": (layers.softmax_gradients() + layers.attention_gradients()
                  + layers.norm_gradients() + layers.linear_gradients()
                  + layers.layer_gradients() + layers.stack_gradients()),
    "onnx": reference.attentions() + reference.rotations() + reference.normalisations(),
}
deliver("field.json", f"PyTorch {torch.__version__}, float64, CPU; "
                      f"onnx {reference.onnx.__version__}, float32", parts)
