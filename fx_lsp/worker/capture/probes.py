"""Probes in the source: after each binding a call says what was bound, at the head of each block that it ran.

Every inserted node carries the location of the name it serves and no original node changes its own, so
`co_positions()`, tracebacks and `inspect` stay true to the file on disk.
"""

from __future__ import annotations

import ast
from typing import Any, List, Optional, Sequence, Tuple, Union

from fx_lsp.model.span import Span
from fx_lsp.worker.capture.compiled import is_compiled
from fx_lsp.worker.capture.laps import as_for, asks_for_gradients, counted, is_repeatable
from fx_lsp.worker.capture.sites import Sites
from fx_lsp.worker.capture.targets import at, bound_names, dotted, load

BIND = "__fx_bind__"
"""Built-in `(site, value) -> value` that probes call.  Dunder on both sides: class bodies do not mangle it."""
REACH = "__fx_reach__"
"""Built-in `(block) -> None`."""

NOTEBOOK = ".ipynb"
"""Suffix of a file whose statements run one by one: when one fails, the next ones still run."""

Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]
_NEVER_TENSOR = (ast.Constant, ast.JoinedStr, ast.Lambda)


def probed(tree: ast.Module, path: str, sites: Sites, lines: List[bytes]) -> ast.Module:
    """Statements of a file with probes in them; `lines` are those of the file."""
    module = _Prober(path, sites, lines).visit(tree)
    assert isinstance(module, ast.Module)
    return module


