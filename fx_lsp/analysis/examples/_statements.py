"""Backwards through a block: which of its statements are needed, and for what."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fx_lsp.analysis.examples._bound import in_row, written_out
from fx_lsp.analysis.examples._free import free_names
from fx_lsp.analysis.examples._imports import carried
from fx_lsp.analysis.examples._rewrite import Refused, rewrite
from fx_lsp.analysis.examples._sites import DEFINITIONS
from fx_lsp.analysis.names import dotted
from fx_lsp.analysis.source import Source, bound_names, is_main_guard
from fx_lsp.analysis.workspace import Workspace

UNNEEDED = frozenset(
    [
        "load_state_dict",
        "load_checkpoint",
        "load_weights",
        "backward",
        "step",
        "zero_grad",
        "save",
        "save_pretrained",
        "write",
        "close",
        "log",
        "info",
        "debug",
        "warning",
        "print",
        "summary",
        "print_help",
        "flush",
        "item",
        "describe",
    ]
)
"""Methods whose effect on their object no shape depends on."""

FILLING = frozenset(["append", "extend", "add", "update", "insert", "setdefault"])
"""Methods that fill a container, also in a loop."""


MAX_LINES = 2000
MAX_COLUMNS = 20_000
"""Of one statement."""


@dataclass(frozen=True, eq=False)
class Context:
    """What holds for all statements of a block."""

    source: Source
    forced: bool = False
    """Taken whether or not they bind what is needed."""
    loop: bool = False
    """Inside a loop that came before: only what fills containers counts there."""
    closed: bool = False
    """What the functions of the block use is among the needed names already, wherever it is bound."""


class Taker:
    """Takes needed statements out of blocks, rewritten to run elsewhere."""

    def __init__(self, workspace: Workspace, scope: str, mutations: bool) -> None:
        self.workspace, self.scope, self.mutations = workspace, scope, mutations
        self.given: dict[str, ast.stmt] = {}
        """Names that the rewriting brought in, and how they are bound."""

    def rewritten(self, node: ast.expr, source: Source) -> ast.expr:
        """The expression as it runs elsewhere; changes the node it is given.

        Raises:
            Refused: it reaches outside of the process.
        """
        return rewrite(self.workspace, source, node, self.given)

    def block(
        self, statements: Sequence[ast.stmt], needed: set[str], context: Context
    ) -> tuple[list[ast.stmt], set[str]]:
        """The statements needed for names after the block, in order, and the names needed before it.

        Raises:
            Refused: a needed statement reaches outside of the process.
        """
        taken: list[ast.stmt] = []
        needed = set(needed)
        for statement in reversed(statements):
            part, needed = self._statement(statement, needed, context)
            taken.extend(reversed(part))
        return list(reversed(taken)), needed

    def _statement(self, statement: ast.stmt, needed: set[str], context: Context) -> tuple[list[ast.stmt], set[str]]:
        nothing: list[ast.stmt] = []
        bound = set(bound_names(statement))
        if is_long(statement):
            if bound & needed:
                raise Refused("too long")
            return nothing, needed
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            wanted = bound & needed
            return carried(self.workspace, self.scope, context.source, statement, wanted), needed - wanted
        if isinstance(statement, DEFINITIONS):
            if not bound & needed:
                return nothing, needed
            free = set[str]() if context.closed else free_names(statement)
            return [rewrite(self.workspace, context.source, copy.deepcopy(statement), self.given)], (
                needed - bound
            ) | free
        if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)):
            return self._simple(statement, bound, needed, context)
        if isinstance(statement, ast.If) and not is_main_guard(statement):
            return self._if(statement, needed, context)
        if isinstance(statement, (ast.For, ast.While)):
            return self._loop(statement, bound, needed, context)
        if isinstance(statement, ast.With):
            return self._with(statement, bound, needed, context)
        if isinstance(statement, ast.Try):
            return self._try(statement, needed, context)
        return nothing, needed

    def _simple(
        self, statement: ast.stmt, bound: set[str], needed: set[str], context: Context
    ) -> tuple[list[ast.stmt], set[str]]:
        binds = bool(bound & needed) or context.forced
        if not binds and not self._changes(statement, needed, context.loop):
            return [], needed
        try:
            rewritten = rewrite(self.workspace, context.source, copy.deepcopy(statement), self.given)
        except Refused:
            if binds:
                raise
            return [], needed
        free = free_names(rewritten)
        if not binds and not self.mutations and not free <= needed:
            return [], needed
        if isinstance(statement, ast.AnnAssign) and statement.value is None:
            return [], needed
        again = bound if isinstance(statement, ast.AugAssign) else set[str]()
        return [rewritten], (needed - bound) | free | again

    def _changes(self, statement: ast.stmt, needed: set[str], loop: bool) -> bool:
        """Whether it changes the object of a needed name: `x[0] = 1`, `model.eval()`, `items.append(x)`."""
        if isinstance(statement, ast.Expr):
            call = statement.value
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
                return False
            method = call.func.attr
            return _root(call.func) in needed and method not in UNNEEDED and (not loop or method in FILLING)
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        return any(isinstance(t, (ast.Attribute, ast.Subscript)) and _root(t) in needed for t in targets)

    def _if(self, statement: ast.If, needed: set[str], context: Context) -> tuple[list[ast.stmt], set[str]]:
        body, before_body = self.block(statement.body, needed, context)
        other, before_other = self.block(statement.orelse, needed, context)
        if not body and not other:
            return [], needed
        test = self.rewritten(copy.deepcopy(statement.test), context.source)
        return [ast.If(test, body or [ast.Pass()], other)], before_body | before_other | free_names(test)

    def _loop(
        self, statement: ast.For | ast.While, bound: set[str], needed: set[str], context: Context
    ) -> tuple[list[ast.stmt], set[str]]:
        inside = replace(context, loop=True)
        _, inner = self.block(statement.body, needed, inside)
        body, inner = self.block(statement.body, needed | inner, inside)
        if not body and not bound & needed:
            return [], needed
        if _trains(statement):
            raise Refused("a training loop")
        head = statement.iter if isinstance(statement, ast.For) else statement.test
        head = self.rewritten(copy.deepcopy(head), context.source)
        taken: ast.stmt
        if isinstance(statement, ast.For):
            taken = ast.For(statement.target, head, body or [ast.Pass()], [])
        else:
            taken = ast.While(head, body or [ast.Pass()], [])
        return [taken], (needed | inner | free_names(head)) - bound

    def _with(
        self, statement: ast.With, bound: set[str], needed: set[str], context: Context
    ) -> tuple[list[ast.stmt], set[str]]:
        body, before = self.block(statement.body, needed, context)
        if not body and not bound & needed:
            return [], needed
        if any(isinstance(inner, ast.Assign) for inner in body) and _only_gradients(statement):
            return body, before
        if body and bound and not bound & before and all(map(_opens, statement.items)):
            return body, before  # what was read from the file is written there now
        items = [copy.deepcopy(item) for item in statement.items]
        for item in items:
            item.context_expr = self.rewritten(item.context_expr, context.source)
        free = {name for item in items for name in free_names(item.context_expr)}
        return [ast.With(items, body or [ast.Pass()])], (before - bound) | free

    def _try(self, statement: ast.Try, needed: set[str], context: Context) -> tuple[list[ast.stmt], set[str]]:
        body, before = self.block(statement.body, needed, context)
        if not body:
            return [], needed
        handlers: list[ast.ExceptHandler] = []
        for handler in statement.handlers:
            inner, before_handler = self.block(handler.body, needed, context)
            before |= before_handler - {handler.name or ""}
            before |= free_names(handler.type) if handler.type is not None else set()
            handlers.append(ast.ExceptHandler(handler.type, handler.name, inner or [ast.Pass()]))
        return [ast.Try(body, handlers, [], [] if handlers else [ast.Pass()])], before


def is_long(statement: ast.stmt | ast.expr) -> bool:
    """Whether it holds data rather than code: it would be copied for every call that needs it.

    A statement that was made here stands nowhere, and is short.
    """
    first, last = getattr(statement, "lineno", 0), getattr(statement, "end_lineno", None) or 0
    columns = getattr(statement, "end_col_offset", None) or 0
    return last - first > MAX_LINES or columns > MAX_COLUMNS


def one_of(target: ast.expr, iterable: ast.expr, row: int) -> ast.stmt:
    """`target = value`, of a list that is written out that of the row, else `target = next(iter(iterable))`."""
    if values := written_out(iterable):
        return ast.Assign([copy.deepcopy(target)], values[in_row(values, row)])
    inner = ast.Call(ast.Name("iter", ast.Load()), [iterable], [])
    return ast.Assign([copy.deepcopy(target)], ast.Call(ast.Name("next", ast.Load()), [inner], []))


def _root(node: ast.expr | None) -> str:
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _opens(item: ast.withitem) -> bool:
    called = item.context_expr.func if isinstance(item.context_expr, ast.Call) else item.context_expr
    return (dotted(called) or getattr(called, "attr", "")).rpartition(".")[2] == "open"


def _only_gradients(statement: ast.With) -> bool:
    names = {(dotted(i.context_expr.func) if isinstance(i.context_expr, ast.Call) else "") for i in statement.items}
    return names <= {"torch.no_grad", "torch.inference_mode", "torch.enable_grad", "no_grad", "inference_mode"}


def _trains(statement: ast.stmt) -> bool:
    return any(isinstance(node, ast.Attribute) and node.attr == "backward" for node in ast.walk(statement))
