"""Runs an example for its costs: without gradients as it is used, and with them as a step of training."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import Any, Callable, Dict, List, Optional, Set, Tuple, Union

import torch
from torch import nn

from fx_lsp.model.costs import Costs, Training
from fx_lsp.model.example import trains
from fx_lsp.model.messages import TraceRequest
from fx_lsp.worker import example
from fx_lsp.worker.capture.frames import Frames, message_of
from fx_lsp.worker.capture.modules import ModuleStack
from fx_lsp.worker.costs.facts import costs_of
from fx_lsp.worker.costs.observer import CostObserver, parameters
from fx_lsp.worker.costs.shapes import ShapeObserver
from fx_lsp.worker.costs.varied import Varied
from fx_lsp.worker.engines.fake import Fake
from fx_lsp.worker.engines.real import Real
from fx_lsp.worker.graph.counting import tensors_in

Then = Callable[[CostObserver, List[Any]], Any]
"""What is done with the only item of a list, which it may drop, while everything is still observed."""


class CostStudy:
    """Of one example."""

    def __init__(self, request: TraceRequest, engine: Union[Fake, Real], stack: ModuleStack) -> None:
        self._request, self._engine, self._stack = request, engine, stack
        self._module = ModuleType("")
        self._integers = example.INTEGERS[0]
        """What integer tensors are drawn from, where values are real."""

    @property
    def _frames(self) -> Frames:
        return self._engine.recorder.frames

    def find(self, module: ModuleType, found: List[Costs]) -> None:
        """Evaluated in a module: add what is known, and then again what is known with training.

        Raises:
            BaseException: what the example raises, or that there is no more time.
        """
        self._module = module
        if self._request.naming is not None:
            found.append(Varied(self._request, self._engine.recorder, self._varied).costs())
            return
        forward = self._forward()
        found.append(costs_of(self._frames, forward))
        why = ""
        for mode in ("",) if trains(self._request.setup, self._request.call) else ("train", "eval"):
            try:
                found.append(self._trained(forward, mode))
                return
            except Exception as error:  # training is not what the example is for
                why = why or f"{type(error).__name__}: {message_of(error)}".splitlines()[0]
        found.append(replace(found[-1], why=why))

    def _forward(self) -> CostObserver:
        """As it is used.

        Raises:
            Exception: that of the last try.
        """
        matter = isinstance(self._engine, Real) and example.draws_integers(self._request.setup + self._request.call)
        failed: Optional[Exception] = None
        for integers in example.INTEGERS if matter else example.INTEGERS[:1]:
            self._integers = integers
            for gradients in (False, True):  # code that computes gradients needs them
                try:
                    with torch.set_grad_enabled(gradients):
                        return self._observed({}, lambda observer, box: None)[0]
                except Exception as error:
                    failed = error
        assert failed is not None
        raise failed

    def _trained(self, forward: CostObserver, mode: str) -> Costs:
        names: Dict[str, Any] = {example.PREPARE: _in_training} if mode == "train" else {}
        with torch.enable_grad():
            observer, (training, kept) = self._observed(names, _step)
        mode = mode or ("train" if any(root.training for root in observer.roots) else "eval")
        return costs_of(self._frames, forward, observer, replace(training, mode=mode), kept)

    def _varied(self, setup: str, call: str, *, gradients: bool) -> ShapeObserver:
        """What the example computes with another text."""
        self._request = replace(self._request, setup=setup, call=call)
        observer = ShapeObserver(self._frames, self._engine.recorder.current)
        with torch.set_grad_enabled(gradients):
            self._observed({}, lambda observer, box: None, observer)
        return observer

    def _observed(
        self, names: Dict[str, Any], then: Then, observer: Optional[CostObserver] = None
    ) -> Tuple[CostObserver, Any]:
        """Run the example in its namespace with other names laid over, and what comes then."""
        request, recorder = self._request, self._engine.recorder
        observer = observer or CostObserver(self._frames, recorder.current)
        recorder.observer = self._stack.watcher = observer
        example.seed(0)
        try:
            with self._engine.run(), observer.meter:
                namespace = {**example.namespace(self._module, self._integers), **names}
                box = [example.run(request.setup, request.call, namespace)]
                return observer, then(observer, box)
        finally:
            recorder.observer = self._stack.watcher = None


class NoGradientError(Exception):
    """The example gives nothing that depends on a parameter."""


def _step(observer: CostObserver, box: List[Any]) -> Tuple[Training, int]:
    """The backward pass; what the step needs, and how many bytes are kept between the passes."""
    meter = observer.meter
    made = len(meter.made)
    loss = _loss(box[0])
    before = meter.live
    box.clear()
    held = before - meter.live  # by nobody but who called the model: it is there, but not kept for the backward pass
    kept = observer.turn(made)
    meter.live += held
    # `backward` itself is a torch function, which hides all others below it: those of checkpoints, that run again.
    ones = torch.ones_like(loss)
    torch.autograd.Variable._execution_engine.run_backward(
        (loss,), (ones,), False, False, (), allow_unreachable=True, accumulate_grad=True
    )
    observer.charge()
    sizes = [_gradient(parameter) for parameter in parameters(observer.roots)]
    peak = max(meter.peak, meter.live)
    return Training(peak, meter.live, sum(sizes), max(sizes, default=0), observer.flops, ""), kept


def _loss(result: Any) -> torch.Tensor:
    """What to minimise: the scalars of the result where every gradient comes from them, else all of it, summed."""
    outputs = [one for one in tensors_in(result) if one.requires_grad]
    scalars = [one for one in outputs if one.dim() == 0]
    if not outputs:
        raise NoGradientError("the result depends on no parameter by a gradient")
    if len(_leaves(scalars)) < len(_leaves(outputs)):
        scalars = []
    sums = [(one.abs() if one.is_complex() else one).sum() for one in scalars or outputs]
    return sum(sums[1:], sums[0])


def _leaves(outputs: List[torch.Tensor]) -> Set[Any]:
    """Functions of autograd at which gradients of the outputs arrive."""
    waiting = [one.grad_fn for one in outputs]
    seen: Set[Any] = set(waiting)
    leaves: Set[Any] = set()
    while waiting:
        node = waiting.pop()
        further = [one for one, _ in getattr(node, "next_functions", ()) if one is not None]
        if not further:
            leaves.add(node)
        waiting += [one for one in further if one not in seen]
        seen.update(further)
    return leaves


def _gradient(parameter: nn.Parameter) -> int:
    """Bytes of its gradient."""
    with torch._C.DisableTorchFunction():
        gradient = parameter.grad
        return gradient.numel() * gradient.element_size() if gradient is not None else 0


def _in_training(called: Any) -> Any:
    """As `example.PREPARE`, for training."""
    owner = called if isinstance(called, nn.Module) else getattr(called, "__self__", None)
    if isinstance(owner, nn.Module) and (called is owner or not hasattr(nn.Module, getattr(called, "__name__", ""))):
        owner.train()
    return called
