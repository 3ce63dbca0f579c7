"""What the modules of an instance hold, so that each attempt begins with the same: a `forward` that keeps something for
the next call, and fails after that, would fail the next attempt for it."""

from __future__ import annotations

import copy
from collections import OrderedDict
from typing import Any, Dict, List, Tuple

from torch import nn

_CONTAINERS = (list, dict, set, OrderedDict)
_OWN = {"_parameters", "_buffers", "_modules"}
_HOOKS = set(vars(nn.Module())) - _OWN


class Kept:
    """Of an instance and all modules within it; what their tensors hold is not among it."""

    def __init__(self, instance: nn.Module) -> None:
        self._held: List[Tuple[nn.Module, Dict[str, Any]]] = [
            (module, {name: _copied(value) for name, value in vars(module).items() if name not in _HOOKS})
            for module in nn.Module.modules(instance)  # a class may have another meaning for it
        ]

    def restore(self) -> None:
        """As it was, but for what is held deeper than in a list or a table of a module."""
        for module, held in self._held:
            attributes = vars(module)
            for name in [name for name in attributes if name not in held and name not in _HOOKS]:
                del attributes[name]
            attributes.update({name: _copied(value) for name, value in held.items()})


def _copied(value: Any) -> Any:
    return copy.copy(value) if type(value) in _CONTAINERS else value
