"""The custom requests and notifications of the server, as they are on the wire.

The TypeScript of the VS Code extension is generated from these classes, see `tests/generated/`.  Those of `fx/examples`
are in `protocol_examples`.
"""

from __future__ import annotations

from dataclasses import dataclass

from fx_lsp.analysis.graph.drawing import DrawnNode, DrawnScope, DrawnValue

CONTENT_MODIFIED = -32801
"""Error of a request whose files were edited while it ran: to be asked again after the next `fx/idle`."""


@dataclass(frozen=True)
class Position:
    """As in LSP."""

    line: int
    character: int


@dataclass(frozen=True)
class Range:
    """As in LSP."""

    start: Position
    end: Position


@dataclass(frozen=True)
class Place:
    """A range in a file, as LSP's `Location`."""

    uri: str
    range: Range


@dataclass(frozen=True)
class GraphParams:
    """Which graph: of `fx/graph`, `fx/code` and `fx/export`."""

    textDocument: TextDocument
    name: str | None = None
    """Qualified name of a class of the file; without it the class around or nearest to `line`."""
    line: int | None = None
    """As LSP counts."""
    level: str | None = None
    """Id of a level; `module` when missing."""
    example: int | None = None
    """Number of the example in the reply's list; the first that reaches the class when missing."""


@dataclass(frozen=True)
class TextDocument:
    """As LSP's `TextDocumentIdentifier`."""

    uri: str


@dataclass(frozen=True)
class GraphLevel:
    """A level that there is."""

    id: str
    title: str


@dataclass(frozen=True)
class GraphExample:
    """A call that runs through the class."""

    label: str
    """The call as it was run."""
    origin: str
    """One of `fx_lsp.model.example.ORIGINS`."""
    status: str
    """`traced`, `partial` or `failed`."""


@dataclass(frozen=True)
class GraphFailure:
    """Why there is only half a graph, or none."""

    message: str
    place: Place | None
    """The expression that failed."""
    node: int
    """The node that failed, in `Drawing.nodes`; -1 when none did."""


@dataclass(frozen=True)
class PlacedDrawing:
    """`fx_lsp.analysis.graph.drawing.Drawing` with its spans as the client counts them."""

    level: str
    name: str
    nodes: tuple[DrawnNode, ...]
    scopes: tuple[DrawnScope, ...]
    """The first is the whole."""
    values: tuple[DrawnValue, ...]
    places: tuple[Place, ...]
    omitted: int
    """Operations left out because there were too many."""
    unseen: int
    """Values that came from code which torch tells nothing of."""


@dataclass(frozen=True)
class GraphReply:
    """Answer of `fx/graph`."""

    state: str
    """`graph`: there is one, up to a failure when there was one; `empty`: no operation ran; `failed`: it failed before
    the first operation; `none`: no class or no call to show; `off`: running is switched off, or the folder is not
    trusted; `unavailable`: nothing can be run, for want of torch or of an interpreter."""
    message: str
    """What is the matter and what to do about it; empty when all is well."""
    uri: str
    name: str
    """Qualified name of the class."""
    names: tuple[str, ...]
    """Classes of the file."""
    level: str
    levels: tuple[GraphLevel, ...]
    example: int
    """Number of the example in `examples`; -1 when there is none."""
    examples: tuple[GraphExample, ...]
    engine: str
    """`fake` or `real`; empty when nothing ran."""
    failure: GraphFailure | None
    drawing: PlacedDrawing | None


@dataclass(frozen=True)
class CodeLink:
    """A line of generated code and where it comes from."""

    line: int
    place: Place


@dataclass(frozen=True)
class CodeReply:
    """Answer of `fx/code`: the graph as Python."""

    state: str
    message: str
    uri: str
    name: str
    level: str
    example: int
    text: str
    links: tuple[CodeLink, ...]


@dataclass(frozen=True)
class ExportParams(GraphParams):
    """What `fx/export` asks for."""

    format: str = "json"
    """`dot`, `html`, `json`, `py` or `svg`."""


@dataclass(frozen=True)
class ExportReply:
    """Answer of `fx/export`."""

    state: str
    message: str
    text: str


@dataclass(frozen=True)
class RewriteGraphParams(GraphParams):
    """What `fx/rewriteGraph` asks for."""

    rule: str | None = None
    """Id of a rewrite of graphs; the first that there is when missing."""


@dataclass(frozen=True)
class GraphRuleItem:
    """A rewrite of graphs that there is."""

    id: str
    title: str


@dataclass(frozen=True)
class RewriteGraphReply:
    """Answer of `fx/rewriteGraph`: both graphs as files of Python that need torch alone."""

    state: str
    """As in `GraphReply`; `graph`: it is done, and was compared with the model."""
    message: str
    """Why it is not done; empty when it is."""
    uri: str
    name: str
    rule: GraphRuleItem | None
    """The rewrite that was asked for."""
    rules: tuple[GraphRuleItem, ...]
    """All that there are, as far as is known."""
    before: str
    after: str
    """Loads the state dict of the original as it is."""
    says: str
    """What was done, and what was measured, in a sentence."""
    place: Place | None
    """The expression that stands in the way."""


@dataclass(frozen=True)
class Status:
    """What the notification `fx/status` says."""

    state: str
    """`starting`, `tracing`, `idle`, `off` (running is switched off), `untrusted` or `error`."""
    done: int
    """Runs that ended since the server was idle."""
    total: int
    """Runs asked for since then."""
    message: str
    """For `error` and `untrusted`: what is the matter and what to do."""
    sandbox: str
    """What the sandbox lacks, in a sentence; empty when it is whole, and while no worker has started."""
    layers: tuple[SandboxLayer, ...] = ()
    """The sandbox of the workers that run; of a layer that differs the worst."""


@dataclass(frozen=True)
class SandboxLayer:
    """One layer of the sandbox."""

    name: str
    status: str
    """`active`, `missing` or `off`."""
    why: str
    """Why it is missing or off."""


@dataclass(frozen=True)
class TrustParams:
    """Of the notification `fx/trust`."""

    trusted: bool
    """Whether the user trusts the workspace, from now on."""


@dataclass(frozen=True)
class DoctorReply:
    """Answer of `fx/doctor`."""

    text: str
    """Markdown."""
