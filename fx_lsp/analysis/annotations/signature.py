"""The annotations of a function, as an edit: of one parameter, or of all and of what is returned."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache

from fx_lsp.analysis.actions import Changes
from fx_lsp.analysis.annotations._axes import Names
from fx_lsp.analysis.annotations._existing import filled, texts, words
from fx_lsp.analysis.annotations._imports import Imports
from fx_lsp.analysis.annotations._seen import Seen, parameters, seen
from fx_lsp.analysis.annotations._types import Types
from fx_lsp.analysis.columns import columns
from fx_lsp.analysis.examples._arguments import defaults
from fx_lsp.analysis.names import dotted
from fx_lsp.analysis.rewrites._file import File, Function
from fx_lsp.analysis.rewrites._statements import bodies
from fx_lsp.analysis.rewrites._write import Unwritable
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.analysis.source import parsed
from fx_lsp.model import syntax
from fx_lsp.model.span import Span
from fx_lsp.model.value import Group, Value


def of_parameter(snapshot: Snapshot, name: Span) -> Changes:
    """What annotates the parameter whose name stands there, and adds the imports; empty where nothing can be said."""
    file, known = _known(snapshot.path, snapshot.text)
    for function, owner in known:
        for argument in parameters(function):
            if (argument.lineno, argument.col_offset) == (name.line, name.column):
                return _Signature(snapshot, file, function, owner).changes(argument)
    return ()


def of_function(snapshot: Snapshot, function: Function, owner: str) -> Changes:
    """What annotates everything of a signature that can be; `owner` is the class whose `forward` it is, or empty."""
    return _Signature(snapshot, _known(snapshot.path, snapshot.text)[0], function, owner).changes()


def functions(snapshot: Snapshot) -> list[tuple[Function, str]]:
    """Every function of the file, in the order of the text, with the class whose `forward` it is."""
    return sorted(_known(snapshot.path, snapshot.text)[1], key=lambda one: (one[0].lineno, one[0].col_offset))


@lru_cache(maxsize=4)
def _known(path: str, text: str) -> tuple[File, tuple[tuple[Function, str], ...]]:
    """A file and its functions, once for all hints of a text."""
    file = File(parsed(path, text), {}, {})
    return file, tuple(_functions(file))


def _functions(file: File) -> Iterator[tuple[Function, str]]:
    tree = file.source.tree
    waiting: list[tuple[ast.stmt, str]] = [(one, "") for one in tree.body] if tree is not None else []
    while waiting:
        statement, owner = waiting.pop()
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            yield statement, owner if statement.name == "forward" else ""
            owner = ""
        elif isinstance(statement, ast.ClassDef):
            owner = f"{owner}.{statement.name}".lstrip(".")
        waiting.extend((inner, owner) for body in bodies(statement) for inner in body)


class _Signature:
    def __init__(self, snapshot: Snapshot, file: File, function: Function, owner: str) -> None:
        self._file, self._function = file, function
        self._imports = Imports(file, function.lineno)
        self._names = Names()
        self._defaults = defaults(function)
        self._held, self._given = dict[str, Seen](), None
        compiled = any(_compiles(file, one) for one in function.decorator_list)
        if not snapshot.stale and not compiled:
            self._held, self._given = seen(snapshot, function, owner)

    def changes(self, only: ast.arg | None = None) -> Changes:
        """Of one parameter, or of everything."""
        ours = self._ours()
        found: list[tuple[Span, str]] = []
        for argument in parameters(self._function):
            held = self._held.get(argument.arg)
            if argument.annotation is not None and argument in ours:
                self._names.bound |= words(argument.annotation) if not self._is_optional(argument) else set()
            elif held is not None and (only is None or argument is only):
                found += self._parameter(argument, held)
        if only is None and self._given is not None:
            found += self._result(self._given)
        return (*self._imports.changes(), *found) if found else ()

    def _ours(self) -> set[ast.arg]:
        """Parameters that have the shapes already that we would write; names of axes in other texts are taken."""
        names, ours = Names(), set[ast.arg]()
        types = Types(Imports(self._file, self._function.lineno))
        for argument in parameters(self._function):
            held, text = self._held.get(argument.arg), ""
            with suppress(Unwritable):
                inner = names.aside() if self._is_optional(argument) else names
                text = types.of(self._members(argument, held.values), inner) if held is not None else ""
            if argument.annotation is not None and texts(argument.annotation) == texts(syntax.expression(text or "0")):
                ours.add(argument)
            elif argument.annotation is not None:
                self._names.taken |= words(argument.annotation)
        return ours

    def _parameter(self, argument: ast.arg, held: Seen) -> Changes:
        default, optional = self._defaults.get(argument.arg), self._is_optional(argument)
        if (default is not None and not optional) or not (held.always or optional):
            return ()
        values = self._members(argument, held.values)
        try:
            if argument.annotation is not None:
                return self._replaced(argument.annotation, values)
            text = Types(self._imports).of(values, self._names.aside() if optional else self._names)
            return (self._written(argument, f"{text} | None" if optional else text, default),)
        except Unwritable:
            return ()

    def _is_optional(self, argument: ast.arg) -> bool:
        default = self._defaults.get(argument.arg)
        return isinstance(default, ast.Constant) and default.value is None

    def _members(self, argument: ast.arg, values: Sequence[Value]) -> Sequence[Value]:
        """Of `*args` and `**kwargs` it is the members that are annotated."""
        if argument not in (self._function.args.vararg, self._function.args.kwarg):
            return values
        return [item for value in values if isinstance(value, Group) for item in value.items]

    def _result(self, given: Seen) -> Changes:
        try:
            if self._function.returns is not None:
                return self._replaced(self._function.returns, given.values)
            place = _end_of_parameters(self._file, self._function)
            return ((place, f" -> {Types(self._imports).of(given.values, self._names)}"),)
        except Unwritable:
            return ()

    def _replaced(self, annotation: ast.expr, values: Sequence[Value]) -> Changes:
        found = filled(self._file, self._imports, annotation, values, self._names)
        return tuple((self._file.source.span(node), text) for node, text in found)

    def _written(self, argument: ast.arg, text: str, default: ast.expr | None) -> tuple[Span, str]:
        """After the name; an `=` that touches it gets its spaces."""
        line, end = argument.lineno, argument.col_offset + len(argument.arg.encode())
        if default is not None and default.lineno == line:
            row = columns(self._file.source.text).lines[line - 1].encode()
            if row[end : default.col_offset] == b"=":
                return Span(self._file.source.path, line, end, line, default.col_offset), f": {text} = "
        return Span(self._file.source.path, line, end, line, end), f": {text}"


def _compiles(file: File, decorator: ast.expr) -> bool:
    """Whether annotations mean something else there."""
    node = decorator.func if isinstance(decorator, ast.Call) else decorator
    return (file.dotted(node) or dotted(node) or "").startswith("torch.jit.")


def _end_of_parameters(file: File, function: Function) -> Span:
    """After the parenthesis that closes them.

    Raises:
        Unwritable: it is not found.
    """
    lines = columns(file.source.text).lines[function.lineno - 1 : function.body[0].lineno]
    start = len(lines[0].encode()[: function.col_offset].decode())
    text = "\n".join([lines[0][start:], *lines[1:]])
    depth = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.OP and token.string in "([{":
                depth += 1
            elif token.type == tokenize.OP and token.string in ")]}":
                depth -= 1
                if depth == 0 and token.string == ")":
                    row, column = token.end
                    line = function.lineno + row - 1
                    column += start if row == 1 else 0
                    column = len(columns(file.source.text).lines[line - 1][:column].encode())
                    return Span(file.source.path, line, column, line, column)
    except (tokenize.TokenError, SyntaxError):
        raise Unwritable from None
    raise Unwritable
