"""Tables that constructors look something up in: what stands under a key, by the annotation of the argument."""

from __future__ import annotations

import collections.abc
import re
import typing
from typing import Any, Iterator, List, Mapping

import torch
from torch import nn

from fx_lsp.worker.inference.attempts import Attempt
from fx_lsp.worker.inference.names import is_union

_TABLES = (dict, collections.abc.Mapping, collections.abc.MutableMapping)
_LISTS = (list, collections.abc.Sequence, collections.abc.Iterable, set, tuple)
_EMPTY = re.compile(r"dict\(\)|\{\}")
_PLAIN = {str: "'a'", int: "64", float: "1.0", bool: "True", torch.Tensor: "torch.ones(64, 64)", dict: "{}"}
_SAID = re.compile(r"[`'\"]([\w.-]+)[`'\"] (?:is |was )?(?:not (?:found|in|present|available|known)|missing|unknown)\b")
MAX_NESTED = 3


def looked_up(attempt: Attempt, given: Mapping[str, str], hints: Mapping[str, Any]) -> Iterator[Mapping[str, str]]:
    """With something under the key that was looked up in vain, in a table that has nothing in it and of which the
    annotation says what it holds."""
    for key in map(repr, absent_keys(attempt)):
        for name in (name for name, text in given.items() if _EMPTY.fullmatch(text)):
            if value := _held(hints.get(name)):
                yield {**given, name: f"{{{key}: {value}}}"}


def absent_keys(attempt: Attempt) -> List[Any]:
    """What was looked up in vain, also where the error has a message of its own: `key "a" not found`."""
    absent: List[Any] = list(attempt.error.args[:1]) if isinstance(attempt.error, KeyError) else []
    said = _SAID.search(absent[0]) if absent and isinstance(absent[0], str) else None
    return [said[1]] if said is not None else [one for one in absent if isinstance(one, (str, int))]


def _held(hint: Any) -> str:
    """What a table with this annotation holds; empty where that is not known."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if is_union(origin):
        return next((value for part in parts if (value := _held(part))), "")
    return _value(parts[1]) if origin in _TABLES and len(parts) == 2 else ""


def _value(hint: Any, depth: int = 0) -> str:
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if hint in _PLAIN:
        return _PLAIN[hint]
    if isinstance(hint, type) and hint is nn.Module:
        return "nn.Identity()"
    if depth < MAX_NESTED and parts:
        if is_union(origin):
            return next((value for part in parts if (value := _value(part, depth + 1))), "")
        if origin in _TABLES and len(parts) == 2:
            return "{}"
        value = _value(parts[0], depth + 1) if origin in _LISTS else ""
        return f"({value},)" if value and origin is tuple else f"[{value}]" if value else ""
    return ""
