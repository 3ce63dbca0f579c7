"""Write the shapes that a function was called with, and gave, into its signature, for jaxtyping and its checkers.

Before:
    def forward(self, x, mask=None): ...
After:
    from jaxtyping import Bool, Float
    def forward(self, x: Float[Tensor, "B 768"], mask: Bool[Tensor, "B"] | None = None) -> Float[Tensor, "B 8"]: ...
"""

from __future__ import annotations

from fx_lsp.analysis.actions import Action, Edit
from fx_lsp.analysis.annotations.signature import functions, of_function
from fx_lsp.analysis.rewrites._file import Function
from fx_lsp.analysis.snapshot import Snapshot


def find(snapshot: Snapshot, line: int, column: int) -> Edit | None:
    """On offer on the lines of a signature, where something of it ran."""
    inside = (
        [one for one in functions(snapshot) if one[0].lineno <= line < _body(one[0])] if _near(snapshot, line) else []
    )
    return _edit(snapshot, *inside[-1]) if inside else None


def around(snapshot: Snapshot, line: int) -> Edit | None:
    """Of the function that a line is in, else of the `forward` of its class."""
    known = functions(snapshot)
    inside = [one for one in known if one[0].lineno <= line <= (one[0].end_lineno or line)]
    classes = [one.name for one in snapshot.modules if one.line <= line <= one.end_line]
    inside = inside or [one for one in known if classes and one[1] == classes[-1]]
    return _edit(snapshot, *inside[-1]) if inside else None


def _near(snapshot: Snapshot, line: int) -> bool:
    """Whether a parameter is somewhere below that held something: a line in the middle of nothing is not looked at."""
    return any(
        one.role == "parameter" and one.span.path == snapshot.path and abs(one.span.line - line) <= _HEADER
        for trace in snapshot.traces
        for one in trace.reply.bindings
    )


_HEADER = 100
"""Lines of a signature."""


def _body(function: Function) -> int:
    """The first line that is none of the signature; at least the one after its start."""
    return max(function.body[0].lineno, function.lineno + 1)


def _edit(snapshot: Snapshot, function: Function, owner: str) -> Edit | None:
    changes = of_function(snapshot, function, owner)
    return Edit(f"Annotate {function.name} with its shapes", snapshot.path, changes) if changes else None


ACTION = Action(id="annotate-forward", title="Annotate forward", find=find, kind="refactor.rewrite")
