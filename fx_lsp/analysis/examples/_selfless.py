"""Methods of a test case as plain statements: `self.model` becomes the variable `self_model`."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fx_lsp.analysis.examples._free import free_names
from fx_lsp.analysis.examples._sites import Function, Owner
from fx_lsp.analysis.examples._state import assign

PREPARING = ("__init__", "setup_class", "setUpClass", "setup_method", "setUp", "asyncSetUp")
"""Methods that run before a test, in order."""


@dataclass(frozen=True, eq=False)
class Selfless:
    """The class around a method, and how its attributes are called outside of it."""

    owner: ast.ClassDef
    method: Function

    @staticmethod
    def around(owners: Sequence[Owner]) -> Selfless | None:
        """For the innermost method of the functions and classes around a call."""
        for outer, inner in zip(reversed(owners[:-1]), reversed(owners[1:]), strict=True):
            if isinstance(outer, ast.ClassDef) and isinstance(inner, Function):
                return Selfless(outer, inner)
        return None

    @staticmethod
    def elsewhere(owner: ast.ClassDef | None, method: Function, owners: Sequence[Owner]) -> Selfless | None:
        """For a method that is called where `owners` are around the call, and its class is not."""
        inside = owner is None or owner in owners or method.name == "__init__"
        return Selfless(owner, method) if owner is not None and not inside else None

    def expression(self, node: ast.expr) -> Any:
        """The expression without `self`; changes the node it is given."""
        return _Renamer().visit(node)

    def statements(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The statements without `self`."""
        return [_Renamer().visit(copy.deepcopy(statement)) for statement in body]

    def prepared(self) -> list[Function]:
        """Methods that run before this one, last one first."""
        return [method for name in reversed(PREPARING) for method in self._named(name) if method is not self.method]

    def members(self, names: set[str]) -> list[ast.stmt]:
        """Attributes of the class and the methods among the names, with the methods that those call."""
        methods = self._methods()
        queue = [name for name in names if name in methods]
        wanted: set[str] = set()
        while queue:
            wanted.add(name := queue.pop())
            used = {node.id for node in ast.walk(methods[name]) if isinstance(node, ast.Name)}
            queue.extend(used & methods.keys() - wanted)
        assigned = [s for s in self.owner.body if isinstance(s, (ast.Assign, ast.AnnAssign))]
        attributes: list[ast.stmt] = [_Members().visit(copy.deepcopy(statement)) for statement in assigned]
        return [*attributes, *(method for name, method in methods.items() if name in wanted)]

    def _named(self, name: str) -> list[Function]:
        return [s for s in self.owner.body if isinstance(s, Function) and s.name == name]

    def _methods(self) -> dict[str, ast.FunctionDef]:
        found: dict[str, ast.FunctionDef] = {}
        for statement in self.owner.body:
            if isinstance(statement, ast.FunctionDef) and statement is not self.method:
                method = copy.deepcopy(statement)
                names = [d.id for d in method.decorator_list if isinstance(d, ast.Name)]
                if "staticmethod" not in names:
                    method.args.args = method.args.args[1:]
                method.decorator_list = []
                method.name = f"self_{method.name}"
                method.body = self.statements(method.body)
                found[method.name] = method
        return found


class _Renamer(ast.NodeTransformer):
    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
            return ast.copy_location(ast.Name(f"self_{node.attr}", node.ctx), node)
        return self.generic_visit(node)


class _Members(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.AST:
        if not isinstance(node.ctx, ast.Store):
            return node
        return ast.copy_location(ast.Name(f"self_{node.id}", node.ctx), node)


def assigned(values: Mapping[str, ast.expr], selfless: Selfless | None) -> Iterator[ast.stmt]:
    """Bind parameters to what a call in a method, or in none, gives."""
    given = {
        name: selfless.expression(copy.deepcopy(value)) if selfless else copy.deepcopy(value)
        for name, value in values.items()
        if not (isinstance(value, ast.Name) and value.id == name)
    }
    if {name for value in given.values() for name in free_names(value)} & given.keys():
        targets = ast.Tuple([ast.Name(name, ast.Store()) for name in given], ast.Store())
        yield ast.Assign([targets], ast.Tuple(list(given.values()), ast.Load()))
    else:
        yield from (assign(name, value) for name, value in given.items())
