"""What a run showed of the values on the way to where it failed."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source
from fx_lsp.model.messages import TraceReply
from fx_lsp.model.span import Span
from fx_lsp.model.value import Value

Bound = tuple[int, Value]
"""The line that binds a name, and to what."""


@dataclass(frozen=True)
class Seen:
    """The last value of each expression and of each name."""

    results: Mapping[Span, Value] = field(default_factory=lambda: dict[Span, Value]())
    """Of what operations gave, by their whole expressions; of what was bound, by the names."""
    names: Mapping[tuple[str, str], list[Bound]] = field(default_factory=lambda: dict[tuple[str, str], list[Bound]]())
    """By file and name."""

    @staticmethod
    def of(reply: TraceReply) -> Seen:
        """All that a run showed."""
        results: dict[Span, Value] = {one.span: one.variants[-1].output for one in reply.operations if one.variants}
        names: dict[tuple[str, str], list[Bound]] = {}
        for one in (binding for binding in reply.bindings if binding.variants):
            value = one.variants[-1].value
            results[one.span] = value
            names.setdefault((one.span.path, one.name), []).append((one.span.line, value))
        return Seen(results, names)

    def value(self, source: Source, node: ast.expr) -> Value | None:
        """What an expression was; None where it was nothing with a tensor, or that was not seen."""
        if (found := self.results.get(source.span(node))) is not None or not isinstance(node, ast.Name):
            return found
        # What its own statement binds is bound after it is read.
        function = innermost(source, node)
        first = function.lineno if function is not None else 0
        before = [one for one in self.names.get((source.path, node.id), ()) if first <= one[0] < node.lineno]
        return max(before, key=lambda one: one[0])[1] if before else None
