"""Facts written under the source with carets: bindings, operations, failures and classes; no torch needed.

    h = fc(x)
    #   ^^^^^ op torch.nn.functional.linear f32[8, 3] -> f32[8, 64]

`bind` names the text above the carets, `op` an expression, `fail` a failing one, `class` a class name.
"""

from __future__ import annotations

import re
from dataclasses import replace
from textwrap import dedent

from fx_lsp.analysis.snapshot import ModuleClass, Snapshot, Trace
from fx_lsp.model.example import Example
from fx_lsp.model.failure import Failure
from fx_lsp.model.messages import TraceReply
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Binding, ModuleUse, Operation, OperationVariant, Variant
from fx_lsp.model.value import TensorType

PATH = "/w/model.py"
MARK = re.compile(r"^(\s*#\s*)(\^+) (bind|op|fail|class) ?(.*)$")


def tensor(text: str) -> TensorType:
    """`f32[u0=5, 3]`: dims are sizes, or a name with the size of the run."""
    dtype, _, rest = text.strip().rstrip("]").partition("[")
    dims = [dim.strip().rpartition("=") for dim in rest.split(",") if dim.strip()]
    names = tuple(name or None for name, _, _ in dims)
    return TensorType(dtype, tuple(int(size) for *_, size in dims), names if any(names) else ())


def snapshot(source: str, origin: str = "call", **fields: object) -> Snapshot:
    """A snapshot with one trace, from marked source; marks leave the text."""
    lines: list[str] = []
    bindings: list[Binding] = []
    operations: list[Operation] = []
    uses: list[ModuleUse] = []
    modules: list[ModuleClass] = []
    failure: Failure | None = None
    for line in dedent(source).strip("\n").split("\n"):
        mark = MARK.match(line)
        if mark is None:
            lines.append(line)
            continue
        start, end, above = mark.start(2), mark.end(2), lines[-1]
        columns = [len(above[:column].encode()) for column in (start, end)]
        span, text, rest = Span(PATH, len(lines), columns[0], len(lines), columns[1]), above[start:end], mark.group(4)
        if mark.group(3) == "bind":
            role = "return" if text == "return" else "assign"
            variants = tuple(Variant(tensor(part), (f"m{number}",)) for number, part in enumerate(rest.split("|")))
            bindings.append(Binding(span, text, role, variants))
        elif mark.group(3) == "op":
            target, inputs, output = re.fullmatch(r"(\S+) (.*) -> (.*)", rest).groups()  # type: ignore[union-attr]
            variant = OperationVariant(tuple(map(tensor, inputs.split("; "))), tensor(output))
            operations.append(Operation(span, target, "function", (variant,)))
        elif mark.group(3) == "fail":
            failure = Failure("trace", rest, span)
        else:
            modules.append(ModuleClass(text, span.line, span.column - len("class "), 10_000, span))
            if rest:
                inputs, output = map(tensor, rest.split(" -> "))
                uses.append(ModuleUse(PATH, text, (inputs,), output, 1_234_567))
    reply = TraceReply(1, "fake", 1.0, tuple(bindings), tuple(operations), tuple(uses), failure=failure)
    example = Example(PATH, "Net()(f32[B])", origin, target=modules[0].name if modules else "")
    trace = Trace(example, "Net()(f32[2])", (("B", 2),), reply)
    made = Snapshot(PATH, "\n".join(lines), tuple(modules), (trace,))
    return replace(made, **fields)  # type: ignore[arg-type]
