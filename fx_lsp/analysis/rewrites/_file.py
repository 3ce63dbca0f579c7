"""What a file says that its functions depend on: imports, layers of a class, what ran where."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from fx_lsp.analysis.names import dotted
from fx_lsp.analysis.rewrites._statements import is_not_none
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.analysis.source import Source, blocks, bound_names, is_main_guard, parsed
from fx_lsp.model.comparison import MODULE
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Operation
from fx_lsp.model.value import TensorType, Value

Function = ast.FunctionDef | ast.AsyncFunctionDef
MANY = 500
"""Statements outside of functions that nobody writes: such a file is data."""


@dataclass(frozen=True)
class File:
    """One version of a file with the facts about it."""

    source: Source
    operations: Mapping[Span, Operation]
    """By place; of one that ran in several traces that of the first."""
    tensors: Mapping[Span, tuple[Value, ...]]
    """Values of each name where it is bound."""
    for_others: frozenset[str] = frozenset()
    """Attributes of its classes that only other files read."""
    names: dict[int, str] = field(default_factory=lambda: dict[int, str](), repr=False)
    """Qualified name of each class that `functions` came by, by the `id` of its node."""
    _layers: dict[int, Mapping[str, ast.Call]] = field(default_factory=lambda: dict[int, Mapping[str, ast.Call]]())

    @classmethod
    def of(cls, snapshot: Snapshot) -> File:
        """What the snapshot knows of its present text."""
        operations: dict[Span, Operation] = {}
        tensors: dict[Span, tuple[Value, ...]] = {}
        for trace in snapshot.traces:
            for one in () if trace.older else trace.reply.operations:
                if one.span.path == snapshot.path and (one.form == "function" or one.span not in operations):
                    operations.setdefault(one.span, one)
            for binding in () if trace.older else trace.reply.bindings:
                if binding.span.path == snapshot.path:
                    tensors.setdefault(binding.span, tuple(variant.value for variant in binding.variants))
        for_others = frozenset[str]().union(*(module.for_others for module in snapshot.modules))
        return cls(parsed(snapshot.path, snapshot.text), operations, tensors, for_others)

    @cached_property
    def imports(self) -> Mapping[str, str]:
        """What each name that is imported on top stands for: `F` for `torch.nn.functional`."""
        found: dict[str, str] = {}
        for statement in self.top:
            if isinstance(statement, ast.Import):
                for alias in statement.names:
                    found[alias.asname or alias.name.partition(".")[0]] = (
                        alias.name if alias.asname else alias.name.partition(".")[0]
                    )
            elif isinstance(statement, ast.ImportFrom) and not statement.level:
                found.update({one.asname or one.name: f"{statement.module}.{one.name}" for one in statement.names})
        return found

    @cached_property
    def attributes(self) -> Mapping[str, Sequence[ast.Attribute]]:
        """Where the file reads or binds an attribute, by its name."""
        found: dict[str, list[ast.Attribute]] = {}
        for node in ast.walk(self.source.tree) if self.source.tree is not None else ():
            if isinstance(node, ast.Attribute):
                found.setdefault(node.attr, []).append(node)
        return found

    def stores(self, name: str) -> list[ast.Attribute]:
        """Where the file binds an attribute."""
        return [one for one in self.attributes.get(name, ()) if isinstance(one.ctx, ast.Store)]

    @cached_property
    def named_in_forwards(self) -> frozenset[str]:
        """Names in the `forward` of its classes: what that calls is among them."""
        forwards = (one for one, owner in self.functions() if owner is not None and one.name == "forward")
        return frozenset(node.id for one in forwards for node in ast.walk(one) if isinstance(node, ast.Name))

    @property
    def top(self) -> Sequence[ast.stmt]:
        """Statements outside of everything."""
        return self.source.tree.body if self.source.tree is not None else ()

    @cached_property
    def asking(self) -> frozenset[str]:
        """Functions on top that tell whether what they are given is not None: `def exists(x): return x is not None`."""
        found: set[str] = set()
        for one in self.top:
            said = one.body[-1] if isinstance(one, ast.FunctionDef) and len(one.args.args) == 1 else None
            test = said.value if isinstance(said, ast.Return) else None
            if isinstance(one, ast.FunctionDef) and is_not_none(test) and isinstance(test.left, ast.Name):
                found.update([one.name] if len(one.body) == 1 and test.left.id == one.args.args[0].arg else [])
        return frozenset(found)

    @cached_property
    def hidden(self) -> frozenset[int]:
        """Names that are imported, where a function has a variable of that name instead, by the `id` of their nodes."""
        found: set[int] = set()
        for function in ast.walk(self.source.tree) if self.source.tree is not None else ():
            if isinstance(function, Function) and (own := {*_variables(function)} & self.imports.keys()):
                found.update(id(one) for one in ast.walk(function) if isinstance(one, ast.Name) and one.id in own)
        return frozenset(found)

    def is_imported(self, name: ast.Name) -> bool:
        """Whether it stands for what an import on top gave."""
        return name.id in self.imports and id(name) not in self.hidden

    def dotted(self, node: ast.expr) -> str:
        """`torch.nn.functional.softmax` for `F.softmax`; empty for what no import leads to."""
        head, dot, rest = (dotted(node) or "").partition(".")
        if head not in self.imports or id(_root(node)) in self.hidden:
            return ""
        return f"{self.imports[head]}{dot}{rest}"

    def functions(self) -> Iterator[tuple[Function, ast.ClassDef | None]]:
        """Every function outside other functions, with its class."""
        self.names.clear()
        waiting: list[tuple[ast.stmt, ast.ClassDef | None]] = [(one, None) for one in self.top]
        while waiting:
            statement, owner = waiting.pop(0)
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                yield statement, owner
            elif isinstance(statement, ast.ClassDef):
                outer = self.names.get(id(owner), "")
                self.names[id(statement)] = f"{outer}.{statement.name}".lstrip(".")
                waiting.extend((one, statement) for one in statement.body)
            elif isinstance(statement, ast.If | ast.Try):
                waiting.extend((one, owner) for one in statement.body)

    def outside(self) -> ast.FunctionDef | None:
        """Its statements outside of functions as one function, which stands where they stand; of functions and classes
        there is what they read."""
        return _function(MODULE, [_read(one) for one in self.top]) if 0 < len(self.top) < MANY else None

    @cached_property
    def seen_by_others(self) -> frozenset[str]:
        """Variables outside of functions that other files may import: those that it says, and of a file that does
        something else when it is imported all but what it then leaves out."""
        said = [one.value for one in self.top if isinstance(one, ast.Assign)
                and [ast.unparse(target) for target in one.targets] == ["__all__"]]  # fmt: skip
        names = {one.value for value in said for one in ast.walk(value) if isinstance(one, ast.Constant)}
        others = [one for one in self.top if not is_main_guard(one)]
        bound = [name for one in others if len(others) < len(self.top) for name in _bound_in(one)]
        return frozenset(bound).union(str(name) for name in names)

    def layers(self, owner: ast.ClassDef | None) -> Mapping[str, ast.Call]:
        """What the class assigns to `self.name`, once, of what is made of `torch.nn`."""
        if owner is None:
            return {}
        if id(owner) not in self._layers:
            self._layers[id(owner)] = {
                name: value
                for name, value in assigned_once(owner).items()
                if isinstance(value, ast.Call) and self.dotted(value.func).startswith("torch.nn.")
            }
        return self._layers[id(owner)]

    def ran(self, node: ast.expr) -> Operation | None:
        """The operation that the expression is."""
        return self.operations.get(self.source.span(node))

    def output(self, node: ast.expr) -> TensorType | None:
        """The tensor that the expression gives, where it always gives the same."""
        operation = self.ran(node)
        outputs = [*dict.fromkeys(variant.output for variant in operation.variants)] if operation is not None else []
        return outputs[0] if len(outputs) == 1 and isinstance(outputs[0], TensorType) else None

    def given(self, argument: ast.arg) -> TensorType | None:
        """The tensor that a parameter is, where it always is the same one."""
        kinds = [*dict.fromkeys(self.bound(argument))]
        return kinds[0] if len(kinds) == 1 and isinstance(kinds[0], TensorType) else None

    def bound(self, argument: ast.arg) -> tuple[Value, ...]:
        """What a parameter was, if it ever held a tensor."""
        end = argument.col_offset + len(argument.arg.encode())
        return self.tensors.get(Span(self.source.path, argument.lineno, argument.col_offset, argument.lineno, end), ())

    def rank(self, node: ast.expr) -> int | None:
        """Dims of the first tensor that the operation takes, where they are always as many."""
        operation = self.ran(node)
        inputs = [variant.inputs[:1] for variant in operation.variants] if operation is not None else []
        ranks = {len(one[0].shape) if one and isinstance(one[0], TensorType) else None for one in inputs}
        return ranks.pop() if len(ranks) == 1 else None

    def text(self, node: ast.expr | ast.stmt) -> str:
        """As it is written."""
        return ast.get_source_segment(self.source.text, node) or ""


def _read(statement: ast.stmt) -> ast.stmt:
    if not isinstance(statement, Function | ast.ClassDef):
        return statement
    names = (one for one in ast.walk(statement) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load))
    read: list[ast.stmt] = [ast.copy_location(ast.Expr(one), one) for one in names]
    read += [one for one in ast.walk(statement) if isinstance(one, ast.Global)]
    return _function(statement.name, read or [ast.copy_location(ast.Pass(), statement)], statement)


def _bound_in(statement: ast.stmt) -> Iterator[str]:
    yield from bound_names(statement)
    for one in blocks(statement):
        yield from _bound_in(one)


def _function(name: str, body: list[ast.stmt], place: ast.stmt | None = None) -> ast.FunctionDef:
    """Without arguments, where its statements are, or something else."""
    none = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    first, last = (place, place) if place is not None else (body[0], body[-1])
    found = ast.FunctionDef(name, none, body, [], lineno=first.lineno, col_offset=first.col_offset)
    found.end_lineno, found.end_col_offset = last.end_lineno, last.end_col_offset
    return found


def _variables(function: Function) -> Iterator[str]:
    """Arguments of a function, and what its statements bind but for imports and what is global."""
    given = function.args
    yield from (one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs))
    yield from (one.arg for one in (given.vararg, given.kwarg) if one is not None)
    waiting, found, shared = [*function.body], list[str](), set[str]()
    while waiting:
        statement = waiting.pop()
        waiting.extend(blocks(statement))
        shared.update(statement.names if isinstance(statement, ast.Global | ast.Nonlocal) else [])
        found += [] if isinstance(statement, ast.Import | ast.ImportFrom) else bound_names(statement)
    yield from (name for name in found if name not in shared)


def _root(node: ast.expr) -> ast.expr:
    """`x` of `x.y.z`."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


def assigned_once(owner: ast.ClassDef) -> dict[str, ast.expr]:
    """What a class assigns to `self.name`, by name, where it does so once."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(owner):
        for target, value in bound(node) if isinstance(node, ast.Assign) else ():
            if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
                found.setdefault(target.attr, []).append(value)
    return {name: values[0] for name, values in found.items() if len(values) == 1}


def bound(statement: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Each target with its value."""
    for target in statement.targets:
        if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
            yield from zip(target.elts, statement.value.elts, strict=False)
        else:
            yield target, statement.value
