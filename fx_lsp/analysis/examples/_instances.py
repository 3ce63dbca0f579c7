"""Which module class an expression is an instance of, as far as the text tells."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fx_lsp.analysis.examples._arguments import calls_of, is_fixture, parameters
from fx_lsp.analysis.examples._sites import Function, Owner
from fx_lsp.analysis.modules import ancestry, classes_of
from fx_lsp.analysis.names import Definition, External, Meaning, dotted, resolve
from fx_lsp.analysis.source import Source, blocks
from fx_lsp.analysis.workspace import Workspace

SAME = frozenset(
    [
        "eval",
        "train",
        "to",
        "cuda",
        "cpu",
        "half",
        "float",
        "double",
        "bfloat16",
        "type",
        "requires_grad_",
        "apply",
        "share_memory",
        "to_empty",
    ]
)
"""Methods of a module that return the module."""

WRAPPERS = frozenset(["compile", "DataParallel", "DistributedDataParallel", "script", "deepcopy", "copy"])
"""Functions that return something called like their first argument."""

MAX_DEPTH = 12


@dataclass(frozen=True, eq=False)
class Bound:
    """What a name was bound to: an expression or one of its items, or a function defined there."""

    value: ast.expr | ast.stmt
    line: int
    item: int | None = None


@dataclass(frozen=True, eq=False)
class Place:
    """Where an expression stands: its file, and the classes and functions around it."""

    source: Source
    owners: tuple[Owner, ...] = ()
    line: int = 0
    """Only what is bound above this line counts, if anything is; 0 for the end."""


class Instances:
    """Answers for one search; keeps what it learned about functions and classes."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._locals: dict[int, dict[str, list[Bound]]] = {}
        self._is_module: dict[tuple[str, str], bool] = {}
        self._keep: list[ast.AST] = []

    def of(self, place: Place, node: ast.expr, item: int | None = None, depth: int = MAX_DEPTH) -> Definition | None:
        """The module class of the value (or of its item), None when it is no module or nobody knows."""
        if depth <= 0:
            return None
        if isinstance(node, (ast.Tuple, ast.List)):
            inside = item is not None and item < len(node.elts)
            return self.of(place, node.elts[item], None, depth - 1) if inside and item is not None else None
        if isinstance(node, ast.IfExp):
            return self.of(place, node.body, item, depth - 1) or self.of(place, node.orelse, item, depth - 1)
        if isinstance(node, ast.Call):
            return self._of_call(place, node, item, depth - 1)
        if isinstance(node, ast.Name):
            return self._of_name(place, node.id, item, depth - 1)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
            return self._of_attribute(place, node.attr, depth - 1)
        return None

    def callee(self, place: Place, func: ast.expr, depth: int = MAX_DEPTH) -> tuple[Meaning | None, Definition | None]:
        """What is called, and the class through which it is reached (for `Net.build`)."""
        name = dotted(func)
        if name is None or depth <= 0:
            return None, None
        first, _, rest = name.partition(".")
        if first in ("self", "cls") and (owner := _class_around(place)) is not None:
            meaning = Definition(place.source.path, *owner)
            return (self._member(meaning, rest), meaning) if rest else (meaning, meaning)
        bound, _ = self._bound(place, first)
        if bound and not rest and not isinstance(bound[-1].value, ast.stmt):
            value = bound[-1].value
            value = value.elts[0] if isinstance(value, (ast.List, ast.Tuple)) and value.elts else value
            return self.callee(place, value, depth - 1) if dotted(value) not in (None, name) else (None, None)
        if bound and not rest and isinstance(bound[-1].value, Function):
            return Definition(place.source.path, first, bound[-1].value), None
        meaning = resolve(self.workspace, place.source.path, name)
        if meaning is not None:
            owner_meaning = resolve(self.workspace, place.source.path, name.rpartition(".")[0]) if rest else None
            return meaning, owner_meaning if isinstance(owner_meaning, Definition) else None
        above = resolve(self.workspace, place.source.path, name.rpartition(".")[0]) if rest else None
        if isinstance(above, Definition) and isinstance(above.node, ast.ClassDef):
            return self._member(above, name.rpartition(".")[2]), above
        return None, None

    def is_module(self, definition: Definition) -> bool:
        """Whether it is a subclass of `nn.Module`."""
        key = definition.path, definition.name
        if key not in self._is_module:
            is_class = isinstance(definition.node, ast.ClassDef)
            self._is_module[key] = is_class and ancestry(self.workspace, definition).is_module
        return self._is_module[key]

    def _member(self, owner: Definition, name: str) -> Definition | None:
        return ancestry(self.workspace, owner).method(name) if "." not in name else None

    def _of_call(self, place: Place, node: ast.Call, item: int | None, depth: int) -> Definition | None:
        if isinstance(node.func, ast.Attribute) and node.func.attr in SAME and item is None:
            same = self.of(place, node.func.value, None, depth)
            if same is not None:
                return same
        meaning, owner = self.callee(place, node.func, depth)
        if isinstance(meaning, External) and meaning.name.rpartition(".")[2] in WRAPPERS and node.args:
            return self.of(place, node.args[0], item, depth)
        if not isinstance(meaning, Definition):
            return None
        if isinstance(meaning.node, ast.ClassDef):
            return meaning if item is None and self.is_module(meaning) else None
        if isinstance(meaning.node, Function):
            return self.returned(meaning, owner, item, depth)
        return None

    def returned(
        self, function: Definition, owner: Definition | None = None, item: int | None = None, depth: int = MAX_DEPTH
    ) -> Definition | None:
        """The module class of what a function returns."""
        source = self.workspace.source(function.path)
        if source is None or not isinstance(function.node, Function) or depth <= 0:
            return None
        around = classes_of(source).get(function.name.rpartition(".")[0])
        inner = Place(source, (around, function.node) if around is not None else (function.node,))
        for value in _returned(function.node):
            if isinstance(value, ast.Call) and dotted(value.func) == "cls" and owner is not None:
                found = owner if self.is_module(owner) else None
            else:
                found = self.of(inner, value, item, depth - 1)
            if found is not None:
                return found
        return self._annotated(inner, function.node.returns) if item is None else None

    def _annotated(self, place: Place, annotation: ast.expr | None) -> Definition | None:
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            name: str | None = annotation.value
        else:
            name = dotted(annotation) if annotation is not None else None
        if not name or not all(part.isidentifier() for part in name.split(".")):
            return None
        meaning = resolve(self.workspace, place.source.path, name)
        return meaning if isinstance(meaning, Definition) and self.is_module(meaning) else None

    def _of_name(self, place: Place, name: str, item: int | None, depth: int) -> Definition | None:
        bound, at = self._bound(place, name)
        for candidate in _nearest_first(bound, place.line):
            if isinstance(candidate.value, ast.stmt):
                continue
            if item is None or candidate.item is None:
                found = self.of(at, candidate.value, candidate.item if item is None else item, depth)
                if found is not None:
                    return found
        if bound:
            return None
        for level in range(len(place.owners), 0, -1):
            function = place.owners[level - 1]
            if isinstance(function, Function) and (argument := _parameter(function, name)) is not None:
                outer = Place(place.source, place.owners[: level - 1])
                return self._of_parameter(outer, function, argument, depth) if item is None else None
        meaning = resolve(self.workspace, place.source.path, name)
        if isinstance(meaning, Definition) and isinstance(meaning.node, ast.Assign) and meaning.path != at.source.path:
            source = self.workspace.source(meaning.path)
            return self.of(Place(source), meaning.node.value, item, depth) if source is not None else None
        return None

    def _of_parameter(self, outer: Place, function: Function, argument: ast.arg, depth: int) -> Definition | None:
        if (annotated := self._annotated(outer, argument.annotation)) is not None:
            return annotated
        fixture = resolve(self.workspace, outer.source.path, argument.arg)
        if isinstance(fixture, Definition) and isinstance(fixture.node, Function) and is_fixture(fixture.node):
            return self.returned(fixture, depth=depth - 1)
        for site, bound in calls_of(outer.source, function):
            value = bound.get(argument.arg)
            if value is not None:
                found = self.of(Place(outer.source, site.owners, site.call.lineno), value, None, depth - 1)
                if found is not None:
                    return found
        return None

    def _of_attribute(self, place: Place, attribute: str, depth: int) -> Definition | None:
        owner = _class_around(place)
        for method in owner[1].body if owner is not None else ():
            if owner is None or not isinstance(method, Function):
                continue
            for value in _attribute_values(method, attribute):
                found = self.of(Place(place.source, (owner[1], method)), value, None, depth)
                if found is not None:
                    return found
        return None

    def _bound(self, place: Place, name: str) -> tuple[list[Bound], Place]:
        for level in range(len(place.owners), 0, -1):
            owner = place.owners[level - 1]
            if isinstance(owner, Function):
                if bound := self._bindings(owner, owner.body).get(name):
                    return bound, Place(place.source, place.owners[:level], place.line)
                if _parameter(owner, name) is not None:
                    return [], place
        tree = place.source.tree
        values = self._bindings(tree, tree.body).get(name, []) if tree is not None else []
        return values, Place(place.source, (), place.line)

    def _bindings(self, owner: ast.AST, body: list[ast.stmt]) -> dict[str, list[Bound]]:
        if id(owner) not in self._locals:
            self._keep.append(owner)  # an id is only good while its object lives
            found: dict[str, list[Bound]] = {}
            for name, bound in _all_bound(body):
                found.setdefault(name, []).append(bound)
            self._locals[id(owner)] = found
        return self._locals[id(owner)]


