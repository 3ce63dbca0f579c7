"""What a name was bound to, as far as tensors are concerned, and how it is written.

Tensors are written as torch writes them in graphs (`torch.utils._dtype_abbrs`): `f32[2, 3]`, `i64[]`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Iterator, Optional, Tuple, Union

MAX_LABEL = 120
"""Characters of a label; a longer one is cut inside its outermost brackets."""

MAX_NAME = 18
"""Characters of a dim in a label; for a longer text its size is written."""


@dataclass(frozen=True)
class TensorType:
    """Dtype and sizes of one tensor."""

    kind: ClassVar[str] = "tensor"
    dtype: str
    """Short name, e.g. `f32`."""
    shape: Tuple[int, ...]
    """Sizes of the run."""
    names: Tuple[Optional[str], ...] = ()
    """Per dim its symbolic text (`T+1`, `u0`) or None; empty when no dim has one."""
    device: str = "cpu"
    """Device as the code asked for it."""
    stride: Tuple[int, ...] = ()
    """Strides in elements; empty when contiguous or not recorded."""

    def __hash__(self) -> int:
        """Of the sizes as text: that of whole numbers is the same in every process, so a run could send thousands of
        tensors with one hash, and each would be compared with all others."""
        return hash((self.dtype, str(self.shape), self.names, str(self.stride)))


@dataclass(frozen=True)
class Group:
    """A tuple, list, set, dict, named tuple or dataclass with a tensor somewhere inside."""

    kind: ClassVar[str] = "group"
    form: str
    """`tuple`, `list`, `set`, `dict` or `object`."""
    items: Tuple["Value", ...]
    keys: Tuple[str, ...] = ()
    """Dict keys (as `repr`) or field names, parallel to `items`; empty for sequences."""
    name: str = ""
    """Class name for `object`."""
    omitted: int = 0
    """How many further items there were."""

    def __hash__(self) -> int:
        """As that of a tensor."""
        return hash((self.form, self.items, self.keys, self.name, str(self.omitted)))


@dataclass(frozen=True)
class Opaque:
    """A part of a group that holds no tensor: `None`, `3`, or the name of its type."""

    kind: ClassVar[str] = "opaque"
    text: str
    name: str = ""
    """What is written instead: the type of a number that is another one in each run."""


Value = Union[TensorType, Group, Opaque]

_BRACKETS = {"tuple": "()", "list": "[]", "set": "{}", "dict": "{}", "object": "()"}


def concrete(value: Value) -> str:
    """The value with the sizes of its run: `(f32[2, 3], f32[2])`."""
    return _write(value, symbolic=False, fold=False)


def label(value: Value) -> str:
    """The value for a hint: names where dims have one, equal neighbours folded, unset fields left out, cut at
    `MAX_LABEL`."""
    text = _write(value, symbolic=True, fold=True)
    if len(text) <= MAX_LABEL:
        return text
    return text[: MAX_LABEL - 2] + "…" + text[-1]


def dim(name: Optional[str], size: int) -> str:
    """One dim of a label."""
    return name if name and len(name) <= MAX_NAME else str(size)


def tensors(value: Value) -> Iterator[TensorType]:
    """Every tensor inside, depth first."""
    if isinstance(value, TensorType):
        yield value
    elif isinstance(value, Group):
        for item in value.items:
            yield from tensors(item)


def _write(value: Value, symbolic: bool, fold: bool) -> str:
    if isinstance(value, Opaque):
        return value.name or value.text
    if isinstance(value, TensorType):
        names = value.names if symbolic and value.names else (None,) * len(value.shape)
        return f"{value.dtype}[{', '.join(map(dim, names, value.shape))}]"
    parts = [_write(item, symbolic, fold) for item in value.items]
    if value.keys:
        joint = "=" if value.form == "object" else ": "
        named = list(zip(value.keys, parts))
        if fold and value.form == "object":
            named = [pair for pair in named if pair[1] != "None"]
        parts = [f"{key}{joint}{part}" for key, part in named]
    elif fold:
        parts = list(_folded(parts))
    if value.omitted:
        parts.append("…")
    single = value.form == "tuple" and len(value.items) == 1 and not value.omitted
    left, right = _BRACKETS[value.form]
    return f"{value.name}{left}{', '.join(parts)}{',' if single else ''}{right}"


def _folded(parts: "list[str]") -> Iterator[str]:
    start = 0
    for end in range(1, len(parts) + 1):
        if end == len(parts) or parts[end] != parts[start]:
            count = end - start
            yield from [f"{parts[start]} × {count}"] if count > 2 else parts[start:end]
            start = end
