"""Everything known about one file at one moment; hints, hovers and lenses are functions of it."""

from __future__ import annotations

from dataclasses import dataclass

from fx_lsp.model.example import Example
from fx_lsp.model.messages import TraceReply
from fx_lsp.model.span import Span


@dataclass(frozen=True)
class ModuleClass:
    """An `nn.Module` class of the workspace, found in the text."""

    name: str
    """Qualified name in its file: `Block`, `Outer.Inner`."""
    line: int
    """Line of `class`, from 1 (not of a decorator)."""
    column: int
    """Column of `class`, in UTF-8 bytes."""
    end_line: int
    name_span: Span
    """The class name in the `class` statement."""
    forward_line: int | None = None
    """Line of its own `def forward`; None when inherited or absent."""
    abstract: bool = False
    """Nothing to run: no `forward` of its own or inherited from the workspace."""
    for_others: frozenset[str] = frozenset()
    """Attributes that it makes and that only other files read."""
    in_double: bool = False
    """Whether another file that names it asks for double precision."""


@dataclass(frozen=True)
class Problem:
    """Something to tell the user at a place of this file."""

    span: Span
    severity: str
    """`error`, `warning`, `information` or `hint`."""
    code: str
    """Names the bad pattern: `trace-failure`, `bad-directive`."""
    message: str
    related: tuple[tuple[Span, str], ...] = ()
    """Places that explain it, with a text each."""


@dataclass(frozen=True)
class Choice:
    """Which of several calls the user wants to see first at a place."""

    place: str
    """Qualified name of a class, or a line as it is written."""
    shown: str
    """Path of a module of the class; or a value of the line, with its sizes."""
    name: str = ""
    """Of a line: the name that holds the value."""


@dataclass(frozen=True)
class Trace:
    """An example and what came of running it."""

    example: Example
    call: str
    """The call with all sizes filled in."""
    dims: tuple[tuple[str, int], ...]
    reply: TraceReply
    older: bool = False
    """Of an older text, and moved along with it."""

    @property
    def status(self) -> str:
        """`traced`, `partial` (a failure ended it) or `failed` (nothing ran)."""
        if self.reply.failure is None:
            return "traced"
        return "partial" if self.reply.bindings or self.reply.operations else "failed"


@dataclass(frozen=True)
class Snapshot:
    """Immutable: a newer text or a newer trace makes a new one."""

    path: str
    text: str
    modules: tuple[ModuleClass, ...] = ()
    traces: tuple[Trace, ...] = ()
    """All that ran through this file, best origin first."""
    problems: tuple[Problem, ...] = ()
    """Found without running anything: mistakes in directives, in the configuration."""
    pending: bool = False
    """Traces are on their way: what is missing may still come."""
    shown: int = -1
    """Number of the trace that the user chose to see first; -1: none."""
    unfound: tuple[tuple[str, str], ...] = ()
    """Classes that no example could be invented for, and why."""
    severities: tuple[tuple[str, str], ...] = ()
    """What the workspace wants of rules, by their id: a severity, or `off`."""
    obstacles: tuple[Problem, ...] = ()
    """What stops torch's compilers, where the workspace asks for it."""
    chosen: tuple[Choice, ...] = ()
    """Calls that the user chose to see first, where a line ran several times."""

    @property
    def stale(self) -> bool:
        """Whether facts of an older text are among those shown."""
        return any(trace.older for trace in self.traces)
