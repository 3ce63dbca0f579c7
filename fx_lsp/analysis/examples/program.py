"""Files that are run, not imported: their losses and loops, and what else they do with models besides calling them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from fx_lsp.analysis.config import Config
from fx_lsp.analysis.examples import Finder, Found
from fx_lsp.analysis.examples._instances import Instances
from fx_lsp.analysis.examples._reach import distance, files_reaching, rank_of_file
from fx_lsp.analysis.examples._sites import DEFINITIONS
from fx_lsp.analysis.examples._snippets import is_snippet
from fx_lsp.analysis.modules import modules
from fx_lsp.analysis.names import dotted
from fx_lsp.analysis.notebook import SUFFIX
from fx_lsp.analysis.source import Source, is_main_guard, module_statements
from fx_lsp.analysis.workspace import Workspace
from fx_lsp.model.example import PROGRAM, Example

MAX_OTHERS = 1
"""Programs in other files that are run for the classes of one."""


def find(workspace: Workspace, config: Config, path: str) -> tuple[Found, ...]:
    """The file as a program, and the first one that uses its classes; tests are none."""
    return tuple(_programs(workspace, config, path)) if config.programs else ()


def _programs(workspace: Workspace, config: Config, path: str) -> Iterator[Example]:
    if (own := _program(workspace, path)) is not None:
        yield own
    targets = {module.name for module in modules(workspace, path)}
    files = files_reaching(workspace, config, path, targets, Instances(workspace)) if targets else []
    scripts = [file for file in files if file != path and not is_snippet(file) and rank_of_file(file) > 0]
    scripts.sort(key=lambda file: (rank_of_file(file), distance(path, file), file))
    yield from [one for file in scripts if (one := _program(workspace, file)) is not None][:MAX_OTHERS]


def _program(workspace: Workspace, path: str) -> Example | None:
    source = workspace.source(path)
    if source is None or source.tree is None or "torch" not in source.text:
        return None
    runs = _computes(source) if path.endswith(SUFFIX) else _runs(source)
    start = next((one for one in source.tree.body if is_main_guard(one)), None) or next(runs, None)
    return Example(path, PROGRAM, "program", span=source.span(start)) if start is not None else None


def _computes(source: Source) -> Iterator[ast.stmt]:
    """Statements of a notebook that do more than define things: nobody imports it."""
    assert source.tree is not None
    for statement in source.tree.body:
        if isinstance(statement, _SIMPLE) and any(isinstance(node, ast.Call) for node in ast.walk(statement)):
            yield statement


def _runs(source: Source) -> Iterator[ast.stmt]:
    """Statements outside of functions that run a model or a function of the file: no import wants that."""
    assert source.tree is not None
    made, parts_of, defined, definitions = set[str](), set[str](), set[str](), list[ast.stmt]()
    for statement in module_statements(source.tree.body):
        if isinstance(statement, DEFINITIONS):
            definitions.append(statement)
            defined |= {statement.name} if not isinstance(statement, ast.ClassDef) else set()
        elif isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
            made |= _names(*statement.targets)
        parts_of |= _parts_of(statement, made | parts_of)
        parts = ast.walk(statement) if isinstance(statement, _SIMPLE) else ()
        calls = [node for node in parts if isinstance(node, ast.Call)]
        called = {call.func.id for call in calls if isinstance(call.func, ast.Name)}
        if (
            called & made
            or any(_gives(call, made, parts_of) or _is_backward(call) for call in calls)
            or (called & defined and (isinstance(statement, ast.Expr) or called & defined & _training(definitions)))
        ):
            yield statement


def _parts_of(statement: ast.stmt, made: set[str]) -> set[str]:
    """The names that a statement binds to entries of what has one of these: `x, y = batches[0]`, a loop over it."""
    if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Subscript):
        return _names(*statement.targets) if _names(statement.value.value) & made else set()
    if isinstance(statement, ast.For):
        return _names(statement.target) if _names(statement.iter) & made else set()
    return set()


def _names(*nodes: ast.expr) -> set[str]:
    return {part.id for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name)}


def _training(definitions: Iterable[ast.stmt]) -> set[str]:
    """Which of them compute gradients, which nobody wants of an import, or call one before them that does."""
    found = set[str]()
    for one in definitions:
        calls = [node for node in ast.walk(one) if isinstance(node, ast.Call)]
        if any(_is_backward(call) or getattr(call.func, "id", "") in found for call in calls):
            found.add(getattr(one, "name", ""))
    return found


def _is_backward(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "backward"


def _gives(call: ast.Call, made: set[str], parts: set[str]) -> bool:
    """Whether one of these, a part of one or a tensor is given to a method of one of them, as in `model.encode(x)`, but
    not for it to keep, as a registry does."""
    owner, _, method = (dotted(call.func) or "").rpartition(".")
    if owner not in made or _KEEPS.match(method):
        return False
    return any(
        one.id in made | parts if isinstance(one, ast.Name) else isinstance(one, ast.Call) and _is_tensor(one)
        for one in call.args
    )


def _is_tensor(call: ast.Call) -> bool:
    head, _, name = (dotted(call.func) or "").rpartition(".")
    return head == "torch" and (name in _TENSORS or name.endswith("_like"))


_TENSORS = frozenset({"rand", "randn", "randint", "randperm", "ones", "zeros", "full", "tensor", "arange", "linspace",
                      "eye", "from_numpy"})  # fmt: skip
_KEEPS = re.compile(r"register|add|set|store|define|warn|append|update|insert|put")
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)
FINDER = Finder("program", find)
