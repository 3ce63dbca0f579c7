"""From running frames to spans of the workspace."""

from __future__ import annotations

import ast
import sys
from types import CodeType, FrameType, TracebackType
from typing import Dict, Iterator, List, Optional, Tuple, Union

from fx_lsp.model.span import Span

Positions = List[Tuple[Optional[int], Optional[int], Optional[int], Optional[int]]]


class Frames:
    """Knows which frames run workspace code and where in it they are."""

    def __init__(self, sources: Dict[str, str]) -> None:
        self.sources = sources
        """Text of every instrumented file, by path: code with such a file name is the workspace's."""
        self._positions: Dict[CodeType, Positions] = {}
        self._nodes: Dict[str, List[ast.AST]] = {}
        self._lines: Dict[str, List[bytes]] = {}

    def innermost(self, frame: Optional[FrameType]) -> Optional[FrameType]:
        """The first frame from here outwards that runs workspace code."""
        sources = self.sources
        while frame is not None:
            if frame.f_code.co_filename in sources:
                return frame
            frame = frame.f_back
        return None

    def making(self, frame: Optional[FrameType]) -> Optional[FrameType]:
        """As `innermost`, but None inside a constructor that is not the workspace's: how `nn.Linear` fills its
        weights is not what `nn.Linear(3, 4)` says."""
        sources = self.sources
        while frame is not None:
            code = frame.f_code
            if code.co_filename in sources:
                return frame
            if code.co_name == "__init__":
                return None
            frame = frame.f_back
        return None

    def span(self, code: CodeType, lasti: int, line: Optional[int]) -> Span:
        """The expression that `code` was evaluating at the instruction `lasti`.

        Without column information (before 3.11, or `PYTHONNODEBUGRANGES`) it is the statement around `line`.
        """
        path = code.co_filename
        if sys.version_info >= (3, 11):
            if code not in self._positions:
                self._positions[code] = list(code.co_positions())
            places = self._positions[code]
            start, end, column, end_column = places[lasti // 2] if lasti >= 0 else (line, line, None, None)
            if start and end and column is not None and end_column is not None:
                return self._whole_call(Span(path, start, column, end, end_column))
            line = start or line
        return self._statement(path, line or 1)

    def definition(self, code: CodeType) -> Span:
        """`def name` of the function that `code` is of; the line where it starts when that cannot be found."""
        node = self._function(code)
        if node is None:
            return Span(code.co_filename, code.co_firstlineno, 0, code.co_firstlineno, 0)
        width = len("def ") + len(node.name.encode())
        return Span(code.co_filename, node.lineno, node.col_offset, node.lineno, node.col_offset + width)

    def argument(self, code: CodeType, name: str) -> Optional[Span]:
        """A parameter in the `def` of the function that `code` is of."""
        node = self._function(code)
        for part in ast.walk(node.args) if node is not None else ():
            if isinstance(part, ast.arg) and part.arg == name:
                end = part.col_offset + len(name.encode())
                return Span(code.co_filename, part.lineno, part.col_offset, part.lineno, end)
        return None

    def written(self, path: str, line: int, column: Optional[int], end_column: Optional[int]) -> Span:
        """The expression that starts in this line and at this column and ends at the other, else the statement."""
        for node in self._tree(path):
            if isinstance(node, ast.expr):
                found = place(path, node)
                if (found.line, found.column, found.end_column) == (line, column, end_column):
                    return found
        return self._statement(path, line)

    def head(self, span: Span) -> Span:
        """Of a statement with others in it what it loops over, tests or enters; anything else as it is."""
        for node in self.statements(span.path, span.line):
            if place(span.path, node) == span:
                items = [item.context_expr for item in getattr(node, "items", ())]
                parts = [*items, getattr(node, "iter", None), getattr(node, "test", None)]
                return next((place(span.path, part) for part in parts if part is not None), span)
        return span

    def named(self, path: str, name: str) -> Optional[Span]:
        """`class name` of the workspace, of which `name` is the `__qualname__`."""
        for node in self._tree(path) if path in self.sources else ():
            if isinstance(node, ast.ClassDef) and node.name == name.rpartition(".")[2]:
                end = node.col_offset + len(f"class {node.name}".encode())
                return Span(path, node.lineno, node.col_offset, node.lineno, end)
        return None

    def module(self, path: str) -> Optional[ast.AST]:
        """The whole file, if it is one of the workspace."""
        return next(iter(self._tree(path)), None) if path in self.sources else None

    def expression(self, span: Optional[Span]) -> Optional[ast.AST]:
        """What stands at the place: an expression, or an assignment such as `x += y`."""
        for node in self._tree(span.path) if span is not None and span.path in self.sources else ():
            if isinstance(node, (ast.expr, ast.AugAssign)) and place(span.path, node) == span:
                return node
        return None

    def assigned(self, path: str, name: str, attribute: str) -> Iterator[ast.expr]:
        """What a class (named with those around it) assigns to an attribute of `self`."""
        body: List[ast.stmt] = [node for node in self._tree(path)[:1] for node in getattr(node, "body", [])]
        for part in name.split("."):
            found = [node for node in body if isinstance(node, ast.ClassDef) and node.name == part]
            body = found[-1].body if found else []
        for node in (node for statement in body for node in ast.walk(statement)):
            targets = node.targets if isinstance(node, ast.Assign) else []
            targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
            owners = [one.value for one in targets if isinstance(one, ast.Attribute) and one.attr == attribute]
            if any(isinstance(one, ast.Name) and one.id == "self" for one in owners):
                yield from [node.value] if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value else []

    def tests(self, path: str, line: int) -> Iterator[ast.expr]:
        """What is asserted in this line, or tested by the `if` that raises in it."""
        for node in self._tree(path) if path in self.sources else ():
            body = node.body if isinstance(node, ast.If) else [node] if isinstance(node, ast.Assert) else []
            for one in body:
                if isinstance(one, (ast.Assert, ast.Raise)) and one.lineno <= line <= (one.end_lineno or line):
                    yield node.test if isinstance(node, ast.If) else one.test

    def _function(self, code: CodeType) -> Optional[ast.FunctionDef]:
        for node in self._tree(code.co_filename):
            if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                if code.co_firstlineno == first:
                    return node
        return None

    def calls(self, frame: Optional[FrameType]) -> Tuple[Span, ...]:
        """Spans of the workspace frames from here outwards, outermost first."""
        found = []
        while frame is not None:
            if frame.f_code.co_filename in self.sources:
                found.append(self.span(frame.f_code, frame.f_lasti, frame.f_lineno))
            frame = frame.f_back
        return tuple(reversed(found))

    def traceback(self, trace: Optional[TracebackType]) -> Tuple[Span, ...]:
        """Spans of the workspace frames of a traceback, outermost first: what a loop goes through, not the loop."""
        found = []
        while trace is not None:
            code = trace.tb_frame.f_code
            if code.co_filename in self.sources:
                span = self.span(code, trace.tb_lasti, trace.tb_lineno)
                found.append(self.head(span) if span.line != span.end_line else span)
            trace = trace.tb_next
        return tuple(found)

    def _whole_call(self, span: Span) -> Span:
        """Where a method chain breaks over lines, it starts at the method's name: go back to its object."""
        lines = self._lines.setdefault(span.path, [])
        if not lines:
            lines.extend(self.sources[span.path].encode().split(b"\n"))
        # Code made at run time may bear any file's name, and lines that this file lacks.
        line = lines[span.line - 1] if span.line <= len(lines) else b""
        if not line[: span.column].rstrip().endswith(b"."):
            return span
        end = (span.end_line, span.end_column)
        for node in self._tree(span.path):
            if isinstance(node, (ast.Call, ast.Attribute)) and (node.end_lineno, node.end_col_offset) == end:
                return Span(span.path, node.lineno, node.col_offset, *end)
        return span

    def _statement(self, path: str, line: int) -> Span:
        around = self.statements(path, line)
        if not around:
            return Span(path, line, 0, line, 0)
        return place(path, max(around, key=lambda node: (node.lineno, -(node.end_lineno or node.lineno))))

    def statements(self, path: str, line: int) -> List[ast.stmt]:
        """Those around a line of the workspace, outer ones first."""
        nodes = self._tree(path) if path in self.sources else []
        statements = [node for node in nodes if isinstance(node, ast.stmt)]
        return [node for node in statements if node.lineno <= line <= (node.end_lineno or node.lineno)]

    def _tree(self, path: str) -> List[ast.AST]:
        """Nodes of the file, outer ones first."""
        if path not in self._nodes:
            self._nodes[path] = list(ast.walk(ast.parse(self.sources[path])))
        return self._nodes[path]


def place(path: str, node: Union[ast.expr, ast.stmt]) -> Span:
    """Of a node of the file."""
    return Span(path, node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0)


def chain(error: BaseException) -> Iterator[BaseException]:
    """The exception and what caused it, outermost first, each once."""
    seen: Dict[int, BaseException] = {}
    current: Optional[BaseException] = error
    while current is not None and id(current) not in seen:
        seen[id(current)] = current
        yield current
        current = current.__cause__ or current.__context__


def variable(node: ast.AST, frame: FrameType) -> object:
    """What a name stands for where the frame is, or in its file; None for anything else."""
    return frame.f_locals.get(node.id, frame.f_globals.get(node.id)) if isinstance(node, ast.Name) else None


def message_of(error: BaseException) -> str:
    """`str(error)`, which is user code and may itself raise."""
    try:
        return str(error)
    except Exception as second:
        return f"(its message raised {type(second).__name__})"
