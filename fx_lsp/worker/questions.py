"""What a request may ask of an example besides what runs in it."""

from __future__ import annotations

from typing import Any, Dict, List

from fx_lsp.model.failure import Obstacle
from fx_lsp.model.messages import TraceRequest
from fx_lsp.worker import compilers
from fx_lsp.worker.comparison.compare import compared
from fx_lsp.worker.graph_rewrites._rewritten import rewritten
from fx_lsp.worker.overlay import Workspace


def is_plain(request: TraceRequest) -> bool:
    """Whether torch's own tracers are to see the workspace: then it has no probes, and nothing is patched."""
    return bool(request.compilers) or request.rewrite is not None


def answer(request: TraceRequest, workspace: Workspace, found: Dict[str, Any]) -> None:
    """Add the fields of the reply, as far as there is time.

    Raises:
        BaseException: what the example raises, or that there is no more time.
    """
    if request.comparison is not None:
        found["compared"] = compared(request, workspace)
    elif request.rewrite is not None:
        found["rewritten"] = rewritten(request, workspace)
    else:
        obstacles: List[Obstacle] = []
        try:
            compilers.find(request, workspace, obstacles)
        finally:
            found["obstacles"] = tuple(obstacles)
