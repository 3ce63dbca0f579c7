"""What values are, followed from torch function to torch function wherever these are called: a softmax that one module
returns is one in the loss of another."""

from __future__ import annotations

import weakref
from types import FrameType
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple

import torch

from fx_lsp.model.trace import Lineage
from fx_lsp.worker.capture.frames import Frames
from fx_lsp.worker.capture.marks import (
    CASTS,
    EACH,
    JOINS,
    LOOKED_AT,
    PASSING,
    SCORES,
    At,
    Mark,
    Takes,
    argument,
    mark_of,
    number,
    was_bool,
)  # fmt: skip
from fx_lsp.worker.capture.memory import KNOWN
from fx_lsp.worker.capture.record import Current, Record
from fx_lsp.worker.capture.spoilt import CHANGED, HOOKED, keeping, kept, notice_hooks, spoilt
from fx_lsp.worker.capture.takes import taken_by

MAX_BETWEEN, MAX_LOOKS = 100, 200
"""Nodes that are looked at between what is changed and what it is changed with, and for how many changes."""
MAX_NODES = 20_000
"""Nodes of a backward pass that are looked at from one result."""


class Change(NamedTuple):
    """A change in place of what the backward pass needs as it was."""

    node: Any
    taken: Takes
    at: At


class Ancestry:
    """Keeps a mark for each tensor of which something is known, as long as it lives."""

    def __init__(self, frames: Frames, current: Current) -> None:
        self.frames, self.current = frames, current
        notice_hooks()
        self._marks: Dict[int, Tuple[Callable[[], Any], int, Mark]] = {}
        self._changes: List[Change] = []
        self._looks = 0

    def before(self, func: Any, args: Tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """What is wanted back by `called`: nodes of the backward pass that may keep what is about to change."""
        if func not in CHANGED or not args or type(args[0]) not in KNOWN or not torch.is_grad_enabled() or HOOKED:
            return None
        with torch._C.DisableTorchFunction():
            base = args[0]._base
            own = [one for one in (args[0].grad_fn, base.grad_fn if base is not None else None) if one is not None]
            self._looks += 1
            others = [*args[1:], *kwargs.values()] if self._looks <= MAX_LOOKS else []
            return [*own, *keeping(args[0], others, MAX_BETWEEN)]

    def called(
        self, caller: FrameType, func: Any, args: Tuple[Any, ...], kwargs: Mapping[str, Any], result: Any, before: Any
    ) -> None:
        """A function has run."""
        name = LOOKED_AT.get(func)
        if before is None and (name is None or self._is_nothing(name, args, kwargs)):
            self._marks.pop(id(result), None)
            return
        frame = self.frames.innermost(caller)
        if frame is None:
            return
        at = (frame.f_code.co_filename, frame.f_code, frame.f_lasti, frame.f_lineno)
        with torch._C.DisableTorchFunction():
            for node in before or ():
                if kept(node):
                    self._changes.append(Change(node, Takes(CHANGED[func], 0, node.name()), at))
            if name is not None:
                self._follow(name, at, caller, args, kwargs, result, name in SCORES and _in_eval(frame))

    def returned(self, result: Any) -> None:
        """A module of the workspace is over: of what was changed in place, that which its gradient needs is told."""
        if self._changes and not HOOKED:
            with torch._C.DisableTorchFunction():
                wanted = spoilt(result, [one.node for one in self._changes], MAX_NODES)
            told = [one for one in self._changes if one.node in wanted]
            for one in told:
                self._tell(one.at, one.taken, None)
            self._changes = [one for one in self._changes if one not in told]

    def _is_nothing(self, name: str, args: Tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
        """Whether it passes on what nothing is known of, as most calls do: they are not to cost anything."""
        if name not in PASSING or any(id(one) in self._marks for one in (*args, *kwargs.values())):
            return False
        if name in JOINS and args:
            return not any(id(one) in self._marks for one in args[0])
        if name in CASTS and was_bool(args):
            return False
        return name not in EACH or {one.ndim for one in args if type(one) in KNOWN} != {1, 2}

    def _follow(
        self, name: str, at: At, caller: FrameType, args: Tuple[Any, ...], kwargs: Mapping[str, Any], result: Any,
        unsure: bool,
    ) -> None:  # fmt: skip
        marks = {place: mark for place, one in enumerate(args) if (mark := self._mark(one)) is not None}
        named = {key: mark for key, one in kwargs.items() if (mark := self._mark(one)) is not None}
        if name in JOINS and args:
            marks = self._of_all(args[0])
        inside = caller.f_code is not at[1]
        for takes, mark in taken_by(name, args, kwargs, {**marks, **named}, inside):
            self._tell(mark.masked if mark is not None and mark.masked is not None else at, takes, mark)
        if name == "embedding":
            ids = argument(args, kwargs, 0, "input")
            self.current.record.pads.add((number(ids), argument(args, kwargs, 2, "padding_idx")))
        for one in result if isinstance(result, tuple) else (result,):
            known = type(one) in KNOWN and not unsure
            made = mark_of(name, at, args, kwargs, {**marks, **named}, one) if known else None
            if made is not None:
                # A reference of Python's dies with the object, whatever torch still keeps of it.
                self._marks[id(one)] = (weakref.ref(one), _version(one), made)
            else:
                self._marks.pop(id(one), None)

    def _of_all(self, joined: Any) -> Dict[Any, Mark]:
        """The first of their marks, if all are alike."""
        marks = [self._mark(one) for one in joined] if isinstance(joined, (list, tuple)) else []
        first = marks[0] if marks else None
        if first is None or first.mask is not None or first.hidden:
            return {}
        alike = all(one is not None and (one.made, one.sizes) == (first.made, first.sizes) for one in marks)
        return {0: first} if alike else {}

    def _mark(self, item: Any) -> Optional[Mark]:
        found = self._marks.get(id(item)) if type(item) in KNOWN else None
        if found is None or found[0]() is not item or found[1] != _version(item):
            return None
        return found[2]

    def _tell(self, at: At, takes: Takes, mark: Optional[Mark]) -> None:
        wrong = takes.made if takes.made in ("triangle", "padding") else ""
        known = self.current.record.taken.setdefault((at, takes.target, takes.argument, wrong), [])
        one = (takes, mark.at if mark is not None else at)
        if one not in known:
            known.append(one)


def _in_eval(frame: FrameType) -> bool:
    """Whether the function asks for the mode and is not in `train()`: in `eval()`, in which models run, it may give
    something else than what its loss gets."""
    return "training" in frame.f_code.co_names and not getattr(frame.f_locals.get("self"), "training", False)


def _version(tensor: torch.Tensor) -> int:
    return -1 if tensor.is_inference() else tensor._version


def lineage(record: Record, frames: Frames) -> Tuple[Lineage, ...]:
    """What is told of each place at which it always was the same."""
    found: List[Lineage] = []
    for (at, target, place, _), known in record.taken.items():
        if len({one.made for one, _ in known}) != 1:
            continue
        takes, source = known[0]
        if takes.made and (takes.pads is None or takes.pads in record.pads):
            found.append(
                Lineage(frames.span(*at[1:]), target, str(place), takes.made, takes.sizes, frames.span(*source[1:]))
            )
    return tuple(found)
