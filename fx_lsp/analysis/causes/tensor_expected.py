"""Several tensors, or what holds tensors by name, where one is taken.

    y = self.rnn(x)  # the states of all times, and the last one
    y = self.norm(y)

Instead: name both, `y, last = self.rnn(x)`, or take the one that is meant, `self.body(x).last_hidden_state`.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call, Operand
from fx_lsp.analysis.causes.cat_sizes import TARGETS
from fx_lsp.analysis.causes.loss_sizes import CLASSES, DIFFERENCES, EQUAL
from fx_lsp.model.failure import JOINED, MODULE, NO_TENSOR, NO_TENSORS
from fx_lsp.model.value import Group, Opaque, TensorType, label

NOTHING = Opaque("None")
_TYPES = (*NO_TENSORS, "ndarray")
_KINDS = {"int": "an int", MODULE: "a module", **dict.fromkeys(("ndarray", "numpy.ndarray"), "an array of NumPy")}
_PAIRS = {"matmul", "bmm", "mm", "add", "sub", "mul", "div", "operator"}
"""What takes two tensors."""
_THREE = {"MultiheadAttention", "scaled_dot_product_attention"}


def explain(call: Call) -> str | None:
    """From the first operand that is a group of tensors; of what is joined, from the first entry that is no tensor."""
    if call.target in TARGETS:
        return _within(call, call.operand(0, "tensors"))
    if call.target == NO_TENSOR:
        kind = kind_of(call.operands[0])
        return told(call, _KINDS.get(kind, f"a {kind}")) if kind else None
    if call.target == _PADS and call.operands and call.operands[0].shape is not None:
        return f"{call.name} takes a packed sequence, and {call.operands[0].known()} is none"
    for number in range(len(call.operands) if call.target == JOINED else taken(call)):
        given = call.operand(number, *(("input", "query") if number == 0 else ()))
        if given is not None and (held := several(given)) is not None:
            what = counted(given, held)
            if call.target == "attribute":
                return f"{what}, and has no `{call.plain(1)}`"
            wanted = {JOINED: "joins tensors", _PADS: "takes a packed sequence"}.get(call.target, "takes a tensor")
            return f"{call.name} {wanted}, and {what}"
        if number == 0 and given is not None and call.target in TAKES and (kind := kind_of(given)):
            return f"{call.name} takes a tensor, and {given.called()} is {_KINDS.get(kind, f'a {kind}')}"
        if given is not None and call.target not in _OWN and (held := fielded(given)) is not None:
            names = ", ".join(f"`{key}`" for key in held.keys)
            what = f"`{held.name}`" if held.form == "object" and held.name else "a dict"
            return f"{call.name} takes a tensor, and {given.called()} is {what} with {names}"
    return None


def taken(call: Call) -> int:
    """How many tensors it takes, its first arguments."""
    return 3 if call.target in _THREE else 2 if call.target in _PAIRS | _LOSSES else 1


def told(call: Call, what: str) -> str:
    """That it is something else, and what of it is wanted."""
    given, name = call.operand(0), call.plain(1)
    it = f"{given.called()} is {what}" if given is not None else f"it is {what}"
    if isinstance(name, str):
        return f"{it}, and has no `{name}`"
    if call.name == "`[]`":
        return f"{it}, and has no entries"
    return f"{it}, and cannot be unpacked" if call.name == "`=`" else f"{call.name} takes a tensor, and {it}"


def kind_of(given: Operand) -> str:
    """The type of what is given in place of a tensor, as Python calls it; empty where it may be one, or is nothing."""
    text = given.value.text if isinstance(given.value, Opaque) else ""
    kind = text if text in _TYPES else type(given.plain).__name__
    return kind if kind in _TYPES else ""


def _within(call: Call, given: Operand | None) -> str | None:
    held = given.value if given is not None else None
    for number, one in enumerate(held.items if isinstance(held, Group) and held.form in ("tuple", "list") else ()):
        if isinstance(one, Group) and one.form in ("tuple", "list", "dict"):
            return f"{call.name} joins tensors, and number {number} of what it gets is a {one.form}: {label(one)}"
    return None


def counted(given: Operand, held: Group, otherwise: str = "its input") -> str:
    """That it is a group, of how many, and of which."""
    return f"{given.called(otherwise)} is a {held.form} of {len(held.items)}: {given.label}"


def several(given: Operand) -> Group | None:
    """The plain tuple or list, if its first item is a tensor, or a packed sequence."""
    held = given.value
    if not isinstance(held, Group) or held.form not in ("tuple", "list") or held.name or held.omitted or not held.items:
        return None
    first = held.items[0]
    packed = isinstance(first, Group) and first.name == "PackedSequence"
    return held if packed or isinstance(first, TensorType) else None


def fielded(given: Operand) -> Group | None:
    """A dict, or an object with fields, if it holds a tensor."""
    held = given.value
    if not isinstance(held, Group) or held.form not in ("dict", "object") or held.omitted:
        return None
    whole = len(held.keys) == len(held.items) and any(isinstance(one, TensorType) for one in held.items)
    return held if whole else None


_PADS = "pad_packed_sequence"
_OWN = {"attribute", "RNN", "LSTM", "GRU"}
"""What fields are asked of, and layers that take a packed sequence."""
_DIMS = ("1d", "2d", "3d")
_LAYERS = {"Linear", "Bilinear", "Embedding", "LayerNorm", "RMSNorm", "GroupNorm", "Dropout", "ReLU", "GELU", "SiLU",
           "ELU", "LeakyReLU", "Tanh", "Sigmoid", "Softmax", "LogSoftmax", "Flatten", "RNN", "LSTM", "GRU",
           "RNNCell", "LSTMCell", "GRUCell", "MultiheadAttention",
           *(f"{name}{dims}" for name in ("Conv", "ConvTranspose", "BatchNorm", "InstanceNorm", "MaxPool", "AvgPool",
                                          "AdaptiveAvgPool", "AdaptiveMaxPool") for dims in _DIMS)}  # fmt: skip
_FUNCTIONS = {"linear", "embedding", "layer_norm", "rms_norm", "group_norm", "batch_norm", "dropout", "relu", "gelu",
              "silu", "elu", "leaky_relu", "tanh", "sigmoid", "softmax", "log_softmax", "flatten", "normalize",
              "scaled_dot_product_attention", "interpolate", "pad", "pack_padded_sequence", _PADS}  # fmt: skip
_LOSSES = CLASSES | EQUAL | DIFFERENCES | {"cosine_similarity"}
"""They take two tensors, too."""
_EACH = {"min", "max", "amin", "amax", "argmin", "argmax", "sum", "mean", "norm", "abs", "exp", "log", "sqrt", "square"}
TAKES = _LAYERS | _FUNCTIONS | _LOSSES | _EACH
"""Layers and functions whose first argument is a tensor."""
CAUSE = Cause(
    "tensor-expected",
    "Several tensors where one is taken",
    TAKES | _PAIRS | TARGETS | {"attribute", JOINED, NO_TENSOR},
    explain,
)
