"""Two versions of a model with the same weights, run side by side on the same values."""

from __future__ import annotations

import random
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Dict, Iterator, List, Optional, Tuple

import torch
from torch import nn

from fx_lsp.model.comparison import Compared, Comparison
from fx_lsp.model.messages import TraceRequest
from fx_lsp.worker.capture.compilers import real_branches
from fx_lsp.worker.capture.devices import OnProcessor
from fx_lsp.worker.capture.frames import message_of
from fx_lsp.worker.comparison.inputs import OWN, Draw
from fx_lsp.worker.comparison.numbers import Apart, Result, difference
from fx_lsp.worker.comparison.unchanged import unchanged, without_tables
from fx_lsp.worker.comparison.version import Called
from fx_lsp.worker.comparison.versions import NONE, edited_one, first
from fx_lsp.worker.comparison.weights import MOST, ROOM, made_real, size, tensors_of
from fx_lsp.worker.failures import Deadline, sentence
from fx_lsp.worker.graph.counting import tensors_in
from fx_lsp.worker.overlay import Workspace

NOISE = 0.02
"""How far weights are moved, so that none is zero or equal to another by chance."""
DTYPES = (("f64", torch.float64), ("f32", torch.float32))
LEAST = 2
"""Checks for which there has to be time: on other values and weights, in `eval()` and `train()`."""
SHARE = 0.6
"""Part of the time limit after which no check is begun."""
LONGEST = 6.0
"""Seconds of the processor after which no other check of a module is begun, the most telling ones being over: what else
the machine does is no reason to look less."""


def compared(request: TraceRequest, old: Workspace) -> Compared:
    """Run the example in the workspace as it is and as it is edited, and compare what its models do.

    Raises:
        BaseException: what the old version raises.
    """
    began = time.monotonic()
    until = began + request.seconds * SHARE
    edited = request.comparison.edited if request.comparison is not None else ()
    overlays = {**old.overlays, **{overlay.path: overlay.text for overlay in edited}}
    new = Workspace(request.root, overlays, old.prepared, old.real)
    function = request.comparison.function if request.comparison is not None else ""
    before, result, thin, values = first(request, old)
    if not before:
        return Compared(why=NONE.get(function, "the example calls no such function"), runs=True)
    try:
        after, other_result, *_ = edited_one(request, new, before, values)
    except Deadline:
        raise
    except BaseException as error:  # user code may raise anything
        return Compared(why=f"it does not run any more: {sentence(error, 0)}")
    if [type(one.model).__qualname__ for one in before] != [type(one.model).__qualname__ for one in after]:
        return Compared(why="the example calls other modules", runs=True)
    for one in (*before, *after) if thin else ():
        if size(one.model) > MOST:
            return Compared(why=f"with {size(one.model):,} numbers it is too large to be run twice", runs=True)
        made_real(one.model)
    same = all(set(one.model.state_dict()) == set(other.model.state_dict()) for one, other in zip(before, after))
    try:
        difference(_outputs(result, same), _outputs(other_result, same), "f32")
    except Apart as error:
        return Compared(why=f"the example gives something else: {error}", runs=True)
    if function and (apart := next(filter(None, map(_dtypes, before, after)), "")):
        return Compared(why=apart, runs=True)
    del result, other_result
    for one, other in zip(before, after):
        try:
            keys, refused = _carried_over(one.model, other.model)
        except RuntimeError as error:
            return Compared(why=f"old weights do not load: {message_of(error)}", runs=True)
        found = _Pair(one, other.model, keys, until, request.comparison).compared()
        found = replace(found, refused=refused)
        if found.why:
            return found
    return found


def _carried_over(old: nn.Module, new: nn.Module) -> Tuple[Tuple[str, ...], str]:
    """Load the old weights into the new model, and tell which entries only one of them has, and why not all loaded.

    Raises:
        RuntimeError: those that both have do not load.
    """
    state = {name: value.clone() if isinstance(value, torch.Tensor) else value
             for name, value in old.state_dict().items()}  # fmt: skip
    keys, refused = tuple(sorted(set(state) ^ set(new.state_dict()))), ""
    try:
        new.load_state_dict(state)
    except RuntimeError as error:
        refused = message_of(error)
        new.load_state_dict(state, strict=False)
    return keys, refused


