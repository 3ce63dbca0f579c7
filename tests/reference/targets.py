"""Where the source binds names: maps the instructions of a code object to places in its file.

Columns are counted in characters; `end` of a place is where the bound name ends.
"""

from __future__ import annotations

import ast
import dis
import functools
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import CodeType

_STORES = ("STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF", "STORE_ATTR")
_SIMPLE = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.UnaryOp, ast.BinOp, ast.operator, ast.unaryop)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_SCOPES = (*_FUNCTIONS, ast.ClassDef)


@dataclass(frozen=True)
class Place:
    """A name in a file: the line it ends on (from 1) and the column just after it (from 0, in characters)."""

    path: str
    line: int
    column: int
    name: str


@dataclass(frozen=True)
class Target:
    """What a store instruction binds."""

    place: Place
    key: str
    """The name in the frame, or the attribute (mangled as the compiler does)."""
    owner: CodeType | None = None
    """For an attribute: an expression without side effects that gives the object; `unreadable` when it has some."""
    is_attribute: bool = False


@dataclass
class CodeMap:
    """What happens at which instruction of one code object."""

    parameters: list[tuple[str, Place]] = field(default_factory=list)
    """Name in the frame, and where the parameter stands."""
    stores: dict[int, Target] = field(default_factory=dict)
    returns: dict[int, Place] = field(default_factory=dict)
    """Instruction to the `return` statement that it is part of."""
    final: frozenset[int] = frozenset()
    """Instructions that leave the function with a value, as opposed to a `yield`."""


class SourceMap:
    """One source file, parsed once."""

    def __init__(self, path: str) -> None:
        self.path = path
        with tokenize.open(path) as file:
            text = file.read()
        self.lines = [line.encode() for line in re.split(r"\r\n|\r|\n", text)]
        tree = ast.parse(text)
        self.functions = [node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)]
        self.stores: dict[tuple[int, int], ast.expr] = {}
        self.augmented: dict[tuple[int, ...], ast.expr] = {}
        self.patterns: list[ast.pattern] = []
        for node in ast.walk(tree):
            if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store):
                self.stores[_end(node)] = node
            elif isinstance(node, ast.AugAssign):
                self.augmented[_span(node)] = node.target
            elif isinstance(node, ast.match_case):
                self.patterns.append(node.pattern)

    def of(self, code: CodeType) -> CodeMap:
        """The map of one code object of this file."""
        found = CodeMap()
        function = self._function(code)
        if function is not None:
            found.parameters = list(self._parameters(function, code))
        statements = [] if function is None else list(_returns(function))
        final = set()
        for offset, instruction in _instructions(code):
            position = instruction.positions
            if instruction.opname in ("RETURN_VALUE", "RETURN_CONST"):
                final.add(offset)
            if position is None or position.end_lineno is None or position.end_col_offset is None:
                continue
            if instruction.opname in _STORES:
                target = self._target(instruction)
                if target is not None:
                    found.stores[offset] = target
            inside = [s for s in statements if _contains(_span(s), _positions(instruction))]
            if inside:
                innermost = max(inside, key=lambda s: (s.lineno, s.col_offset))
                column = innermost.col_offset + len("return")
                found.returns[offset] = self._place(innermost.lineno, column, "return")
        found.final = frozenset(final)
        return found

    def _place(self, line: int, column: int, name: str) -> Place:
        return Place(self.path, line, len(self.lines[line - 1][:column].decode()), name)

    def _target(self, instruction: dis.Instruction) -> Target | None:
        position = _positions(instruction)
        key = str(instruction.argval)
        node = self.augmented.get(position) or self.stores.get(position[2:])
        if node is None:
            return self._capture(position, key)
        line, column = _end(node)
        place = self._place(line, column, ast.unparse(node))
        if isinstance(node, ast.Attribute):
            return Target(place, key, _owner(node.value), is_attribute=True)
        return Target(place, key)

    def _capture(self, position: tuple[int, int, int, int], key: str) -> Target | None:
        """A name bound by a `case`: its instruction has the span of a pattern around or beside it."""
        for pattern in self.patterns:
            if not _contains(_span(pattern), position):
                continue
            for node in ast.walk(pattern):
                if isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name == key:
                    return Target(self._place(*_end(node), key), key)
                if isinstance(node, ast.MatchMapping) and node.rest == key:
                    line, end = _end(node)
                    column = self.lines[line - 1].rindex(key.encode(), 0, end) + len(key.encode())
                    return Target(self._place(line, column, key), key)
        return None

    def _function(self, code: CodeType) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None:
        fitting = [node for node in self.functions if _first_line(node) == code.co_firstlineno and _fits(node, code)]
        spans = {
            _positions(i)
            for _, i in _instructions(code)
            if i.positions and i.positions.end_lineno and i.opname != "RESUME"
        }
        fitting = [
            n for n in fitting if not isinstance(n, ast.Lambda) or any(_contains(_span(n.body), s) for s in spans)
        ]
        return min(fitting, key=lambda node: len(ast.unparse(node)), default=None)

    def _parameters(self, function: ast.AST, code: CodeType) -> Iterator[tuple[str, Place]]:
        arguments = function.args  # type: ignore[attr-defined]
        in_order = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        given = [argument for argument in in_order if argument is not None]
        for argument, key in zip(given, code.co_varnames, strict=False):
            column = argument.col_offset + len(argument.arg.encode())
            yield key, self._place(argument.lineno, column, argument.arg)


