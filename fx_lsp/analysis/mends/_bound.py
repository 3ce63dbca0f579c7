"""What names and attributes are bound to."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator

from fx_lsp.analysis.mends._makers import around
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source, walk

_ADDS = ("append", "add_module", "extend")
_REGISTERS = ("register_buffer", "register_parameter")

_EACH = frozenset({"sqrt", "rsqrt", "exp", "log", "abs", "neg", "square", "sin", "cos", "tanh", "sigmoid", "relu",
                   "softmax", "log_softmax", "contiguous", "clone", "detach",
                   "float", "half", "double", "long", "bool"})  # fmt: skip
"""Methods that leave the sizes as they are."""


def attribute(node: ast.expr) -> str | None:
    """`fc` in `self.fc`, `self.fc[0]`, `self.blocks.fc`; the key in `self.norms["attn"]`."""
    if isinstance(node, ast.Subscript):
        key = node.slice.value if isinstance(node.slice, ast.Constant) else None
        return key if isinstance(key, str) and attribute(node.value) else attribute(node.value)
    root = node
    while isinstance(root, ast.Attribute | ast.Subscript):
        root = root.value
    return node.attr if isinstance(node, ast.Attribute) and isinstance(root, ast.Name) and root.id == "self" else None


def layer_called(source: Source, node: ast.expr) -> str | None:
    """The attribute with a layer that is called, itself or as the variable of a loop over it."""
    held = loop_over(innermost(source, node), node) if isinstance(node, ast.Name) else None
    if held is None:
        return attribute(node)
    inside = [one for one in walk(held) if isinstance(one, ast.expr)]
    own = next((name for one in inside if (name := attribute(one)) is not None), None)
    # A loop over what another loop goes over.
    above = held if isinstance(held, ast.Name) and isinstance(node, ast.Name) and held.id != node.id else None
    return own if own is not None or above is None or above.lineno > node.lineno else layer_called(source, above)


def loop_over(function: ast.AST | None, name: ast.Name) -> ast.expr | None:
    """What the loop goes over of which a name is the variable."""
    found = loop_with(function, name)
    return looped(found.target, found.iter, name.id) if found is not None else None


def loop_with(function: ast.AST | None, name: ast.Name) -> ast.For | ast.comprehension | None:
    """The loop of which a name is the variable: of several the innermost one around it, else the first."""
    every = [one for one in walk(function) if isinstance(one, ast.For | ast.comprehension)] if function else []
    found = [one for one in every if _binds(one.target, name.id)]
    around = [one for one in found if isinstance(one, ast.For) and one.lineno <= name.lineno <= (one.end_lineno or 0)]
    return max(around, key=lambda one: one.lineno) if around else found[0] if found else None


def mapped(source: Source, name: ast.Name) -> list[ast.expr]:
    """What `map` goes through, where a name is the variable of the function that it is given."""
    found: list[ast.expr] = []
    for call in source.every(ast.Call):
        first = call.args[0] if len(call.args) > 1 and getattr(call.func, "id", "") == "map" else None
        given = [one.arg for one in first.args.args] if isinstance(first, ast.Lambda) else []
        if first is not None and name.id in given and any(one is name for one in walk(first)):
            found += call.args[1 + given.index(name.id) :][:1]
    return found


def looped(target: ast.expr, held: ast.expr, name: str) -> ast.expr:
    """What a name of a loop goes over: its part of `zip(a, b)`, the one thing of `enumerate(a)`."""
    called = held.func.id if isinstance(held, ast.Call) and isinstance(held.func, ast.Name) else ""
    parts = target.elts if isinstance(target, ast.Tuple) else []
    place = next((number for number, part in enumerate(parts) if _binds(part, name)), None)
    if isinstance(held, ast.Call) and place is not None and called == "zip" and place < len(held.args):
        return held.args[place]
    if isinstance(held, ast.Call) and place == 1 and called == "enumerate" and held.args:
        return looped(parts[1], held.args[0], name)
    return held


def assigned(source: Source, node: ast.expr | ast.stmt, name: str) -> list[ast.expr]:
    """What the class around has for an attribute: assigned, as an entry with this name, or added to it."""
    owner, _ = around(source, node)
    found: list[ast.expr] = []
    for one in walk(owner) if owner is not None else ():
        if isinstance(one, ast.Assign):
            found += [value for target in one.targets for part, value in parts(target, one.value)
                      if attribute(part) == name]  # fmt: skip
        if isinstance(one, ast.keyword) and one.arg == name:
            found.append(one.value)
        if isinstance(one, ast.Dict):
            found += [value for key, value in zip(one.keys, one.values, strict=True)
                      if isinstance(key, ast.Constant) and key.value == name]  # fmt: skip
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr in _ADDS:
            found += one.args[-1:] if attribute(one.func.value) == name else []
        if isinstance(one, ast.Call) and getattr(one.func, "attr", "") in _REGISTERS and len(one.args) > 1:
            key = one.args[0]
            found += one.args[1:2] if isinstance(key, ast.Constant) and key.value == name else []
    return found


def parts(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """`self.a, self.b = a, b` binds two."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return list(zip(target.elts, value.elts, strict=True))
    return [(target, value)]


