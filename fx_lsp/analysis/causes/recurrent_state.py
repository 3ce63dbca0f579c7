"""A recurrent layer starts with a state of other sizes than it has.

    self.rnn = nn.GRU(64, 128, num_layers=2, batch_first=True)
    y, last = self.rnn(x, torch.zeros(1, 8, 128))

Instead: one state for each layer and direction, also with `batch_first`: `torch.zeros(2, 8, 128)`.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call, Operand
from fx_lsp.analysis.causes.tensor_expected import counted, several
from fx_lsp.model.value import Group, TensorType


def explain(call: Call) -> str | None:
    """From the sizes of the first state."""
    given, sure = call.operand(1, "hx"), expected(call)
    wanted = sure or expected(call, _sequences(given))
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
    sizes = list(wanted) if sure else f"[{wanted[0]}, batch, {wanted[-1]}]"
    return f"{call.name} takes a state of {sizes}, {what}, and {state.known('its state')} is of other sizes"


def first(state: Operand) -> Operand:
    """Of two states the first one."""
    if isinstance(state.value, Group) and state.value.items:
        return Operand(f"{state.text[:-1]}[0]`" if state.text else "", state.value.items[0])
    return state


def expected(call: Call, sequences: int = 0) -> tuple[int, ...] | None:
    """Sizes of the first state; for so many sequences where what is packed does not say how many there are."""
    x, hidden, layers = call.shape(0, "input"), call.settings.get("hidden_size"), call.settings.get("num_layers")
    first_dim = bool(call.settings.get("batch_first"))
    if x is None and (count := _packed(call, sequences)):
        x, first_dim = (count, 1, 1), True
    projected = call.settings.get("proj_size")
    size = projected if isinstance(projected, int) and projected > 0 else hidden
    if not x or not isinstance(size, int):
        return None
    if call.target.endswith("Cell"):
        return (*x[:-1], size)
    if not isinstance(layers, int) or len(x) not in (2, 3):
        return None
    batch = (x[0] if first_dim else x[1],) if len(x) == 3 else ()
    return (layers * (2 if call.settings.get("bidirectional") else 1), *batch, size)


def _packed(call: Call, otherwise: int) -> int:
    """How many sequences were packed: those that were sorted have an index each.  0 where none were."""
    given = call.operand(0, "input")
    held = given.packed if given is not None else ()
    if not held:
        return 0
    order = held[2] if len(held) > 2 else None
    return order.shape[0] if isinstance(order, TensorType) else otherwise


def _sequences(state: Operand | None) -> int:
    """How many a state is for; 0 where it does not say so."""
    shape = first(state).shape if state is not None else None
    return shape[1] if shape is not None and len(shape) == 3 else 0


PAIRS = ("LSTM", "LSTMCell")
_TARGETS = {"RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell"}
CAUSE = Cause("recurrent-state", "A recurrent layer with a state of other sizes", _TARGETS, explain)
