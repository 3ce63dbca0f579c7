"""Facts written under the source with carets: bindings, operations, failures and classes; no torch needed.

    h = fc(x)
    #   ^^^^^ op torch.nn.functional.linear f32[8, 3] -> f32[8, 64]

`bind` and `param` name the text above the carets, `op` is an expression, `mod` a module call, `call` an expression
that leads to a failure, `fail` the failing one, `class` a class name, with what it took and gave if it ran.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from textwrap import dedent

from fx_lsp.analysis.snapshot import ModuleClass, Snapshot, Trace
from fx_lsp.model.example import Example
from fx_lsp.model.failure import Failure
from fx_lsp.model.messages import TraceReply
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Binding, ModuleUse, Operation, OperationVariant, Variant
from fx_lsp.model.value import TensorType

PATH = "/w/model.py"
MARK = re.compile(r"^(\s*#\s*)(\^+) (bind|param|op|mod|call|fail|class) ?(.*)$")
PARAMETERS = 1_234_567
"""Of every module that ran."""


def tensor(text: str) -> TensorType:
    """`f32[u0=5, 3]`: dims are sizes, or a name with the size of the run."""
    dtype, _, rest = text.strip().rstrip("]").partition("[")
    dims = [dim.strip().rpartition("=") for dim in rest.split(",") if dim.strip()]
    names = tuple(name or None for name, _, _ in dims)
    return TensorType(dtype, tuple(int(size) for *_, size in dims), names if any(names) else ())


def snapshot(source: str, origin: str = "call", **fields: object) -> Snapshot:
    """A snapshot with one trace, from marked source; marks leave the text."""
    facts = _Facts()
    for line in dedent(source).strip("\n").split("\n"):
        mark = MARK.match(line)
        if mark is None:
            facts.lines.append(line)
        else:
            facts.add(mark.group(3), mark.start(2), mark.end(2), mark.group(4))
    return replace(facts.snapshot(origin), **fields)  # type: ignore[arg-type]


def aged(made: Snapshot) -> Snapshot:
    """The snapshot with its facts of an older text."""
    return replace(made, traces=tuple(replace(trace, older=True) for trace in made.traces))


def changed(made: Snapshot, *, example: dict[str, object] | None = None, **reply: object) -> Snapshot:
    """The snapshot with other fields in its trace's example and reply."""
    (trace,) = made.traces
    new = replace(trace, example=replace(trace.example, **(example or {})), reply=replace(trace.reply, **reply))  # type: ignore[arg-type]
    return replace(made, traces=(new,))


def failing(made: Snapshot, **failure: object) -> Snapshot:
    """The snapshot with other fields in its trace's failure."""
    known = made.traces[0].reply.failure
    assert known is not None
    return changed(made, failure=replace(known, **failure))  # type: ignore[arg-type]


@dataclass
class _Facts:
    lines: list[str] = field(default_factory=list)
    bindings: list[Binding] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    uses: list[ModuleUse] = field(default_factory=list)
    modules: list[ModuleClass] = field(default_factory=list)
    calls: list[Span] = field(default_factory=list)
    failure: Failure | None = None

    def add(self, kind: str, start: int, end: int, rest: str) -> None:
        """What a mark below the last line says about the characters from `start` to `end`."""
        text = self.lines[-1][start:end]
        columns = [len(self.lines[-1][:column].encode()) for column in (start, end)]
        span = Span(PATH, len(self.lines), columns[0], len(self.lines), columns[1])
        if kind in ("bind", "param"):
            role = "parameter" if kind == "param" else "return" if text == "return" else "assign"
            variants = tuple(Variant(tensor(part), (f"m{number}",)) for number, part in enumerate(rest.split("|")))
            self.bindings.append(Binding(span, text, role, variants))
        elif kind in ("op", "mod"):
            self.operations.append(_operation(span, kind, rest))
        elif kind == "call":
            self.calls.append(span)
        elif kind == "fail":
            self.failure = Failure("trace", rest, span, error="RuntimeError")
        else:
            self._add_class(span, text, rest)

    def _add_class(self, span: Span, name: str, rest: str) -> None:
        self._end_class(span.line - 1)
        self.modules.append(ModuleClass(name, span.line, span.column - len("class "), 0, span))
        if rest:
            inputs, output = map(tensor, rest.split(" -> "))
            self.uses.append(ModuleUse(PATH, name, (inputs,), output, PARAMETERS))

    def _end_class(self, line: int) -> None:
        if self.modules and not self.modules[-1].end_line:
            self.modules[-1] = replace(self.modules[-1], end_line=line)

    def snapshot(self, origin: str) -> Snapshot:
        """With one trace of all of it."""
        self._end_class(len(self.lines))
        failure = self.failure and replace(self.failure, calls=tuple(self.calls))
        facts = tuple(self.bindings), tuple(self.operations), tuple(self.uses)
        reply = TraceReply(1, "fake", 1.0, *facts, files=(PATH,), failure=failure)
        example = Example(PATH, "Net()(f32[B])", origin, target=self.modules[0].name if self.modules else "")
        trace = Trace(example, "Net()(f32[2])", (("B", 2),), reply)
        return Snapshot(PATH, "\n".join(self.lines), tuple(self.modules), (trace,))


def _operation(span: Span, kind: str, rest: str) -> Operation:
    match = re.fullmatch(r"(\S+) (.*) -> (.*)", rest)
    assert match is not None, rest
    form, parameters = ("module", PARAMETERS) if kind == "mod" else ("function", 0)
    inputs = tuple(map(tensor, match[2].split("; ")))
    variant = OperationVariant(inputs, tensor(match[3]), ("m0",), 1, parameters)
    return Operation(span, match[1], form, (variant,))
