"""The request `fx/examples`, as it is on the wire; see `protocol`."""

from __future__ import annotations

from dataclasses import dataclass

from fx_lsp.server.protocol import Place, TextDocument


@dataclass(frozen=True)
class ExamplesParams:
    """What `fx/examples` asks for."""

    textDocument: TextDocument
    line: int | None = None
    """As LSP counts: with it the reply has the calls to choose from there."""


@dataclass(frozen=True)
class ExampleRun:
    """An example that was run for a file."""

    scope: str
    """URI of the file in whose namespace it was run."""
    setup: str
    """Statements before it."""
    written: str
    call: str
    """As it was run."""
    dims: dict[str, int]
    """Sizes of its named dims."""
    origin: str
    """One of `fx_lsp.model.example.ORIGINS`."""
    target: str
    """Qualified name of the class that it is for; empty when nobody said."""
    location: Place | None
    """Where it is written."""
    engine: str
    """`fake` or `real`; empty when nothing ran."""
    ms: float
    """How long it took."""
    status: str
    """`traced`, `partial` or `failed`."""
    shown: bool
    """Whether its shapes are shown first."""
    reason: str | None
    """Why it failed."""


@dataclass(frozen=True)
class LineCall:
    """One of several calls of the same lines in one example."""

    of: str
    """The class or function, or the name that holds the value."""
    label: str
    modules: tuple[str, ...]
    """Paths of the modules that it was in."""
    shown: bool


@dataclass(frozen=True)
class ExamplesReply:
    """Answer of `fx/examples`; nothing for what is no open document."""

    pending: bool
    """Whether more may be found."""
    stale: bool
    """Whether some of it is of an older text."""
    examples: tuple[ExampleRun, ...]
    calls: tuple[LineCall, ...]
    """Those of the class and of the names of the line that was asked about."""
    chosen: object
    """What the user chose of the file: to be given back as it is at the next start, see `fx_lsp.server.chosen`."""
