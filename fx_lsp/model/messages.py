"""What server and worker say to each other: one JSON object a frame, see `wire`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Optional, Tuple

from fx_lsp.model.comparison import Compared, Comparison, Overlay
from fx_lsp.model.costs import CostRequest, Costs
from fx_lsp.model.example import PROGRAMS, Search
from fx_lsp.model.failure import Failure, Obstacle
from fx_lsp.model.graph import Graph, Level
from fx_lsp.model.graph_rewrite import GraphRewrite, GraphRule, Rewritten
from fx_lsp.model.naming import Constraint, Naming
from fx_lsp.model.sandbox import LayerReport
from fx_lsp.model.trace import Binding, Lineage, ModuleUse, Operation, Reached

PROTOCOL = 7
"""Version of this file; both sides refuse any other."""

MAX_REQUEST = 32 << 20
MAX_REPLY = 32 << 20
MAX_MESSAGE = 1 << 20
"""Bytes of one frame: a request, the reply of a run, anything else."""
MODULE_FILES = (".py", "/__init__.py")
"""What the path of a module without its suffix stands for."""
MAX_LOG = 64 << 10
"""Bytes kept of what a run printed: the last ones."""
MAX_DISPATCHED = 64 << 10
"""Characters of the operators of one run that later runs do ahead."""
MAX_IMPORTED = 128 << 10
"""Characters of the names of the modules that one run imported."""
MAX_VAIN = 4 << 10
"""Characters of the digests of classes that one run watched in vain."""
MAX_PRINTED = 4 << 20
"""Bytes that a run may print."""


@dataclass(frozen=True)
class Hello:
    """First frame of a worker: it is ready."""

    kind: ClassVar[str] = "hello"
    protocol: int
    python: str
    torch: str
    pid: int
    levels: Tuple[Level, ...] = ()
    """Levels of graph that it can make."""
    layers: Tuple[LayerReport, ...] = ()
    """The sandbox as it was applied: by the launcher, the worker and its first child."""
    rules: Tuple[GraphRule, ...] = ()
    """Rewrites of graphs that it knows."""


@dataclass(frozen=True)
class StartFailed:
    """First and last frame of a worker that cannot work: no torch, torch too old."""

    kind: ClassVar[str] = "start_failed"
    protocol: int
    message: str
    """One sentence for the user, with what to do."""


@dataclass(frozen=True)
class GraphRequest:
    """Which call to make a graph of: the first of an instance of a class."""

    kind: ClassVar[str] = "graph_request"
    level: str
    path: str = ""
    """File that defines the class."""
    name: str = ""
    """`__qualname__` of the class; empty: the first module called."""
    counted: bool = True
    """Whether to count floating-point operations and memory, which watches the code more closely."""


@dataclass(frozen=True)
class Invented:
    """What a search found for one class: without a call where it could not even be built."""

    kind: ClassVar[str] = "invented"
    name: str
    setup: str = ""
    call: str = ""
    operations: int = 0
    """How many ran."""
    why: str = ""
    """Why it did not come to its end, in one sentence without its full stop; empty when it did."""
    regardless: bool = False
    """Whether it fails there whatever it is given, as far as that was tried."""


@dataclass(frozen=True)
class Further:
    """Another example of the same file."""

    kind: ClassVar[str] = "further"
    setup: str
    call: str


@dataclass(frozen=True)
class TraceRequest:
    """Run one example once."""

    kind: ClassVar[str] = "trace"
    id: int
    root: str
    """Workspace folder: code below it is ours to show, except site-packages inside it."""
    scope: str
    """File in whose namespace `setup` and `call` are evaluated."""
    call: str
    """Expression with all sizes filled in: `GPT(GPTConfig())(i64[4, 64])`."""
    setup: str = ""
    """Statements run before it."""
    overlays: Tuple[Overlay, ...] = ()
    engine: str = "auto"
    """`auto` (fake, then real where fake cannot go on), `fake` or `real`."""
    seconds: float = 20.0
    """Wall-clock limit."""
    memory: int = 4 << 30
    """Bytes of data the child may hold beyond what the zygote holds."""
    graph: Optional[GraphRequest] = None
    """The graph that is wanted, instead of bindings and operations."""
    search: Optional[Search] = None
    """Examples that are wanted, instead of running one: `call` is empty."""
    further: Tuple[Further, ...] = ()
    """Examples to run after it in the same process, so that the file is imported once."""
    patient: bool = False
    """Whether nobody looks at the answer yet: whatever else runs on the machine goes first."""
    comparison: Optional[Comparison] = None
    """Edited files to compare with, instead of bindings and operations."""
    compilers: Tuple[str, ...] = ()
    """Compilers of torch that are to be tried on the models it calls, instead of bindings and operations."""
    rewrite: Optional[GraphRewrite] = None
    """The graph that is to be rewritten, instead of bindings and operations."""
    naming: Optional[Naming] = None
    """That the sizes of its facts are to be named, as far as they are known."""
    costs: Optional[CostRequest] = None
    """What the example costs is wanted, instead of bindings and operations."""
    unhurried: bool = False
    """Whether nobody waits for this run above others: what earlier ones have read is made ready first."""

    @property
    def is_ordinary(self) -> bool:
        """Whether its file is imported and its examples are run, and nothing but facts is wanted of them."""
        other = self.search, self.comparison, self.costs, self.graph, self.rewrite
        return self.call not in PROGRAMS and not self.compilers and all(one is None for one in other)


@dataclass(frozen=True)
class Cancel:
    """Kill the child of a request; it is answered with a `cancelled` failure."""

    kind: ClassVar[str] = "cancel"
    id: int


@dataclass(frozen=True)
class Prepare:
    """Files that a run imported: the worker may make them ready for the next run while it waits.  Has no answer."""

    kind: ClassVar[str] = "prepare"
    root: str
    """Workspace folder."""
    paths: Tuple[str, ...]
    dispatched: str = ""
    """Operators that the run asked fake kernels for, see `TraceReply.dispatched`."""
    imported: str = ""
    """Installed modules that it imported, see `TraceReply.imported`."""
    vain: str = ""
    """Classes that it watched in vain, see `TraceReply.vain`."""


@dataclass(frozen=True)
class Ahead:
    """A file that is edited: one process may import it while nothing is asked, and run it after an edit that needs no
    new import.  Has no answer."""

    kind: ClassVar[str] = "ahead"
    root: str
    scope: str
    overlays: Tuple[Overlay, ...] = ()
    seconds: float = 20.0
    """Wall-clock limit of the import."""


@dataclass(frozen=True)
class TraceReply:
    """Facts *and* failures: half a trace is still worth showing."""

    kind: ClassVar[str] = "trace_reply"
    id: int
    engine: str = "fake"
    """`fake` or `real`: the engine these facts come from."""
    ms: float = 0.0
    """Import, build and run, in milliseconds."""
    bindings: Tuple[Binding, ...] = ()
    operations: Tuple[Operation, ...] = ()
    modules: Tuple[ModuleUse, ...] = ()
    reached: Tuple[Reached, ...] = ()
    files: Tuple[str, ...] = ()
    """Workspace files the run imported."""
    devices: Tuple[str, ...] = ()
    """Accelerators the code asked for; traced as `cpu`."""
    fallback: str = ""
    """Why the fake engine could not go on, when `engine` is `real`."""
    log: str = ""
    """What user code printed, cut."""
    failure: Optional[Failure] = None
    missing: Tuple[Failure, ...] = ()
    """Imports of packages that are not there, without which the files were imported."""
    graph: Optional[Graph] = None
    """None when none was asked for, when no such module was called, or for a `defect`."""
    defect: str = ""
    """Why the graph could not be recorded, though the module was called: a mistake of ours."""
    invented: Tuple[Invented, ...] = ()
    """What a search found."""
    dispatched: str = ""
    """Operators that fake kernels were asked for and did not know yet; for the worker alone."""
    imported: str = ""
    """Installed modules that were imported; for the worker alone."""
    further: Tuple[TraceReply, ...] = ()
    """Those of the first so many further examples; one that failed may have failed because of those before it."""
    import_ms: float = 0.0
    """Part of `ms` that went into the import."""
    data: Tuple[str, ...] = ()
    """Other files and folders of the workspace that it looked at, or for; a listed one ends with a separator."""
    absent: Tuple[str, ...] = ()
    """Modules, as paths without a suffix, that it would have imported from the workspace if they had been there."""
    vain: str = ""
    """Digests of classes whose modules could not be left out; for the worker alone."""
    compared: Optional[Compared] = None
    """None when none was asked for, or when the example as it is did not run."""
    obstacles: Tuple[Obstacle, ...] = ()
    rewritten: Optional[Rewritten] = None
    """None when none was asked for, or when the example did not run."""
    constraints: Tuple[Constraint, ...] = ()
    """What its dims have to be, where they are named."""
    costs: Optional[Costs] = None
    """None when they were not asked for, or when the example failed before anything was known."""
    lineage: Tuple[Lineage, ...] = ()
    """What is known of values that operations took, wherever these were made."""


@dataclass(frozen=True)
class Output:
    """What became of a run, under the id the zygote knows it by."""

    kind: ClassVar[str] = "output"
    id: int
    replied: bool = False
    """Whether the next frame is the child's reply, relayed unread."""
    status: int = 0
    """Wait status of the child, when it ended without a reply."""
    reason: str = ""
    """Why it was ended: `timeout`, `oversized`, `printed`, `stopped`, `cancelled`; empty when it ended by itself."""
    log: str = ""
    """End of what the child wrote to its stdout and stderr."""


@dataclass(frozen=True)
class Ready:
    """First frame of a child, to the zygote: it holds itself to the policy."""

    kind: ClassVar[str] = "ready"
    layers: Tuple[LayerReport, ...] = ()


@dataclass(frozen=True)
class Warm:
    """Second frame of a child that had no request yet: it has done ahead what can be done ahead."""

    kind: ClassVar[str] = "warm"


@dataclass(frozen=True)
class Taken:
    """Last frame of a child before its reply: it has its request.  Up to here, its end is no fault of user code."""

    kind: ClassVar[str] = "taken"


@dataclass(frozen=True)
class Ping:
    """Is the worker there?"""

    kind: ClassVar[str] = "ping"
    id: int


@dataclass(frozen=True)
class Pong:
    """It is."""

    kind: ClassVar[str] = "pong"
    id: int
