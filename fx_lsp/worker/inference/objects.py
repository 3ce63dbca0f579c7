"""Inputs that are objects of a class: `graph: Graph`, `batch: Batch`, or what has the methods that are called."""

from __future__ import annotations

import enum
import inspect
import re
import typing
from typing import Any, Callable, Dict, Iterable, Iterator, List, Tuple

import torch
from torch import nn

from fx_lsp.worker.inference.hinted import is_shape
from fx_lsp.worker.inference.inputs import LENGTH, WIDTH, Group, Input, Plain, Tensor
from fx_lsp.worker.inference.live import source_text
from fx_lsp.worker.inference.names import Names, is_union
from fx_lsp.worker.inference.options import Option
from fx_lsp.worker.inference.signatures import hints_of

MAX_CLASSES = 2
"""That do what is asked of an input."""
MAX_TEXT = 200
"""Characters of an object that is given."""
_PLAIN = ("builtins", "typing", "collections", "numpy")

_GRAPH = {"x": Tensor("f32", (LENGTH, WIDTH)), "edge_index": Tensor("i64", (2, LENGTH))}
"""What graphs are made of: nodes, and which are joined."""

ByHint = Callable[[Any, str], Input]
"""What is given for a name with an annotation."""


class Objects:
    """Makes them; `instances` are ways to build a class, with what has to be known before."""

    def __init__(self, names: Names, instances: Callable[[type], Iterator[Option]]) -> None:
        self.names, self.instances = names, instances

    def of(self, hint: Any, member: ByHint) -> Iterator[Input]:
        """Objects of the class that an annotation names; nothing for one of Python's or torch's."""
        if not isinstance(hint, type) or hint.__module__.split(".")[0] in (*_PLAIN, "torch") or is_shape(hint):
            return
        if issubclass(hint, (torch.Tensor, enum.Enum)):
            return
        fields = _fields(hint)
        if any(_is_tensor(one) for one in fields.values()):
            # a table with known keys is written as one
            maker = "" if issubclass(hint, dict) else self.names.input(hint)
            if maker or issubclass(hint, dict):
                made = tuple((name, member(one, name)) for name, one in fields.items())
                yield Group(maker, tuple((name, _single(value)) for name, value in made))
        else:
            yield from self._built(hint)

    def able(self, owner: type, name: str, asked: str) -> Iterator[Input]:
        """Objects of those classes of the workspace that have all that a `forward` asks an input for, and what it was
        `asked` for in vain; of graphs those with nodes and edges."""
        read = set(re.findall(rf"\b{name}\.([A-Za-z]\w*)", source_text(getattr(owner, "forward", None)))) | {asked}
        found: List[type] = []
        for cls in dict.fromkeys(self.names.classes(object)) if read - set(dir(torch.Tensor)) else ():
            if not issubclass(cls, (torch.Tensor, nn.Module)) and all(_has(cls, one) for one in read):
                found.append(cls)
        for cls in found[:MAX_CLASSES]:
            if _takes(cls, _GRAPH) and (maker := self.names.input(cls)):
                yield Group(maker, tuple(_GRAPH.items()))
            yield from self._built(cls)

    def _built(self, cls: type) -> Iterator[Input]:
        for setup, text in self.instances(cls):
            if len(text) <= MAX_TEXT:
                self.names.needs(re.split(r"[.(]", text)[0], setup)
                yield Plain(text)


def _fields(cls: type) -> Dict[str, Any]:
    """What it has to be made of, and the annotations; where nothing has to be given, all tensors."""
    if issubclass(cls, dict):
        hints = hints_of(cls)
        keys = getattr(cls, "__required_keys__", frozenset(hints))
        return {name: hint for name, hint in hints.items() if name in keys}
    try:
        parameters = inspect.signature(cls).parameters.values()
    except (TypeError, ValueError):
        return {}
    hints = {**hints_of(cls), **hints_of(getattr(cls, "__init__", None))}
    plain = [one for one in parameters if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
    needed = {one.name: hints.get(one.name) for one in plain if one.default is one.empty}
    return needed or {one.name: hint for one in plain if _is_tensor(hint := hints.get(one.name))}


def _takes(cls: type, names: Iterable[str]) -> bool:
    """Whether it can be made of these, where it speaks of each."""
    try:
        parameters = inspect.signature(cls).parameters
    except (TypeError, ValueError):
        return False
    rest = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    return all(name in parameters or (rest and _speaks_of(cls, name)) for name in names)


def _is_tensor(hint: Any) -> bool:
    parts: Tuple[Any, ...] = typing.get_args(hint) if is_union(typing.get_origin(hint)) else (hint,)
    return any(part is torch.Tensor for part in parts)


def _speaks_of(cls: type, name: str) -> bool:
    """Whether the class has an attribute of that name, or its constructor speaks of it."""
    return hasattr(cls, name) or name in source_text(vars(cls).get("__init__"))


def _has(cls: type, name: str) -> bool:
    return hasattr(cls, name) or re.search(rf"self\.{name}\b", source_text(vars(cls).get("__init__"))) is not None


def _single(value: Input) -> Any:
    return value if isinstance(value, Tensor) and value.wrap == "{0}" else Plain(str(value))
