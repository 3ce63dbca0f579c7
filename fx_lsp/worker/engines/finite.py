"""What programs guard against, losses that are not numbers, does not happen: values that nobody knows are finite.

It decides which way a program goes on, never a size.
"""

from __future__ import annotations

import math
from typing import Any, Callable, Optional, Tuple

import torch
from torch._subclasses.fake_tensor import FakeTensor

from fx_lsp.worker.engines.unknown import Unknown

_SAYS = "_fx_says"
_ASKED = {"isnan": False, "isinf": False, "isneginf": False, "isposinf": False, "isfinite": True}
_SAME, _NOT = ("any", "all"), ("logical_not", "bitwise_not", "__invert__")
_OR, _AND = ("logical_or", "bitwise_or", "__or__"), ("logical_and", "bitwise_and", "__and__")
_OPERANDS = {**dict.fromkeys((*_SAME, *_NOT), 1), **dict.fromkeys((*_OR, *_AND), 2)}
"""How many there are where no option is given, such as a dim."""
READS = ("item", "__bool__", "is_nonzero")


def install() -> None:
    """Have the functions of `math` say so of numbers that were read of tensors, in this process."""
    for name, said in (("isnan", False), ("isinf", False), ("isfinite", True)):
        setattr(math, name, _saying(getattr(math, name), said))


def _saying(original: Callable[[Any], bool], said: bool) -> Callable[[Any], bool]:
    return lambda number: said if isinstance(number, Unknown) else original(number)


def says(tensor: Any) -> Optional[bool]:
    """What a tensor is true for; None: that depends on values."""
    said, version = getattr(tensor, _SAYS, (None, 0)) if type(tensor) is FakeTensor else (None, 0)
    return said if said is not None and tensor._version == version else None


def note(name: str, args: Tuple[Any, ...], result: Any) -> None:
    """Keep what the result of the function is true for, if it asks for that or goes on with the answer."""
    said = None
    if name in _ASKED:
        asked = args[0] if args else None
        computed = isinstance(asked, torch.Tensor) and (asked.requires_grad or asked.numel() == 1)
        said = _ASKED[name] if computed else None
    elif len(args) == _OPERANDS.get(name):
        given = [says(one) for one in args]
        if None not in given:
            first, last = bool(given[0]), bool(given[-1])
            said = not first if name in _NOT else first or last if name in _OR else first and last
    if said is not None and type(result) is FakeTensor:
        setattr(result, _SAYS, (said, result._version))
