"""Imports of one file, as another file can make them."""

from __future__ import annotations

import ast

from fx_lsp.analysis.names import Definition, ModuleFile, member, module_file, resolve, run_name
from fx_lsp.analysis.source import Source
from fx_lsp.analysis.workspace import Workspace


class NotImportable(Exception):
    """The file of the model cannot import this."""


def carried(
    workspace: Workspace, scope: str, source: Source, statement: ast.Import | ast.ImportFrom, needed: set[str]
) -> list[ast.stmt]:
    """What to write in the namespace of `scope` for the names that an import of `source` gives.

    Names of `scope` itself are there already.

    Raises:
        NotImportable: there is no absolute import for it.
    """
    found: list[ast.stmt] = []
    for alias in statement.names:
        bound = alias.asname or (alias.name.partition(".")[0] if isinstance(statement, ast.Import) else alias.name)
        if bound not in needed or _is_there(workspace, scope, source, bound):
            continue
        if isinstance(statement, ast.Import):
            found.append(_whole(workspace, scope, source, alias))
        elif statement.module != "__future__":
            found.extend(_part(workspace, scope, source, statement, alias, bound))
    return found


def may_give(workspace: Workspace, source: Source, star: ast.ImportFrom, name: str) -> bool:
    """Whether `from … import *` may bring the name: not from a file of the workspace that has nothing of that name."""
    file = module_file(workspace, source.path, star.module or "", star.level)
    home = workspace.source(file) if file is not None else None
    return home is None or home.tree is None or bool(home.stars) or name in home.bindings


def _is_there(workspace: Workspace, scope: str, source: Source, bound: str) -> bool:
    """Whether the file of the model imports the same thing under the same name."""
    own = workspace.source(scope)
    meaning = resolve(workspace, scope, bound)
    same = meaning is not None and meaning == resolve(workspace, source.path, bound)
    # `import a.b` binds `a`, which says nothing about `a.c`
    return same and own is not None and not isinstance(meaning, ModuleFile)


def _whole(workspace: Workspace, scope: str, source: Source, alias: ast.alias) -> ast.stmt:
    file = module_file(workspace, source.path, alias.name, 0)
    if file is None:
        return ast.Import([ast.alias(alias.name, alias.asname)])
    name = _name(workspace, scope, file, alias.name)
    if name != alias.name and alias.asname is None and "." in alias.name:
        raise NotImportable(alias.name)
    return ast.Import([ast.alias(name, alias.asname if name == alias.name else alias.asname or alias.name)])


def _part(
    workspace: Workspace, scope: str, source: Source, statement: ast.ImportFrom, alias: ast.alias, bound: str
) -> list[ast.stmt]:
    file = module_file(workspace, source.path, statement.module or "", statement.level)
    if file is None:
        if statement.level:
            raise NotImportable("." * statement.level + (statement.module or ""))
        return [ast.ImportFrom(statement.module, [ast.alias(alias.name, alias.asname)], 0)]
    meaning = member(workspace, ModuleFile(file), alias.name)
    if isinstance(meaning, Definition) and meaning.path == scope:
        if bound == meaning.name:
            return []
        return [ast.Assign([ast.Name(bound, ast.Store())], ast.Name(meaning.name, ast.Load()))]
    if isinstance(meaning, ModuleFile):
        whole = _name(workspace, scope, meaning.path, "")
        package, _, last = whole.rpartition(".")
        name = None if last == bound else bound
        return [ast.ImportFrom(package, [ast.alias(last, name)], 0) if package else ast.Import([ast.alias(last, name)])]
    written = (statement.module or "") if not statement.level else ""
    return [ast.ImportFrom(_name(workspace, scope, file, written), [ast.alias(alias.name, alias.asname)], 0)]


def _name(workspace: Workspace, scope: str, file: str, written: str) -> str:
    name = run_name(workspace, scope, file, written)
    if not name:
        raise NotImportable(file)
    return name
