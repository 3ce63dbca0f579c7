"""Values, texts and numbers in an answer that is not to be trusted."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice

from fx_lsp.analysis.visible import cut, visible
from fx_lsp.model.value import Group, Opaque, TensorType, Value

WORD = 100
NAME = 400
"""Characters of a dim or a device, and of a dotted name."""
TEXT = 200
"""Characters of a part that is no tensor."""
DIMS = 64
"""Torch has no tensor with more."""
DEPTH = 8
PARTS = 2000
"""Tensors and other parts of one value."""
FORMS = frozenset({"tuple", "list", "set", "dict", "object"})
LARGEST = (1 << 63) - 1
_FORMULA = re.compile(r"[\w ()*/+-]+", re.ASCII)


def number(value: int, least: int = 0) -> int:
    """Brought into the range of what torch counts with."""
    return min(max(value, least), LARGEST)


def word(text: str, limit: int = WORD) -> str:
    """A name, on one line."""
    return visible(cut(text, limit))


def formula(text: str) -> str:
    """Python that adds, multiplies and divides; nothing else."""
    return text if _FORMULA.fullmatch(text) and len(text) <= NAME else ""


class Values:
    """Of one answer; what occurs again is looked at once."""

    def __init__(self) -> None:
        self._known: dict[Value, Value] = {}
        self._left = 0

    def vetted(self, value: Value) -> Value:
        """The value, with so many parts that it can still be written out."""
        if value not in self._known:
            self._left = PARTS
            self._known[value] = self._value(value, DEPTH)
        return self._known[value]

    def all(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        """Each of the values."""
        return tuple(map(self.vetted, values[:PARTS]))

    def _value(self, value: Value, depth: int) -> Value:
        self._left -= 1
        if isinstance(value, TensorType):
            return _tensor(value)
        if isinstance(value, Opaque) or depth == 0:
            if not isinstance(value, Opaque):
                return Opaque("…")
            return Opaque(word(value.text, TEXT), word(value.name, TEXT))
        items: list[Value] = []
        for item in islice(value.items, PARTS):
            if self._left <= 0:
                break
            items.append(self._value(item, depth - 1))
        return Group(
            value.form if value.form in FORMS else "object",
            tuple(items),
            tuple(word(key, TEXT) for key in value.keys[: len(items)]) if len(value.keys) >= len(items) else (),
            word(value.name, NAME),
            number(value.omitted + len(value.items) - len(items)),
        )


def _tensor(tensor: TensorType) -> TensorType:
    names = tuple(name if name is None else word(name) for name in tensor.names[:DIMS])
    return replace(
        tensor,
        dtype=word(tensor.dtype),
        shape=tuple(map(number, tensor.shape[:DIMS])),
        names=names if len(names) == len(tensor.shape[:DIMS]) else (),
        device=word(tensor.device),
        stride=tuple(map(number, tensor.stride[:DIMS])),
    )
