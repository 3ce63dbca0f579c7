"""What may be believed of an answer: the process that gave it ran a stranger's code.

Its numbers are brought into range, its texts are cut and made visible, places outside the workspace are left out.
Whatever is left out, the rest is still worth showing.  Takes time in proportion to the size of the answer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from fx_lsp.analysis.visible import cut, visible
from fx_lsp.model.comparison import Compared
from fx_lsp.model.costs import Costs
from fx_lsp.model.failure import Argument, Attempt, Failure, Obstacle
from fx_lsp.model.graph_rewrite import Rewritten
from fx_lsp.model.messages import MAX_DISPATCHED, MAX_IMPORTED, MAX_VAIN, Invented, TraceReply, TraceRequest
from fx_lsp.model.naming import Constraint
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Binding, Lineage, ModuleUse, Operation, OperationVariant, Reached, Variant
from fx_lsp.server.vetted_costs import vetted_costs
from fx_lsp.server.vetted_examples import is_call, is_plain, only_imports
from fx_lsp.server.vetted_graph import vetted_graph
from fx_lsp.server.vetted_module import vetted_rewrite
from fx_lsp.server.vetted_places import Places
from fx_lsp.server.vetted_values import NAME, PARTS, Values, number, word

MOST = 20_000
"""Bindings, operations, classes or files of one answer."""
LOOKED_AT = 2000
"""Files that were not imported."""
VARIANTS = 1000
IN_ALL = 30_000
FEW = 2
"""Of one binding or operation; of all, after which each has but a few: all of a place are looked at in one go."""
LINES = 100_000
"""Lines of one file that were not reached."""
CALLS = 200
"""Steps of a call path."""
ARGUMENTS = 64
"""Of one call."""
OBSTACLES = 200
"""Of the compilers of one request."""
CONSTRAINTS = 64
"""Of the dims of one example."""
PATHS = 64
"""Module paths of one variant."""
SENTENCE = 2000
MESSAGE = 400
DETAIL = 20_000
LOG = 64 << 10
"""Characters: of what is said to the user, by a compiler, in a traceback, of what was printed."""

ROLES = frozenset({"parameter", "assign", "for", "with", "walrus", "comprehension", "match", "return"})
STAGES = frozenset({"import", "construct", "trace", "timeout"})
"""What a run can say of itself.  That there is no worker, or that it died, is for others to say."""
_ERROR = re.compile(r"[^\W\d]\w{0,99}")


def vetted(reply: TraceReply, request: TraceRequest) -> TraceReply:
    """The answer as it may be shown and acted upon.  Looks at the disk, so it belongs into a thread."""
    return _Judge(request).reply(reply)


class _Judge:
    def __init__(self, request: TraceRequest) -> None:
        self.request = request
        self.places = Places(request)
        self.values = Values()
        self.modules: dict[tuple[str, ...], tuple[str, ...]] = {}
        self.left = IN_ALL

    def reply(self, reply: TraceReply) -> TraceReply:
        """With those of the further examples, which read the same files."""
        vetted = self._one(reply)
        further = (replace(self._one(one), files=vetted.files) for one in reply.further[: len(self.request.further)])
        return replace(vetted, further=tuple(further))

    def _one(self, reply: TraceReply) -> TraceReply:
        graph, defect = None, sentence(reply.defect)
        if reply.graph is not None and self.request.graph is not None:
            graph = vetted_graph(reply.graph, self.places, self.values)
            defect = defect if graph is not None else "it does not hold together"
        return replace(
            reply,
            id=self.request.id,
            engine=reply.engine if reply.engine == "real" else "fake",
            ms=_milliseconds(reply.ms),
            import_ms=_milliseconds(reply.import_ms),
            bindings=tuple(self._bindings(reply.bindings)),
            operations=tuple(self._operations(reply.operations)),
            lineage=tuple(self._lineage(reply.lineage)),
            modules=tuple(self._modules(reply.modules)),
            reached=tuple(self._reached(reply.reached)),
            files=tuple(dict.fromkeys(islice(self._files(reply.files), MOST))),
            data=tuple(self._inside(reply.data)),
            absent=tuple(self._inside(reply.absent)),
            devices=tuple(word(device) for device in reply.devices[:16]),
            fallback=sentence(reply.fallback),
            log=printed(reply.log, LOG),
            failure=self._failure(reply.failure) if reply.failure is not None else None,
            missing=tuple(map(self._failure, reply.missing[:PATHS])),
            graph=graph,
            defect=defect,
            compared=self._compared(reply.compared) if reply.compared is not None else None,
            invented=tuple(self._invented(reply.invented)),
            obstacles=tuple(self._obstacles(reply.obstacles)),
            rewritten=self._rewritten(reply.rewritten) if reply.rewritten is not None else None,
            constraints=tuple(self._constraints(reply.constraints)),
            costs=self._costs(reply.costs) if reply.costs is not None else None,
            further=(),
            dispatched=reply.dispatched if is_plain(reply.dispatched, MAX_DISPATCHED) else "",
            vain=reply.vain if is_plain(reply.vain, MAX_VAIN) else "",
            imported=reply.imported if is_plain(reply.imported, MAX_IMPORTED) else "",
        )

    def _compared(self, found: Compared) -> Compared | None:
        if self.request.comparison is None:
            return None
        apart = found.difference if math.isfinite(found.difference) else math.inf
        keys = tuple(word(key, NAME) for key in found.keys[:PATHS])
        dtype = "f32" if found.dtype == "f32" else "f64"
        checks = number(found.checks)
        return replace(
            found,
            checks=checks,
            difference=apart,
            dtype=dtype,
            why=sentence(found.why),
            keys=keys,
            refused=sentence(found.refused),
        )

    def _rewritten(self, found: Rewritten) -> Rewritten | None:
        return vetted_rewrite(found, self.places) if self.request.rewrite is not None else None

    def _costs(self, costs: Costs) -> Costs | None:
        return vetted_costs(costs, self.places, sentence(costs.why)) if self.request.costs is not None else None

    def _obstacles(self, obstacles: Iterable[Obstacle]) -> Iterator[Obstacle]:
        for one in islice(obstacles, OBSTACLES):
            span = self.places.span(one.span)
            if span is not None and one.compiler in self.request.compilers:
                message, hint = (cut(sentence(text), MESSAGE) for text in (one.message, one.hint))
                yield Obstacle(one.compiler, span, message, hint)

    def _constraints(self, constraints: Iterable[Constraint]) -> Iterator[Constraint]:
        for one in islice(constraints, CONSTRAINTS if self.request.naming is not None else 0):
            yield Constraint(word(one.text), self.places.span(one.span) if one.span is not None else None)

    def _bindings(self, bindings: Iterable[Binding]) -> Iterator[Binding]:
        for one in islice(bindings, MOST):
            span = self.places.span(one.span)
            if span is not None and one.role in ROLES:
                variants = tuple(map(self._variant, one.variants[: self._fewer(len(one.variants))]))
                yield replace(one, span=span, name=word(one.name, NAME), variants=variants)

    def _fewer(self, count: int) -> int:
        most = VARIANTS if self.left > 0 else FEW
        self.left -= min(count, most)
        return most

    def _variant(self, variant: Variant) -> Variant:
        value = self.values.vetted(variant.value)
        return replace(variant, value=value, modules=self._paths(variant.modules), count=number(variant.count, 1))

    def _paths(self, modules: tuple[str, ...]) -> tuple[str, ...]:
        """Of one variant; all that ran in the same modules have the same ones."""
        if modules not in self.modules:
            self.modules[modules] = tuple(word(path, NAME) for path in modules[:PATHS])
        return self.modules[modules]

    def _operations(self, operations: Iterable[Operation]) -> Iterator[Operation]:
        for one in islice(operations, MOST):
            span = self.places.span(one.span)
            if span is not None:
                yield replace(
                    one,
                    span=span,
                    target=word(one.target, NAME),
                    form="module" if one.form == "module" else "function",
                    variants=tuple(map(self._signature, one.variants[: self._fewer(len(one.variants))])),
                    calls=self._calls(one.calls),
                )

    def _lineage(self, lineage: Iterable[Lineage]) -> Iterator[Lineage]:
        for one in islice(lineage, MOST):
            span, source = self.places.span(one.span), self.places.span(one.source)
            if span is not None and source is not None:
                target, argument, made = (word(text, NAME) for text in (one.target, one.argument, one.made))
                yield Lineage(span, target, argument, made, one.sizes[:PARTS], source)

    def _signature(self, variant: OperationVariant) -> OperationVariant:
        return replace(
            variant,
            inputs=self.values.all(variant.inputs),
            output=self.values.vetted(variant.output),
            modules=self._paths(variant.modules),
            count=number(variant.count, 1),
            parameters=number(variant.parameters),
            view=variant.view if variant.view in range(-1, min(len(variant.inputs), PARTS)) else None,
        )

    def _modules(self, modules: Iterable[ModuleUse]) -> Iterator[ModuleUse]:
        for one in islice(modules, MOST):
            path = self.places.path(one.path)
            if path is not None:
                yield replace(
                    one,
                    path=path,
                    name=word(one.name, NAME),
                    inputs=self.values.all(one.inputs),
                    output=self.values.vetted(one.output) if one.output is not None else None,
                    parameters=number(one.parameters),
                    module=word(one.module, NAME),
                    calls=number(one.calls, 1),
                )

    def _reached(self, reached: Iterable[Reached]) -> Iterator[Reached]:
        for one in islice(reached, MOST):
            path = self.places.path(one.path)
            if path is not None:
                yield Reached(path, tuple(number(line, 1) for line in one.unreached[:LINES]))

    def _files(self, files: Iterable[str]) -> Iterator[str]:
        return (path for file in files if (path := self.places.path(file)) is not None)

    def _inside(self, paths: Iterable[str]) -> Iterator[str]:
        found = (self.places.inside(path) for path in islice(paths, LOOKED_AT))
        return iter(dict.fromkeys(path for path in found if path is not None))

    def _failure(self, failure: Failure) -> Failure:
        return replace(
            failure,
            stage=failure.stage if failure.stage in STAGES else "trace",
            message=sentence(failure.message),
            span=self.places.span(failure.span) if failure.span is not None else None,
            calls=self._calls(failure.calls),
            error=failure.error if _ERROR.fullmatch(failure.error) else "",
            detail=printed(failure.detail, DETAIL),
            operation=self._attempt(failure.operation) if failure.operation is not None else None,
            layer=self._attempt(failure.layer) if failure.layer is not None else None,
        )

    def _attempt(self, attempt: Attempt) -> Attempt:
        return Attempt(
            word(attempt.target, NAME),
            self._arguments(attempt.arguments),
            word(attempt.called),
            self._arguments(attempt.settings),
            self.places.span(attempt.built) if attempt.built is not None else None,
        )

    def _arguments(self, arguments: tuple[Argument, ...]) -> tuple[Argument, ...]:
        return tuple(
            Argument(word(one.name), self.values.vetted(one.value), word(one.text)) for one in arguments[:ARGUMENTS]
        )

    def _invented(self, invented: Iterable[Invented]) -> Iterator[Invented]:
        """Examples end up in files: one line of Python, with imports before it or what the server said itself."""
        search = self.request.search
        wanted = dict.fromkeys(search.names if search is not None else ())
        setups = {maker.setup for maker in search.makers} if search is not None else set[str]()
        for one in islice(invented, MOST):
            if one.name in wanted:
                del wanted[one.name]
                beside = (one.setup[len(made) + 1 :] for made in setups if one.setup.startswith(f"{made}\n"))
                known = one.setup in setups or any(map(only_imports, (one.setup, *beside)))
                fine = is_call(one.call) and known
                call, setup = (one.call, one.setup) if fine else ("", "")
                yield Invented(one.name, setup, call, number(one.operations), sentence(one.why), one.regardless is True)

    def _calls(self, calls: tuple[Span, ...]) -> tuple[Span, ...]:
        return tuple(span for call in calls[-CALLS:] if (span := self.places.span(call)) is not None)


def _milliseconds(value: float) -> float:
    return min(max(value, 0.0), 1e9) if math.isfinite(value) else 0.0


def sentence(text: str) -> str:
    """One line for the user."""
    return cut(visible(" ".join(text[: 2 * SENTENCE].split())), SENTENCE)


def printed(text: str, limit: int) -> str:
    """The end of what was printed; lines and tabs stay."""
    return visible(text if len(text) <= limit else "…" + text[1 - limit :], keep="\n\t")