class _Prober(ast.NodeTransformer):
    def __init__(self, path: str, sites: Sites, lines: List[bytes]) -> None:
        self.path, self.sites = path, sites
        self.lines = lines
        self.entry = -1
        self.in_function = self.in_class = False

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """As the base class does, but in place and past what can hold nothing of interest: files are large."""
        for field in node._fields:
            old = getattr(node, field, None)
            if isinstance(old, list):
                for index, item in enumerate(old):
                    if isinstance(item, ast.AST) and type(item) not in _LEAVES:
                        old[index] = self.visit(item)
            elif isinstance(old, ast.AST) and type(old) not in _LEAVES:
                setattr(node, field, self.visit(old))
        return node

    # -- building probes ------------------------------------------------------------------------------------------

    def _site(self, node: ast.AST, name: str, role: str, width: Optional[int] = None) -> int:
        end_line, end = node.end_lineno, node.end_col_offset
        if width is not None:
            end_line, end = node.lineno, node.col_offset + width
        return self.sites.binding(Span(self.path, node.lineno, node.col_offset, end_line, end), name, role)

    def _call(self, function: str, place: ast.AST, number: int, *values: ast.expr) -> ast.Call:
        name = at(ast.Name(function, ast.Load()), place)
        argument = at(ast.Constant(number), place)
        return at(ast.Call(name, [argument, *values], []), place)

    def _read(self, target: ast.expr, role: str) -> ast.Call:
        """A probe that reads back what `target` was bound to."""
        return self._call(BIND, target, self._site(target, dotted(target), role), load(target))

    def _targets(self, target: ast.AST, role: str) -> List[Tuple[ast.Call, Optional[ast.expr]]]:
        """A probe for each name that `target` binds.

        Of a name bound twice (`_, y, _ = …`) the earlier value is kept aside, under a name given with its probe.
        """
        names = bound_names(target)
        last = {name.id: name for name in names if isinstance(name, ast.Name)}
        found: List[Tuple[ast.Call, Optional[ast.expr]]] = []
        for number, name in enumerate(names):
            probe = self._read(name, role)
            aside = None
            if isinstance(name, ast.Name) and last[name.id] is not name:
                name.id = probe.args[1].id = f"__fx_earlier_{number}__"  # type: ignore[attr-defined]
                aside = at(ast.Name(name.id, ast.Del()), name)
            found.append((probe, aside))
        return found

    def _reads(self, target: ast.AST, role: str) -> List[ast.stmt]:
        out: List[ast.stmt] = []
        for probe, aside in self._targets(target, role):
            out.append(at(ast.Expr(probe), probe))
            if aside is not None:
                out.append(at(ast.Delete([aside]), aside))
        return out

    # -- blocks -------------------------------------------------------------------------------------------------------

    def _body(self, statements: Sequence[ast.stmt], first: Sequence[ast.stmt] = ()) -> List[ast.stmt]:
        out: List[ast.stmt] = []
        segment: List[ast.stmt] = []
        pending = list(first)

        def flush() -> None:
            if segment or pending:
                out.extend(self._reached(segment))
                out.extend(pending)
                pending.clear()
                for statement in segment:
                    new = self.visit(statement)
                    out.extend(new if isinstance(new, list) else [new])
                segment.clear()

        for statement in statements:
            segment.append(statement)
            if isinstance(statement, _COMPOUND):
                flush()
        flush()
        return out

    def _reached(self, segment: List[ast.stmt]) -> List[ast.stmt]:
        if not self.in_function or not segment:
            return []
        number = self.sites.block(self.path, self.entry, tuple(statement.lineno for statement in segment))
        if self.entry < 0:
            self.entry = number
        call = self._call(REACH, segment[0], number)
        return [at(ast.Expr(call), segment[0])]

    def _blocks(self, node: ast.AST, first: Sequence[ast.stmt] = ()) -> ast.AST:
        """Visit a statement whose fields include bodies; `first` opens its `body`."""
        for field, old in ast.iter_fields(node):
            if isinstance(old, list) and old and isinstance(old[0], ast.stmt):
                setattr(node, field, self._body(old, first if field == "body" else ()))
            elif isinstance(old, list):
                setattr(node, field, [self.visit(item) if isinstance(item, ast.AST) else item for item in old])
            elif isinstance(old, ast.AST) and type(old) not in _LEAVES:
                setattr(node, field, self.visit(old))
        return node

    def visit_Module(self, node: ast.Module) -> ast.AST:
        return self._blocks(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        if is_compiled(node):
            return node
        outer = self.in_function, self.in_class
        self.in_function, self.in_class = False, True
        self._blocks(node)
        self.in_function, self.in_class = outer
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._function(node)

    def _function(self, node: Function) -> ast.AST:
        if is_compiled(node):
            return node
        node.decorator_list = [self.visit(item) for item in node.decorator_list]
        self.visit(node.args)
        outer = self.entry, self.in_function
        self.entry, self.in_function = -1, True
        documented = bool(node.body) and ast.get_docstring(node, clean=False) is not None
        head: List[ast.stmt] = node.body[:1] if documented else []
        probes = [at(ast.Expr(probe), probe) for probe in self._parameters(node.args)]
        node.body = head + (self._body(node.body[len(head) :], probes) or probes)
        self.entry, self.in_function = outer
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        return self._blocks(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        trains = asks_for_gradients(node) and is_repeatable(node.test)
        return self._blocks(as_for(node) if trains else node)

    visit_Try = visit_TryStar = visit_ExceptHandler = visit_Match = visit_If  # type: ignore[assignment]

    def visit_For(self, node: ast.For) -> ast.AST:
        if isinstance(node, ast.For) and (not self.in_class or asks_for_gradients(node)):
            node.iter = counted(node.iter)
        return self._blocks(node, self._reads(node.target, "for"))

    visit_AsyncFor = visit_For  # type: ignore[assignment]

    def visit_With(self, node: ast.With) -> ast.AST:
        bound = [item.optional_vars for item in node.items if item.optional_vars is not None]
        return self._blocks(node, [probe for target in bound for probe in self._reads(target, "with")])

    visit_AsyncWith = visit_With  # type: ignore[assignment]

    def visit_match_case(self, node: Any) -> ast.AST:
        captures = [part for part in ast.walk(node.pattern) if getattr(part, "name", None)]
        probes = [self._capture(part) for part in captures if isinstance(part, (ast.MatchAs, ast.MatchStar))]
        return self._blocks(node, probes)

    def _capture(self, pattern: Any) -> ast.stmt:
        start = pattern.end_col_offset - len(pattern.name.encode())
        place = ast.Name(pattern.name, ast.Load(), lineno=pattern.end_lineno, col_offset=start,
                         end_lineno=pattern.end_lineno, end_col_offset=pattern.end_col_offset)  # fmt: skip
        probe = self._call(BIND, place, self._site(place, pattern.name, "match"), place)
        return at(ast.Expr(probe), place)

    # -- bindings -----------------------------------------------------------------------------------------------------

    def _parameters(self, arguments: ast.arguments) -> List[ast.Call]:
        named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        named += [extra for extra in (arguments.vararg, arguments.kwarg) if extra is not None]
        return [self._parameter(argument) for argument in sorted(named, key=lambda a: (a.lineno, a.col_offset))]

    def _parameter(self, argument: ast.arg) -> ast.Call:
        width = len(argument.arg.encode())
        place = ast.Name(argument.arg, ast.Load(), lineno=argument.lineno, col_offset=argument.col_offset,
                         end_lineno=argument.lineno, end_col_offset=argument.col_offset + width)  # fmt: skip
        return self._call(BIND, place, self._site(place, argument.arg, "parameter"), place)

    def visit_Assign(self, node: ast.Assign) -> Any:
        bare = isinstance(node.value, _NEVER_TENSOR)
        simple = [target for target in node.targets if isinstance(target, (ast.Name, ast.Attribute))]
        after = [probe for target in node.targets if target not in simple for probe in self._reads(target, "assign")]
        node.value = self.visit(node.value)
        for target in simple if not bare else ():
            node.value = self._call(BIND, target, self._site(target, dotted(target), "assign"), node.value)
        return [node, *after] if after else node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is None:
            return node
        bare = isinstance(node.value, _NEVER_TENSOR)
        node.value = self.visit(node.value)
        if isinstance(node.target, (ast.Name, ast.Attribute)) and not bare:
            number = self._site(node.target, ast.unparse(node.target), "assign")
            node.value = self._call(BIND, node.target, number, node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        probes = [] if isinstance(node.value, (ast.JoinedStr,)) else self._reads(node.target, "assign")
        node.value = self.visit(node.value)
        return [node, *probes] if probes else node

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.AST:
        number = self._site(node.target, node.target.id, "walrus")
        node.value = self._call(BIND, node.target, number, self.visit(node.value))
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        if node.value is not None:
            bare = isinstance(node.value, _NEVER_TENSOR)
            node.value = self.visit(node.value)
            if not bare:
                number = self._site(node, "return", "return", width=len("return"))
                node.value = self._call(BIND, node.value, number, node.value)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self.visit(node.args)
        probes = self._parameters(node.args)
        body = self.visit(node.body)
        if probes:  # `(probe, …, body)[-1]`: parameters first, then the value
            values = at(ast.Tuple([*probes, body], ast.Load()), body)
            last = at(ast.Constant(-1), body)
            body = at(ast.Subscript(values, last, ast.Load()), body)
        node.body = body
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        # Before 3.12 positions inside f-strings are not always those of the file.
        names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
        return self.generic_visit(node) if all(map(self._stands_there, names)) else node

    def _stands_there(self, name: ast.Name) -> bool:
        line = self.lines[name.lineno - 1] if name.lineno <= len(self.lines) else b""
        return line[name.col_offset : name.end_col_offset] == name.id.encode()

    # -- comprehensions -----------------------------------------------------------------------------------------------

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        probes = [probe for probe, _ in self._targets(node.target, "comprehension")]
        if probes:  # a non-empty tuple is true: the probes run for every element, before the other conditions
            node.ifs.insert(0, at(ast.Tuple([*probes], ast.Load()), node.target))
        return node


_LEAVES = frozenset(
    {ast.Name, ast.Constant, ast.Load, ast.Store, ast.Del, ast.alias, ast.Import, ast.ImportFrom, ast.Pass, ast.Global,
     ast.Nonlocal, ast.Break, ast.Continue, *ast.operator.__subclasses__(), *ast.unaryop.__subclasses__(),
     *ast.cmpop.__subclasses__(), *ast.boolop.__subclasses__()}
)  # fmt: skip
_COMPOUND: Tuple[type, ...] = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try)
_COMPOUND += tuple(getattr(ast, name) for name in ("Match", "TryStar") if hasattr(ast, name))
