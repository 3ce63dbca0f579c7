"""Values of configuration files, as the code reads them: `@hydra.main`, `OmegaConf.load`, `yaml.safe_load`."""

from __future__ import annotations

import ast
import os
from collections.abc import Mapping
from typing import cast

from fx_lsp.analysis.examples._sites import Function
from fx_lsp.analysis.names import External, dotted, resolve
from fx_lsp.analysis.source import Source
from fx_lsp.analysis.workspace import Workspace
from fx_lsp.analysis.yaml_text import NotYaml, read_yaml
from fx_lsp.model import syntax

MAX_WRITTEN = 8_000
"""Characters of a configuration that is written into an example."""
MAX_PARTS = 40
"""Files that one configuration is put together from."""

_PLAIN = ("yaml.safe_load", "yaml.load", "yaml.full_load", "yaml.unsafe_load")
_OMEGA = "omegaconf.OmegaConf.load"

Tree = dict[str, object]


def hydra_config(workspace: Workspace, source: Source, function: Function) -> Tree | None:
    """What `@hydra.main(config_path=…, config_name=…)` gives to a function."""
    for decorator in function.decorator_list:
        if not isinstance(decorator, ast.Call):
            continue
        meaning = resolve(workspace, source.path, dotted(decorator.func) or "")
        if not isinstance(meaning, External) or meaning.name != "hydra.main":
            continue
        given = {k.arg: k.value.value for k in decorator.keywords if isinstance(k.value, ast.Constant)}
        positional = [a.value if isinstance(a, ast.Constant) else None for a in decorator.args]
        folder = given.get("config_path", positional[0] if positional else None)
        name = given.get("config_name", positional[1] if len(positional) > 1 else None)
        if isinstance(name, str):
            base = os.path.join(os.path.dirname(source.path), folder if isinstance(folder, str) else "")
            return _Composer(workspace, os.path.normpath(base)).config(name)
    return None


def written(config: object) -> ast.expr | None:
    """A configuration as an expression; None when it is too long for an example, or holds what is no literal."""
    text = repr(config)
    if len(text) > MAX_WRITTEN:
        return None
    tree = syntax.expression(text).body
    return None if any(isinstance(node, ast.Name) for node in ast.walk(tree)) else tree


def loaded(workspace: Workspace, source: Source, name: str, node: ast.Call) -> tuple[ast.expr, bool] | None:
    """What a call reads from a file of the workspace, and whether with `OmegaConf`; None when it does something else.

    The path is written there, or in the `with` statement or the command line option that gives it.
    """
    if name not in (*_PLAIN, _OMEGA) or not node.args:
        return None
    path = _path(source, node.args[0])
    for folder in (workspace.root, os.path.dirname(source.path)) if path else ():
        text = workspace.text(os.path.normpath(os.path.join(folder, path)))
        if text is not None:
            try:
                value = written(read_yaml(text))
            except NotYaml:
                return None
            return (value, name == _OMEGA) if value is not None else None
    return None


def omega(value: ast.expr) -> tuple[ast.expr, dict[str, ast.stmt]]:
    """A configuration as `OmegaConf` makes it, and the import for that."""
    call = ast.Call(ast.Attribute(ast.Name("OmegaConf", ast.Load()), "create", ast.Load()), [value], [])
    return call, {"OmegaConf": ast.ImportFrom("omegaconf", [ast.alias("OmegaConf")], 0)}


def _path(source: Source, node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.Call) and dotted(node.func) in ("open", "Path", "pathlib.Path") and node.args:
        return _path(source, node.args[0])
    if isinstance(node, ast.Attribute):
        return option(source, node.attr)
    if isinstance(node, ast.Name):
        for each in ast.walk(source.tree) if source.tree is not None else ():
            target = each.optional_vars if isinstance(each, ast.withitem) else None
            if isinstance(each, ast.withitem) and isinstance(target, ast.Name) and target.id == node.id:
                return _path(source, each.context_expr) if isinstance(each.context_expr, ast.Call) else ""
            if isinstance(each, ast.Assign) and dotted(each.targets[0]) == node.id:
                return _path(source, each.value) if not isinstance(each.value, ast.Name) else ""
    return ""


def option(source: Source, name: str) -> str:
    """The default of `add_argument("--name", default="…")`; empty where there is none, or it is no string."""
    for each in ast.walk(source.tree) if source.tree is not None else ():
        if not isinstance(each, ast.Call) or not isinstance(each.func, ast.Attribute):
            continue
        if each.func.attr == "add_argument":
            flags = [
                str(flag.value).lstrip("-").replace("-", "_") for flag in each.args if isinstance(flag, ast.Constant)
            ]
            default = next((k.value for k in each.keywords if k.arg == "default"), None)
            if name in flags and isinstance(default, ast.Constant) and isinstance(default.value, str):
                return default.value
    return ""


class _Composer:
    """Puts a configuration together from the files that its defaults name."""

    def __init__(self, workspace: Workspace, folder: str) -> None:
        self.workspace, self.folder = workspace, folder
        self.left = MAX_PARTS

    def config(self, name: str, group: str = "") -> Tree | None:
        """The file of that name in a group, with its defaults; None when it cannot be read."""
        self.left -= 1
        stem = name if name.endswith((".yaml", ".yml")) else f"{name}.yaml"
        text = self.workspace.text(os.path.join(self.folder, group, stem)) if self.left >= 0 else None
        try:
            own = read_yaml(text) if text is not None else None
        except NotYaml:
            return None
        if own is None and text is not None:
            own = {}
        if not isinstance(own, dict):
            return None
        tree = cast("Tree", own)
        defaults = tree.pop("defaults", [])
        found: Tree = {}
        for entry in (*cast("list[object]", defaults), "_self_") if isinstance(defaults, list) else ("_self_",):
            if entry == "_self_":
                _merge(found, tree)
                tree = {}
            elif not self._default(found, entry, group):
                return None
        return found

    def _default(self, found: Tree, entry: object, group: str) -> bool:
        if isinstance(entry, str):
            part = self.config(entry.lstrip("/"), "" if entry.startswith("/") else group)
            _merge(found, part or {})
            return part is not None
        for key, name in cast("Mapping[object, object]", entry).items() if isinstance(entry, dict) else ():
            words = str(key).split()
            if name is None or words[0] == "override":
                continue
            inner, _, package = words[-1].lstrip("/").partition("@")
            absolute = words[-1].startswith("/") or not group
            part = self.config(str(name), inner if absolute else f"{group}/{inner}")
            if part is None:
                if words[0] == "optional" or inner.startswith("hydra"):
                    continue
                return False
            head = self.workspace.text(os.path.join(self.folder, inner, f"{name}.yaml")) or ""
            place = "" if package == "_global_" or "@package _global_" in head[:200] else package or inner
            _merge(_below(found, place.replace("/", ".")), part)
        return True


def _below(tree: Tree, place: str) -> Tree:
    for part in place.split(".") if place else ():
        inner = tree.setdefault(part, {})
        if not isinstance(inner, dict):
            inner = tree[part] = {}
        tree = cast("Tree", inner)
    return tree


def _merge(tree: Tree, other: Mapping[str, object]) -> None:
    for key, value in other.items():
        mine = tree.get(key)
        if isinstance(mine, dict) and isinstance(value, dict):
            _merge(cast("Tree", mine), cast("Tree", value))
        else:
            tree[key] = value
