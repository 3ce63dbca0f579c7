"""What is passed to `forward`, as text that an example can hold."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Dict, List, Mapping, Tuple, Union


@dataclass(frozen=True)
class Tensor:
    """`f32[2, 16, 64]`; `wrap` holds it where a list or a dict of tensors is wanted: `[{0}, {0}]`."""

    dtype: str
    shape: Tuple[int, ...]
    wrap: str = "{0}"

    def __str__(self) -> str:
        return self.wrap.replace("{0}", f"{self.dtype}[{', '.join(map(str, self.shape)) or '()'}]")

    def resized(self, shape: Tuple[int, ...]) -> Tensor:
        """Of another shape."""
        return replace(self, shape=shape)


@dataclass(frozen=True)
class Plain:
    """Any other Python expression."""

    text: str

    def __str__(self) -> str:
        return self.text


def lengths(longest: int, count: int) -> Plain:
    """So many, each one less than the one before."""
    return Plain(f"torch.tensor({[max(longest - at, 1) for at in range(count)]})")


@dataclass(frozen=True)
class Group:
    """A dict with keys, or, where there is a `maker`, an object with attributes or, with the maker `[]` or `()`, a list
    or a tuple."""

    maker: str
    members: Tuple[Tuple[Union[str, int], Union[Tensor, Plain]], ...]

    def __str__(self) -> str:
        if self.maker in ("[]", "()"):
            values = ", ".join(str(value) for _, value in self.members)
            return f"{self.maker[0]}{values}{',' if self.maker == '()' else ''}{self.maker[1]}"
        if self.maker:
            return f"{self.maker}({', '.join(f'{name}={value}' for name, value in self.members)})"
        return "{" + ", ".join(f"{key!r}: {value}" for key, value in self.members) + "}"


def member(name: str, key: object) -> str:
    """What one of a group is called among all inputs."""
    return f"{name}[{key!r}]"


Input = Union[Tensor, Plain, Group]
Inputs = Dict[str, Input]


@dataclass(frozen=True)
class Way:
    """What of a module is called, and with what."""

    method: str = "forward"
    given: Mapping[str, Plain] = field(default_factory=dict)
    """Arguments that stay as they are."""
    like: Tuple[int, ...] = ()
    """Sizes of the first tensor among them: what else is given is as large."""
    wanted: Tuple[str, ...] = ()
    """Those that may be left out, and are not to be."""
    training: bool = False


BATCH, LENGTH, WIDTH, SIDE = 2, 16, 64, 32
"""Sizes of what nothing is known about: batch, sequence, features, height and width of an image."""
MOST_PLACES, MOST_TIMES = 4096, 64
"""Along one side of a picture, and times the other."""
IDS = Tensor("i64", (BATCH, LENGTH))
"""Rows of ids."""


def alike(tensor: Tensor, like: Tuple[int, ...]) -> Tensor:
    """With the sizes of another input in place of the usual ones."""
    named = {
        BATCH: like[0],
        LENGTH: like[1] if len(like) in (2, 3) else LENGTH,
        WIDTH: like[-1] if len(like) == 3 else WIDTH,
    }
    named[SIDE] = like[-1] if len(like) > 3 else SIDE
    return tensor.resized(tuple(named.get(size, size) for size in tensor.shape))


def is_elongated(tensor: Tensor) -> bool:
    """Whether it is a picture with one side many times the other, of thousands of places: what mistakes ask for."""
    few, many = sorted(tensor.shape[-2:]) if len(tensor.shape) == 4 else (1, 1)
    return tensor.dtype == "f32" and few >= SIDE // 2 and many > MOST_PLACES and many > MOST_TIMES * few


def numbers(inputs: Inputs) -> int:
    """How many there are in all tensors."""
    return sum(math.prod(one.shape) for one in tensors_of(inputs))


def tensors_of(inputs: Inputs) -> List[Tensor]:
    """Also those within what has several."""
    parts = [
        part for one in inputs.values() for part in (dict(one.members).values() if isinstance(one, Group) else [one])
    ]
    return [one for one in parts if isinstance(one, Tensor)]


def of_rank(tensor: Tensor, rank: int, channels: int = 0) -> Tensor:
    """A tensor of another rank, as one of that rank is usually laid out; features stay where they can."""
    shape = tensor.shape
    if len(shape) == rank:
        return tensor
    width = channels or (shape[-1] if 1 < len(shape) <= 3 else shape[1] if len(shape) > 3 else WIDTH)
    side = shape[-1] if len(shape) >= 4 else SIDE
    laid_out = {
        0: (), 1: (BATCH,), 2: (BATCH, width), 3: (BATCH, LENGTH, width),
        4: (BATCH, width, side, side), 5: (BATCH, width, 8, side, side),
    }  # fmt: skip
    return tensor.resized(laid_out.get(rank, (BATCH,) * max(rank - 1, 0) + (width,)))


def arguments(inputs: Inputs, positional: Tuple[str, ...]) -> str:
    """How they are written in the call; those that come first by position, the others by name."""
    parts, by_position = [], True
    for name in positional:
        if name not in inputs:
            by_position = False
        elif by_position:
            parts.append(str(inputs[name]))
    left = [name for name in inputs if name not in positional[: len(parts)]]
    return ", ".join([*parts, *(f"{name}={inputs[name]}" for name in left)])
