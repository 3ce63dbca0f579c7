"""Models of other files that contain the classes of a file."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from fx_lsp.analysis.config import Config
from fx_lsp.analysis.examples._reach import importing
from fx_lsp.analysis.modules import classes_of, modules
from fx_lsp.analysis.names import Definition, dotted, resolve
from fx_lsp.analysis.workspace import Workspace

MAX_HEIGHT = 3
"""How far up: a block's stage, the stage's model, the model's wrapper."""


def users_elsewhere(
    workspace: Workspace, config: Config, path: str, names: Sequence[str]
) -> dict[str, list[Definition]]:
    """Per class name of the file, the module classes of other files that name it, nearest first."""
    found: dict[str, list[Definition]] = {name: [] for name in names}
    level = {(path, name): {name} for name in names}
    for _ in range(MAX_HEIGHT):
        above: dict[tuple[str, str], set[str]] = {}
        for (file, target), user in _users(workspace, config, list(level)):
            for name in level[file, target]:
                if user not in found[name]:
                    found[name].append(user)
                    above.setdefault((user.path, user.name), set()).add(name)
        level = above
    return found


def _users(
    workspace: Workspace, config: Config, wanted: list[tuple[str, str]]
) -> Iterator[tuple[tuple[str, str], Definition]]:
    for path in dict.fromkeys(path for path, _ in wanted):
        names = {name.rpartition(".")[2]: name for file, name in wanted if file == path}
        for file in [path, *importing(workspace, config, path, frozenset(names))]:
            source = workspace.source(file)
            if source is None or source.tree is None:
                continue
            nodes = classes_of(source)
            for module in modules(workspace, file):
                for written in sorted(_written(nodes[module.name], names)):
                    short = written.rpartition(".")[2]
                    meaning = resolve(workspace, file, written)
                    here = file == path and module.name != names[short]
                    if here or (file != path and isinstance(meaning, Definition) and meaning.path == path):
                        yield (path, names[short]), Definition(file, module.name, nodes[module.name])


def _written(node: ast.ClassDef, names: Iterable[str]) -> set[str]:
    """Dotted names in the body of a class that end in one of the names."""
    found: set[str] = set()
    for statement in node.body:
        for inner in ast.walk(statement):
            written = dotted(inner) if isinstance(inner, (ast.Name, ast.Attribute)) else None
            if written is not None and written.rpartition(".")[2] in names:
                found.add(written)
    return found
