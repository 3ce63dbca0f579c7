"""Writes what a name was bound to as `f32[2, 3]`, or says that it holds no tensor."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import torch

from fx_lsp.model.example import DTYPES

_SHORT = {getattr(torch, name): short for short, name in DTYPES.items() if hasattr(torch, name)}
_PLAIN = (bool, int, float, str)
MAX_DEPTH = 12
"""Nesting below which a group counts as opaque."""


def describe(value: Any) -> str | None:
    """The text for a tensor or for a group with a tensor somewhere inside; None for anything else."""
    return _describe(value, ())


def _describe(value: Any, above: tuple[int, ...]) -> str | None:
    if isinstance(value, torch.Tensor):
        dtype = _SHORT.get(value.dtype, str(value.dtype).removeprefix("torch."))
        return f"{dtype}[{', '.join(map(str, tuple(value.shape)))}]"
    if isinstance(value, type) or id(value) in above or len(above) > MAX_DEPTH:
        return None
    above = (*above, id(value))
    if dataclasses.is_dataclass(value):
        return _object(value, [(field.name, _member(value, field.name)) for field in dataclasses.fields(value)], above)
    # Members are read through the built-in types: the methods of a subclass may be anything, or not work yet.
    if isinstance(value, tuple):
        items = list(tuple.__iter__(value))
        names = getattr(type(value), "_fields", None)
        if isinstance(names, tuple):
            return _object(value, list(zip(names, items, strict=True)), above)
        parts = _parts(items, above)
        return parts and "(" + ", ".join(parts) + ("," if len(parts) == 1 else "") + ")"
    if isinstance(value, dict):
        parts = _parts(dict.values(value), above)
        keys = map(_opaque, dict.keys(value))
        return parts and "{" + ", ".join(f"{key}: {part}" for key, part in zip(keys, parts, strict=True)) + "}"
    if isinstance(value, list):
        parts = _parts(list.__iter__(value), above)
        return parts and "[" + ", ".join(parts) + "]"
    if isinstance(value, (set, frozenset)):
        parts = _parts(list(value), above)
        return parts and "{" + ", ".join(parts) + "}"
    return None


def _member(value: Any, name: str) -> Any:
    own = getattr(value, "__dict__", {})
    return own[name] if name in own else getattr(value, name, None)


def _object(value: Any, fields: list[tuple[str, Any]], above: tuple[int, ...]) -> str | None:
    parts = _parts([item for _, item in fields], above)
    if parts is None:
        return None
    return type(value).__name__ + "(" + ", ".join(f"{n}={p}" for (n, _), p in zip(fields, parts, strict=True)) + ")"


def _parts(items: Iterable[Any], above: tuple[int, ...]) -> list[str] | None:
    """One text an item, or None when no item holds a tensor."""
    items = list(items)
    texts = [_describe(item, above) for item in items]
    if all(text is None for text in texts):
        return None
    return [_opaque(item) if text is None else text for item, text in zip(items, texts, strict=True)]


def _opaque(item: Any) -> str:
    return repr(item) if item is None or type(item) in _PLAIN else type(item).__name__
