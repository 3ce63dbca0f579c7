"""What a slice consists of while it is being cut, and the statements it is put together from."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from dataclasses import dataclass

from fx_lsp.analysis.examples._sites import DEFINITIONS


@dataclass(frozen=True)
class Slice:
    """A call that runs by itself in the namespace of a file."""

    setup: str
    call: str
    size: int
    """Number of statements of the setup."""


@dataclass
class State:
    """Names that are still to be bound, and the statements taken so far, last one first."""

    needed: set[str]
    reversed: list[ast.stmt]

    def copy(self) -> State:
        """To try one way on and come back."""
        return State(set(self.needed), list(self.reversed))


def without_definitions(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """What a block does rather than defines."""
    kinds = (*DEFINITIONS, ast.Import, ast.ImportFrom)
    return [statement for statement in body if not isinstance(statement, kinds)]


def loaded(target: ast.expr) -> ast.expr:
    """The target of an assignment as an expression."""
    loaded = copy.deepcopy(target)
    for node in ast.walk(loaded):
        if hasattr(node, "ctx"):
            node.ctx = ast.Load()  # pyright: ignore[reportAttributeAccessIssue]
    return loaded


def assign(name: str, value: ast.expr) -> ast.stmt:
    """`name = value`."""
    return ast.Assign([ast.Name(name, ast.Store())], copy.deepcopy(value))


def is_among(statement: ast.stmt, statements: Sequence[ast.stmt]) -> bool:
    """Whether one of the statements is the same."""
    return any(ast.dump(statement) == ast.dump(other) for other in statements)


def left_open(statements: Sequence[ast.stmt]) -> bool:
    """Whether something is `...`, which stands for what the reader has: `config = ...`, `Net(...)`."""
    nodes = [node for one in statements if not isinstance(one, DEFINITIONS) for node in ast.walk(one)]
    values = [value for node in nodes if isinstance(node, ast.Call) for value in node.args]
    values += [one.value for one in nodes if isinstance(one, (ast.Assign, ast.AnnAssign, ast.keyword)) and one.value]
    return any(isinstance(value, ast.Constant) and value.value is Ellipsis for value in values)
