"""What is done with each step alone is done with all of them at once.

Before:
    outs = []
    for t in range(x.shape[1]):
        outs.append(self.fc(x[:, t]))
    y = torch.stack(outs, dim=1)
After:
    y = self.fc(x)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._file import File
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._statements import named, often
from fx_lsp.analysis.rewrites._write import Unwritable, atom, removed
from fx_lsp.model import syntax

_NEW = frozenset({"new_zeros", "new_empty", "new_full", "zeros", "empty", "zeros_like", "empty_like"})
"""Functions that make a tensor to be filled."""


class _Rounds(NamedTuple):
    each: str
    """What each round makes."""
    loop: ast.For | ast.comprehension


def find(flow: Flow) -> Iterator[Found]:
    """Stacks of a list that a comprehension makes, or the loop before; or a `cat` of what gets its dim there; and loops
    that fill what was made for it."""
    yield from _filling(flow)
    for term, statement in flow.roots:
        call = term.node
        if term.op not in ("stack", "cat") or not isinstance(call, ast.Call) or not call.args:
            continue
        block, steps = flow.block[id(statement)], call.args[0]
        place = next(number for number, one in enumerate(block) if one is statement)
        gone: Sequence[ast.stmt] = ()
        if isinstance(steps, ast.Name):
            gone = block[max(place - 1, 0) : place]
            rounds = _kept(flow, gone, steps, statement)
            if rounds is None:
                gone = block[max(place - 2, 0) : place]
                rounds = _looped(flow, gone, steps, statement)
        else:
            rounds = _listed(flow.file, steps)
        if rounds is not None and term.op == "cat":
            rounds = rounds._replace(each=_without_dim(rounds.each, _dim(call)))
        for text in _at_once(flow, rounds, _dim(call)) if rounds is not None else ():
            try:
                changes = (flow.file.source.span(call), atom(text)), *(removed(flow.file, one) for one in gone)
                yield Found(call, changes)
            except Unwritable:
                continue


def _listed(file: File, steps: ast.expr) -> _Rounds | None:
    """Of a comprehension."""
    if not isinstance(steps, ast.ListComp) or len(steps.generators) != 1:
        return None
    (loop,) = steps.generators
    return None if loop.ifs or loop.is_async else _Rounds(file.text(steps.elt), loop)


def _kept(flow: Flow, before: Sequence[ast.stmt], steps: ast.Name, after: ast.stmt) -> _Rounds | None:
    """Of a comprehension that is bound to a variable right before, which is read nowhere else."""
    made = named(before[0]) if before else None
    if made is None or made[0] != steps.id or _uses(flow, before, steps, after) != 2:
        return None
    return _listed(flow.file, made[1])


def _uses(flow: Flow, before: Sequence[ast.stmt], steps: ast.Name, after: ast.stmt) -> int:
    """How often the list is named; what is stacked `after` it may have its name."""
    again = (bound := named(after)) is not None and bound[0] == steps.id
    return sum(often(one, steps.id) for one in (*before, after)) - 1 if again else often(flow.function, steps.id)


def _looped(flow: Flow, before: Sequence[ast.stmt], steps: ast.Name, after: ast.stmt) -> _Rounds | None:
    """Of an empty list and a loop that only adds to it, variables of its own aside; what is stacked `after` it may have
    the name of the list."""
    empty, loop = before if len(before) == 2 else (None, None)
    if empty is None or not isinstance(loop, ast.For) or loop.orelse:
        return None
    *made, last = loop.body
    add = last.value if isinstance(last, ast.Expr) else None
    if not isinstance(add, ast.Call) or len(add.args) != 1 or ast.unparse(add.func) != f"{steps.id}.append":
        return None
    values = _variables(flow, made)
    if values is None:
        return None
    step = loop.target.id if isinstance(loop.target, ast.Name) else ""
    alone = _uses(flow, before, steps, after) == 3 and often(flow.function, step) == 2
    each = _filled(flow.file.text(add.args[0]), values)
    return _Rounds(each, loop) if alone and _is_empty(empty, steps.id) else None


def _variables(flow: Flow, made: Sequence[ast.stmt]) -> dict[str, str] | None:
    """Of a round, each bound and read once, with their values; None where it does something else, too."""
    values: dict[str, str] = {}
    for one in made:
        bound = named(one)
        if bound is None or often(flow.function, bound[0]) != 2:
            return None
        values[bound[0]] = _filled(flow.file.text(bound[1]), values)
    return values


def _filling(flow: Flow) -> Iterator[Found]:
    """`out[:, t] = self.fc(x[:, t])` in a loop right after `out = x.new_zeros(…)`."""
    for before, loop in (pair for block in _blocks(flow) for pair in pairwise(block)):
        *made, last = loop.body if isinstance(loop, ast.For) else [loop]
        target = last.targets[0] if isinstance(last, ast.Assign) and len(last.targets) == 1 else None
        name = target.value.id if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name) else ""
        if not isinstance(loop, ast.For) or loop.orelse or not isinstance(last, ast.Assign) or not _makes(before, name):
            continue
        step = loop.target.id if isinstance(loop.target, ast.Name) else ""
        values = _variables(flow, made)
        found, dim = _step(target) if isinstance(target, ast.Subscript) else ("", -1)
        if values is None or often(loop, name) != 1 or not step or found != step or often(flow.function, step) != 3:
            continue
        rounds = _Rounds(_filled(flow.file.text(last.value), values), loop)
        for text in _at_once(flow, rounds, dim):
            try:
                if "#" not in flow.file.text(loop):
                    filled = (flow.file.source.span(loop), f"{name} = {text}")
                    yield Found(loop, (filled, removed(flow.file, before)))
            except Unwritable:
                continue


def _blocks(flow: Flow) -> Iterator[Sequence[ast.stmt]]:
    return iter({id(block): block for block in flow.block.values()}.values())


def _makes(statement: ast.stmt, name: str) -> bool:
    """Whether it binds the name to a new tensor, all of which is filled later."""
    bound = named(statement)
    func = bound[1].func if bound is not None and bound[0] == name and isinstance(bound[1], ast.Call) else None
    return isinstance(func, ast.Attribute) and func.attr in _NEW


def _is_empty(statement: ast.stmt, name: str) -> bool:
    """Whether it binds a name to an empty list."""
    if not isinstance(statement, ast.Assign | ast.AnnAssign) or not isinstance(statement.value, ast.List):
        return False
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return not statement.value.elts and [ast.unparse(one) for one in targets] == [name]


def _without_dim(each: str, dim: int) -> str:
    """What gets the dim in `each.unsqueeze(dim)`; empty where nothing does."""
    call = syntax.expression(each).body if each else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr != "unsqueeze":
        return ""
    given = [ast.unparse(one) for one in (*call.args, *(one.value for one in call.keywords))]
    return ast.get_source_segment(each, call.func.value) or "" if given == [str(dim)] else ""


def _filled(text: str, values: Mapping[str, str]) -> str:
    """With the values of variables in their place; empty where it goes over several lines."""
    if "\n" in text or not text:
        return ""
    for node in sorted(_names(text), key=lambda node: -node.col_offset):
        if node.id in values:
            text = _put(text, node, atom(values[node.id]) if values[node.id] else "")
    return text


def _names(text: str) -> list[ast.Name]:
    return [node for node in ast.walk(syntax.expression(text)) if isinstance(node, ast.Name)]


def _put(text: str, node: ast.expr, other: str) -> str:
    return (text.encode()[: node.col_offset] + other.encode() + text.encode()[node.end_col_offset :]).decode()


def _at_once(flow: Flow, rounds: _Rounds, dim: int) -> Iterator[str]:
    """What is done with each step, written of the whole; nothing where it is not done with the step alone."""
    loop, text = rounds.loop, rounds.each
    step = loop.target.id if isinstance(loop.target, ast.Name) else ""
    if not text or "\n" in text or [one.id for one in _names(text)].count(step) != 1:
        return
    tree = ast.walk(syntax.expression(text))
    whole = _unbound(flow.file, _taken(flow, loop.iter), dim)
    taken = [node for node in tree if (isinstance(node, ast.Name) and node.id == step if whole
             else isinstance(node, ast.Subscript) and _step(node) == (step, dim))]  # fmt: skip
    if len(taken) != 1 or text == ast.get_source_segment(text, taken[0]):
        return
    if isinstance(taken[0], ast.Subscript):
        whole = taken[0].value.id if isinstance(taken[0].value, ast.Name) else ""
        if not whole or not _all_steps(flow, loop.iter, whole, dim):
            return
    yield _put(text, taken[0], whole)
    if dim == 1 and "self." in text and whole.isidentifier():  # layers that know of one dim before those of a sample
        yield f"{atom(_put(text, taken[0], f'{whole}.flatten(0, 1)'))}.unflatten(0, {whole}.shape[:2])"


def _all_steps(flow: Flow, steps: ast.expr, whole: str, dim: int) -> bool:
    """Whether a range goes over a dim as a whole, as far as is written."""
    count = steps.args[0] if isinstance(steps, ast.Call) and len(steps.args) == 1 else None
    if count is None or ast.unparse(steps) != f"range({ast.unparse(count)})":
        return False
    if isinstance(count, ast.Name):
        assigned = [one for one in ast.walk(flow.function) if isinstance(one, ast.Assign)]
        made = [one for one in assigned for name in ast.walk(one.targets[0])
                if isinstance(name, ast.Name) and name.id == count.id]  # fmt: skip
        asked = [ast.unparse(one.value) for one in made]
        unpacked = (
            made and isinstance(made[0].targets[0], ast.Tuple) and asked[0] in (f"{whole}.shape", f"{whole}.size()")
        )
        return len(made) == 1 and (bool(unpacked) or asked[0] in _sizes(whole, dim))
    return ast.unparse(count) in _sizes(whole, dim)


def _sizes(whole: str, dim: int) -> tuple[str, ...]:
    return f"{whole}.shape[{dim}]", f"{whole}.size({dim})", *([f"len({whole})"] if not dim else [])


def _taken(flow: Flow, steps: ast.expr) -> ast.expr:
    """What a variable was bound to that is gone through and nothing else."""
    if not isinstance(steps, ast.Name) or often(flow.function, steps.id) != 2:
        return steps
    every = (named(one) for one in ast.walk(flow.function) if isinstance(one, ast.Assign))
    return next((one[1] for one in every if one is not None and one[0] == steps.id), steps)


def _unbound(file: File, steps: ast.expr, dim: int) -> str:
    """What is taken apart along the dim."""
    if isinstance(steps, ast.Name) and dim == 0:
        return steps.id
    if not isinstance(steps, ast.Call) or not isinstance(steps.func, ast.Attribute) or steps.func.attr != "unbind":
        return ""
    whole, *rest = steps.args if file.dotted(steps.func) == "torch.unbind" else (steps.func.value, *steps.args)
    given = [*rest, *(one.value for one in steps.keywords)]
    along = given[0].value if given and isinstance(given[0], ast.Constant) else 0
    return file.text(whole) if along == dim and len(given) < 2 and isinstance(whole, ast.Name) else ""


def _step(node: ast.Subscript) -> tuple[str, int]:
    """The name that one dim is taken at, and the dim, where all of the others are taken as a whole."""
    places = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    found = [(one.id, place) for place, one in enumerate(places) if isinstance(one, ast.Name)]
    whole = sum(isinstance(one, ast.Slice) and ast.unparse(one) == ":" for one in places)
    return found[0] if len(found) == 1 and whole == len(places) - 1 else ("", -1)


def _dim(call: ast.Call) -> int:
    given = [*call.args[1:], *(one.value for one in call.keywords if one.arg == "dim")]
    if not given:
        return 0
    return given[0].value if isinstance(given[0], ast.Constant) and isinstance(given[0].value, int) else -1


RULE = Rewrite("loop-over-time", "Do all steps at once", find)
