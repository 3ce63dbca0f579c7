"""What a model costs: floating-point operations, memory and parameters, by expression, line and module."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Iterator, Optional, Tuple

from fx_lsp.model.span import Span


@dataclass(frozen=True)
class CostRequest:
    """Run the example without gradients, and once more as a step of training."""

    kind: ClassVar[str] = "cost_request"
    engine: str = "fake"
    """That of its trace."""


@dataclass(frozen=True)
class Cost:
    """Of all that ran in one place."""

    kind: ClassVar[str] = "cost"
    flops: int = 0
    """Of the forward pass, as `torch.utils.flop_counter` counts them: products, convolutions and attention."""
    backward: int = 0
    """Of the backward pass, what checkpoints compute again included."""
    moved: int = 0
    """Bytes that the operators of the forward pass read and write."""
    made: int = 0
    """Bytes of new memory that was still held when the function which made it returned, without gradients."""
    kept: int = 0
    """Bytes of memory made in the forward pass of training that lives on until the backward pass."""

    def __add__(self, other: Cost) -> Cost:
        """Both."""
        return Cost(
            self.flops + other.flops,
            self.backward + other.backward,
            self.moved + other.moved,
            self.made + other.made,
            self.kept + other.kept,
        )


@dataclass(frozen=True)
class ExpressionCost:
    """Of one expression, over all its runs."""

    kind: ClassVar[str] = "expression_cost"
    span: Span
    own: Cost
    """Of the functions of torch that it calls, also through code that is not the workspace's."""
    total: Cost
    """With all that runs below it in other expressions of the workspace."""
    formula: str = ""
    """`total.flops` as a function of the named dims, `2*B*T*768*2304`; empty where none is known."""


@dataclass(frozen=True)
class LineCost:
    """Of the expressions that start on one line, what runs below them included: once what runs below two of them."""

    kind: ClassVar[str] = "line_cost"
    expressions: Tuple[int, ...]
    """Indices in `Costs.expressions`, one or more."""
    total: Cost


@dataclass(frozen=True)
class ModuleCost:
    """Of one module, over all its calls and with all modules below it."""

    kind: ClassVar[str] = "module_cost"
    path: str
    """File that defines its class; empty when that is none of the workspace."""
    name: str
    """`__qualname__` of its class."""
    module: str
    """`h.0.attn`, seen from the outermost module around it; empty for that one."""
    root: int
    """Which of the outermost modules that is, from 0."""
    total: Cost
    parameters: int
    """Shared ones once."""
    calls: int
    formula: str = ""
    """As that of an expression."""


@dataclass(frozen=True)
class Training:
    """One step of training on the sum of the outputs, or on the scalars among them, in bytes."""

    kind: ClassVar[str] = "training"
    peak: int
    """The most that was in use at once before the optimizer's step: weights, inputs, activations and gradients."""
    after: int
    """In use after the backward pass, when the optimizer begins."""
    gradients: int
    """Of the parameters; what Adam keeps is twice that."""
    largest: int
    """Of the gradients."""
    flops: int
    """Of the whole step, forward and backward."""
    mode: str
    """`train`, or `eval` where it runs in that only."""

    def with_optimizer(self, optimizer: str) -> int:
        """The most that is in use at once in a step with `sgd` (without momentum) or `adam`, on the processor.

        Adam's states are there from its first step on; its loop needs room for two tensors like the parameter that it
        is at.
        """
        if optimizer == "sgd":
            return max(self.peak, self.after)
        return 2 * self.gradients + max(self.peak, self.after + 2 * self.largest)


@dataclass(frozen=True)
class Costs:
    """Of one example."""

    kind: ClassVar[str] = "costs"
    total: Cost
    parameters: int
    """Elements of the parameters of the modules that it calls, shared ones once."""
    weights: int
    """Bytes of their parameters and buffers."""
    peak: int
    """The most that was in use at once, in bytes, from the first call of a module on, without gradients."""
    expressions: Tuple[ExpressionCost, ...] = ()
    lines: Tuple[LineCost, ...] = ()
    modules: Tuple[ModuleCost, ...] = ()
    training: Optional[Training] = None
    why: str = ""
    """Why there is no training, in one sentence without its full stop."""
    formula: str = ""
    """As that of an expression."""

    def of_lines(self) -> Iterator[Tuple[str, int, Cost]]:
        """Each file and line with its cost."""
        for one in self.lines:
            span = self.expressions[one.expressions[0]].span
            yield span.path, span.line, one.total
