"""Where a number is written that a size comes from: in a configuration, a list, a default, a call further up.

HPARAMS = dict(width=32)
self.fc = nn.Linear(hp["width"], 4)  # hp is HPARAMS
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import _text
from fx_lsp.analysis.mends._bound import assigned, attribute, looped
from fx_lsp.analysis.mends._makers import around
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source

MAX_STEPS = 12
"""From an expression to one that it gets its value from."""
MAX_FOUND = 3
"""Places for one size."""
Number = tuple[ast.Constant, int, str]
"""What is written, what is to be written there, and what it is called."""


def rewritten(source: Source, node: ast.expr, old: int, new: int) -> Iterator[Edit]:
    """Each number elsewhere that makes the expression, which is `old`, be `new`."""
    found = {id(one): (one, value, name) for one, value, name in _Follow(source).numbers(node, old, new)}
    for one, value, name in islice(found.values(), MAX_FOUND):
        if one is not node:
            title = f"Change `{name}` to {_text.title(str(value))}" if name else f"Use {_text.title(str(value))}"
            yield Edit(f"{title}, line {one.lineno}", source.path, _text.instead(source, one, str(value)))


@dataclass(frozen=True)
class _Follow:
    """One file."""

    source: Source
    steps: int = MAX_STEPS
    seen: set[int] = field(default_factory=lambda: set[int]())
    name: str = ""

    def numbers(self, node: ast.expr, old: int, new: int) -> Iterator[Number]:
        if isinstance(node, ast.Constant):
            if type(node.value) is int and node.value == old and new > 0:
                yield node, new, self.name
            return
        if isinstance(node, ast.BinOp):
            yield from self._computed(node, old, new)
            return
        if isinstance(node, ast.Name):
            yield from self._multiplied(node, old, new)
        for name, value in self._values(node):
            yield from replace(self, steps=self.steps - 1, name=name or self.name).numbers(value, old, new)

    def _multiplied(self, name: ast.Name, old: int, new: int) -> Iterator[Number]:
        """A variable that is changed by a factor: `channels *= 2`."""
        function = innermost(self.source, name)
        for one in ast.walk(function) if function is not None else ():
            factor = one.value if isinstance(one, ast.AugAssign) and getattr(one.target, "id", "") == name.id else None
            value = factor.value if isinstance(factor, ast.Constant) else None
            if isinstance(one, ast.AugAssign) and isinstance(factor, ast.Constant) and type(value) is int and old:
                more = value * new if isinstance(one.op, ast.Mult) else value * old
                whole = old if isinstance(one.op, ast.Mult) else new
                if isinstance(one.op, ast.Mult | ast.FloorDiv) and whole and more % whole == 0 and more // whole > 0:
                    yield factor, more // whole, name.id

    def _computed(self, node: ast.BinOp, old: int, new: int) -> Iterator[Number]:
        """By what one side has to be, where it is known what the other one is."""
        for side, other, left in ((node.left, node.right, True), (node.right, node.left, False)):
            known = {value for value in self._known(other) if value > 0}
            for size in known if len(known) == 1 else ():
                if isinstance(node.op, ast.Mult) and old % size == 0 and new % size == 0:
                    yield from self.numbers(side, old // size, new // size)
                elif isinstance(node.op, ast.Add):
                    yield from self.numbers(side, old - size, new - size)
                elif isinstance(node.op, ast.Sub) and left:
                    yield from self.numbers(side, old + size, new + size)
                elif isinstance(node.op, ast.FloorDiv) and left:
                    yield from self.numbers(side, old * size, new * size)

    def _known(self, node: ast.expr) -> Iterator[int]:
        """What the expression may be."""
        if isinstance(node, ast.Constant):
            if type(node.value) is int:
                yield node.value
        elif not isinstance(node, ast.BinOp):
            fresh = replace(self, steps=self.steps - 1, seen=set[int]())
            for _, value in fresh._values(node):
                yield from fresh._known(value)

    def _values(self, node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
        """What it is bound to, passed as, or a part of, with its name."""
        if self.steps <= 0 or id(node) in self.seen:
            return
        self.seen.add(id(node))
        if isinstance(node, ast.IfExp):
            yield from (("", one) for one in (node.body, node.orelse))
        elif isinstance(node, ast.Name):
            yield from self._named(node)
        elif isinstance(node, ast.Attribute):
            own = assigned(self.source, node, node.attr) if attribute(node) is not None else []
            yield from ((node.attr, one) for one in own or _fields(self.source, node.attr))
        elif isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice | ast.Tuple):
            key = _plain(node.slice)
            if isinstance(key, str):
                yield from ((key, one) for one in _fields(self.source, key))
            else:
                yield from self._items(node.value, key if isinstance(key, int) else None)

    def _named(self, name: ast.Name) -> Iterator[tuple[str, ast.expr]]:
        function = innermost(self.source, name)
        where = function if function is not None else self.source.tree
        for one in ast.walk(where) if where is not None else ():
            if isinstance(one, ast.For | ast.comprehension):
                names = {part.id for part in ast.walk(one.target) if isinstance(part, ast.Name)}
                if name.id in names:
                    yield from self._items(looped(one.target, one.iter, name.id), None)
            elif isinstance(one, ast.Assign):
                yield from ((name.id, value) for value in _bound(one, name.id))
        if function is not None and (given := _parameter(function, name.id)) is not None:
            yield from self._passed(function, *given)
        elif function is not None:
            tree = self.source.tree
            whole = [one for one in (tree.body if tree is not None else ()) if isinstance(one, ast.Assign)]
            yield from ((name.id, value) for one in whole for value in _bound(one, name.id))

    def _passed(
        self, function: ast.FunctionDef, place: int, default: ast.expr | None
    ) -> Iterator[tuple[str, ast.expr]]:
        """A parameter: what each call gives, else the default."""
        owner, method = around(self.source, function)
        given = [one.arg for one in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
        name, first = given[place], owner is not None and method is function
        makes = owner.name if owner is not None and first and function.name == "__init__" else function.name
        for call in self.source.every(ast.Call):
            if called(call) == makes:
                number = place - first
                plain = not any(isinstance(one, ast.Starred) for one in call.args[: number + 1])
                named = next((one.value for one in call.keywords if one.arg == name), None)
                value = named or (call.args[number] if plain and 0 <= number < len(call.args) else None)
                yield from [(name, value)] if value is not None else []
        yield from [(name, default)] if default is not None else []

    def _items(self, node: ast.expr, number: int | None) -> Iterator[tuple[str, ast.expr]]:
        """One entry of a list, or all."""
        if isinstance(node, ast.List | ast.Tuple):
            several = any(isinstance(one, ast.Starred) for one in node.elts)
            for one in node.elts if number is None or several else node.elts[number:][:1]:
                yield from self._items(one.value, None) if isinstance(one, ast.Starred) else [("", one)]
        elif isinstance(node, ast.BinOp):
            for side in (node.left, node.right):
                yield from self._items(side, None)
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            yield from self._items(node.value, None)
        elif isinstance(node, ast.Call) and called(node) in ("reversed", "list", "tuple", "sorted") and node.args:
            yield from self._items(node.args[0], None)
        elif isinstance(node, ast.ListComp):
            yield "", node.elt
        elif self.steps > 0:
            on = replace(self, steps=self.steps - 1)
            for name, value in self._values(node):
                yield from ((name, one) for _, one in on._items(value, number))


def _fields(source: Source, name: str) -> Iterator[ast.expr]:
    """What is written for a field of a configuration or a model: a keyword, a key, a field or property of a class."""
    plain = (ast.Constant, ast.List, ast.Tuple)
    yield from (one.value for one in source.every(ast.keyword) if one.arg == name and isinstance(one.value, plain))
    for one in source.every(ast.Dict):
        yield from (value for key, value in zip(one.keys, one.values, strict=True)
                    if isinstance(key, ast.Constant) and key.value == name)  # fmt: skip
    for part in (part for one in source.every(ast.ClassDef) for part in one.body):
        if isinstance(part, ast.Assign | ast.AnnAssign) and part.value is not None:
            targets = part.targets if isinstance(part, ast.Assign) else [part.target]
            yield from [part.value] if any(isinstance(one, ast.Name) and one.id == name for one in targets) else []
        elif isinstance(part, ast.FunctionDef) and part.name == name and part.decorator_list:
            values = [inner.value for inner in ast.walk(part) if isinstance(inner, ast.Return)]
            yield from (value for value in values if value is not None)
        elif isinstance(part, ast.FunctionDef) and part.name == "__init__":
            yield from assigned(source, part.body[0], name)


def _bound(statement: ast.Assign, name: str) -> Iterator[ast.expr]:
    for target in statement.targets:
        if isinstance(target, ast.Name) and target.id == name:
            yield statement.value
        elif isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
            yield from (value for part, value in zip(target.elts, statement.value.elts, strict=False)
                        if isinstance(part, ast.Name) and part.id == name)  # fmt: skip


def _parameter(function: ast.FunctionDef, name: str) -> tuple[int, ast.expr | None] | None:
    """Its place, and its default."""
    arguments = function.args
    plain = [*arguments.posonlyargs, *arguments.args]
    values = [*[None] * (len(plain) - len(arguments.defaults)), *arguments.defaults, *arguments.kw_defaults]
    for number, one in enumerate([*plain, *arguments.kwonlyargs]):
        if one.arg == name:
            return number, values[number]
    return None


def _plain(node: ast.expr) -> object:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        value = node.operand.value
        return -value if isinstance(value, int) else None
    return node.value if isinstance(node, ast.Constant) else None
