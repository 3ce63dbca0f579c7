"""Autocast is no torch function: the graph enters and leaves it where the code did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Tuple

import torch
from torch import fx
from torch.amp import autocast_mode

if TYPE_CHECKING:
    from fx_lsp.worker.graph.recording import Recording

State = Tuple[str, torch.dtype]


class Autocast:
    """The state that the graph is in at its end."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._state: Optional[State] = None
        self._node: Optional[fx.Node] = None

    def follow(self) -> None:
        """The next node runs in the state of now."""
        now = _state()
        if now == self._state:
            return
        self.leave()
        if now is not None:
            self._node = self._add(autocast_mode._enter_autocast, (*now, True, None))
        self._state = now

    def leave(self) -> None:
        """Nothing runs in autocast any more."""
        if self._node is not None:
            self._add(autocast_mode._exit_autocast, (self._node,))
            self._node = None
        self._state = None

    def _add(self, func: Any, args: Tuple[Any, ...]) -> fx.Node:
        return self._recording.statement(func, args)


def _state() -> Optional[State]:
    if not torch.is_autocast_enabled("cpu"):
        return None
    return "cpu", torch.get_autocast_dtype("cpu")