def listed(source: Source, name: ast.Name) -> list[tuple[int, ast.expr]]:
    """Line and value of what a local name is bound to before, and of what is added to it, in their order."""
    function = innermost(source, name)
    if function is None:
        return []
    found = list(bindings(function, name.id))
    for one in walk(function):
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr in _ADDS:
            own = isinstance(one.func.value, ast.Name) and one.func.value.id == name.id
            found += [(one.lineno, value) for value in one.args[-1:] if own]
        elif isinstance(one, ast.AugAssign) and _binds(one.target, name.id):
            found.append((one.lineno, one.value))
    return sorted((one for one in found if one[0] < name.lineno), key=lambda one: one[0])


def passed_as(source: Source, name: ast.Name) -> list[tuple[int, ast.expr]]:
    """What calls elsewhere in the file pass under the same name, where the name is a parameter."""
    function = innermost(source, name)
    if function is None or name.id not in {one.arg for one in walk(function) if isinstance(one, ast.arg)}:
        return []
    given = [one for call in source.every(ast.Call) for one in (*call.args, *(part.value for part in call.keywords))]
    alike = [one for one in given if isinstance(one, ast.Name) and one.id == name.id]
    return [bound for one in alike if innermost(source, one) is not function for bound in listed(source, one)]


def held(source: Source, node: ast.expr | None, count: int) -> list[ast.expr]:
    """What is written for each of so many tensors: in a list, or added to a variable; nothing where that is unknown."""
    if isinstance(node, ast.List | ast.Tuple):
        plain = len(node.elts) == count and not any(isinstance(one, ast.Starred) for one in node.elts)
        return node.elts if plain else []
    found = [value for _, value in listed(source, node)] if isinstance(node, ast.Name) else []
    first = found[0] if found else None
    if isinstance(first, ast.List):
        found[:1] = first.elts
    elif isinstance(first, ast.ListComp):
        # What a comprehension makes is alike.
        found[:1] = [first.elt] * (count - len(found) + 1)
    function = innermost(source, node) if node is not None else None
    loops = [one for one in (walk(function) if function is not None else ()) if isinstance(one, ast.For | ast.While)]
    looped_over = any(part is value for one in loops for part in walk(one) for value in found)
    return found if len(found) == count and not looped_over else []


def bindings(function: ast.AST, name: str) -> Iterator[tuple[int, ast.expr]]:
    """Last line and value of each assignment; of several names that one value is unpacked to, each has all of it."""
    for one in (part for part in walk(function) if isinstance(part, ast.Assign)):
        for part, value in (both for target in one.targets for both in parts(target, one.value)):
            if _binds(part, name):
                yield one.end_lineno or one.lineno, value


def last_bound(function: ast.FunctionDef, name: ast.Name) -> ast.expr | None:
    """Value of the last assignment before the name is used."""
    before = [one for one in bindings(function, name.id) if one[0] < name.lineno]
    return max(before, key=lambda one: one[0])[1] if before else None


def bound_before(function: ast.FunctionDef, line: int) -> set[str]:
    """Its parameters, and the names that it binds above a line."""
    given = {one.arg for one in (*function.args.args, *function.args.kwonlyargs)}
    names = (one for one in walk(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store))
    return given | {one.id for one in names if one.lineno < line}


def of_file(source: Source, name: ast.Name) -> list[ast.expr]:
    """What a variable of the whole file is bound to last; where it is used outside of functions, before that."""
    inside = innermost(source, name) is not None
    found = [(one.end_lineno or one.lineno, value) for one in source.every(ast.Assign) for target in one.targets
             for part, value in parts(target, one.value) if _binds(part, name.id)]  # fmt: skip
    found = [one for one in found if (inside or one[0] < name.lineno) and innermost(source, one[1]) is None]
    return [one[1] for one in sorted(found, key=lambda one: one[0])[-1:]]


def is_copy(source: Source, node: ast.expr) -> bool:
    """Whether a variable is given another one as it is: `flat = x`."""
    return isinstance(node, ast.Name) and any(
        one.value is node and isinstance(one.targets[0], ast.Name) for one in source.every(ast.Assign)
    )


