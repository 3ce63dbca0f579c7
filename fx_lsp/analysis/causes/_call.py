"""The failing call: as it is written, and as it ran."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, cast

from fx_lsp.model import syntax
from fx_lsp.model.failure import Attempt, Failure
from fx_lsp.model.value import Group, Opaque, TensorType, Value, label


@dataclass(frozen=True)
class Operand:
    """What the call was given at one place."""

    text: str
    """As it is written, in backticks; a description where nothing is written."""
    value: Value

    @property
    def shape(self) -> tuple[int, ...] | None:
        """Sizes of a tensor; None for everything else."""
        return self.value.shape if isinstance(self.value, TensorType) else None

    @property
    def dtype(self) -> str:
        """Of a tensor; empty for everything else."""
        return self.value.dtype if isinstance(self.value, TensorType) else ""

    @property
    def plain(self) -> Any:
        """What is no tensor, as far as it can be written down; None otherwise."""
        return literal(self.value.text) if isinstance(self.value, Opaque) else None

    @property
    def packed(self) -> tuple[Value, ...]:
        """What a `PackedSequence` holds; nothing for everything else."""
        held = self.value
        return held.items if isinstance(held, Group) and held.name == "PackedSequence" else ()

    @property
    def label(self) -> str:
        """`f32[2, 3]`."""
        return label(self.value)

    def called(self, otherwise: str = "its input") -> str:
        """As it is written, else as it is called in prose."""
        return self.text or otherwise

    def known(self, otherwise: str = "its input") -> str:
        """With what it is: `x` (f32[2, 3])."""
        return f"{self.called(otherwise)} ({self.label})"


@dataclass(frozen=True)
class Call:
    """A function of torch or a layer, and what it was given."""

    target: str
    """Last part of the function's name, or the class of the layer."""
    name: str
    """What is called, in backticks."""
    operands: tuple[Operand, ...]
    named: Mapping[str, Operand]
    settings: Mapping[str, Any] = field(default_factory=lambda: dict[str, Any]())
    """Of a layer: `in_features`."""

    def operand(self, number: int, *names: str) -> Operand | None:
        """The one at this place or with one of these names."""
        given = next((self.named[name] for name in names if name in self.named), None)
        return given or (self.operands[number] if number < len(self.operands) else None)

    def shape(self, number: int, *names: str) -> tuple[int, ...] | None:
        """Sizes of the tensor there."""
        found = self.operand(number, *names)
        return found.shape if found is not None else None

    def plain(self, number: int, *names: str) -> Any:
        """What is no tensor there."""
        found = self.operand(number, *names)
        return found.plain if found is not None else None

    def numbers(self, *names: str) -> list[int] | None:
        """The whole numbers after the tensor, in one group or one by one, or with one of these names."""
        named = [self.named[name].plain for name in names if name in self.named]
        found = [numbers(one) for one in ([one.plain for one in self.operands[1:]] or named)]
        return [number for some in found if some is not None for number in some] if None not in found else None

    @property
    def tensors(self) -> tuple[Operand, ...]:
        """Those that are tensors."""
        return tuple(one for one in (*self.operands, *self.named.values()) if one.shape is not None)


def calls(failure: Failure) -> Iterator[Call]:
    """The layer in which it failed, then the function."""
    layer = failure.layer
    if layer is not None:
        settings = {one.name: literal(one.value.text) for one in layer.settings if isinstance(one.value, Opaque)}
        call = _call(layer, f"`{layer.called}`" if layer.called else f"this {layer.target}")
        yield replace(call, settings=settings)
    if failure.operation is not None:
        call = _call(failure.operation, f"`{failure.operation.called or failure.operation.target}`")
        yield replace(call, name=f"`{layer.called or layer.target}`") if layer is not None else call


def _call(attempt: Attempt, name: str) -> Call:
    found = {one.name: Operand(f"`{one.text}`" if one.text else "", one.value) for one in attempt.arguments}
    operands = tuple(one for name, one in found.items() if name.isdigit())
    named = {name: one for name, one in found.items() if not name.isdigit()}
    return Call(attempt.target.rpartition(".")[2].strip("_"), name, operands, named)


@lru_cache(maxsize=1024)
def literal(text: str) -> Any:
    """The value of plain Python data; None for everything else."""
    text = text.removeprefix("torch.Size(").removesuffix(")") if text.startswith("torch.Size(") else text
    try:
        return ast.literal_eval(syntax.expression(text))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def numbers(value: Any) -> list[int] | None:
    """Whole numbers, one or a group of them; None for everything else."""
    group = cast("list[Any]", [*value] if isinstance(value, tuple | list) else [value])
    return group if all(type(one) is int for one in group) else None
