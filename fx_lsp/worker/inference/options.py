"""What may be given for a parameter of a constructor, best first, by its annotation and its name."""

from __future__ import annotations

import builtins
import collections.abc
import enum
import re
import typing
from typing import Any, Callable, Dict, Iterator, List, Tuple

import torch
from torch import nn

from fx_lsp.worker.inference.corrections import value_of
from fx_lsp.worker.inference.meaning import argument
from fx_lsp.worker.inference.names import Names, is_union
from fx_lsp.worker.inference.signatures import evaluated

Option = Tuple[str, str]
"""Setup, and the text of the value."""

_TABLES = (dict, collections.abc.Mapping, collections.abc.MutableMapping)
_NAMES = {"int": int, "float": float, "bool": bool, "str": str}
_SHAPES = ([Tuple[int]], [Tuple[int, ...]], [torch.Size])
_CLASSES = ("nn.LayerNorm", "nn.BatchNorm2d", "nn.Identity", "lambda *a, **k: nn.Identity()")


class _Known(Dict[str, Any]):
    """What the names in an annotation mean that stands where they are not known: classes of the workspace that are
    called so, what annotations are made of, else anything."""

    def __init__(self, names: Names) -> None:
        classes = {cls.__name__: cls for cls in names.classes(object)}
        super().__init__({**vars(builtins), **vars(typing), "nn": nn, "torch": torch, **classes})

    def __missing__(self, name: str) -> Any:
        return Any


def annotated(hint: Any, name: str, names: Names, instances: Callable[[type], Iterator[Option]]) -> Iterator[Option]:
    """Values that an annotation asks for; `instances` builds some of a class."""
    if isinstance(hint, str):
        hint = _NAMES.get(hint.split("|")[0].strip()) or evaluated(hint, _Known(names))
    origin, parts = typing.get_origin(hint), [part for part in typing.get_args(hint) if part is not type(None)]
    by_name = argument(name)
    if is_union(origin):
        if complex in parts:  # whatever numpy makes an array of
            yield from (("", text) for text in (*(t for t in by_name if t.startswith(("(", "["))), "[64, 64]"))
        for part in parts:
            yield from annotated(part, name, names, instances)
    elif origin is typing.Literal:
        yield from (("", repr(part)) for part in parts)
    elif hint is bool:
        yield from (("", "False"), ("", "True"))
    elif hint is int:
        yield from (("", text) for text in [t for t in by_name if t.isdigit()] or ("64", "4", "2"))
    elif hint is float:
        numbers = [text for text in by_name if re.fullmatch(r"[\d.]+(e-?\d+)?", text)]
        yield from (("", text) for text in sorted(numbers, key=str.isdigit))
        yield "", "0.1"
    elif hint is str:
        yield from (("", text) for text in by_name if text.startswith("'"))
        yield "", "'default'"
    elif origin in (type, collections.abc.Callable) or hint in (type, collections.abc.Callable, typing.Callable):
        wanted = (
            (typing.get_args(parts[0]) if is_union(typing.get_origin(parts[0])) else parts) if origin is type else ()
        )
        for one in (one for one in wanted if isinstance(one, type) and one is not nn.Module and names.of(one)[1]):
            yield names.of(one)
        yield from (("", text) for text in (*(t for t in by_name if t.startswith(("nn.", "lambda"))), *_CLASSES))
    elif origin in (list, tuple, collections.abc.Sequence, collections.abc.Iterable) or hint in (list, tuple):
        yield from _sequences(origin or hint, parts, name, names, instances)
    elif origin in _TABLES or hint is dict:
        if parts == [str, int]:  # a number for each name: something is made of each of them
            yield "", "{'a': 64, 'b': 64}"
        elif parts[:1] == [str] and isinstance(parts[1], type) and parts[1].__module__ != "builtins":
            for setup, text in annotated(parts[1], name, names, instances):
                yield setup, f"{{'a': {text}, 'b': {text}}}"
        yield "", "dict()"
    elif isinstance(hint, type) and issubclass(hint, enum.Enum) and len(hint):
        setup, text = names.of(hint)
        yield from ((setup, f"{text}.{member.name}") for member in list(hint)[:3] if text)
    elif hint in (torch.Tensor, nn.Parameter):
        wrap = "nn.Parameter({0})" if hint is nn.Parameter else "{0}"
        yield from (("", wrap.format(text)) for text in ("torch.ones(64, 64)", "torch.ones(64)"))
    elif hint is nn.Module:
        yield "", "nn.Identity()"
    elif hint in (nn.ModuleList, nn.Sequential):
        yield "", f"nn.{hint.__name__}([nn.Identity()])" if hint is nn.ModuleList else "nn.Sequential(nn.Identity())"
    elif isinstance(hint, type) and hint.__module__ not in ("builtins", "typing"):
        yield from instances(hint)
        if issubclass(hint, nn.Module):  # where none can be built, for want of weights
            yield "", "nn.Identity()"


def fits(text: str, hint: Any) -> bool:
    """Whether this may be meant: a string is nothing where an annotation names classes of somebody's own alone."""
    parts = typing.get_args(hint) if is_union(typing.get_origin(hint)) else (hint,)
    own = [part for part in parts if part is not type(None)]
    plain = ("builtins", "typing", "inspect", "enum")
    named = bool(own) and all(isinstance(part, type) and part.__module__ not in plain for part in own)
    return not named or text[:1] not in ("'", '"')


def setup_of(known: List[Option], text: str) -> str:
    """What a text needs before it, where it is one of these options, or a call of the same as one of them."""
    called = [setup for setup, one in known if one.endswith(")") and one.partition("(")[0] == text.partition("(")[0]]
    return next(iter([*(setup for setup, one in known if one == text), *called]), "")


def _sequences(
    origin: Any, parts: List[Any], name: str, names: Names, instances: Callable[[type], Iterator[Option]]
) -> Iterator[Option]:
    kept = [part for part in parts if part is not Ellipsis]
    count = len(kept) if origin is tuple and Ellipsis not in parts and kept else 4
    inner = list(annotated(kept[0], name, names, instances)) if kept else []
    inner += [("", text) for text in argument(name) if text.isdigit()] + [("", "64")]
    left, right = ("[", "]") if origin is list else ("(", ",)")
    if origin is not tuple and kept in _SHAPES:  # a shape for each input, of which there is mostly one
        yield from (("", f"[{shape}]") for shape in ("(64,)", "(64, 32, 32)", "(64,), (64,)"))
    else:
        exact = count if origin is tuple and kept and Ellipsis not in parts else 0
        usual = (text for text in argument(name) if text.startswith(("(", "[")))
        yield from (("", text) for text in usual if str not in kept and is_as_long(text, exact))
    for length in dict.fromkeys((count, 4, 2, 1, 3)):
        several = [inner[0][1]] * length if inner[0][1] != "'default'" else [repr(name) for name in "abcd"[:length]]
        yield inner[0][0], left + ", ".join(several) + right


def is_as_long(text: str, count: int) -> bool:
    """Whether a literal has so many parts; any has, where that is not known, and so has what is no list."""
    values = value_of(text)
    return not count or not isinstance(values, (list, tuple)) or len(values) == count
