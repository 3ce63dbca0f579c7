"""A number that fake tensors do not have, which programs print, add up and compare: not a number, and it tells when
something is decided by it.

What C code makes of it (`math.exp`, an array of numpy's) is a plain `nan`.
"""

from __future__ import annotations

from typing import Any, Callable, Iterable, Sequence, Tuple


class Unknown(float):
    """`nan`.  What is computed from it in Python is one, too."""

    decides: Callable[[], None]
    """Called when it is compared, or is to be a whole number or true."""

    def __new__(cls, decides: Callable[[], None]) -> Unknown:
        """Tells `decides`."""
        made = super().__new__(cls, "nan")
        made.decides = decides
        return made

    def __deepcopy__(self, memo: Any) -> Unknown:
        return self

    def __reduce_ex__(self, protocol: Any) -> Tuple[Any, ...]:
        return float, ("nan",)

    def __hash__(self) -> int:
        return id(self)


def _kept(name: str) -> Callable[..., Any]:
    original = getattr(float, name)

    def method(self: Unknown, *args: Any) -> Any:
        result = original(self, *args)
        return Unknown(self.decides) if isinstance(result, float) else result

    return method


def _told(name: str) -> Callable[..., Any]:
    original = getattr(float, name)

    def method(self: Unknown, *args: Any) -> Any:
        self.decides()
        return original(self, *args)

    return method


def lacks(items: Iterable[Any]) -> bool:
    """Whether one is among them, or within a list or a tuple of theirs."""
    return any(
        isinstance(item, Unknown) or (isinstance(item, (list, tuple)) and any(isinstance(one, Unknown) for one in item))
        for item in items
    )


def fills_in(name: str, args: Sequence[Any]) -> bool:
    """Whether a torch function of this name makes no size of it: it is put into a tensor."""
    if name == "__setitem__":
        return not lacks(args[:2])
    return name in ("tensor", "as_tensor")


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    for _side in ("__{}__", "__r{}__"):
        setattr(Unknown, _side.format(_name), _kept(_side.format(_name)))
for _name in ("__neg__", "__pos__", "__abs__", "__round__"):
    setattr(Unknown, _name, _kept(_name))
for _name in ("lt", "le", "gt", "ge", "eq", "ne", "bool", "int", "trunc", "floor", "ceil"):
    setattr(Unknown, f"__{_name}__", _told(f"__{_name}__"))
