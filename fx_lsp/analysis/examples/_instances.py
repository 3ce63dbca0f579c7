"""Which module class an expression is an instance of, as far as the text tells."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from fx_lsp.analysis.examples._bound import (
    Items,
    Place,
    attribute_values,
    nearest_first,
    returned,
)
from fx_lsp.analysis.examples._configs import option
from fx_lsp.analysis.examples._fixtures import find_fixture
from fx_lsp.analysis.examples._scopes import Parameter, Scopes, parameter_of
from fx_lsp.analysis.examples._sites import Function
from fx_lsp.analysis.examples._targets import instantiated
from fx_lsp.analysis.examples._wrappers import inner_item, kept_module, registered_name
from fx_lsp.analysis.modules import ancestry, classes_of, own_method
from fx_lsp.analysis.names import Definition, Meaning, dotted, resolve
from fx_lsp.analysis.workspace import Workspace

MAX_DEPTH = 12


class Instances(Scopes):
    """Answers for one search; keeps what it learned about functions and classes."""

    def __init__(self, workspace: Workspace, row: int = 0) -> None:
        super().__init__(workspace, row)
        self.registered: Mapping[str, Definition] = {}
        """Classes and functions by the names under which they were registered."""
        self._is_module: dict[tuple[str, str], bool] = {}
        self._attributes: dict[tuple[str, str, str], Definition | None] = {}
        self._returned: dict[tuple[Definition, Definition | None, Items], Definition | None] = {}

    def of(self, place: Place, node: ast.expr, items: Items = (), depth: int = MAX_DEPTH) -> Definition | None:
        """The module class of the value (or of its item), None when it is no module or nobody knows."""
        if depth <= 0:
            return None
        if isinstance(node, (ast.Tuple, ast.List)):
            inside = bool(items) and items[0] < len(node.elts)
            return self.of(place, node.elts[items[0]], items[1:], depth - 1) if inside else None
        if isinstance(node, ast.IfExp):
            return self.of(place, node.body, items, depth - 1) or self.of(place, node.orelse, items, depth - 1)
        if isinstance(node, ast.Call):
            return self._of_call(place, node, items, depth - 1)
        if isinstance(node, ast.Name):
            return self._of_name(place, node.id, items, depth - 1)
        if isinstance(node, ast.Attribute) and not items:
            return self._of_attribute(place, node, depth - 1)
        return None

    def callee(
        self, place: Place, func: ast.expr, items: Items = (), depth: int = MAX_DEPTH
    ) -> tuple[Meaning | None, Definition | None]:
        """What is called, and the class through which it is reached (for `Net.build`)."""
        if depth <= 0:
            return None, None
        name = dotted(func)
        if name is None or items:
            return self._chosen(place, func, items, depth - 1)
        first, _, rest = name.partition(".")
        if first in ("self", "cls") and (owner := place.around) is not None:
            meaning = Definition(place.source.path, *owner)
            found = self._member(meaning, rest) if rest else meaning
            if found is not None and isinstance(found.node, ast.Assign):
                return self.callee(
                    Place(self.workspace.source(found.path) or place.source), found.node.value, (), depth
                )
            return found, meaning
        bound, at = self.bound(place, first)
        if bound and not rest and not isinstance(bound[-1].value, ast.stmt):
            value = bound[-1].value
            return self.callee(at, value, bound[-1].items, depth - 1) if dotted(value) != name else (None, None)
        if bound and not rest and isinstance(bound[-1].value, Function):
            return Definition(place.source.path, first, bound[-1].value), None
        if not bound and not rest and (parameter := parameter_of(place, first)) is not None:
            for outer, value, inner in self.values(parameter):
                found = self.callee(outer, value, inner, depth - 1)
                if found[0] is not None:
                    return found
        return self._named(place, name)

    def is_module(self, definition: Definition) -> bool:
        """Whether it is a subclass of `nn.Module`."""
        key = definition.path, definition.name
        if key not in self._is_module:
            is_class = isinstance(definition.node, ast.ClassDef)
            self._is_module[key] = is_class and ancestry(self.workspace, definition).is_module
        return self._is_module[key]

    def _named(self, place: Place, name: str) -> tuple[Meaning | None, Definition | None]:
        before, _, last = name.rpartition(".")
        meaning = self.meaning(place, name)
        above = self.meaning(place, before) if before else None
        if meaning is not None:
            return meaning, above if isinstance(above, Definition) else None
        if isinstance(above, Definition) and isinstance(above.node, ast.ClassDef):
            return self._member(above, last), above
        return None, None

    def _chosen(
        self, place: Place, node: ast.expr, items: Items, depth: int
    ) -> tuple[Meaning | None, Definition | None]:
        """A class out of a list or a dictionary, by its name, or made ready by `partial`."""
        if isinstance(node, (ast.Tuple, ast.List)) and items and items[0] < len(node.elts):
            return self.callee(place, node.elts[items[0]], items[1:], depth)
        if isinstance(node, ast.IfExp):
            return self.callee(place, node.body, items, depth)
        if isinstance(node, ast.Attribute) and place.around is not None and dotted(node.value) in ("self", "cls"):
            attribute = own_method(place.around[1], node.attr)
            return (
                self.callee(place, attribute.value, items, depth) if isinstance(attribute, ast.Assign) else (None, None)
            )
        if isinstance(node, ast.Subscript) and not items:
            table = self.value(place, node.value)
            key = self.text(place, node.slice)
            for name, value in zip(table.keys, table.values, strict=True) if isinstance(table, ast.Dict) else ():
                if isinstance(name, ast.Constant) and name.value == key and dotted(value) is not None:
                    return self.callee(place, value, (), depth)
        if isinstance(node, ast.Call) and node.args:
            called = (dotted(node.func) or "").rpartition(".")[2]
            if called == "partial" and not items:
                return self.callee(place, node.args[0], (), depth)
            if called == "getattr" and not items and len(node.args) > 1:
                return self._named(place, f"{dotted(node.args[0])}.{self.text(place, node.args[1])}")
            if (found := inner_item(node, items)) is not None:
                return self.callee(place, found[0], found[1], depth)
        if isinstance(node, ast.Name) and items:
            value = self.value(place, node)
            return self._chosen(place, value, items, depth) if value is not node else (None, None)
        return None, None

    def _member(self, owner: Definition, name: str) -> Definition | None:
        return ancestry(self.workspace, owner).method(name) if "." not in name else None

    def _of_call(self, place: Place, node: ast.Call, items: Items, depth: int) -> Definition | None:
        meaning, owner = self.callee(place, node.func, (), depth)
        if not isinstance(meaning, Definition):
            target = instantiated(self, place, meaning, node) if not items else None
            if target is not None and self.is_module(target):
                return target
            if (inner := kept_module(node, items)) is not None:
                found = next((m for each, i in inner if (m := self.of(place, each, i, depth)) is not None), None)
                if found is not None:
                    return found
            if (found := inner_item(node, items)) is not None:
                return self.of(place, found[0], found[1], depth)
        elif isinstance(meaning.node, ast.ClassDef) and self.is_module(meaning):
            return meaning if not items else None
        elif isinstance(meaning.node, Function):
            found = self.returned(meaning, owner, items, depth)
            if found is not None:
                return found
        return self._of_registered(place, node, depth) if not items else None

    def _of_registered(self, place: Place, node: ast.Call, depth: int) -> Definition | None:
        for argument in (*node.args, *(keyword.value for keyword in node.keywords)) if self.registered else ():
            value = self.value(place, argument)
            if isinstance(value, ast.Attribute):  # `args.model`
                value = ast.Constant(option(place.source, value.attr))
            known = registered_name(value, self.registered)
            if known is not None and isinstance(known.node, ast.ClassDef):
                return known
            if known is not None:
                return self.returned(known, depth=depth)
        return None

    def returned(
        self, function: Definition, owner: Definition | None = None, items: Items = (), depth: int = MAX_DEPTH
    ) -> Definition | None:
        """The module class of what a function returns."""
        key = function, owner, items
        if key not in self._returned:
            self._returned[key] = None  # as for attributes
            self._returned[key] = self._of_returned(function, owner, items, depth)
        return self._returned[key]

    def _of_returned(
        self, function: Definition, owner: Definition | None, items: Items, depth: int
    ) -> Definition | None:
        source = self.workspace.source(function.path)
        if source is None or not isinstance(function.node, Function) or depth <= 0:
            return None
        around = classes_of(source).get(function.name.rpartition(".")[0])
        inner = Place(source, (around, function.node) if around is not None else (function.node,))
        for value in returned(function.node):
            if isinstance(value, ast.Call) and dotted(value.func) == "cls" and owner is not None:
                found = owner if self.is_module(owner) else None
            else:
                found = self.of(inner, value, items, depth - 1)
            if found is not None:
                return found
        return self._annotated(inner, function.node.returns) if not items else None

    def _annotated(self, place: Place, annotation: ast.expr | None) -> Definition | None:
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            name: str | None = annotation.value
        else:
            name = dotted(annotation) if annotation is not None else None
        if not name or not all(part.isidentifier() for part in name.split(".")):
            return None
        meaning = resolve(self.workspace, place.source.path, name)
        return meaning if isinstance(meaning, Definition) and self.is_module(meaning) else None

    def _of_name(self, place: Place, name: str, items: Items, depth: int) -> Definition | None:
        bound, at = self.bound(place, name)
        values = [candidate for candidate in bound if not isinstance(candidate.value, (ast.Import, ast.ImportFrom))]
        for candidate in nearest_first(values, place.line):
            if not isinstance(candidate.value, ast.stmt):
                found = self.of(at, candidate.value, (*candidate.items, *items), depth)
                if found is not None:
                    return found
        if values:
            return None
        if (parameter := parameter_of(place, name)) is not None:
            return self._of_parameter(parameter, items, depth)
        meaning = self.meaning(place, name)
        if isinstance(meaning, Definition) and isinstance(meaning.node, ast.Assign) and meaning.path != at.source.path:
            source = self.workspace.source(meaning.path)
            return self.of(Place(source), meaning.node.value, items, depth) if source is not None else None
        return None

    def _of_parameter(self, parameter: Parameter, items: Items, depth: int) -> Definition | None:
        place = parameter.outer
        if not items and (annotated := self._annotated(place, parameter.argument.annotation)) is not None:
            return annotated
        fixture = find_fixture(self.workspace, place.source.path, parameter.argument.arg)
        if fixture is not None:
            return self.returned(fixture, items=items, depth=depth - 1)
        for outer, value, inner in self.values(parameter):
            if (found := self.of(outer, value, (*inner, *items), depth - 1)) is not None:
                return found
        return None

    def _is_variable(self, place: Place, node: ast.expr) -> bool:
        """Whether it is a local name, or an attribute of one, and so no module of Python."""
        while isinstance(node, ast.Attribute):
            node = node.value
        if not isinstance(node, ast.Name):
            return False
        bound, _ = self.bound(place, node.id)
        values = any(isinstance(candidate.value, ast.expr) for candidate in bound)
        return values or (not bound and parameter_of(place, node.id) is not None)

    def _of_attribute(self, place: Place, node: ast.Attribute, depth: int) -> Definition | None:
        owner: Definition | None = None
        if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
            owner = Definition(place.source.path, *place.around) if place.around is not None else None
        elif self._is_variable(place, node.value):
            owner = self.of(place, node.value, (), depth)
        if owner is None:
            return None
        key = owner.path, owner.name, node.attr
        if key not in self._attributes:
            self._attributes[key] = None  # what it is made of itself does not say what it is
            self._attributes[key] = self._attribute(owner, node, depth)
        return self._attributes[key]

    def _attribute(self, owner: Definition, node: ast.Attribute, depth: int) -> Definition | None:
        source = self.workspace.source(owner.path)
        if source is None or not isinstance(owner.node, ast.ClassDef):
            return None
        for method in [statement for statement in owner.node.body if isinstance(statement, Function)]:
            for value in attribute_values(method, node.attr):
                found = self.of(Place(source, (owner.node, method)), value, (), depth)
                if found is not None:
                    return found
        return None
