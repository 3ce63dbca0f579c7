"""`torch.fx.symbolic_trace`: what is no tensor, and what the example leaves out, is what it is in the example."""

from __future__ import annotations

import inspect
from typing import Any, Dict, Iterator

import torch
from torch import nn

from fx_lsp.worker.capture.frames import Frames
from fx_lsp.worker.comparison.inputs import Inputs
from fx_lsp.worker.compilers import Compiler
from fx_lsp.worker.compilers._told import Told, raised, told

_FIXED = (bool, int, float, str, type(None))


def find(model: nn.Module, inputs: Inputs, frames: Frames) -> Iterator[Told]:
    """The first expression that it cannot record."""
    error = raised(lambda: torch.fx.symbolic_trace(model, concrete_args=_fixed(model, inputs)))
    if error is not None:
        yield told(error, frames)


def _fixed(model: nn.Module, inputs: Inputs) -> Dict[str, Any]:
    args, kwargs = inputs.again()
    bound = inspect.signature(model.forward).bind(*args, **kwargs)
    bound.apply_defaults()
    return {name: value for name, value in bound.arguments.items() if isinstance(value, _FIXED)}


COMPILER = Compiler("symbolic_trace", find)
