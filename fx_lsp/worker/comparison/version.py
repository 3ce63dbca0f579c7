"""One version of the workspace: its modules are imported, its example is run, and its models are kept."""

from __future__ import annotations

import os
import sys
from typing import Any, Iterator, List, NamedTuple, Tuple

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from fx_lsp.model.messages import TraceRequest
from fx_lsp.worker import example
from fx_lsp.worker.capture.attempts import source_of
from fx_lsp.worker.capture.devices import Devices
from fx_lsp.worker.comparison.inputs import Inputs
from fx_lsp.worker.overlay import Workspace

MAX_MODELS = 2
"""Models of one example that are looked at."""


class Called(NamedTuple):
    """A model, and what the example called it with."""

    model: nn.Module
    inputs: Inputs


class OnProcessor(TorchFunctionMode):
    """Every accelerator is the processor."""

    def __init__(self) -> None:
        super().__init__()
        self._devices = Devices()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run it here."""
        return self._devices.call(func, args, kwargs or {})


def models(request: TraceRequest, workspace: Workspace) -> Tuple[List[Called], Any]:
    """The first modules that the example calls, of the class to compare where there is one, in a workspace with its
    own texts; and what the example gives.

    The workspace is imported anew: two versions live side by side.
    """
    wanted = request.comparison or request.rewrite
    path, name = (wanted.path, wanted.name) if wanted is not None else ("", "")
    _forget(workspace)
    workspace.install()
    found: List[Called] = []
    call = nn.Module.__call__

    def watched(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
        if any(one.model is self for one in found) or len(found) == MAX_MODELS or not _is_one(self, path, name):
            return call(self, *args, **kwargs)
        found.append(Called(self, Inputs(args, kwargs)))
        nn.Module.__call__ = call  # type: ignore[method-assign]
        try:
            return call(self, *args, **kwargs)
        finally:
            nn.Module.__call__ = watched  # type: ignore[method-assign]

    try:
        with OnProcessor():
            module = workspace.load(request.scope)
            example.seed(0)
            nn.Module.__call__ = watched  # type: ignore[method-assign]
            result = example.run(request.setup, request.call, example.namespace(module, example.INTEGERS[0]))
    finally:
        nn.Module.__call__ = call  # type: ignore[method-assign]
        workspace.remove()
    return found, result


def _is_one(module: nn.Module, path: str, name: str) -> bool:
    """Whether it is of the class, or of one made from it."""
    return not name or any(cls.__qualname__ == name and source_of(cls) == path for cls in type(module).__mro__)


def tensors_of(model: nn.Module) -> Iterator[Tuple[nn.Module, str, torch.Tensor]]:
    """Plain attributes that are tensors: they are no part of the state, and no conversion reaches them."""
    for module in model.modules():
        for name, value in list(vars(module).items()):
            if isinstance(value, torch.Tensor):
                yield module, name, value


def _forget(workspace: Workspace) -> None:
    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None)
        if isinstance(path, str) and os.path.isabs(path) and workspace.is_ours(path):
            del sys.modules[name]
