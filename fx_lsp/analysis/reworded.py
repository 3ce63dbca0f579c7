"""Facts about a text, as they are about another one that means the same: each is where it would be found now."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from fx_lsp.analysis.meaning import Moves
from fx_lsp.analysis.modules import classes_of, located
from fx_lsp.analysis.snapshot import ModuleClass
from fx_lsp.model.costs import Costs
from fx_lsp.model.failure import Failure
from fx_lsp.model.graph import Graph
from fx_lsp.model.messages import TraceReply
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Lineage, Operation, Reached


class Uncertain(Exception):
    """It is not known where a fact would be found."""


class Reworded:
    """Facts of all files, one of which is worded otherwise now."""

    def __init__(self, moves: Moves) -> None:
        self._moves = moves

    def reply(self, reply: TraceReply) -> TraceReply:
        """What a run would say now.

        Raises:
            Uncertain: only a run can tell.
        """
        return replace(
            reply,
            bindings=tuple(replace(binding, span=self.span(binding.span)) for binding in reply.bindings),
            operations=tuple(self._operation(operation) for operation in reply.operations),
            lineage=tuple(map(self._lineage, reply.lineage)),
            reached=tuple(self._reached(reached) for reached in reply.reached),
            failure=reply.failure and self._failure(reply.failure),
            missing=tuple(map(self._failure, reply.missing)),
            graph=reply.graph and self._graph(reply.graph),
            constraints=tuple(replace(one, span=one.span and self.span(one.span)) for one in reply.constraints),
            obstacles=tuple(replace(obstacle, span=self.span(obstacle.span)) for obstacle in reply.obstacles),
            costs=reply.costs and self._costs(reply.costs),
        )

    def _lineage(self, one: Lineage) -> Lineage:
        return replace(one, span=self.span(one.span), source=self.span(one.source))

    def modules(self, modules: Iterable[ModuleClass]) -> tuple[ModuleClass, ...]:
        """The classes of the file itself."""
        source = self._moves.new
        known = classes_of(source)
        return tuple(located(source, module, known[module.name]) for module in modules if module.name in known)

    def span(self, span: Span) -> Span:
        """Where the same expression is now.

        Raises:
            Uncertain: that is not known.
        """
        found = self._moves.span(span)
        if found is None:
            raise Uncertain
        return found

    def _spans(self, spans: Iterable[Span]) -> tuple[Span, ...]:
        return tuple(map(self.span, spans))

    def _operation(self, operation: Operation) -> Operation:
        return replace(operation, span=self.span(operation.span), calls=self._spans(operation.calls))

    def _reached(self, reached: Reached) -> Reached:
        if reached.path != self._moves.new.path:
            return reached
        lines = {self._moves.line(line) for line in reached.unreached}
        if None in lines:
            raise Uncertain
        return replace(reached, unreached=tuple(sorted(line for line in lines if line is not None)))

    def _failure(self, failure: Failure) -> Failure:
        span = self.span(failure.span) if failure.span is not None else None
        return replace(failure, span=span, calls=self._spans(failure.calls))

    def _costs(self, costs: Costs) -> Costs:
        expressions = tuple(replace(one, span=self.span(one.span)) for one in costs.expressions)
        if any(len({expressions[number].span.line for number in one.expressions}) > 1 for one in costs.lines):
            raise Uncertain
        starts = [expressions[one.expressions[0]].span for one in costs.lines]
        if len({(span.path, span.line) for span in starts}) < len(starts):
            raise Uncertain
        return replace(costs, expressions=expressions)

    def _graph(self, graph: Graph) -> Graph:
        return replace(graph, spans=self._spans(graph.spans))
