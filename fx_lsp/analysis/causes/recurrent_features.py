"""A recurrent layer gets another number of features than it was made for.

    self.rnn = nn.LSTM(128, 256)
    y, state = self.rnn(x)  # x is f32[8, 10, 64]

Instead: make it for what it gets, `nn.LSTM(64, 256)`.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call, Operand


def explain(call: Call) -> str | None:
    """From `input_size`."""
    x, wanted = unpacked(call.operand(0, "input")), call.settings.get("input_size")
    cell = call.target.endswith("Cell")
    if x is None or x.shape is None or not isinstance(wanted, int):
        return None
    ranks = (1, 2) if cell else (2, 3)
    if len(x.shape) not in ranks:
        order = "[batch, time, features]" if call.settings.get("batch_first") else "[time, batch, features]"
        return f"{call.name} takes {'[batch, features]' if cell else order}, and {x.known()} has {len(x.shape)} dims"
    if x.shape[-1] != wanted:
        return f"{call.name} takes {wanted} features in the last dim, and {x.known()} has {x.shape[-1]}"
    return None


def unpacked(x: Operand | None) -> Operand | None:
    """The data of a packed sequence: [all times of all, features]."""
    if x is not None and x.packed:
        return Operand(f"{x.text[:-1]}.data`" if x.text else "", x.packed[0])
    return x


_TARGETS = {"RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell"}
CAUSE = Cause("recurrent-features", "A recurrent layer for another number of features", _TARGETS, explain)
