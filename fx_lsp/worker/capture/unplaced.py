"""Tensors that a `forward` makes with no word of a device: on the CPU, wherever the model is."""

from __future__ import annotations

import weakref
from types import FrameType
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple

import torch
import torch.nn.functional as F

from fx_lsp.worker.capture.frames import Frames
from fx_lsp.worker.capture.marks import At, Takes
from fx_lsp.worker.capture.memory import KNOWN
from fx_lsp.worker.capture.modules import ModuleStack
from fx_lsp.worker.capture.record import Current

_MAKERS = ("zeros", "ones", "full", "empty", "eye", "arange", "linspace", "logspace", "rand", "randn", "randint",
           "randperm", "tensor", "as_tensor", "from_numpy", "tril_indices", "triu_indices", "hann_window")  # fmt: skip
_TOGETHER = (
    "add", "sub", "mul", "div", "pow", "eq", "ne", "lt", "le", "gt", "ge", "minimum", "maximum", "where", "matmul",
    "bmm", "mm", "baddbmm", "addmm", "einsum", "cat", "concat", "stack", "masked_fill", "masked_fill_", "gather",
    "scatter_add", "index_add", "index_select", "outer", "add_", "sub_", "mul_", "div_", "__rsub__", "__radd__",
    "__rmul__", "linear", "conv1d", "conv2d", "conv3d", "embedding", "scaled_dot_product_attention", "__matmul__",
    "multi_head_attention_forward", "gru_cell", "lstm_cell", "rnn_tanh_cell", "rnn_relu_cell", "gru", "lstm",
    "rnn_tanh", "rnn_relu",
)  # fmt: skip
_KEPT = frozenset({"expand_as", "view_as", "reshape_as"})
"""Where the result is, is where the first argument was, whatever the second is."""


def _functions(names: Tuple[str, ...]) -> Dict[Any, str]:
    owners = (torch, torch.Tensor, F)
    return {one: name for name in names for owner in owners if (one := getattr(owner, name, None)) is not None}


MAKERS = {one: name for one, name in _functions(_MAKERS).items() if name in vars(torch)}
TOGETHER = _functions(_TOGETHER)
"""Functions that want their tensors on one device, but for those without dims."""
_ELSEWHERE = _functions(("cuda", "type_as"))
_TO = _functions(("to", "type"))
_CPU = _functions(("cpu",))
_COPIES = ("tensor", "as_tensor")
"""What makes something of a tensor on the device of that."""


class Unplaced:
    """Keeps in mind which tensors are on the CPU in any case, as long as they live."""

    def __init__(self, frames: Frames, stack: ModuleStack, current: Current) -> None:
        self.frames, self.stack, self.current = frames, stack, current
        self._known: Dict[int, Tuple[Callable[[], Any], Optional[At], str]] = {}
        """By `id`; with where it was made and by what, or nothing where the code asks for the CPU."""

    def called(
        self, caller: FrameType, func: Any, args: Tuple[Any, ...], kwargs: Mapping[str, Any], result: Any
    ) -> None:
        """A function has run."""
        name = MAKERS.get(func)
        if name is not None and not (name in _COPIES and any(type(one) in KNOWN for one in args[:1])):
            if self.stack.depth and type(result) in KNOWN and result.dim():
                self._made(caller, name, kwargs, result)
        elif func in _CPU or (func in _TO and any(map(_is_cpu, (*args[1:], *kwargs.values())))):
            self._keep(result, None, "")
        elif self._known:
            self._followed(caller, func, args, kwargs, result)

    def _made(self, caller: FrameType, name: str, kwargs: Mapping[str, Any], result: torch.Tensor) -> None:
        self._known.pop(id(result), None)
        device = kwargs.get("device")
        if device is not None or kwargs.get("out") is not None or torch.get_default_device().type != "cpu":
            if _is_cpu(device):
                self._keep(result, None, "")
            return
        frame = self.frames.innermost(caller)
        if frame is not None and frame.f_code is caller.f_code:
            self._keep(result, (frame.f_code.co_filename, frame.f_code, frame.f_lasti, frame.f_lineno), name)

    def _followed(
        self, caller: FrameType, func: Any, args: Tuple[Any, ...], kwargs: Mapping[str, Any], result: Any
    ) -> None:
        given = [*_tensors((*args, *kwargs.values()))]
        known = [one for one in map(self._of, given) if one is not None]
        if not known:
            self._known.pop(id(result), None)
            return
        others = [one for one in given if self._of(one) is None and one.dim()]
        at, name = next(((at, name) for _, at, name in known if at is not None), (None, ""))
        held = func is F.multi_head_attention_forward  # which takes what is empty in the place of weights
        met = [one for one in given if self._of(one) is not None and one.dim() and (not held or one.numel())]
        kept = getattr(func, "__name__", "") in _KEPT and self._of(given[0]) is not None
        if not kept and (func in _ELSEWHERE or (func in _TO and any(map(_is_place, (*args[1:], *kwargs.values()))))):
            self._known.pop(id(result), None)
        elif kept or not others:
            for one in _tensors((result,)):
                self._keep(one, at, name)
        else:
            certain = bool(met) and all(one[1] is not None for one in known)
            if certain and at is not None and func in TOGETHER and any(map(self._moves, others)):
                self._tell(caller, at, name)
            self._known.pop(id(result), None)

    def _moves(self, item: torch.Tensor) -> bool:
        """Whether it is where the model is: a weight, what was made of one, or a buffer."""
        return item.requires_grad or self.stack.holds(item)

    def _keep(self, item: Any, at: Optional[At], name: str) -> None:
        if type(item) in KNOWN:
            # A reference of Python's dies with the object, whatever torch still keeps of it.
            known, key = self._known, id(item)
            known[key] = (weakref.ref(item, lambda _: known.pop(key, None)), at, name)

    def _of(self, item: torch.Tensor) -> Optional[Tuple[Callable[[], Any], Optional[At], str]]:
        found = self._known.get(id(item))
        return found if found is not None and found[0]() is item else None

    def _tell(self, caller: FrameType, at: At, name: str) -> None:
        frame = self.frames.innermost(caller)
        if frame is not None:
            source = (frame.f_code.co_filename, frame.f_code, frame.f_lasti, frame.f_lineno)
            known = self.current.record.taken.setdefault((at, name, "device", "unplaced"), [])
            if not known:
                known.append((Takes(name, "device", "unplaced"), source))


def _tensors(items: Tuple[Any, ...]) -> Iterator[torch.Tensor]:
    """Also those of lists and tuples."""
    found: List[Any] = []
    for item in items:
        found += item if type(item) in (tuple, list) else [item]
    return (one for one in found if type(one) in KNOWN)


def _is_place(item: Any) -> bool:
    """Whether it says where something is to go."""
    return isinstance(item, (str, torch.device, torch.Tensor, int)) and not isinstance(item, bool)


def _is_cpu(item: Any) -> bool:
    """Whether the code names it: the device of another tensor is the CPU too, while this runs."""
    return isinstance(item, str) and item == "cpu"
