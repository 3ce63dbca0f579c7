"""What is noted of the torch functions that run."""

from __future__ import annotations

from collections import Counter
from types import CodeType, FrameType
from typing import Any, Dict, Iterator, List, Optional, Tuple

import torch

_ROUND = ("long", "int", "to", "type")
_LOOK_UP = ("embedding", "embedding_bag", "one_hot", "index_select", "gather", "take")
_OPERATORS = "torch._ops."
"""What the module of an operator begins with; what follows is its library."""
_OF_TORCH = ("aten", "prim", "prims", "quantized", "mkldnn", "mkl", "higher_order", "inductor", "sparse")
"""Libraries of operators that torch itself brings."""
FEW = 2
"""Rows of a table that any integers which are drawn need."""


class Watch:
    """Counts the torch functions that ran, and keeps the one that raised last."""

    def __init__(self) -> None:
        self.operations = 0
        self.failing: Optional[Tuple[str, List[torch.Size], Any]] = None
        """Name, shapes of its tensors, and its arguments."""
        self.given: Dict[str, Any] = {}
        """Per parameter the input itself."""
        self.of_ids = False
        """Whether something was looked up by numbers that were no integers before."""
        self.by_values = False
        """Whether something ran of which only real tensors say whether it does: values were put where a mask is true,
        or looked up by integers in a table of very few, or an operator of another library took what it was given."""
        self._rounded: List[torch.Tensor] = []
        self._places: Counter[Tuple[CodeType, int, int]] = Counter()

    def starts(self) -> int:
        """See `Observer`."""
        return 0

    def called(
        self, frame: FrameType, func: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any], result: Any, before: int,
        failed: bool,
    ) -> None:  # fmt: skip
        """See `Observer`."""
        if not failed and result is None and next(_tensors(args), None) is None:
            return  # `torch.no_grad` ends behind what failed in it
        if not failed:
            self.operations += 1
            self._places[frame.f_code, frame.f_lineno, frame.f_lasti] += 1
            self.failing = None
            self.by_values |= _is_foreign(func)
            self._look_at(getattr(func, "__name__", ""), args, result)
        elif self.failing is None:
            with torch._C.DisableTorchFunction():
                shapes = [value.shape for value in _tensors((*args, *kwargs.values()))]
            self.failing = getattr(func, "__name__", "?"), shapes, args

    def forget(self, code: CodeType, lines: range, start: int) -> None:
        """Not to count what ran in these lines, from that instruction on."""
        gone = [one for one in self._places if one[0] is code and one[1] in lines and one[2] >= start]
        self.operations -= sum(map(self._places.pop, gone))

    def _look_at(self, name: str, args: Tuple[Any, ...], result: Any) -> None:
        given = [one for one in args if isinstance(one, torch.Tensor)]
        if name == "__setitem__" and isinstance(args[2], torch.Tensor):
            with torch._C.DisableTorchFunction():
                places = args[1] if isinstance(args[1], tuple) else (args[1],)
                masks = [one for one in places if isinstance(one, torch.Tensor) and one.dtype == torch.bool]
                self.by_values |= bool(masks) and args[2].dim() > 0 and args[2].numel() != 1
        self.by_values |= self._of_few(name, args)
        if name in _ROUND and given and isinstance(result, torch.Tensor):
            with torch._C.DisableTorchFunction():
                if given[0].is_floating_point() and not (result.is_floating_point() or result.is_complex()):
                    self._rounded.append(result)
        elif self._rounded and name in _LOOK_UP:
            self.of_ids |= any(one is other for one in given for other in self._rounded)

    def _of_few(self, name: str, args: Tuple[Any, ...]) -> bool:
        """Whether an input chooses from a table with fewer rows than its integers need."""
        if name not in ("__getitem__", "embedding") or sum(isinstance(one, torch.Tensor) for one in args[:2]) < 2:
            return False
        table, ids = args[:2] if name == "__getitem__" else args[1::-1]
        with torch._C.DisableTorchFunction():
            few = ids.dtype in (torch.int64, torch.int32) and table.dim() > 0 and table.shape[0] < FEW
        return few and any(ids is one for one in self.given.values())


def _is_foreign(function: Any) -> bool:
    """Whether it is an operator of another library, whose kernel for sizes may take anything."""
    library = getattr(function, "__module__", None) or ""
    return library.startswith(_OPERATORS) and library[len(_OPERATORS) :].split(".")[0] not in _OF_TORCH


def _tensors(values: Any) -> Iterator[torch.Tensor]:
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (tuple, list)):
            yield from (part for part in value if isinstance(part, torch.Tensor))
