"""What one attempt is seen to do."""

from __future__ import annotations

from types import FrameType
from typing import Any, Dict, Iterator, List, Optional, Tuple

import torch

_ROUND = ("long", "int", "to", "type")
_LOOK_UP = ("embedding", "embedding_bag", "one_hot", "index_select", "gather", "take")
_OPERATORS = "torch._ops."
"""What the module of an operator begins with; what follows is its library."""
_OF_TORCH = (
    "aten",
    "prim",
    "prims",
    "quantized",
    "mkldnn",
    "mkl",
    "higher_order",
    "inductor",
    "sparse",
    "static_runtime",
)
"""Libraries of operators that torch itself brings."""


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
        self.unsure = ""
        """Of what only real tensors say whether it holds."""
        self._rounded: List[torch.Tensor] = []

    def starts(self) -> int:
        """See `Observer`."""
        return 0

    def called(
        self, frame: FrameType, func: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any], result: Any, before: int,
        failed: bool,
    ) -> None:  # fmt: skip
        """See `Observer`."""
        if not failed:
            self.operations += 1
            self.failing = None
            self.unsure = self.unsure or _foreign(func)
            self._look_at(getattr(func, "__name__", ""), args, result)
        elif self.failing is None:
            with torch._C.DisableTorchFunction():
                shapes = [value.shape for value in _tensors((*args, *kwargs.values()))]
            self.failing = getattr(func, "__name__", "?"), shapes, args

    def _look_at(self, name: str, args: Tuple[Any, ...], result: Any) -> None:
        given = [one for one in args if isinstance(one, torch.Tensor)]
        if name == "__setitem__" and isinstance(args[2], torch.Tensor):
            with torch._C.DisableTorchFunction():
                places = args[1] if isinstance(args[1], tuple) else (args[1],)
                masks = [one for one in places if isinstance(one, torch.Tensor) and one.dtype == torch.bool]
                if masks and args[2].dim() > 0 and args[2].numel() != 1:
                    self.unsure = "as many values are left as a mask has places"
        if name in _ROUND and given and isinstance(result, torch.Tensor):
            with torch._C.DisableTorchFunction():
                if given[0].is_floating_point() and not (result.is_floating_point() or result.is_complex()):
                    self._rounded.append(result)
        elif self._rounded and name in _LOOK_UP:
            self.of_ids |= any(one is other for one in given for other in self._rounded)


def _foreign(function: Any) -> str:
    """What only real tensors say of an operator of another library, whose kernel for sizes may take anything."""
    library = getattr(function, "__module__", None) or ""
    if not library.startswith(_OPERATORS) or library[len(_OPERATORS) :].split(".")[0] in _OF_TORCH:
        return ""
    return f"the operator {str(function).replace('.', '::', 1)} takes what it is given"


def _tensors(values: Any) -> Iterator[torch.Tensor]:
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (tuple, list)):
            yield from (part for part in value if isinstance(part, torch.Tensor))
