"""The `nn.Module` classes of a file, found in the text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from fx_lsp.analysis.names import Definition, External, Meaning, dotted, resolve
from fx_lsp.analysis.snapshot import ModuleClass
from fx_lsp.analysis.source import Source, blocks
from fx_lsp.analysis.workspace import Workspace
from fx_lsp.model.span import Span

_NO_FORWARD = frozenset(("Module", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict", "LightningModule"))
_PRIVATE_FORWARD = re.compile(r"_(Batch|Instance)Norm$|_\w+PadNd$")
"""Of the bases with an underscore that torch has, those with a `forward`."""
_NO_MODULE = frozenset(("Parameter", "Buffer", "UninitializedParameter", "UninitializedBuffer"))
MAX_BASES = 30
"""Classes looked at above one class."""


@dataclass(frozen=True)
class Ancestry:
    """Classes of the workspace above a class, nearest first and itself included, and the bases from outside."""

    classes: tuple[Definition, ...]
    outside: tuple[str, ...]

    @property
    def is_module(self) -> bool:
        """Whether an instance is an `nn.Module`, as far as the text tells.

        A base from a package that the workspace does not hold counts when a `forward(self, …)` comes with it.
        """
        if any(_is_torch_module(name) for name in self.outside):
            return True
        unknown = any(not name.startswith("torch.") and name not in _BUILTIN_BASES for name in self.outside)
        return unknown and self.method("forward") is not None

    def method(self, name: str) -> Definition | None:
        """The method that an instance has under this name, when the workspace defines it."""
        for owner in self.classes:
            if (found := own_method(owner.node, name)) is not None:
                return Definition(owner.path, f"{owner.name}.{name}", found)
        return None


_BUILTIN_BASES = frozenset(
    [
        "object",
        "dict",
        "list",
        "tuple",
        "str",
        "int",
        "float",
        "type",
        "Exception",
        "ValueError",
        "RuntimeError",
        "abc.ABC",
        "enum.Enum",
        "typing.NamedTuple",
        "typing.Protocol",
        "typing.Generic",
        "typing.TypedDict",
        "collections.OrderedDict",
        "unittest.TestCase",
        "argparse.Action",
    ]
)


def modules(workspace: Workspace, path: str) -> tuple[ModuleClass, ...]:
    """Subclasses of `nn.Module` in the file, in order; empty when it does not parse."""
    return workspace.memo(("modules", path), lambda: _modules(workspace, path))


def _modules(workspace: Workspace, path: str) -> tuple[ModuleClass, ...]:
    source = workspace.source(path)
    if source is None or source.tree is None:
        return ()
    found: list[ModuleClass] = []
    for name, node in classes(source.tree.body):
        above = ancestry(workspace, Definition(path, name, node))
        if above.is_module:
            found.append(_described(source, name, node, above))
    return tuple(found)


def classes(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[str, ast.ClassDef]]:
    """Classes at module level and inside classes, with their qualified names."""
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            yield prefix + statement.name, statement
            yield from classes(statement.body, f"{prefix}{statement.name}.")
        else:
            yield from classes(blocks(statement), prefix)


def classes_of(source: Source) -> dict[str, ast.ClassDef]:
    """All classes of a file by qualified name; kept as long as the source is."""
    kept: dict[str, dict[str, ast.ClassDef]] = source.__dict__
    if "classes" not in kept:
        kept["classes"] = dict(classes(source.tree.body)) if source.tree is not None else {}
    return kept["classes"]


def ancestry(workspace: Workspace, start: Definition) -> Ancestry:
    """Everything above a class, in an order close to the one of method lookup."""
    key = ("ancestry", start.path, start.name, start.node.lineno)
    return workspace.memo(key, lambda: _ancestry(workspace, start))


def _ancestry(workspace: Workspace, start: Definition) -> Ancestry:
    workspace.text(start.path)  # the answer holds nodes of this text, bases or not
    seen: list[Definition] = []
    outside: list[str] = []
    queue = [start]
    while queue and len(seen) < MAX_BASES:
        current = queue.pop(0)
        if current in seen or not isinstance(current.node, ast.ClassDef):
            continue
        seen.append(current)
        above: list[Definition] = []
        for base in current.node.bases:
            meaning = _base(workspace, current, base)
            if isinstance(meaning, Definition):
                above.append(meaning)
            elif isinstance(meaning, External):
                outside.append(meaning.name)
        queue = above + queue
    return Ancestry(tuple(seen), tuple(outside))


def _base(workspace: Workspace, owner: Definition, base: ast.expr) -> Meaning | None:
    if isinstance(base, ast.Subscript):  # `Base[T]`
        base = base.value
    name = dotted(base)
    if name is None:
        return None
    outer = owner.name.rpartition(".")[0]
    if outer and (nested := resolve(workspace, owner.path, f"{outer}.{name}")) is not None:
        return nested
    return resolve(workspace, owner.path, name) or External(name)


def own_method(node: ast.AST, name: str) -> ast.FunctionDef | ast.Assign | None:
    """The method, or `name = other`, in the body of a class."""
    for statement in node.body if isinstance(node, ast.ClassDef) else ():
        if isinstance(statement, ast.FunctionDef) and statement.name == name:
            return statement
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if isinstance(statement, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in targets):
            return statement
    return None


def _is_torch_module(name: str) -> bool:
    last = name.rpartition(".")[2]
    if name.startswith("torch.nn."):
        return last.lstrip("_")[:1].isupper() and last not in _NO_MODULE  # `_Loss`: people take it as a base
    return name.endswith("nn.Module") or (last.endswith("Module") and last != "Module")


def _has_forward(last: str) -> bool:
    return last not in _NO_FORWARD and (not last.startswith("_") or _PRIVATE_FORWARD.match(last) is not None)


def _described(source: Source, name: str, node: ast.ClassDef, above: Ancestry) -> ModuleClass:
    runs = above.method("forward")
    inherited = any(_is_torch_module(base) and _has_forward(base.rpartition(".")[2]) for base in above.outside)
    abstract = _is_stub(runs.node) if runs is not None else not inherited
    place = Span(source.path, 0, 0, 0, 0)
    return located(source, ModuleClass(name, 0, 0, 0, place, abstract=abstract), node)


def located(source: Source, module: ModuleClass, node: ast.ClassDef) -> ModuleClass:
    """The class at the place that its node has."""
    forward = own_method(node, "forward")
    return replace(
        module,
        line=node.lineno,
        column=node.col_offset,
        end_line=node.end_lineno or node.lineno,
        name_span=_name_span(source, node),
        forward_line=forward.lineno if isinstance(forward, ast.FunctionDef) else None,
    )


def _name_span(source: Source, node: ast.ClassDef) -> Span:
    line = source.lines[node.lineno - 1].encode()
    start = line.index(node.name.encode(), node.col_offset + len("class"))
    return Span(source.path, node.lineno, start, node.lineno, start + len(node.name.encode()))


def _is_stub(node: ast.stmt) -> bool:
    """Whether a `forward` only says that subclasses have one."""
    if not isinstance(node, ast.FunctionDef):
        return False
    if any((dotted(d) or "").rpartition(".")[2] == "abstractmethod" for d in node.decorator_list):
        return True
    body = [s for s in node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    if not body:
        return True
    raised = body[0].exc if len(body) == 1 and isinstance(body[0], ast.Raise) else None
    name = dotted(raised.func if isinstance(raised, ast.Call) else raised) if raised is not None else None
    return name == "NotImplementedError" or (len(body) == 1 and isinstance(body[0], ast.Pass))
