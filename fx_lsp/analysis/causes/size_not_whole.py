"""A size or an index that is no whole number.

    self.out = nn.Linear(dim / 2, 10)
    x = x.view(b, heads, dim / heads)

Instead: `dim // 2`, a whole number.
"""

from __future__ import annotations

import re
from typing import Any, cast

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call, Operand
from fx_lsp.model.failure import FLOAT
from fx_lsp.model.value import Opaque

_FACTORIES = {"empty", "zeros", "ones", "full", "rand", "randn", "randint", "new_zeros", "new_ones", "new_empty",
              "new_full", "eye", "randperm"}  # fmt: skip
_SIZES = {"in_features", "out_features", "in1_features", "in2_features", "in_channels", "out_channels", "kernel_size",
          "stride", "padding", "dilation", "groups", "num_features", "num_channels", "num_groups", "normalized_shape",
          "input_size", "hidden_size", "num_layers", "embed_dim", "num_heads", "embedding_dim", "num_embeddings",
          "d_model", "nhead", "dim_feedforward", "kdim", "vdim"}  # fmt: skip
"""Of layers; other numbers that these are made with may be floats."""
_LAYERS = {"Linear", "Bilinear", "Embedding", "EmbeddingBag", "LayerNorm", "RMSNorm", "GroupNorm", "RNN", "LSTM", "GRU",
           "RNNCell", "LSTMCell", "GRUCell", "MultiheadAttention", "Transformer", "TransformerEncoderLayer",
           "TransformerDecoderLayer",
           *(f"{name}{dims}d" for name in ("Conv", "ConvTranspose", "BatchNorm", "InstanceNorm")
             for dims in (1, 2, 3))}  # fmt: skip
_POOLS = {f"{kind}_pool{dims}d" for kind in ("max", "avg") for dims in (1, 2, 3)}
_COUNTS = {"hop_length", "win_length", "n_fft", "size", "kernel_size", "stride", "padding", "num_classes", "dims",
           "shifts", "diagonal", "index", "repeats", "k"}  # fmt: skip
"""Names of what a function takes whole."""
_TARGETS = {"view", "reshape", "expand", "repeat", "unflatten", "split", "chunk", "narrow", "getitem", "setitem",
            "repeat_interleave", "topk", "pixel_shuffle", "roll", "tril", "triu", "select", "one_hot", "unfold", "pad",
            "linspace", "logspace", "counted", "repeated", "interpolate", "stft", "istft", "tile", "diagonal",
            "kthvalue", *_POOLS, *_FACTORIES, *_LAYERS}  # fmt: skip
NAMED = {"linspace": (2, "steps"), "logspace": (2, "steps"), "interpolate": (1, "size")}
"""Functions that take one such number, and others that may be any."""
_LAST = {"getitem": 2, "setitem": 2, "pad": 2}
"""What is set, or filled in, may be any number."""
_FIRST = {*_FACTORIES, "counted", "repeated"}
"""Those that take nothing else before."""
_CUT = re.compile(r"\bslice\([^()]*?(?<![\w.])(\d+\.\d+)")


def explain(call: Call) -> str | None:
    """From the first of them."""
    found = not_whole(call)
    if found is None:
        return None
    _, given, number = found
    what = number if number is not None else "a float"
    within = call.target in ("getitem", "setitem") and number is not None and number != given.plain
    told = f"{given.called('one of these')} {'has' if within else 'is'} {what}"
    return f"a {'place' if within else 'size'} is a whole number, and {told}: `//` divides to one"


def not_whole(call: Call) -> tuple[int, Operand, float | None] | None:
    """The place of the first operand with a size that is none, and the number, where it is known.

    The place is -1 for what a layer is made with.
    """
    for name in _SIZES & call.named.keys() if call.target in _LAYERS else ():
        plain = call.named[name].plain
        each = cast("list[Any]", [*plain]) if isinstance(plain, tuple | list) else [plain]
        if (number := next((one for one in each if isinstance(one, float)), None)) is not None:
            return -1, call.named[name], number
    for name in _COUNTS & call.named.keys() if call.target not in _LAYERS else ():
        given = call.named[name]
        if given.value == Opaque(FLOAT) or isinstance(given.plain, float):
            return -1, given, given.plain
    operands = list(enumerate(call.operands))[call.target not in _FIRST : _LAST.get(call.target)]
    if call.target in NAMED:
        place, name = NAMED[call.target]
        given = call.operand(place, name)
        operands = [(place, given)] if given is not None else []
    for place, given in operands:
        plain = given.plain
        if given.value == Opaque(FLOAT):
            return place, given, None
        cut = _CUT.search(given.value.text) if isinstance(given.value, Opaque) else None
        if cut is not None:
            return place, given, float(cut[1])
        for one in cast("list[Any]", [*plain]) if isinstance(plain, tuple | list) else [plain]:
            if isinstance(one, float) and not (call.target in ("full", "new_full") and one is plain):
                return place, given, one
    return None


CAUSE = Cause("size-not-whole", "A size that is no whole number", _TARGETS, explain)