def unpacked(function: ast.AST) -> Iterator[tuple[int, list[str]]]:
    """Names that one assignment unpacks beside each other, and its line: `b, n, _ = x.shape`."""
    for one in (node for node in walk(function) if isinstance(node, ast.Assign)):
        for target in one.targets:
            if isinstance(target, ast.Tuple):
                yield one.lineno, [part.id for part in target.elts if isinstance(part, ast.Name)]


def twins(source: Source, name: ast.Name) -> list[str]:
    """The names that were bound together with this one, each to something written alike: `a, b = c[0], d[0]`; of
    parameters those that the same expressions meet: `x * cos - y * sin` and `x * sin + y * cos`."""
    function = innermost(source, name)
    statements = [one for one in (walk(function) if function is not None else ())
                  if isinstance(one, ast.Assign) and one.lineno < name.lineno
                  and any(_binds(target, name.id) for target in one.targets)]  # fmt: skip
    if function is not None and not statements:
        return _meeting_the_same(function, name)
    last = max(statements, key=lambda one: one.lineno, default=None)
    target, value = (last.targets[0], last.value) if last is not None else (None, None)
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple):
        return []
    alike = {re.sub(r"\b[a-zA-Z_]\w*\b", "_", ast.unparse(part)) for part in value.elts}
    names = [part.id for part in target.elts if isinstance(part, ast.Name)]
    return names if len(alike) == 1 and len(names) == len(target.elts) == len(value.elts) else []


def _meeting_the_same(function: ast.FunctionDef, name: ast.Name) -> list[str]:
    given = [one.arg for one in (*function.args.args, *function.args.kwonlyargs)]
    met: dict[str, set[str]] = {one: set() for one in given}
    for one in walk(function):
        for own, other in ((one.left, one.right), (one.right, one.left)) if isinstance(one, ast.BinOp) else ():
            if isinstance(own, ast.Name) and own.id in met:
                met[own.id].add(ast.unparse(other))
    return [one for one in given if met[one] and met[one] == met.get(name.id)]


def unbound(source: Source, statement: ast.stmt) -> list[str]:
    """Names that the function reads after a statement, and that nothing binds."""
    function = innermost(source, statement)
    inside = [one for one in (walk(function) if function is not None else ()) if isinstance(one, ast.Name)]
    stored = [one for one in source.every(ast.Name) if isinstance(one.ctx, ast.Store)]
    bound = {one.id for one in stored if innermost(source, one) in (None, function)}
    given = {one.arg for one in walk(function) if isinstance(one, ast.arg)} if function is not None else set[str]()
    made = {one.name for one in (*source.every(ast.FunctionDef), *source.every(ast.ClassDef))}
    known = bound | given | made | _imported(source) | set(dir(builtins))
    later = [one for one in inside if one.lineno > statement.lineno and one.id not in known]
    return list(dict.fromkeys(one.id for one in sorted(later, key=lambda one: (one.lineno, one.col_offset))))


def entries(made: ast.expr) -> list[ast.expr]:
    """What a sequence of layers is given, one by one or in a list."""
    found: list[ast.expr] = []
    for one in made.args if isinstance(made, ast.Call) else [made]:
        inner = one.value if isinstance(one, ast.Starred) else one
        inner = inner.elt if isinstance(inner, ast.ListComp | ast.GeneratorExp) else inner
        found += inner.elts if isinstance(inner, ast.List | ast.Tuple) else [inner]
    return found


def subject(source: Source, node: ast.Call) -> ast.expr | None:
    """What a function is given first, or what a method is called on."""
    value = node.func.value if isinstance(node.func, ast.Attribute) else None
    root = value
    while isinstance(root, ast.Attribute):
        root = root.value
    if value is not None and not (isinstance(root, ast.Name) and root.id in _imported(source)):
        return value
    return node.args[0] if node.args else None


def classes(source: Source) -> list[ast.ClassDef]:
    """All of a file."""
    return source.every(ast.ClassDef)


def _binds(target: ast.expr, name: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Store) for one in walk(target))


def _imported(source: Source) -> set[str]:
    found = [*source.every(ast.Import), *source.every(ast.ImportFrom)]
    return {(name.asname or name.name).partition(".")[0] for one in found for name in one.names}


def varied(source: Source, node: ast.expr) -> str:
    """The name of which each number is changed by itself: `a` for `a.sqrt()`, `torch.softmax(a, 1)`, `1 - a`."""
    while isinstance(node, ast.Call) and called(node) in _EACH:
        given = subject(source, node)
        if given is None:
            return ""
        node = given
    if isinstance(node, ast.BinOp):
        sides = [one for one in (node.left, node.right) if not isinstance(one, ast.Constant)]
        return varied(source, sides[0]) if len(sides) == 1 else ""
    return node.id if isinstance(node, ast.Name) else ""