class _Pair:
    def __init__(
        self, old: Called, new: nn.Module, keys: Tuple[str, ...], until: float, wanted: Optional[Comparison]
    ) -> None:
        self.old, self.new, self.inputs = old.model, new, old.inputs
        for model in (old.model, new):
            without_tables(model)
        self.keys, self.until, self.longest = keys, until, time.thread_time() + LONGEST
        self.moved = False
        self.dtype = DTYPES[0]
        self.single = wanted is not None and wanted.single
        self.zeros = wanted is not None and wanted.zeros

    def compared(self) -> Compared:
        """In double precision if the model fits into memory so, and runs in it."""
        for dtype in DTYPES[self.single or size(self.old) > ROOM :]:
            self.dtype = dtype
            for model in (self.old, self.new):
                model.to(self.dtype[1])
                for module, name, value in tensors_of(model):
                    if value.is_floating_point():
                        setattr(module, name, value.to(self.dtype[1]))
            for tracked in (True, False):
                self.inputs.tracked = tracked
                if self._runs():
                    return self._checks()
        return Compared(why="the model does not run on real tensors", runs=True)

    def _runs(self) -> bool:
        try:
            self._run(self.old, OWN, train=False)
        except Exception:  # only whether it does is asked: what the user's code raises is told by its trace
            return False
        return True

    def _checks(self) -> Compared:
        found, rows = Compared(dtype=self.dtype[0], keys=self.keys, runs=True, untracked=not self.inputs.tracked), ""
        for draw in self.inputs.draws():
            for train in (False, True):
                late = time.monotonic() > self.until or time.thread_time() > self.longest
                if late and found.checks >= LEAST:
                    break
                found = self._check(found, draw, train)
                if found.rows:  # whether anything else tells them apart matters more
                    found, rows = replace(found, why="", rows=False), rows or found.why
                if found.why:
                    return found
        if rows:
            return replace(found, why=rows, rows=True)
        return found if found.checks else replace(found, why="there were no finite numbers to compare")

    def _check(self, found: Compared, draw: Draw, train: bool) -> Compared:
        if draw.seed and not self.moved:
            self._move_weights(draw.seed)
        try:
            old = self._run(self.old, draw, train)
        except Exception:
            return found  # not a value, a size or a mode that it takes: that is no fault of the edit
        if not old.finite:
            return found
        mode = "train" if train else "eval"
        says = f"with {draw.says}, in {mode}()"
        try:
            new = self._run(self.new, draw, train)
            apart = difference(self._common(old, new), self._common(new, old), self.dtype[0])
        except Apart as error:
            again = self._run(self.old, draw, train)
            return replace(found, why=f"{says}: {self._told(old, again) or error}", rows=draw.row >= 0)
        except Exception as error:
            return replace(found, why=f"{says}, it does not run any more: {sentence(error, 0)}", runs=False)
        return replace(found, checks=found.checks + 1, difference=max(found.difference, apart))

    def _told(self, old: Result, again: Result) -> str:
        """What is wrong with comparing at all."""
        try:
            difference(old, again, self.dtype[0])
        except Apart:
            return "the model itself does not give the same twice"
        return ""

    def _common(self, one: Result, other: Result) -> Result:
        """Of the gradients only those of what both have, where the state dict is another."""
        names = {name for name, _ in other.gradients}
        kept = [gradient for gradient in one.gradients if not self.keys or gradient[0] in names]
        return one._replace(gradients=kept)

    def _move_weights(self, seed: int) -> None:
        self.moved = True
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for one in self.old.parameters():
                if one.is_floating_point():
                    one.add_(torch.randn(one.shape, generator=generator, dtype=one.dtype), alpha=NOISE)
        _carried_over(self.old, self.new)

    def _run(self, model: nn.Module, draw: Draw, train: bool) -> Result:
        args, kwargs, tracked = self.inputs.drawn(draw, self.dtype[1])
        model.train(train)
        model.zero_grad(set_to_none=True)
        with unchanged(model), self._default(), OnProcessor(), torch.enable_grad(), real_branches():
            torch.manual_seed(draw.seed)
            random.seed(draw.seed)
            result = tensors_in(model(*args, **kwargs))
            torch.manual_seed(draw.seed)
            _backward(result)
        outputs = [(f"output {number}", one.detach().clone()) for number, one in enumerate(result)]
        after = tensors_in([*args, kwargs])
        effects = [(f"argument {number} afterwards", one.detach().clone()) for number, one in enumerate(after)]
        kept = {name for name in model.state_dict()}
        effects += [(f"buffer {name}", one.detach().clone()) for name, one in model.named_buffers() if name in kept]
        named: Dict[str, Any] = {f"input {number}": one for number, one in enumerate(tracked)}
        named.update(model.named_parameters())
        gradients = [(f"gradient of {name}", grad) for name, one in named.items()
                     if (grad := self._gradient(one)) is not None]  # fmt: skip
        return Result(outputs, effects, gradients)

    def _gradient(self, one: torch.Tensor) -> Optional[torch.Tensor]:
        return torch.zeros_like(one) if one.grad is None and self.zeros and one.requires_grad else one.grad

    @contextmanager
    def _default(self) -> Iterator[None]:
        """What the code makes on the way is of the same dtype."""
        before = torch.get_default_dtype()
        torch.set_default_dtype(self.dtype[1])
        try:
            yield
        finally:
            torch.set_default_dtype(before)


def _outputs(result: Any, values: bool) -> Result:
    """Those of the example; what is not finite says nothing, and values do not where other weights were drawn."""
    named = [(f"output {number}", one.detach()) for number, one in enumerate(tensors_in(result))]
    if not values:
        named = [(name, torch.zeros_like(one)) for name, one in named]
    return Result([one for one in named if bool(torch.isfinite(one[1]).all())], [], [])


def _dtypes(old: Called, new: Called) -> str:
    """What differs of what they give as the program has it, where it computes in single precision."""
    results = []
    try:
        for model in (old.model, new.model):
            args, kwargs = old.inputs.again()
            with unchanged(model), OnProcessor(), torch.enable_grad(), real_branches():
                torch.manual_seed(0)
                random.seed(0)
                results.append(_outputs(model(*args, **kwargs), False))
        difference(*results, "f32")
    except Apart as error:
        return str(error)
    except Exception as error:  # user code may raise anything
        return f"it does not run: {sentence(error, 0)}"
    return ""


def _backward(results: List[torch.Tensor]) -> None:
    """Gradients of a sum in which each number of the outputs has a weight of its own."""
    parts = []
    for one in results:
        if one.requires_grad and (one.is_floating_point() or one.is_complex()):
            real = torch.view_as_real(one) if one.is_complex() else one
            parts.append((real * torch.randn(real.shape, dtype=real.dtype)).sum())
    if parts:
        torch.stack(parts).sum().backward()
