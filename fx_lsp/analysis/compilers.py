"""What torch's compilers cannot do, as it is shown."""

from __future__ import annotations

from collections.abc import Iterable

from fx_lsp.analysis.snapshot import Problem
from fx_lsp.model.failure import Obstacle

COMPILERS = {
    "symbolic_trace": ("symbolic-trace", "torch.fx.symbolic_trace cannot go on here"),
    "compile": ("graph-break", "torch.compile breaks the graph here"),
    "export": ("export-failure", "torch.export fails here"),
}
"""Code of the diagnostic, and what it says first."""


def problems(path: str, obstacles: Iterable[Obstacle]) -> tuple[Problem, ...]:
    """Those in one file, each once."""
    return tuple(dict.fromkeys(_problem(one) for one in obstacles if one.span.path == path))


def _problem(obstacle: Obstacle) -> Problem:
    code, first = COMPILERS[obstacle.compiler]
    hint = f" {obstacle.hint[0].upper()}{obstacle.hint[1:]}." if obstacle.hint else ""
    return Problem(obstacle.span, "information", code, f"{first}: {obstacle.message}.{hint}")
