"""Why something could not be run or shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Optional, Tuple

from fx_lsp.model.span import Span
from fx_lsp.model.value import Value

JOINED = "joined"
"""Target of a call whose arguments are the entries of the list that it is given: `torch.cat([x, (y, z)])`."""
JOINS = ("cat", "concat", "concatenate", "stack", "hstack", "vstack")
"""Functions that join the tensors of a list."""
FLOAT = "a float"
"""What stands for a number that is no whole one, where it is not known which."""
MODULE = "Module"
NO_TENSORS = ("list", "tuple", "int", "float", "bool", "str", "numpy.ndarray", MODULE)
"""Types, as Python calls them, of what people give in the place of a tensor; one for modules of all classes."""
NO_TENSOR = "no_tensor"
"""Target of a call, an operator or an attribute that was given no tensor: what it was given, and the attribute."""
PLACED = ("gather", "index_select", "scatter", "scatter_")
"""Functions that are given places along a dim; of the numbers in these the arguments have the extremes."""


@dataclass(frozen=True)
class Argument:
    """What a call was given, or what a layer was built with."""

    kind: ClassVar[str] = "argument"
    name: str
    """Its keyword, or its number from 0; the name of a layer's attribute."""
    value: Value
    """`Opaque` where there is no tensor: `3`, `(1, 2)`, the name of a type."""
    text: str = ""
    """As it is written; empty where that cannot be told, or is long."""


@dataclass(frozen=True)
class Attempt:
    """A call of torch that failed."""

    kind: ClassVar[str] = "attempt"
    target: str
    """`torch.nn.functional.linear`, `torch.Tensor.view`; of a layer its class, `Linear`."""
    arguments: Tuple[Argument, ...]
    called: str = ""
    """What is called, as it is written: `self.fc`, `torch.cat`, `view`, `@`; empty where that cannot be told."""
    settings: Tuple[Argument, ...] = ()
    """Of a layer: its plain attributes, `in_features`."""
    built: Optional[Span] = None
    """Of a layer: the expression that the class which holds it makes it with."""


@dataclass(frozen=True)
class Obstacle:
    """What one of torch's compilers cannot do with a model that runs."""

    kind: ClassVar[str] = "obstacle"
    compiler: str
    span: Span
    """The expression; the class of the model where none is known."""
    message: str
    """First sentence of what torch says, without its full stop."""
    hint: str = ""
    """What torch advises, one sentence without its full stop; empty where it advises nothing."""


@dataclass(frozen=True)
class Failure:
    """An expected outcome, not an exception."""

    kind: ClassVar[str] = "failure"
    stage: str
    """`start`, `import`, `construct`, `trace` (from the worker); `timeout`, `crash`, `cancelled`, `protocol`, `worker`
    (made by the supervisor; the last: not the run but the whole worker ended)."""
    message: str
    """One sentence for the user; the first line of the exception where user code raised."""
    span: Optional[Span] = None
    """The innermost expression of the workspace at which it happened."""
    calls: Tuple[Span, ...] = ()
    """The workspace expressions that led there, outermost first, without `span` itself."""
    error: str = ""
    """Name of the exception's type, e.g. `RuntimeError`."""
    detail: str = ""
    """Whole text for the log: traceback, or the worker's last stderr."""
    proven: bool = True
    """False: we could not run it, which says nothing about the code (`.numpy()` on a fake tensor, out of memory)."""
    operation: Optional[Attempt] = None
    """The function of torch that raised."""
    layer: Optional[Attempt] = None
    """The innermost module of a library in which it happened, when the workspace's own code was not below it."""
