"""`torch.export.export`, not strict: Python runs, and what it does with fake tensors is recorded."""

from __future__ import annotations

from typing import Iterator

from torch import nn

from fx_lsp.worker.capture.frames import Frames
from fx_lsp.worker.comparison.inputs import Inputs
from fx_lsp.worker.compilers import Compiler
from fx_lsp.worker.compilers._told import Told, raised, told


def find(model: nn.Module, inputs: Inputs, frames: Frames) -> Iterator[Told]:
    """The first expression that it cannot record."""
    from torch.export import export  # takes a while

    args, kwargs = inputs.again()
    error = raised(lambda: export(model, args, kwargs, strict=False))
    if error is not None:
        yield told(error, frames)


COMPILER = Compiler("export", find)
