"""One version of the workspace: its modules are imported, its example is run, and its models are kept."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any, Collection, List, NamedTuple, Optional

from torch import nn

from fx_lsp.model.messages import TraceRequest
from fx_lsp.worker import example
from fx_lsp.worker.capture.attempts import source_of
from fx_lsp.worker.capture.devices import OnProcessor
from fx_lsp.worker.comparison.anew import forget
from fx_lsp.worker.comparison.inputs import Inputs
from fx_lsp.worker.comparison.weights import Weights
from fx_lsp.worker.overlay import Workspace

MAX_MODELS = 2
"""Models of one example that are looked at."""


class Called(NamedTuple):
    """A model, and what the example called it with."""

    model: nn.Module
    inputs: Inputs


class Ran(NamedTuple):
    """What came of running one version."""

    called: List[Called]
    result: Any
    """What the example gives; None where it was ended early."""
    thin: bool = False
    """Whether not all weights fitted into memory."""
    values: example.Values = example.Values()
    """What its tensors were filled with."""


class _Enough(BaseException):
    """The module to compare is known, and what the example gives would say nothing."""


def models(
    request: TraceRequest,
    workspace: Workspace,
    files: Optional[Collection[str]] = None,
    values: Optional[example.Values] = None,
) -> Ran:
    """The first modules that the example calls, or its file where there is a class to compare, which they are of, in a
    workspace with its own texts; and what the example gives, with the first values that it takes.

    The workspace is imported anew, or some of its files and what was made from them: two versions live side by side.
    Where the weights of the example do not fit into memory, it runs with such as take none as far as to the first of
    these modules.

    Raises:
        BaseException: what the example raises with the values it is usually given.
    """
    first: Optional[Exception] = None
    for one in [values] if values is not None else example.values(request.setup + request.call):
        try:
            return _models(request, workspace, files, one)
        except Exception as error:  # user code may raise anything
            first = first or error
    assert first is not None
    raise first


def _models(
    request: TraceRequest, workspace: Workspace, files: Optional[Collection[str]], values: example.Values
) -> Ran:
    wanted = request.comparison or request.rewrite
    path, name = (wanted.path, wanted.name) if wanted is not None else ("", "")
    forget(workspace, files)
    workspace.install()
    found: List[Called] = []
    result: Any = None
    call, weights = nn.Module.__call__, Weights()

    def watched(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
        if any(one.model is self for one in found) or len(found) == MAX_MODELS or owner(self, path, name) is None:
            return call(self, *args, **kwargs)
        found.append(Called(self, Inputs(args, kwargs)))
        if weights.thin:
            raise _Enough
        nn.Module.__call__ = call  # type: ignore[method-assign]
        try:
            return call(self, *args, **kwargs)
        finally:
            nn.Module.__call__ = watched  # type: ignore[method-assign]

    try:
        with weights if request.comparison is not None else nullcontext(), OnProcessor():
            if name:  # what the file itself calls is as good as what the example calls
                nn.Module.__call__ = watched  # type: ignore[method-assign]
            example.seed(0)
            module = workspace.load(request.scope)
            example.seed(0)
            nn.Module.__call__ = watched  # type: ignore[method-assign]
            result = example.run(request.setup, request.call, example.namespace(module, *values))
    except _Enough:
        pass
    finally:
        nn.Module.__call__ = call  # type: ignore[method-assign]
        workspace.remove()
    return Ran(found, result, weights.thin, values)


def owner(module: nn.Module, path: str, name: str) -> Optional[type]:
    """The class of that file and `__qualname__` that it is of, or is made from; any if no name is given."""
    fits = (one for one in type(module).__mro__ if not name or (one.__qualname__ == name and source_of(one) == path))
    return next(fits, None)
