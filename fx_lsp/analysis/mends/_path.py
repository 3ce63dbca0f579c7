"""What an expression was made of, one expression after the other: back through names, calls and parameters."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from fx_lsp.analysis.mends._bound import (
    assigned,
    attribute,
    bindings,
    last_bound,
    layer_called,
    listed,
    loop_over,
    mapped,
    of_file,
    subject,
)
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._classes import constructors, defined, earlier, held, is_made
from fx_lsp.analysis.mends._keyed import key_of, loading, set_under, under
from fx_lsp.analysis.mends._makers import Callers, around
from fx_lsp.analysis.mends._parameters import called, passed, passed_to
from fx_lsp.analysis.mends._reached import Files, none
from fx_lsp.analysis.mends._statements import innermost, loop_of
from fx_lsp.analysis.mends.unpacking import assignment
from fx_lsp.analysis.source import Source, walk

MAX_STEPS = 96
"""Expressions that are looked at."""
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
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
    """Whether it is what a model or a function gives back."""
    files: Files = none
    """Others in which models and functions may be."""
    key: str = ""
    """Of a dict or an object that it may be: the entry that is asked for last."""


_LAST: list[tuple[Broken, dict[ast.expr | None, tuple[Step, ...]]]] = []
"""Of what was asked about last, as a whole and from single operands: several families ask about the same."""


def path(broken: Broken) -> tuple[Step, ...]:
    """From the operands of what fails to what they come from, the nearest first."""
    return _known(broken, None, broken)


def path_of(broken: Broken, node: ast.expr) -> tuple[Step, ...]:
    """From one of the operands alone: of several that are long, the last ones are not looked at."""
    return _known(broken, node, replace(broken, node=node, written={"0": node}))


def _known(asked: Broken, node: ast.expr | None, broken: Broken) -> tuple[Step, ...]:
    if not _LAST or _LAST[0][0] is not asked:
        _LAST[:] = [(asked, {})]
    found = _LAST[0][1]
    if node not in found:
        found[node] = tuple(_steps(broken))
    return found[node]


def _steps(broken: Broken) -> Iterator[Step]:
    found = assignment(broken) if isinstance(broken.node, ast.expr) else None
    first = [found[0].value] if found is not None else [*broken.written.values()]
    if found is None and isinstance(broken.node, ast.Call):
        # What fails inside a layer may be any of what it is given.
        first += [*broken.node.args, *(one.value for one in broken.node.keywords)]
    # What is set is no operand of the place that it is set at.
    first += [one.value for one in broken.source.every(ast.Assign) if broken.node in one.targets and found is None]
    seen: set[int] = set()
    queue = [Step(broken.source, node, broken.callers, files=broken.files) for node in first]
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
    elif isinstance(node, ast.ListComp | ast.GeneratorExp):
        inside = [node.elt]
    elif isinstance(node, ast.Compare):
        inside = [node.left, *node.comparators]
    elif isinstance(node, ast.IfExp):
        inside = [node.body, node.orelse]
    elif isinstance(node, ast.Tuple | ast.List):
        inside = node.elts
    elif isinstance(node, ast.Attribute) and (kept := _kept(source, node)):
        # A buffer, or what another method left there.
        return [Step(source, one, (), files=step.files) for one in kept]
    elif isinstance(node, ast.Subscript | ast.Attribute):
        step, inside = replace(step, key=key_of(node) or step.key), [node.value]
    elif isinstance(node, ast.Starred | ast.UnaryOp):
        inside = [node.operand if isinstance(node, ast.UnaryOp) else node.value]
    elif isinstance(node, ast.Call) and not called(node)[:1].isupper():
        inside = [*under(source, node, step.key, step.files), *_given(source, node)]
    else:
        inside = under(source, node, step.key, step.files)
    makes = [node, *loading(node)] if isinstance(node, ast.Call) else []
    back = [one for call in makes for one in returned(source, call, step.files, step.callers)]
    led = ((source, node), *step.callers)
    return [
        *(Step(where, one, led, True, step.files, step.key) for where, one in back),
        *(replace(step, node=one, returned=False) for one in inside),
    ]


def _kept(source: Source, node: ast.Attribute) -> list[ast.expr]:
    """What an attribute that is no layer was bound to."""
    name = attribute(node)
    values = assigned(source, node, name) if name is not None else []
    return [one for one in values if not isinstance(one, ast.Call) or not called(one)[:1].isupper()]


def _given(source: Source, call: ast.Call) -> Iterator[ast.expr]:
    """What a function is given, as far as its result is made of it."""
    first = call.args[0] if called(call) == "map" and call.args else None
    if isinstance(first, ast.Lambda):
        yield first.body
    elif layer_called(source, call.func) is not None or called(call) in _JOINS:
        yield from call.args
    elif (first := subject(source, call)) is not None:
        yield first


def _named(step: Step, name: ast.Name) -> Iterator[Step]:
    """What a name was bound to last, what was added to it, or what it was passed as."""
    function = innermost(step.source, name)
    if function is None:
        yield from _of_program(step, name)
        return
    before = [one for one in bindings(function, name.id) if one[0] < name.lineno]
    line = max((one[0] for one in before), default=0)
    own = [value for one, value in before if one == line]
    own += [value for one, value in listed(step.source, name) if one > line]
    own += set_under(function, name, step.key)
    over = loop_over(function, name) if not own else None
    own += _carried(step.source, function, name)
    yield from (replace(step, node=value, returned=False) for value in own)
    if over is not None and not any(one is name for one in walk(over)):
        yield replace(step, node=over, returned=False)
        return
    yield from (replace(step, node=one, returned=False) for one in mapped(step.source, name))
    given = passed_to(function)
    given += [one.arg for one in function.args.kwonlyargs]
    if before or name.id not in given:
        return
    yield from _earlier(step, function)
    place = given.index(name.id)
    led = step.callers[is_made(step.source, function, step.callers) :]
    while led and isinstance(led[0][1], _COMPREHENSIONS):  # of the same function
        led = led[1:]
    for number, (source, call) in enumerate(led):
        if not isinstance(call, ast.Call):
            return
        value = next((one.value for one in call.keywords if one.arg == name.id), None)
        if value is None and number == 0 and place < len(call.args):
            value = call.args[place]
        if value is not None:
            yield Step(source, value, led[number + 1 :], files=step.files, key=step.key)
        if value is not None or not _passes_on(source, call):
            return


def _carried(source: Source, function: ast.FunctionDef, name: ast.Name) -> list[ast.expr]:
    """What the round before of a loop bound it to."""
    loop = loop_of(source, name)
    last = (loop.end_lineno or 0) if loop is not None else 0
    return [value for line, value in bindings(function, name.id) if name.lineno <= line <= last]


def _of_program(step: Step, name: ast.Name) -> Iterator[Step]:
    """What a variable of the whole file was bound to last, or what the loop goes over of which it is one."""
    found = of_file(step.source, name)
    loops = [one for one in step.source.every(ast.For) if innermost(step.source, one) is None] if not found else []
    found += [over for one in loops if (over := loop_over(one, name)) is not None]
    yield from (replace(step, node=one, returned=False) for one in found)


def _earlier(step: Step, function: ast.FunctionDef) -> Iterator[Step]:
    """Of an entry of a sequence, which is given what the entries before it make: those, the nearest first."""
    owner, led = around(step.source, function)[0], step.callers[:1]
    for source, call in led if owner is not None else ():
        for made in constructors(source, call, owner.name) if owner is not None else ():
            for before in earlier(source, made):
                yield from (Step(source, one, step.callers[1:], files=step.files) for one in reversed(before))


def _passes_on(source: Source, call: ast.Call) -> bool:
    """Whether it gives on what its function was given by keyword: `self.attn(x, **kwargs)`."""
    function = innermost(source, call)
    rest = function.args.kwarg.arg if function is not None and function.args.kwarg is not None else None
    return any(one.arg is None and getattr(one.value, "id", "") == rest for one in call.keywords)


def returned(
    source: Source, call: ast.Call, files: Files = none, callers: Callers = ()
) -> list[tuple[Source, ast.expr]]:
    """What a function that is written returns, or the `forward` of the class of what is called, each in its file."""
    inside = [(where, one) for where, function in functions(source, call, files, callers)
              for one in walk(function) if isinstance(one, ast.Return)]  # fmt: skip
    return [(where, one.value) for where, one in inside if one.value is not None]


def functions(
    source: Source, call: ast.Call, files: Files = none, callers: Callers = ()
) -> list[tuple[Source, ast.FunctionDef]]:
    """Those that a call runs, as far as they are written: a function, or a method of the class of what is called."""
    owners, method = _owners(source, call, files, callers), "forward"
    if not owners and isinstance(call.func, ast.Attribute):
        # `self.rssm.observe(x)`, `self.encode(x)`.
        value = ast.Call(call.func.value, [], [], lineno=call.lineno, col_offset=call.col_offset)
        owners, method = _owners(source, value, files, callers), call.func.attr
    found = [(where, one) for where, owner in owners for one in owner.body if getattr(one, "name", "") == method]
    for where in (source, *files()) if isinstance(call.func, ast.Name) and not owners else ():
        body = where.tree.body if where.tree is not None else ()
        found += [(where, one) for one in body if getattr(one, "name", "") == getattr(call.func, "id", None)]
        if found:
            break
    return [(where, one) for where, one in found if isinstance(one, ast.FunctionDef)]


def _owners(source: Source, call: ast.Call, files: Files, callers: Callers) -> list[tuple[Source, ast.ClassDef]]:
    """The classes of which what is called may be: an attribute or a variable, the model itself, what makes one."""
    layer = layer_called(source, call.func)
    made = [(where, one) for where, one, _ in held(source, call.func, files)]
    if isinstance(call.func, ast.Call):
        made = [(source, call.func)]
    if isinstance(call.func, ast.Name) and layer is None:
        owner = around(source, call)[0]
        if call.func.id == "self" and owner is not None:
            return [(source, owner)]
        made = _models(source, call.func, callers) or [(source, call)]
    # `ModuleList(Block(8) for _ in range(2))` calls several.
    inside = [(where, one) for where, whole in made for one in walk(whole) if isinstance(one, ast.Call)]
    found = [there for where, one in inside if (there := defined(called(one), where, files)) is not None]
    return list({id(owner): (where, owner) for where, owner in found}.values())


def _models(source: Source, name: ast.Name, callers: Callers) -> list[tuple[Source, ast.expr]]:
    """What makes the model that a variable is: here, where the function was given it, or in the whole file."""
    function = innermost(source, name)
    bound = last_bound(function, name) if function is not None else None
    if bound is not None:
        return [(source, bound)]
    given = passed_to(function) if function is not None else []
    if name.id not in given:
        return [(source, one) for one in of_file(source, name)]
    where, call = callers[0] if callers else (source, None)
    if not isinstance(call, ast.Call):
        return []
    value = passed(call, given).get(name.id)
    if isinstance(value, ast.Name):
        return _models(where, value, callers[1:])
    return [(where, value)] if value is not None else []
