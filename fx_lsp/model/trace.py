"""Facts that one run of an example brings back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Optional, Tuple

from fx_lsp.model.span import Span
from fx_lsp.model.value import Value


@dataclass(frozen=True)
class Variant:
    """One of the distinct values that a binding or expression had in a run."""

    kind: ClassVar[str] = "variant"
    value: Value
    modules: Tuple[str, ...] = ()
    """Module paths it occurred under (`layer2.0.conv1`; empty text: the root), in order, the first few."""
    count: int = 1


@dataclass(frozen=True)
class Binding:
    """A name bound to a tensor, or to a group of tensors, at one place."""

    kind: ClassVar[str] = "binding"
    span: Span
    """The name itself (for `return`, the keyword); the hint is drawn at its end."""
    name: str
    """`x`, `self.cache`, `return`."""
    role: str
    """`parameter`, `assign`, `for`, `with`, `walrus`, `comprehension`, `match`, `return`."""
    variants: Tuple[Variant, ...]
    mixed: bool = False
    """At times it held nothing with a tensor."""


@dataclass(frozen=True)
class OperationVariant:
    """One distinct signature of an operation in a run."""

    kind: ClassVar[str] = "operation_variant"
    inputs: Tuple[Value, ...]
    """Tensor-valued arguments, in order."""
    output: Value
    modules: Tuple[str, ...] = ()
    count: int = 1
    parameters: int = 0
    """For a module call: number of parameters below it."""
    view: Optional[int] = None
    """Of a function: number of the input whose memory the output is; -1: of none, it is new; None: not known."""
    scattered: bool = False
    """Of a function: its output is not contiguous, though every tensor that it took was."""


@dataclass(frozen=True)
class Operation:
    """A torch function or an `nn.Module` call made by an expression of the workspace."""

    kind: ClassVar[str] = "operation"
    span: Span
    """The whole expression."""
    target: str
    """`torch.nn.functional.linear`, `torch.Tensor.view`, or a module's class name, e.g. `CausalSelfAttention`."""
    form: str
    """`function` or `module`."""
    variants: Tuple[OperationVariant, ...]
    calls: Tuple[Span, ...] = ()
    """Call path of its first run: the workspace expressions above it, outermost first."""


@dataclass(frozen=True)
class ModuleUse:
    """A module class of the workspace that ran: what its first call took and gave."""

    kind: ClassVar[str] = "module_use"
    path: str
    """File that defines the class."""
    name: str
    """`__qualname__` of the class."""
    inputs: Tuple[Value, ...]
    """Tensor-valued arguments of its `forward`, in order."""
    output: Optional[Value]
    """None when it raised or gave nothing with a tensor."""
    parameters: int
    """Number of parameters of the instance, shared ones once."""
    module: str = ""
    """Module path of that call."""
    calls: int = 1
    """How many times the class was called."""


@dataclass(frozen=True)
class Reached:
    """Which lines of a workspace file ran, among those that hold a statement of a function body."""

    kind: ClassVar[str] = "reached"
    path: str
    unreached: Tuple[int, ...]
    """First lines of statements never run, in functions that did run."""


@dataclass(frozen=True)
class Lineage:
    """What is known of a value that an operation took, wherever it was made."""

    kind: ClassVar[str] = "lineage"
    span: Span
    """The expression that took it."""
    target: str
    """Name of the function: `cross_entropy`."""
    argument: str
    """Number or name of the argument."""
    made: str
    """What the value is: `softmax`, `linear`, `triangle`, `padding`."""
    sizes: Tuple[int, ...]
    """The dim that it is over, counted from the last one, and what else is known of it in numbers."""
    source: Span
    """The expression that made it."""
