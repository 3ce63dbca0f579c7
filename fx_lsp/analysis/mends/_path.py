"""What an expression was made of, one expression after the other: back through names, calls and parameters."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fx_lsp.analysis.mends._bound import assigned, bindings, classes, layer_called, listed, subject
from fx_lsp.analysis.mends._broken import Broken, passed_to
from fx_lsp.analysis.mends._makers import Callers
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.mends.unpacking import assignment
from fx_lsp.analysis.source import Source

MAX_STEPS = 40
"""Expressions that are looked at."""
_JOINS = ("cat", "concat", "concatenate", "stack", "einsum")
"""Functions that are made of all that they are given."""


@dataclass(frozen=True)
class Step:
    """One expression, in its file."""

    source: Source
    node: ast.expr
    callers: Callers
    """The expressions that led to its function, innermost first."""
    returned: bool = False
    """Whether it is what a model of the file gives back."""


def path(broken: Broken) -> Iterator[Step]:
    """From the operands of what fails to what they come from, the nearest first."""
    found = assignment(broken) if isinstance(broken.node, ast.expr) else None
    first = [found[0].value] if found is not None else [*broken.written.values()]
    seen: set[int] = set()
    queue = [Step(broken.source, node, broken.callers) for node in first]
    while queue and len(seen) < MAX_STEPS:
        step = queue.pop(0)
        if id(step.node) not in seen:
            seen.add(id(step.node))
            yield step
            queue += _back(step)


def _back(step: Step) -> Iterable[Step]:
    node, source = step.node, step.source
    if isinstance(node, ast.Name):
        return [*_named(step, node)]
    if isinstance(node, ast.BinOp):
        inside = [node.left, node.right]
    elif isinstance(node, ast.IfExp):
        inside = [node.body, node.orelse]
    elif isinstance(node, ast.Tuple | ast.List):
        inside = node.elts
    elif isinstance(node, ast.Subscript | ast.Attribute | ast.Starred | ast.UnaryOp):
        inside = [node.operand if isinstance(node, ast.UnaryOp) else node.value]
    elif isinstance(node, ast.Call):
        inside = [*_given(source, node)]
    else:
        inside = []
    back = returned(source, node) if isinstance(node, ast.Call) else []
    return [Step(source, one, (), True) for one in back] + [Step(source, one, step.callers) for one in inside]


def _given(source: Source, call: ast.Call) -> Iterator[ast.expr]:
    """What a function is given, as far as its result is made of it."""
    if layer_called(source, call.func) is not None or called(call) in _JOINS:
        yield from call.args
    elif (first := subject(source, call)) is not None:
        yield first


def _named(step: Step, name: ast.Name) -> Iterator[Step]:
    """What a name was bound to last, what was added to it, or what it was passed as."""
    function = innermost(step.source, name)
    if function is None:
        return
    before = [one for one in bindings(function, name.id) if one[0] < name.lineno]
    line = max((one[0] for one in before), default=0)
    own = [value for one, value in before if one == line]
    own += [value for one, value in listed(step.source, name) if one > line]
    yield from (Step(step.source, value, step.callers) for value in own)
    given = passed_to(function)
    given += [one.arg for one in function.args.kwonlyargs]
    if before or name.id not in given:
        return
    place = given.index(name.id)
    for number, (source, call) in enumerate(step.callers):
        if not isinstance(call, ast.Call):
            return
        value = next((one.value for one in call.keywords if one.arg == name.id), None)
        if value is None and number == 0 and place < len(call.args):
            value = call.args[place]
        if value is not None:
            yield Step(source, value, step.callers[number + 1 :])
        if value is not None or not _passes_on(source, call):
            return


def _passes_on(source: Source, call: ast.Call) -> bool:
    """Whether it gives on what its function was given by keyword: `self.attn(x, **kwargs)`."""
    function = innermost(source, call)
    rest = function.args.kwarg.arg if function is not None and function.args.kwarg is not None else None
    return any(one.arg is None and getattr(one.value, "id", "") == rest for one in call.keywords)


def returned(source: Source, call: ast.Call) -> list[ast.expr]:
    """What the `forward` of the file's class returns that an attribute is called for."""
    layer = layer_called(source, call.func)
    made = assigned(source, call, layer) if layer is not None else []
    # `ModuleList(Block(8) for _ in range(2))` calls several.
    inside = [one for whole in made for one in ast.walk(whole) if isinstance(one, ast.Call)]
    names = {getattr(one.func, "id", "") for one in inside}
    functions = [one for owner in classes(source) if owner.name in names for one in owner.body]
    forwards = [one for one in functions if isinstance(one, ast.FunctionDef) and one.name == "forward"]
    values = [one.value for function in forwards for one in ast.walk(function) if isinstance(one, ast.Return)]
    return [one for one in values if one is not None]
