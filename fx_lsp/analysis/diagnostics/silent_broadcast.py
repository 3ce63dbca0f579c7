"""A column and a row that make a square: one number for each sample, combined with each number of all the others.

    score = self.head(x)  # f32[B, 1]
    return score * weight  # weight is f32[B]: the product is f32[B, B]

Instead: the same sizes, `score.squeeze(-1)`; for all pairs say so, `score * weight[None, :]`.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._dims import bound, statement_of
from fx_lsp.analysis.diagnostics._flows import calls_of, flows, inputs_of, made, operation_of, place_of
from fx_lsp.analysis.diagnostics._lineage import besides, lineages
from fx_lsp.analysis.diagnostics._operations import ran
from fx_lsp.analysis.diagnostics._rows import is_given
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._terms import Term, plain
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.analysis.source import parsed
from fx_lsp.analysis.spare import OURS
from fx_lsp.model.span import Span
from fx_lsp.model.value import TensorType, Value, label

_OPERATORS = frozenset({"add", "sub", "mul", "div", "eq", "ne", "lt", "le", "gt", "ge", "rsub", "pow"})
_MET = _OPERATORS - {"lt", "le", "gt", "ge"}
"""What predictions are compared with data by; what is more than some numbers is more than thresholds."""
_REDUCED = frozenset({"mean", "sum", "amax", "amin", "norm", "getitem", "cross_entropy", "nll_loss"})

_EACH = frozenset({"sigmoid", "tanh", "relu", "exp", "softplus", "Sigmoid", "Tanh", "ReLU"})
"""Changes each number by itself."""
_BY_NUMBER = frozenset({"add", "sub", "mul", "div", "rsub"})
"""Does, too, where one of both is a number."""


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each operation of what a `Linear` gives with one number a sample; and for a product whose mean is
    taken at once: that of all pairs is the product of the two means."""
    yield from besides(_written(snapshot), _ran(snapshot))


def _ran(snapshot: Snapshot) -> Iterator[Problem]:
    """Wherever it is written: of what was given, and has no gradient.  Sizes that nobody wrote agree by chance."""
    source = parsed(snapshot.path, snapshot.text)
    stated = replace(snapshot, traces=tuple(one for one in snapshot.traces if one.example.origin not in OURS))
    places = {one.span: one for one in lineages(stated, _MET, {"linear"}) if one.sizes == (1,)}
    for operation in ran(stated) if places else ():
        variant = operation.variants[0]
        given, output = variant.inputs, variant.output
        column = places.get(operation.span)
        if column is None or len(given) != 2 or not isinstance(output, TensorType):
            continue
        sizes = sorted((one.shape for one in given if isinstance(one, TensorType)), key=len)
        meet = [*map(len, sizes)] == [1, 2] and (*sizes[0], 1) == sizes[1] != (1, 1)
        if meet and is_given(source, operation.span, int(column.argument == "0")):
            yield _told(operation.span, given, output)


def _told(place: Span, given: Sequence[Value], output: TensorType) -> Problem:
    message = f"{label(given[0])} and {label(given[1])} become {label(output)}: each with each"
    return Problem(place, "warning", RULE.id, message)


def _written(snapshot: Snapshot) -> Iterator[Problem]:
    columns = {(one.span, one.argument) for one in lineages(snapshot, _MET, {"linear"})}
    for flow in flows(snapshot, _OPERATORS):
        for term, statement in calls_of(flow, _OPERATORS):
            operation, place = operation_of(flow, term), place_of(flow, term)
            output = operation.variants[0].output if operation is not None and operation.variants else None
            given = inputs_of(flow, term)
            if place is None or len(given) != 2 or len(term.args) != 2 or not isinstance(output, TensorType):
                continue
            for column, row in ((0, 1), (1, 0)):
                size = given[row].shape
                if len(size) != 1 or size[0] < 2 or given[column].shape != (size[0], 1):
                    continue
                is_feature = (place, str(column)) in columns or _is_feature(flow, term.args[column])
                pairs = is_feature and _is_one_each(flow, term.args[row], statement)
                if pairs or (_is_averaged(flow, term, statement) and not _is_spread(flow, term.args[column])):
                    yield _told(place, given, output)


def _is_feature(flow: Flow, term: Term) -> bool:
    """Whether the dim of one place is a feature, and nobody added it."""
    found = _beneath(flow, term, _EACH)
    return found is not None and found.op in ("Linear", "linear", "Sequential")


def _beneath(flow: Flow, term: Term, each: Container[str]) -> Term | None:
    """What made it, past what changes each number by itself: these, and a number beside it."""
    found = made(flow, term)
    while found is not None and (found.op in each or found.op in _BY_NUMBER):
        rest = found.args[:1] if found.op in each else [one for one in found.args if plain(one) is None]
        found = made(flow, rest[0]) if len(rest) == 1 else None
    return found


def _is_averaged(flow: Flow, term: Term, statement: ast.stmt) -> bool:
    """Whether only the mean or the sum of all of it is asked for, here or of the variable that it is bound to.

    Not of a sum: the mean of all pairs is the sum of the two means.
    """
    if term.op not in ("mul", "div"):
        return False
    if any(_of_all(one, term.node) for one in ast.walk(statement)):
        return True
    target = statement.targets[0] if isinstance(statement, ast.Assign) and statement.value is term.node else None
    inside = [*ast.walk(flow.function)]
    later = [one for one in inside if isinstance(one, ast.Name) and one.lineno > statement.lineno]
    read = [one for one in later if isinstance(target, ast.Name) and one.id == target.id]
    return len(read) == 1 and any(_of_all(one, read[0]) for one in inside)


def _of_all(node: ast.AST, taken: ast.expr | None) -> bool:
    """Whether it is `taken.mean()` or `torch.mean(taken)`, without a dim."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.keywords:
        return False
    of = [node.func.value, *node.args] if getattr(node.func.value, "id", "") != "torch" else node.args
    return len(of) == 1 and of[0] is taken and node.func.attr in ("mean", "sum")


def _is_spread(flow: Flow, term: Term) -> bool:
    """Whether somebody made it a column there: a difference of each with each is meant."""
    found = _beneath(flow, term, _EACH | _OTHERS)
    return found is not None and found.op in _SPREADS


def _is_one_each(flow: Flow, term: Term, statement: ast.stmt) -> bool:
    """Whether it is given to the function, or is taken from what has a dim more: not a row that somebody made."""
    if term.op == "name" and flow.bound(term) is None:
        arguments = {one.arg for one in (*flow.function.args.args, *flow.function.args.kwonlyargs)}
        place = bound(flow, term.value[0], statement)
        since = statement_of(flow, place) if isinstance(place, ast.Name) else None
        if isinstance(since, ast.Assign) and isinstance(since.value, ast.Name):  # unpacked from what is given
            return since.value.id in arguments
        return term.value[0] in arguments and not any(term.value[1])
    found = made(flow, term)
    return found is not None and found.op in _REDUCED


_SPREADS = frozenset({"getitem", "unsqueeze", "view", "reshape", "expand", "expand_as", "transpose", "t", "T", "mT"})
_OTHERS = frozenset({"neg", "abs", "log", "sqrt", "square"})
RULE = Rule(id="silent-broadcast", title="A product of each with each that nobody asked for", find=find)
