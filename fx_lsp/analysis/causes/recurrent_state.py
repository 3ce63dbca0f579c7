"""A recurrent layer starts with a state of other sizes than it has.

    self.rnn = nn.GRU(64, 128, num_layers=2, batch_first=True)
    y, last = self.rnn(x, torch.zeros(1, 8, 128))

Instead: one state for each layer and direction, also with `batch_first`: `torch.zeros(2, 8, 128)`.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call, Operand
from fx_lsp.analysis.causes.tensor_expected import counted, several
from fx_lsp.model.value import Group


def explain(call: Call) -> str | None:
    """From the sizes of the first state; a `PackedSequence` tells no batch here."""
    given, wanted = call.operand(1, "hx"), expected(call)
    if given is not None and call.target not in PAIRS and (held := several(given)) is not None:
        return f"{call.name} starts with one state, and {counted(given, held, 'its state')}"
    if given is None or wanted is None:
        return None
    if call.target in PAIRS and given.shape is not None:
        return f"{call.name} starts with two states, `(h, c)`, and {given.known('its state')} is one"
    state = first(given)
    if state.shape is None or state.shape == wanted:
        return None
    what = "[batch, features]" if call.target.endswith("Cell") else "[layers and directions, batch, features]"
    what = what if len(wanted) > 1 + (not call.target.endswith("Cell")) else what.replace("batch, ", "")
    return f"{call.name} takes a state of {list(wanted)}, {what}, and {state.known('its state')} is of other sizes"


def first(state: Operand) -> Operand:
    """Of two states the first one."""
    if isinstance(state.value, Group) and state.value.items:
        return Operand(f"{state.text[:-1]}[0]`" if state.text else "", state.value.items[0])
    return state


def expected(call: Call) -> tuple[int, ...] | None:
    """Sizes of the first state."""
    x, hidden, layers = call.shape(0, "input"), call.settings.get("hidden_size"), call.settings.get("num_layers")
    projected = call.settings.get("proj_size")
    size = projected if isinstance(projected, int) and projected > 0 else hidden
    if not x or not isinstance(size, int):
        return None
    if call.target.endswith("Cell"):
        return (*x[:-1], size)
    if not isinstance(layers, int) or len(x) not in (2, 3):
        return None
    batch = (x[0] if call.settings.get("batch_first") else x[1],) if len(x) == 3 else ()
    return (layers * (2 if call.settings.get("bidirectional") else 1), *batch, size)


PAIRS = ("LSTM", "LSTMCell")
_TARGETS = {"RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell"}
CAUSE = Cause("recurrent-state", "A recurrent layer with a state of other sizes", _TARGETS, explain)
