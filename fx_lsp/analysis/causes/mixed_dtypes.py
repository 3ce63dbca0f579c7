"""A product of tensors of different types.

    y = self.fc(ids)  # ids is i64[8, 10], the weights are f32

Instead: convert one of them, `x.float()`; ids belong into an embedding.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call, Operand
from fx_lsp.analysis.causes._spatial import CONVOLUTIONS
from fx_lsp.analysis.causes.recurrent_features import unpacked
from fx_lsp.analysis.causes.recurrent_state import first

_WITH_BIAS = {"linear", *CONVOLUTIONS}
_NORMS = {"layer_norm", "rms_norm", "batch_norm", "group_norm", "instance_norm"}
_CELLS = {"gru_cell", "lstm_cell", "rnn_tanh_cell", "rnn_relu_cell"}
_RECURRENT = {"RNN", "LSTM", "GRU"}
_TARGETS = {
    "linear", "matmul", "mm", "bmm", "addmm", "baddbmm", "rmatmul", "einsum", "scaled_dot_product_attention", "dot",
    "mv", "multi_head_attention_forward", "bilinear", "prelu", *CONVOLUTIONS, *_NORMS, *_CELLS, *_RECURRENT,
}  # fmt: skip


def explain(call: Call) -> str | None:
    """The first two that differ; of a recurrent layer what differs from its weights.  Whole numbers in a norm have a
    cause of their own."""
    if call.target in _RECURRENT:
        return _of_recurrent(call)
    given = [(one, name) for one, name in _operands(call) if one is not None and one.shape is not None]
    other = next(((one, name) for one, name in given if one.dtype != given[0][0].dtype), None)
    if other is None or (call.target in _NORMS and not given[0][0].dtype.startswith(("f", "bf"))):
        return None
    both = " and ".join(one.known(name) for one, name in (given[0], other))
    return f"{call.name} takes one type, and {both} are of two"


def _of_recurrent(call: Call) -> str | None:
    """From the type of its weights, where the features are as many as it takes."""
    x, weights = unpacked(call.operand(0, "input")), call.settings.get("dtype")
    fits = x is not None and x.shape is not None and x.shape[-1:] == (call.settings.get("input_size"),)
    if x is None or not fits or not isinstance(weights, str):
        return None
    both = (x, "its input"), (_state(call, "hx"), "its state")
    wrong = next((one.known(name) for one, name in both if one is not None and one.dtype not in ("", weights)), None)
    return f"{call.name} takes one type, and {wrong} and its weights ({weights}) are of two" if wrong else None


def _state(call: Call, *names: str) -> Operand | None:
    """The one that it starts with; of two the first."""
    given = call.operand(1, *names)
    return first(given) if given is not None else None


def _operands(call: Call) -> list[tuple[Operand | None, str]]:
    """Those that are to be of one type, and what they are called where nothing is written."""
    if call.target == "multi_head_attention_forward":
        names = {0: "its queries", 1: "its keys", 2: "its values", 5: "its weight"}
        return [(call.operand(place), name) for place, name in names.items()]
    if call.target in _CELLS:
        return [(call.operand(0), "its input"), (_state(call), "its state"), (call.operand(2), "its weight")]
    if call.target in _NORMS:
        weight, x = call.named.get("weight"), call.operand(0, "input")
        others = [(one, "its statistics") for one in call.tensors[1:]]
        return [(x, "its input"), *([(weight, "its weight")] if weight is not None and weight.shape else others)]
    attention = call.target == "scaled_dot_product_attention"
    tensors = call.tensors[:3] if attention else call.tensors  # its mask may be of bools
    bias = call.operand(2, "bias") if call.target in _WITH_BIAS else None
    return [(one, "its bias" if one is bias else "its weight" if place else "its input")
            for place, one in enumerate(tensors)]  # fmt: skip


CAUSE = Cause("mixed-dtypes", "A product of different types", _TARGETS, explain)