def _nearest_first(bound: list[Bound], line: int) -> list[Bound]:
    above = [candidate for candidate in bound if line == 0 or candidate.line <= line]
    return [*reversed(above), *(candidate for candidate in bound if 0 < line < candidate.line)]


def _class_around(place: Place) -> tuple[str, ast.ClassDef] | None:
    found = [owner for owner in place.owners if isinstance(owner, ast.ClassDef)]
    return (".".join(owner.name for owner in found), found[-1]) if found else None


def _parameter(function: Function, name: str) -> ast.arg | None:
    return next((argument for argument in parameters(function) if argument.arg == name), None)


def own_statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a block and of the blocks inside it, but not of functions and classes defined there."""
    for statement in body:
        yield statement
        yield from own_statements(blocks(statement))


def _returned(function: Function) -> Iterator[ast.expr]:
    for statement in own_statements(function.body):
        if isinstance(statement, ast.Return) and statement.value is not None:
            yield statement.value
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Yield) and statement.value.value:
            yield statement.value.value


def _attribute_values(method: Function, attribute: str) -> Iterator[ast.expr]:
    for statement in own_statements(method.body):
        for target in statement.targets if isinstance(statement, ast.Assign) else ():
            if dotted(target) in (f"self.{attribute}", f"cls.{attribute}") and isinstance(statement, ast.Assign):
                yield statement.value


def _all_bound(body: Sequence[ast.stmt]) -> Iterator[tuple[str, Bound]]:
    for statement in own_statements(body):
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                yield from _matched(target, statement.value, statement.lineno)
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            yield from _matched(statement.target, statement.value, statement.lineno)
        elif isinstance(statement, (ast.For, ast.AsyncFor)) and isinstance(statement.target, ast.Name):
            yield statement.target.id, Bound(statement.iter, statement.lineno, 0)
        elif isinstance(statement, Function):
            yield statement.name, Bound(statement, statement.lineno)


def _matched(target: ast.expr, value: ast.expr, line: int) -> Iterator[tuple[str, Bound]]:
    if isinstance(target, ast.Name):
        yield target.id, Bound(value, line)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for item, part in enumerate(target.elts):
            if isinstance(part, ast.Name):
                yield part.id, Bound(value, line, item)
