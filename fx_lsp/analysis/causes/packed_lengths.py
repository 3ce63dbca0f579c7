"""Lengths of sequences that do not fit the batch that is packed.

    packed = pack_padded_sequence(x, lengths)  # x is f32[8, 10, 64], with the batch first

A length may be larger than the sequences are long: that is packed, and fails in the layer.

Instead: `batch_first=True` where the batch comes first; one length for each sequence; `enforce_sorted=False` where they
are not in the order of their lengths.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call
from fx_lsp.model.value import Group, TensorType


def explain(call: Call) -> str | None:
    """From the dim of the batch, which the third operand names, and the order of the lengths.

    `_pack_padded_sequence` is what torch calls.
    """
    x, lengths = call.operand(0, "input"), call.operand(1, "lengths")
    if call.target in _LAYERS:
        return _too_long(call)
    first = bool(call.plain(2, "batch_first"))
    if x is None or lengths is None or lengths.shape is None or not x.shape or len(x.shape) < 2:
        return None
    batch = x.shape[not first]
    if lengths.shape == (batch,):
        falls = call.plain(len(call.operands), "falls")
        return (
            f"{call.name} takes the longest first, and {lengths.called()} has another order" if falls is False else None
        )
    where = "dim 0" if first else "dim 1, as `batch_first` is not set"
    return f"{call.name} takes the batch in {where}: {x.known()} has {batch} there, and {lengths.known()} is another"


def _too_long(call: Call) -> str | None:
    """What is left to be wrong with a packed batch whose features are those of the weights."""
    data, steps, weights = call.operand(0), call.operand(1), call.operand(3)
    items = weights.value.items if weights is not None and isinstance(weights.value, Group) else ()
    first = items[0] if items else None
    if data is None or data.shape is None or len(data.shape) != 2 or steps is None or steps.dtype != "i64":
        return None
    if not isinstance(first, TensorType) or first.shape[-1:] != data.shape[1:] or first.dtype != data.dtype:
        return None
    return f"{call.name} gets {data.shape[0]} packed rows, and the lengths that they were packed with are more together"


_LAYERS = {"lstm", "gru", "rnn_tanh", "rnn_relu"}
CAUSE = Cause("packed-lengths", "Lengths that do not fit what is packed", {"pack_padded_sequence", *_LAYERS}, explain)
