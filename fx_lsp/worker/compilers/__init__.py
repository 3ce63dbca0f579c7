"""What torch's compilers cannot do with the models that an example calls: one file for each compiler, found by folder.

To add one, copy a file: its `COMPILER` says what it is called and finds what stops it.  Here the compilers are torch's
own: the workspace is imported without probes, and nothing is patched.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Callable, Dict, Iterable, Iterator, List

from torch import nn

from fx_lsp.model.failure import Obstacle
from fx_lsp.model.messages import TraceRequest
from fx_lsp.model.registry import collect
from fx_lsp.worker.capture.attempts import source_of
from fx_lsp.worker.capture.compilers import uncompiled
from fx_lsp.worker.capture.frames import Frames
from fx_lsp.worker.comparison.inputs import Inputs
from fx_lsp.worker.comparison.version import models
from fx_lsp.worker.compilers._told import Told, raised
from fx_lsp.worker.failures import sentence
from fx_lsp.worker.overlay import Workspace


@dataclass(frozen=True)
class Compiler:
    """One of torch's ways to a graph."""

    id: str
    find: Callable[[nn.Module, Inputs, Frames], Iterable[Told]]
    """What stops it, given a model that runs on these inputs."""


def compilers() -> Dict[str, Compiler]:
    """Every compiler, by its id."""
    return {one.id: one for one in collect(sys.modules[__name__], "COMPILER").values()}


def find(request: TraceRequest, workspace: Workspace, found: List[Obstacle]) -> None:
    """Add to `found` what stops the compilers of the request, as soon as it is known.

    Raises:
        BaseException: what the example raises, or that there is no more time.
    """
    frames = Frames(workspace.prepared.sites.sources)
    with uncompiled():
        called = models(request, workspace).called
    known = compilers()
    for one in [known[name] for name in request.compilers if name in known]:
        for model, inputs in called:
            error = raised(lambda model=model, inputs=inputs: _run(model, inputs))
            if error is None:
                found += _placed(one, model, inputs, frames)
            else:  # it runs in its example only: no compiler is to blame
                print(f"fx-lsp: {type(model).__name__} does not run again: {sentence(error, 0)}", file=sys.stderr)


def _run(model: nn.Module, inputs: Inputs) -> None:
    args, kwargs = inputs.again()
    model(*args, **kwargs)


def _placed(compiler: Compiler, model: nn.Module, inputs: Inputs, frames: Frames) -> Iterator[Obstacle]:
    """One for each place of the workspace."""
    places = set()
    for told in compiler.find(model, inputs, frames):
        cls = type(model)
        span = told.span or frames.named(source_of(cls), cls.__qualname__)
        if span is not None and span not in places:
            places.add(span)
            yield Obstacle(compiler.id, span, told.message, told.hint)
