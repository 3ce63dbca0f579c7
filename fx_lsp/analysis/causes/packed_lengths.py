"""Lengths of sequences that do not fit the batch that is packed.

    packed = pack_padded_sequence(x, lengths)  # x is f32[8, 10, 64], with the batch first

A length may be larger than the sequences are long: that is packed, and fails in the layer.

Instead: `batch_first=True` where the batch comes first; one length for each sequence; `enforce_sorted=False` where they
are not in the order of their lengths.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call
from fx_lsp.analysis.causes.recurrent_state import expected
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
    """What is left to be wrong with a packed batch that has the features which a layer takes, and no state or a right
    one."""
    given, features = call.operand(0, "input"), call.settings.get("input_size")
    if given is None or not given.packed:
        return None
    state, wanted = call.operand(1, "hx"), expected(call)
    states = () if state is None else state.value.items if isinstance(state.value, Group) else (state.value,)
    if any(not isinstance(one, TensorType) or (one.dtype, one.shape) != ("f32", wanted) for one in states):
        return None
    data = given.packed[0]
    if not isinstance(data, TensorType) or data.dtype != "f32" or data.shape[1:] != (features,) or call.named:
        return None
    rows = f"{given.called()} has {data.shape[0]} rows, and the lengths that it was made with more"
    return f"{call.name} takes as many rows as its lengths are together: {rows}"


_LAYERS = {"LSTM", "GRU", "RNN"}
CAUSE = Cause("packed-lengths", "Lengths that do not fit what is packed", {"pack_padded_sequence", *_LAYERS}, explain)
