"""A tensor that grows in a loop is copied in every round.

Before:
    for x in parts:
        out = torch.cat([out, x], dim=1)
After:
    outs = [out]
    for x in parts:
        outs.append(x)
    out = torch.cat(outs, dim=1)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from fx_lsp.analysis.actions import Changes
from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._statements import named, often
from fx_lsp.analysis.rewrites._write import Unwritable, indent, inserted, removed

_SAYS = "a loop without a round raises an error and gives no None"
_Loop = ast.For | ast.While


class _Growth(NamedTuple):
    """A statement that makes a tensor longer."""

    name: str
    rest: list[ast.expr]
    """What is added."""
    call: ast.Call
    """Of `torch.cat`."""
    nothing: ast.stmt | None = None
    """Before the loop, where the first round is told by its being None."""
    begins: bool = False
    """Whether the first round makes it."""


def find(flow: Flow) -> Iterator[Found]:
    """Loops that read the tensor for nothing else."""
    for loop in ast.walk(flow.function):
        for statement in loop.body if isinstance(loop, _Loop) and not loop.orelse else ():
            growth = _grows(flow, statement) or _begins(flow, loop, statement)
            if growth is None or not isinstance(loop, _Loop):
                continue
            told = [name for one in growth.rest for name in _names(one)]
            if growth.name not in told and often(loop, growth.name) == often(statement, growth.name):
                try:
                    says = _SAYS if growth.nothing is not None else ""
                    yield Found(statement, _moved(flow, loop, statement, growth), says)
                except Unwritable:
                    continue


def _grows(flow: Flow, statement: ast.stmt) -> _Growth | None:
    """`out = torch.cat([out, x], dim)`."""
    bound = named(statement)
    return _joins(flow, *bound) if bound is not None else None


def _joins(flow: Flow, name: str, call: ast.expr) -> _Growth | None:
    if not isinstance(call, ast.Call) or flow.file.dotted(call.func) not in ("torch.cat", "torch.concat"):
        return None
    items = call.args[0].elts if call.args and isinstance(call.args[0], ast.List | ast.Tuple) else []
    first = items[0] if len(items) > 1 else None
    own = isinstance(first, ast.Name) and first.id == name and flow.file.ran(call) is not None
    return _Growth(name, items[1:], call) if own else None


def _begins(flow: Flow, loop: ast.AST, statement: ast.stmt) -> _Growth | None:
    """`if out is None: out = x`, or in the first round of those that are counted, and else it grows by that; in one
    expression too."""
    found = _two(statement) if isinstance(loop, _Loop) else None
    if found is None or not isinstance(loop, _Loop):
        return None
    name, test, first, other = found
    if test == f"{name} is not None":
        test, first, other = f"{name} is None", other, first
    growth = _joins(flow, name, other)
    if growth is None or [ast.unparse(one) for one in growth.rest] != [ast.unparse(first)]:
        return None
    if test == f"{name} is None" and (nothing := _nothing(flow, loop, name)) is not None:
        return growth._replace(nothing=nothing, begins=True)
    counted = isinstance(loop, ast.For) and test in [f"{one} == 0" for one in _counts(loop)]
    skips = any(isinstance(one, ast.Continue) for one in ast.walk(loop))  # maybe the first round
    names = (one for one in ast.walk(flow.function) if isinstance(one, ast.Name) and one.id == name)
    before = any(one.lineno < loop.lineno for one in names)  # that is what is left by a loop without a round
    return growth._replace(begins=True) if counted and not skips and not before else None


def _two(statement: ast.stmt) -> tuple[str, str, ast.expr, ast.expr] | None:
    """A name, what decides, and the two things that it may be bound to."""
    if isinstance(statement, ast.If) and [len(block) for block in (statement.body, statement.orelse)] == [1, 1]:
        one, two = named(statement.body[0]), named(statement.orelse[0])
        if one is not None and two is not None and one[0] == two[0]:
            return one[0], ast.unparse(statement.test), one[1], two[1]
    bound = named(statement)
    if bound is not None and isinstance(bound[1], ast.IfExp):
        return bound[0], ast.unparse(bound[1].test), bound[1].body, bound[1].orelse
    return None


def _nothing(flow: Flow, loop: ast.stmt, name: str) -> ast.stmt | None:
    """`out = None` before the loop, with nothing between that names it."""
    block = flow.block.get(id(loop), [])
    before = block[: next((number for number, one in enumerate(block) if one is loop), 0)]
    last = next((one for one in reversed(before) if name in {*_names(one)}), None)
    return last if last is not None and ast.unparse(last) == f"{name} = None" else None


def _counts(loop: ast.For) -> Iterator[str]:
    """What is 0 in the first round of the loop and in no other."""
    over, target = loop.iter, loop.target
    call = over.func.id if isinstance(over, ast.Call) and isinstance(over.func, ast.Name) else ""
    if not isinstance(over, ast.Call) or len(over.args) != 1 or over.keywords:
        return
    if call == "enumerate" and isinstance(target, ast.Tuple):
        target = target.elts[0]
    elif call != "range":
        return
    if isinstance(target, ast.Name) and often(loop, target.id) == _loads(loop, target.id) + 1:
        yield target.id


def _names(node: ast.AST) -> Iterator[str]:
    return (one.id for one in ast.walk(node) if isinstance(one, ast.Name))


def _loads(node: ast.AST, name: str) -> int:
    return sum(isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load) for one in ast.walk(node))


def _moved(flow: Flow, loop: _Loop, statement: ast.stmt, growth: _Growth) -> Changes:
    file, name = flow.file, growth.name
    before, end = indent(file, loop), loop.end_lineno or loop.lineno
    taken = {*_names(flow.function)}
    named = (f"{name}_parts" if name.endswith("s") else f"{name}s", f"{name}_parts", f"{name}_parts_")
    several = next(one for one in named if one not in taken)
    lost = ast.get_source_segment(file.source.text, statement) or ""
    if "#" in lost or (statement.lineno != statement.end_lineno and not growth.begins):
        raise Unwritable
    items = ", ".join(file.text(one) for one in growth.rest)
    add = f"{several}.append({items})" if len(growth.rest) == 1 else f"{several}.extend([{items}])"
    whole, group = file.text(growth.call), file.text(growth.call.args[0])
    joined = whole.replace(group, several, 1)
    return (
        *((removed(file, growth.nothing),) if growth.nothing is not None else ()),
        inserted(file, loop.lineno, f"{before}{several} = [{'' if growth.begins else name}]"),
        (file.source.span(statement), add),
        inserted(file, end + 1, f"{before}{name} = {joined}"),
    )


RULE = Rewrite("cat-in-loop", "Join once, after the loop", find)
