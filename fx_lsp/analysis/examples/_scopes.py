"""What names mean where an expression stands: locals, parameters and imports of the functions around it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from fx_lsp.analysis.examples._arguments import accepted_defaults, calls_of, parameters
from fx_lsp.analysis.examples._bound import Bound, Items, Place, bindings, nearest_first
from fx_lsp.analysis.examples._rows import value_of
from fx_lsp.analysis.examples._sites import Function
from fx_lsp.analysis.names import Meaning, member, resolve, statement_meaning
from fx_lsp.analysis.workspace import Workspace

MAX_VALUES = 8
"""Values of one parameter that are looked at."""


@dataclass(frozen=True, eq=False)
class Parameter:
    """A parameter, and what is around its function."""

    outer: Place
    function: Function
    argument: ast.arg


class Scopes:
    """Answers for one search; keeps what the blocks bind."""

    def __init__(self, workspace: Workspace, row: int = 0) -> None:
        """`row`: the how manieth of their values loops and tests have."""
        self.workspace, self.row = workspace, row
        self._locals: dict[int, dict[str, list[Bound]]] = {}
        self._keep: list[ast.AST] = []

    def bound(self, place: Place, name: str) -> tuple[list[Bound], Place]:
        """What a name is bound to in the nearest block that binds it, and where that is; none for a parameter."""
        for level in range(len(place.owners), 0, -1):
            owner = place.owners[level - 1]
            if isinstance(owner, Function):
                if found := self._bindings(owner, owner.body).get(name):
                    return found, Place(place.source, place.owners[:level], place.line)
                if any(argument.arg == name for argument in parameters(owner)):
                    return [], place
        tree = place.source.tree
        values = self._bindings(tree, tree.body).get(name, []) if tree is not None else []
        return values, Place(place.source, (), place.line)

    def _bindings(self, owner: ast.AST, body: list[ast.stmt]) -> dict[str, list[Bound]]:
        if id(owner) not in self._locals:
            self._keep.append(owner)  # an id is only good while its object lives
            self._locals[id(owner)] = bindings(body, self.row)
        return self._locals[id(owner)]

    def text(self, place: Place, node: ast.expr) -> str:
        """The string that is written there, or that a name stands for; empty when it is none."""
        value = self.value(place, node)
        parameter = parameter_of(place, value.id) if isinstance(value, ast.Name) else None
        for outer, given, items in self.values(parameter) if parameter is not None else ():
            for item in items:
                given = (
                    given.elts[item] if isinstance(given, (ast.Tuple, ast.List)) and item < len(given.elts) else given
                )
            return self.text(outer, given) if given is not value else ""
        return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""

    def meaning(self, place: Place, name: str) -> Meaning | None:
        """What a dotted name means there, imports inside functions included."""
        found = resolve(self.workspace, place.source.path, name)
        if found is not None:
            return found
        first, *rest = name.split(".")
        bound, _ = self.bound(place, first)
        for candidate in nearest_first(bound, place.line):
            if isinstance(candidate.value, (ast.Import, ast.ImportFrom)):
                found = statement_meaning(self.workspace, place.source, candidate.value, first)
                for part in rest:
                    found = member(self.workspace, found, part) if found is not None else None
                if found is not None:
                    return found
        return None

    def value(self, place: Place, node: ast.expr) -> ast.expr:
        """What a name was bound to, if that is an expression; anything else as it is."""
        seen: set[str] = set()
        while isinstance(node, ast.Name) and node.id not in seen:
            seen.add(node.id)
            bound, place = self.bound(place, node.id)
            found = next((b for b in nearest_first(bound, place.line) if isinstance(b.value, ast.expr)), None)
            if found is None or found.items or not isinstance(found.value, ast.expr):
                break
            node = found.value
        return node

    def values(self, parameter: Parameter) -> Iterator[tuple[Place, ast.expr, Items]]:
        """What the parameter is, in tests with parameters, in the calls of its function, by default."""
        outer, function, name = parameter.outer, parameter.function, parameter.argument.arg
        if (written := value_of(function, name, self.row)) is not None:
            yield outer, written[0], written[2]
        owner = outer.owners[-1] if outer.owners else None
        calls = calls_of(outer.source, function, owner if isinstance(owner, ast.ClassDef) else None)
        for site, given in islice(calls, MAX_VALUES):
            if (value := given.get(name)) is not None:
                yield Place(outer.source, site.owners, site.call.lineno), value, ()
        if (default := accepted_defaults(function).get(name)) is not None:
            yield outer, default, ()


def parameter_of(place: Place, name: str) -> Parameter | None:
    """The parameter that a name is, if nothing nearer binds it."""
    for level in range(len(place.owners), 0, -1):
        function = place.owners[level - 1]
        for argument in parameters(function) if isinstance(function, Function) else ():
            if argument.arg == name and isinstance(function, Function):
                return Parameter(Place(place.source, place.owners[: level - 1]), function, argument)
    return None
