"""What a name of a file stands for, followed through imports to the file of the workspace that defines it."""

from __future__ import annotations

import ast
import os
import re
from dataclasses import dataclass

from fx_lsp.analysis.source import Source
from fx_lsp.analysis.workspace import Workspace

MAX_HOPS = 12
"""Imports followed from one name; a longer chain is a cycle or not worth it."""

MAX_BOUND = 50
"""Statements looked at that bind one name."""

_STAR = re.compile(r"\bimport\s*\(?\s*\*")
_RELATIVE = re.compile(r"^\s*from\s+(\.+)[\w.]*\s+import\b", re.MULTILINE)


@dataclass(frozen=True)
class Definition:
    """Something a workspace file binds."""

    path: str
    name: str
    """Qualified name in its file."""
    node: ast.stmt


@dataclass(frozen=True)
class ModuleFile:
    """A module of the workspace."""

    path: str


@dataclass(frozen=True)
class External:
    """Something from outside the workspace, under its dotted name: `torch.nn.Module`."""

    name: str


Meaning = Definition | ModuleFile | External


def dotted(node: ast.AST) -> str | None:
    """`nn.Module` of a chain of attributes on a name; None for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None


def resolve(workspace: Workspace, path: str, name: str, hops: int = MAX_HOPS) -> Meaning | None:
    """What a dotted name means at module level of a file; None when the file does not bind it."""
    first, *rest = name.split(".")
    meaning = _resolve_name(workspace, path, first, hops)
    for part in rest:
        if meaning is None:
            return None
        meaning = member(workspace, meaning, part, hops)
    return meaning


def member(workspace: Workspace, meaning: Meaning, name: str, hops: int = MAX_HOPS) -> Meaning | None:
    """What `meaning.name` means."""
    if isinstance(meaning, External):
        return External(f"{meaning.name}.{name}")
    if isinstance(meaning, ModuleFile):
        return _resolve_name(workspace, meaning.path, name, hops - 1) or _submodule(workspace, meaning.path, name)
    if isinstance(meaning.node, ast.ClassDef):
        for statement in meaning.node.body:
            if isinstance(statement, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and statement.name == name:
                return Definition(meaning.path, f"{meaning.name}.{name}", statement)
    return None


def _resolve_name(workspace: Workspace, path: str, name: str, hops: int) -> Meaning | None:
    source = workspace.source(path) if hops > 0 else None
    if source is None or source.tree is None:
        return None
    found: Meaning | None = None
    for statement in source.bindings.get(name, [])[:MAX_BOUND]:
        meaning = statement_meaning(workspace, source, statement, name, hops)
        # `try: from fast import f` / `except ImportError: f = None`: what leads into the workspace says most
        if found is None or (isinstance(found, External) and not isinstance(meaning, (External, type(None)))):
            found = meaning
    return found or _starred(workspace, source, name, hops)


def statement_meaning(
    workspace: Workspace, source: Source, statement: ast.stmt, name: str, hops: int = MAX_HOPS
) -> Meaning | None:
    """What a name means that the statement binds, wherever in the file that stands."""
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            if (alias.asname or alias.name.partition(".")[0]) == name:
                module = alias.name if alias.asname else name
                return module_meaning(workspace, source.path, module)
    if isinstance(statement, ast.ImportFrom):
        original = next(alias.name for alias in statement.names if (alias.asname or alias.name) == name)
        return _imported(workspace, source.path, statement, original, hops)
    target = dotted(statement.value) if isinstance(statement, ast.Assign) else None
    if target is not None and target.split(".")[0] != name:
        meaning = resolve(workspace, source.path, target, hops - 1)
        if meaning is not None:
            return meaning
    return Definition(source.path, name, statement)


def _imported(workspace: Workspace, path: str, statement: ast.ImportFrom, name: str, hops: int) -> Meaning | None:
    file = module_file(workspace, path, statement.module or "", statement.level)
    if file is None:
        outside = f"{'.' * statement.level}{statement.module or ''}"
        return External(f"{outside}.{name}" if statement.module else f"{outside}{name}")
    found = _resolve_name(workspace, file, name, hops - 1) if file != path else None
    return found or _submodule(workspace, file, name)


def _starred(workspace: Workspace, source: Source, name: str, hops: int) -> Meaning | None:
    outside: Meaning | None = None
    for statement in source.stars:
        file = module_file(workspace, source.path, statement.module or "", statement.level)
        if file is None:
            outside = outside or External(f"{statement.module}.{name}")
        elif (
            file != source.path
            and _may_bind(workspace, file, name)
            and (meaning := _resolve_name(workspace, file, name, hops - 1)) is not None
        ):
            return meaning
    return outside


def _may_bind(workspace: Workspace, path: str, name: str) -> bool:
    """Whether it is worth parsing the file: a package may import everything of hundreds of others."""
    text = workspace.text(path)
    return text is not None and (name in text or _STAR.search(text) is not None)


def module_meaning(workspace: Workspace, path: str, module: str) -> Meaning:
    """What `import module` in that file gives."""
    file = module_file(workspace, path, module, 0)
    return ModuleFile(file) if file is not None else External(module)


def _submodule(workspace: Workspace, path: str, name: str) -> ModuleFile | None:
    if os.path.basename(path) != "__init__.py":
        return None
    file = _file_of(workspace, os.path.join(os.path.dirname(path), name))
    return ModuleFile(file) if file is not None else None


def module_file(workspace: Workspace, path: str, module: str, level: int) -> str | None:
    """The workspace file that `from module import …` in `path` reads; None when it is from outside."""
    parts = module.split(".") if module else []
    if level:
        folder = os.path.dirname(path)
        for _ in range(level - 1):
            folder = os.path.dirname(folder)
        return _file_of(workspace, os.path.join(folder, *parts))
    for base in search_path(workspace, path):
        if (file := _file_of(workspace, os.path.join(base, *parts))) is not None:
            return file
    return None


def search_path(workspace: Workspace, path: str) -> list[str]:
    """Folders in which absolute imports of a file are looked up, as they are when it is run."""
    bases = [import_root(workspace, path), workspace.root, os.path.join(workspace.root, "src")]
    folder = _beyond_packages(workspace, path)
    while folder.startswith(workspace.root + os.sep):
        bases.append(folder)
        folder = os.path.dirname(folder)
    return list(dict.fromkeys(bases))


def import_root(workspace: Workspace, path: str) -> str:
    """The folder that has to be on `sys.path` for a file to be imported under its full name."""
    folder = _beyond_packages(workspace, path)
    inside = folder != os.path.dirname(path) and folder.startswith(workspace.root + os.sep)
    between = os.path.relpath(folder, workspace.root).split(os.sep) if inside else []
    for number in range(1, len(between)):  # a folder between two packages may be none
        if workspace.exists(os.path.join(workspace.root, *between[:number], "__init__.py")):
            return os.path.join(workspace.root, *between[: number - 1])
    outer = _beyond_packages(workspace, folder)
    if outer == os.path.dirname(folder) or os.path.join(outer, "").startswith(os.path.join(workspace.root, "")):
        return folder  # no package is around it, or one of the workspace, in which names follow the path
    packages = len(os.path.relpath(path, folder).split(os.sep)) - 1
    return outer if _highest_import(workspace, path) > packages else folder


def _highest_import(workspace: Workspace, path: str) -> int:
    """How many packages up the relative imports of a file and those beside it go, its own package being the first."""
    folder = os.path.dirname(path)

    def highest() -> int:
        texts = [workspace.text(file) or "" for file in workspace.files() if os.path.dirname(file) == folder]
        return max((len(dots) for text in texts for dots in _RELATIVE.findall(text)), default=0)

    return workspace.memo(("highest import", folder), highest)


def _beyond_packages(workspace: Workspace, path: str) -> str:
    """The nearest folder upwards from a path that is no package; nor is a root with a package of its own name in it."""
    folder, root = os.path.dirname(path), workspace.root
    while workspace.exists(os.path.join(folder, "__init__.py")) and os.path.dirname(folder) != folder:
        if folder == root and workspace.exists(os.path.join(root, os.path.basename(root), "__init__.py")):
            break
        folder = os.path.dirname(folder)
    return folder


def module_name(workspace: Workspace, path: str) -> str:
    """The dotted name under which a file is imported from its import root; empty when it has none."""
    relative = os.path.relpath(path, import_root(workspace, path)).removesuffix(".py").replace(os.sep, ".")
    name = relative.removesuffix(".__init__")
    return name if all(part.isidentifier() for part in name.split(".")) else ""


def _file_of(workspace: Workspace, stem: str) -> str | None:
    for path in (os.path.join(stem, "__init__.py"), f"{stem}.py"):
        if workspace.holds(path) and workspace.exists(path):
            return path
    return None


def imported_files(workspace: Workspace, path: str, limit: int) -> set[str]:
    """Workspace files that importing a file imports, itself included; at most about `limit`."""
    seen = {path}
    queue = [path]
    while queue and len(seen) < limit:
        source = workspace.source(queue.pop(0))
        if source is None:
            continue
        imports = (*source.every(ast.Import), *source.every(ast.ImportFrom))
        for file in (file for one in imports for file in _files_of_import(workspace, source.path, one)):
            if file not in seen:
                seen.add(file)
                queue.append(file)
    return seen


def _files_of_import(workspace: Workspace, path: str, statement: ast.Import | ast.ImportFrom) -> list[str]:
    files: list[str | None] = []
    if isinstance(statement, ast.Import):
        files = [module_file(workspace, path, alias.name, 0) for alias in statement.names]
    else:
        file = module_file(workspace, path, statement.module or "", statement.level)
        files = [file]
        for alias in statement.names if file is not None else ():
            submodule = _submodule(workspace, file, alias.name) if file is not None else None
            files.append(submodule.path if submodule is not None else None)
    return [file for file in files if file is not None]


def run_path(workspace: Workspace, scope: str) -> list[str]:
    """Folders that are searched first when `scope` is the file that is run; the worker sets them so."""
    top = import_root(workspace, scope)
    folder = os.path.dirname(scope)
    if top != folder:
        return [top, workspace.root]
    below = workspace.relative(scope).split("/")[:-1]
    root = os.path.join(workspace.root, "src") if below[:1] == ["src"] and len(below) > 1 else workspace.root
    return [root, folder]


def run_name(workspace: Workspace, scope: str, file: str, written: str = "") -> str:
    """The absolute name under which `scope` imports a file: as `written` if that leads there; empty when none does."""
    bases = run_path(workspace, scope)
    if written and any(_file_of(workspace, os.path.join(base, *written.split("."))) == file for base in bases):
        return written
    names = [module_name(workspace, file)] if import_root(workspace, file) in bases else []
    for base in bases:
        relative = os.path.relpath(file, base).removesuffix(".py").replace(os.sep, ".").removesuffix(".__init__")
        names.append(relative)
    return next((name for name in names if name and all(part.isidentifier() for part in name.split("."))), "")
