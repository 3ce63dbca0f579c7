"""What was seen in one run at some sizes, in a form that can be laid beside what was seen at others."""

from __future__ import annotations

from types import FrameType
from typing import Any, Dict, Hashable, Iterable, List, Sequence, Tuple

import torch

from fx_lsp.model.value import Group, TensorType, Value
from fx_lsp.worker.capture.describe import PLAIN, members
from fx_lsp.worker.capture.record import MAX_SEQUENCE, Record

Shape = Tuple[int, ...]
Facts = Tuple[Value, ...]
"""Values of a binding (one) or of an operation (inputs, then the output)."""
Key = Tuple[str, Hashable]
Call = Tuple[Any, Tuple[Shape, ...], Tuple[Shape, ...]]
"""A torch function, the shapes it took and those it gave."""
MAX_CALLS = 20_000
"""Torch functions of one run that are looked at."""
MAX_DEPTH = 3


class Calls:
    """Every torch function of a run, as `Recorder.observer`."""

    def __init__(self) -> None:
        self.made: List[Call] = []
        self.weights: Dict[int, Shape] = {}
        """Of each parameter that was taken, by its identity."""

    def starts(self) -> int:
        """Nothing is wanted back."""
        return 0

    def called(
        self, frame: FrameType, func: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any], result: Any, before: int,
        failed: bool,
    ) -> None:  # fmt: skip
        """Note the shapes."""
        if len(self.made) < MAX_CALLS and isinstance(result, (torch.Tensor, tuple, list)):
            with torch._C.DisableTorchFunction():
                out = _shapes(result, {})
                if out:
                    self.made.append((func, _shapes((args, kwargs) if kwargs else args, self.weights), out))


def _shapes(item: Any, weights: Dict[int, Shape]) -> Tuple[Shape, ...]:
    found: List[Shape] = []
    _collect(item, MAX_DEPTH, found, weights)
    return tuple(found)


def _collect(item: Any, depth: int, found: List[Shape], weights: Dict[int, Shape]) -> None:
    cls = type(item)
    if cls in PLAIN:
        return
    if issubclass(cls, torch.Tensor):
        try:
            found.append(tuple(map(int, item.shape)))
        except (RuntimeError, AttributeError):  # a nested tensor has no sizes to give
            return
        if isinstance(item, torch.nn.Parameter):
            weights[id(item)] = found[-1]
    elif depth > 0:
        for member in members(item, cls):
            _collect(member, depth - 1, found, weights)


class Run:
    """One run: its sizes, its calls, and per place what was seen there, in order."""

    def __init__(
        self, sizes: Dict[str, int], record: Record, calls: Sequence[Call], weights: Iterable[Shape] = ()
    ) -> None:
        """`weights`: shapes of the model's own parameters."""
        self.sizes, self.calls, self.weights = sizes, list(calls), sorted(weights)
        self.seen: Dict[Key, List[Tuple[str, Facts]]] = {}
        owner: Dict[int, Tuple[Key, Facts]] = {}
        for site, values in record.values.items():
            owner.update({id(seen): (("binding", site), (value,)) for value, seen in values.items()})
        for place, called in record.called.items():
            owner.update(
                {id(seen): (("operation", place), (*sig[0], sig[1])) for sig, seen in called.signatures.items()}
            )
        for event in record.tape or ():
            if isinstance(event, tuple) and id(event[0]) in owner:
                key, facts = owner[id(event[0])]
                sequence = self.seen.setdefault(key, [])
                if len(sequence) < MAX_SEQUENCE:
                    sequence.append((event[1], facts))
        for cls, use in record.uses.items():
            if use.output is not None:
                self.seen["use", cls] = [(use.path, (*use.inputs, use.output))]


def shapes(facts: Facts) -> List[Shape]:
    """Of every tensor inside, in order."""
    return [shape for value in facts for shape in _of(value)]


def _of(value: Value) -> List[Shape]:
    if isinstance(value, TensorType):
        return [value.shape]
    return [shape for item in value.items for shape in _of(item)] if isinstance(value, Group) else []