@functools.cache
def source_map(path: str) -> SourceMap:
    """The parsed file.

    Raises:
        OSError, SyntaxError, UnicodeDecodeError: as reading and parsing it does.
    """
    return SourceMap(path)


def _instructions(code: CodeType) -> Iterator[tuple[int, dis.Instruction]]:
    """Instructions by the offset at which the interpreter announces them: that of their first EXTENDED_ARG."""
    start: int | None = None
    for instruction in dis.get_instructions(code):
        if start is None:
            start = instruction.offset
        if instruction.opname != "EXTENDED_ARG":
            yield start, instruction
            start = None


def _positions(instruction: dis.Instruction) -> tuple[int, int, int, int]:
    position = instruction.positions
    assert position is not None
    return (position.lineno or 0, position.col_offset or 0, position.end_lineno or 0, position.end_col_offset or 0)


def _span(node: ast.AST) -> tuple[int, int, int, int]:
    return (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]


def _end(node: ast.AST) -> tuple[int, int]:
    return _span(node)[2:]


def _contains(outer: tuple[int, int, int, int], inner: tuple[int, int, int, int]) -> bool:
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]


def _first_line(node: ast.AST) -> int:
    decorators = getattr(node, "decorator_list", None)
    return decorators[0].lineno if decorators else node.lineno  # type: ignore[attr-defined]


def _fits(node: ast.AST, code: CodeType) -> bool:
    if code.co_name != getattr(node, "name", "<lambda>"):
        return False
    arguments = node.args  # type: ignore[attr-defined]
    counts = (len(arguments.posonlyargs) + len(arguments.args), len(arguments.kwonlyargs))
    return counts == (code.co_argcount, code.co_kwonlyargcount)


def _returns(function: ast.AST) -> Iterator[ast.Return]:
    """The `return expr` statements of the function itself."""
    for child in ast.iter_child_nodes(function):
        if isinstance(child, ast.Return) and child.value is not None:
            yield child
        elif not isinstance(child, _SCOPES):
            yield from _returns(child)


def _owner(node: ast.expr) -> CodeType | None:
    parts = (part for part in ast.walk(node) if not isinstance(part, ast.expr_context))
    if not all(isinstance(part, _SIMPLE) for part in parts):
        return None
    return compile(ast.Expression(node), "<owner of an attribute>", "eval")
