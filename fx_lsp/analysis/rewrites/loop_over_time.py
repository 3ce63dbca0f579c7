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
from collections.abc import Iterator, Sequence

from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._file import File
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._write import Unwritable, atom, removed


def find(flow: Flow) -> Iterator[Found]:
    """Stacks of a list that a comprehension makes, or the loop before."""
    for term, statement in flow.roots:
        call = term.node
        if term.op != "stack" or not isinstance(call, ast.Call) or not call.args:
            continue
        block, steps = flow.block[id(statement)], call.args[0]
        place = next(number for number, one in enumerate(block) if one is statement)
        gone = block[max(place - 2, 0) : place] if isinstance(steps, ast.Name) else ()
        each, loop = _looped(flow, gone, steps) if isinstance(steps, ast.Name) else _listed(steps)
        text = _at_once(flow.file, each, loop, _dim(call)) if each is not None and loop is not None else ""
        if text:
            try:
                changes = (flow.file.source.span(call), atom(text)), *(removed(flow.file, one) for one in gone)
                yield Found(call, changes)
            except Unwritable:
                continue


def _listed(steps: ast.expr) -> tuple[ast.expr | None, ast.For | ast.comprehension | None]:
    """What each round makes, and the round, of a comprehension."""
    if not isinstance(steps, ast.ListComp) or len(steps.generators) != 1:
        return None, None
    (loop,) = steps.generators
    return (None, None) if loop.ifs or loop.is_async else (steps.elt, loop)


def _looped(
    flow: Flow, before: Sequence[ast.stmt], steps: ast.Name
) -> tuple[ast.expr | None, ast.For | ast.comprehension | None]:
    """The same of an empty list and a loop that only adds to it."""
    empty, loop = before if len(before) == 2 else (None, None)
    if not isinstance(empty, ast.Assign) or not isinstance(loop, ast.For) or loop.orelse or len(loop.body) != 1:
        return None, None
    add = loop.body[0].value if isinstance(loop.body[0], ast.Expr) else None
    if not isinstance(add, ast.Call) or len(add.args) != 1 or ast.unparse(add.func) != f"{steps.id}.append":
        return None, None
    names = [node.id for node in ast.walk(flow.function) if isinstance(node, ast.Name)]
    step = loop.target.id if isinstance(loop.target, ast.Name) else ""
    alone = names.count(steps.id) == 3 and names.count(step) == 2
    return (add.args[0], loop) if alone and ast.unparse(empty) == f"{steps.id} = []" else (None, None)


def _at_once(file: File, each: ast.expr, loop: ast.For | ast.comprehension, dim: int) -> str:
    """What is done with each step, written of the whole; empty where it is not done with `x[:, t]` alone."""
    step = loop.target.id if isinstance(loop.target, ast.Name) else ""
    used = [node for node in ast.walk(each) if isinstance(node, ast.Name) and node.id == step]
    taken = [node for node in ast.walk(each) if isinstance(node, ast.Subscript) and _step(node) == (step, dim)]
    if len(used) != 1 or len(taken) != 1 or not isinstance(taken[0].value, ast.Name):
        return ""
    whole = taken[0].value.id
    if ast.unparse(loop.iter) not in (f"range({whole}.shape[{dim}])", f"range({whole}.size({dim}))"):
        return ""
    text, part = file.text(each), file.text(taken[0])
    return text.replace(part, whole) if text.count(part) == 1 and "\n" not in text and text != part else ""


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
