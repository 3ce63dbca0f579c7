"""Classes that say themselves how they run: defaults for everything, or example inputs next to them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from fx_lsp.analysis.config import Config
from fx_lsp.analysis.examples import Finder, Found
from fx_lsp.analysis.examples._arguments import required
from fx_lsp.analysis.examples._bound import own_statements
from fx_lsp.analysis.examples._constructors import constructors, definition_of
from fx_lsp.analysis.examples._slice import Slice
from fx_lsp.analysis.modules import Ancestry, ancestry, modules
from fx_lsp.analysis.names import Definition, dotted
from fx_lsp.analysis.source import Source
from fx_lsp.analysis.workspace import Workspace
from fx_lsp.model.example import Example

_INPUT = re.compile(r"(example|dummy|sample)_(inputs?|args|kwargs|batch|x|input_array)", re.IGNORECASE)
_ON_INSTANCE = ("example_input_array", "dummy_inputs")
MAX_WAYS = 2


def find(workspace: Workspace, config: Config, path: str) -> tuple[Found, ...]:
    """Examples for classes that need no input, or whose input stands in the file."""
    source = workspace.source(path)
    if source is None:
        return ()
    found: list[Example] = []
    for module in modules(workspace, path):
        definition = definition_of(workspace, path, module.name)
        if module.abstract or definition is None:
            continue
        for setup, call in _calls(workspace, config, source, definition):
            before = config.before(path, setup)
            dims = tuple(config.dims.items())
            found.append(Example(path, call, "default", before, module.name, source.span(definition.node), dims))
    return tuple(found)


def _calls(workspace: Workspace, config: Config, source: Source, definition: Definition) -> Iterator[tuple[str, str]]:
    above = ancestry(workspace, definition)
    on_instance = [(name, star) for name in _ON_INSTANCE if (star := _attribute(above, name)) is not None]
    beside = list(_beside(source))
    alone = _needs_no_input(above)
    if not on_instance and not beside and not alone:
        return
    ways: list[Slice] = []
    for made in constructors(workspace, config, definition):
        ways.append(made)
        if len(ways) >= MAX_WAYS:
            break
    if "get_init_inputs" in source.bindings and any(text == "*get_inputs()" for text in beside):
        ways.insert(0, Slice("", f"{definition.name}(*get_init_inputs())", 0))
    for made in ways:
        for name, star in on_instance:
            yield "\n".join(t for t in (made.setup, f"model = {made.call}") if t), f"model({star}model.{name})"
        for inputs in beside:
            yield made.setup, f"{made.call}({inputs})"
        if alone and not on_instance and not beside:
            yield made.setup, f"{made.call}()"


def _needs_no_input(above: Ancestry) -> bool:
    forward = above.method("forward")
    if forward is None or not isinstance(forward.node, ast.FunctionDef):
        return False
    return not required(forward.node) and forward.node.args.vararg is None


def _attribute(above: Ancestry, name: str) -> str | None:
    """How the value of an attribute or property is handed over: `*` for a tuple, `**` for a dict, else as it is."""
    for owner in above.classes:
        for statement in own_statements(owner.node.body) if isinstance(owner.node, ast.ClassDef) else ():
            if isinstance(statement, ast.FunctionDef) and statement.name == name:
                returned = [s.value for s in own_statements(statement.body) if isinstance(s, ast.Return) and s.value]
                return _stars(returned[0], statement.body) if returned else None
            for inner in own_statements(statement.body) if isinstance(statement, ast.FunctionDef) else (statement,):
                if isinstance(inner, ast.Assign) and dotted(inner.targets[0]) in (name, f"self.{name}"):
                    return _stars(inner.value, [])
    return None


def _stars(value: ast.expr, body: list[ast.stmt]) -> str:
    if isinstance(value, ast.Name):
        assigned = [s for s in own_statements(body) if isinstance(s, ast.Assign)]
        value = next((s.value for s in assigned if dotted(s.targets[0]) == value.id), value)
    if isinstance(value, ast.Dict) or (isinstance(value, ast.Call) and dotted(value.func) == "dict"):
        return "**"
    return "*" if isinstance(value, (ast.Tuple, ast.List)) else ""


def _beside(source: Source) -> Iterator[str]:
    """Inputs that the file defines at its top."""
    for name, statements in source.bindings.items():
        last = statements[-1]
        if isinstance(last, ast.Assign) and _INPUT.fullmatch(name):
            yield _stars(last.value, []) + name
        elif isinstance(last, ast.FunctionDef) and name == "get_inputs" and not required(last, method=False):
            yield "*get_inputs()"


FINDER = Finder("default", find)
