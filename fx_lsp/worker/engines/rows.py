"""Rows that a table does not have: fake tensors look at the type of ids only, so known ids are looked at here."""

from __future__ import annotations

from typing import Any, Callable, Dict, Tuple

import torch

from fx_lsp.worker.capture.ids import extremes


def refuse(args: Tuple[Any, ...], kwargs: Dict[str, Any], holds: Callable[[torch.Tensor], bool]) -> None:
    """The call of an embedding, as a real one would.

    Raises:
        IndexError: an id is out of range.
    """
    ids = args[0] if args else kwargs.get("input")
    table = args[1] if len(args) > 1 else kwargs.get("weight")
    if not isinstance(table, torch.Tensor) or table.dim() != 2 or (type(ids) is torch.Tensor and not holds(ids)):
        return
    found = extremes(ids)
    if found is not None and not (found[0] >= 0 and found[1] < table.shape[0]):
        raise IndexError("index out of range in self")
