"""Rows that a tensor does not have: fake tensors look at the type of ids at most, so known ids are looked at here."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, List, Tuple

import torch

from fx_lsp.worker.capture.ids import extremes
from fx_lsp.worker.engines.masks import placed

_WRITTEN = frozenset(f"{name}{end}" for end in ("", "_") for name in ("scatter", "scatter_add", "scatter_reduce"))
_COUNTED_BACK = frozenset(("index_fill", "index_fill_"))
"""Of what writes to rows, those that take negative ids."""
_WHOLE = (torch.int64, torch.int32)
_BY_NAME = {
    "index_add": (RuntimeError, _WHOLE, "index_add_(): Expected dtype int32/int64 for index but got: {}"),
    "index_reduce": (RuntimeError, _WHOLE, "index_reduce_(): Expected dtype int32/int64 for index but got: {}"),
    "index_copy": (RuntimeError, _WHOLE[:1], "index_copy_(): Expected a long tensor for index, but got {}"),
    "index_fill": (IndexError, _WHOLE[:1], "index_fill_(): Expected dtype int64 for index."),
}
_PLACES = {
    "index_select": (RuntimeError, _WHOLE, "index_select(): Expected dtype int32 or int64 for index"),
    **{f"{name}{end}": told for name, told in _BY_NAME.items() for end in ("", "_")},
}
"""Types of the places that each of these takes, and what it says of others; fake tensors look at those of the rest."""
_ALONG = _WRITTEN | {"gather", *_PLACES} - {"index_select"}
_SET = frozenset({"__setitem__", "index_put", "index_put_"})
INDEXING = frozenset({"embedding", "index_select", "__getitem__"}) | _ALONG | _SET
"""Names of what takes ids."""
Holds = Callable[[torch.Tensor], bool]
"""Whether the data of a real tensor is what the code made of it."""


def refuse(name: str, args: Tuple[Any, ...], kwargs: Dict[str, Any], holds: Holds) -> None:
    """The call of an embedding, of `index_select` or `gather`, or an index, as a real one would.

    Raises:
        IndexError, RuntimeError: an id is out of range, or what is given is no row of whole numbers.
    """
    if name == "embedding":
        ids, table = _given(args, kwargs, 0, "input"), _given(args, kwargs, 1, "weight")
        if isinstance(table, torch.Tensor) and table.dim() == 2 and _beyond(ids, table.shape[0], holds, 0) is not None:
            raise IndexError("index out of range in self")
    elif name == "index_select" or name in _ALONG:
        x, dim, ids = (_given(args, kwargs, at, called) for at, called in enumerate(("input", "dim", "index")))
        if name in _PLACES and isinstance(ids, torch.Tensor):
            _refuse_places(name, ids)
        if not isinstance(x, torch.Tensor) or type(dim) is not int or not -x.dim() <= dim < x.dim():
            return
        beyond = _beyond(ids, x.shape[dim], holds, -x.shape[dim] if name in _COUNTED_BACK else 0)
        if beyond is not None and name == "index_select":
            raise IndexError("index out of range in self")
        if beyond is not None:
            raise (IndexError if name in _COUNTED_BACK else RuntimeError)(_told(beyond, dim % x.dim(), x))
    elif len(args) > 1 and isinstance(args[0], torch.Tensor):
        for part, place, dims in placed(args[0].shape, args[1]):
            if name in _SET and isinstance(part, torch.Tensor) and part.dtype not in (*_WHOLE, torch.uint8, torch.bool):
                raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
            if dims == 1 and isinstance(part, torch.Tensor) and part.dtype is not torch.uint8:  # those are masks
                beyond = _beyond(part, args[0].shape[place], holds, -args[0].shape[place])
                if beyond is not None:
                    raise IndexError(_told(beyond, place, args[0]))
            elif isinstance(part, list) and (part is not args[1] or all(type(one) is int for one in part)):
                size = args[0].shape[place]  # lists in a list alone stand for a tuple
                outside = [one for one in _flat(part) if type(one) is int and not -size <= one < size]
                if type(size) is int and outside:
                    raise IndexError(_told(outside[0], place, args[0]))


def _refuse_places(name: str, ids: torch.Tensor) -> None:
    """What fake tensors take for places, and real ones do not."""
    if ids.dim() > 1 and name == "index_select":
        raise IndexError("index_select(): Index is supposed to be a vector")
    error, types, told = _PLACES[name]
    if ids.dtype not in types:
        raise error(told.format(ids.type().rpartition(".")[2].replace("Tensor", "")))


def _told(beyond: int, dim: int, x: torch.Tensor) -> str:
    return f"index {beyond} is out of bounds for dimension {dim} with size {x.shape[dim]}"


def _flat(items: List[Any]) -> Iterator[Any]:
    for item in items:
        yield from _flat(item) if isinstance(item, list) else (item,)


def _given(args: Tuple[Any, ...], kwargs: Dict[str, Any], place: int, name: str) -> Any:
    return args[place] if len(args) > place else kwargs.get(name)


def _beyond(ids: Any, size: Any, holds: Holds, least: int) -> Any:
    """One of the ids that lies outside, if they are known; none where sizes are not."""
    if type(size) is not int or (type(ids) is torch.Tensor and not holds(ids)):
        return None
    found = extremes(ids)
    if found is None:
        return None
    return found[1] if found[1] >= size else found[0] if found[0] < least else None
