"""Classes that a configuration names: `instantiate(cfg.model)`, where `cfg.model` has a `_target_`."""

from __future__ import annotations

import ast
from typing import cast

from fx_lsp.analysis.config import Config
from fx_lsp.analysis.examples._bound import Place, nearest_first
from fx_lsp.analysis.examples._configs import hydra_config, loaded
from fx_lsp.analysis.examples._scopes import Scopes, parameter_of
from fx_lsp.analysis.names import Definition, External, ModuleFile, dotted, member, module_file
from fx_lsp.analysis.workspace import Workspace

MAX_HOPS = 8
_INSTANTIATE = ("hydra.utils.instantiate", "hydra.utils.call", "hydra.utils.get_class")


def instantiated(scopes: Scopes, place: Place, meaning: object, node: ast.Call) -> Definition | None:
    """The class whose instance `instantiate` makes."""
    if not isinstance(meaning, External) or meaning.name not in _INSTANTIATE or not node.args:
        return None
    config = _value(scopes, place, node.args[0], MAX_HOPS)
    target = cast("dict[str, object]", config).get("_target_") if isinstance(config, dict) else None
    return _definition(scopes.workspace, place.source.path, target) if isinstance(target, str) else None


def targeting(workspace: Workspace, config: Config, path: str, names: frozenset[str]) -> list[str]:
    """Files that instantiate what configurations name, if one names a class."""
    for document in workspace.documents(config.exclude):
        text = workspace.text(document) or "" if document.endswith((".yaml", ".yml")) else ""
        if "_target_" in text and any(f".{name}" in text for name in names):
            return [file for file in workspace.mentioning(frozenset(["instantiate"]), config.exclude) if file != path]
    return []


def _definition(workspace: Workspace, path: str, name: str) -> Definition | None:
    parts = name.split(".")
    for count in range(len(parts) - 1, 0, -1):
        file = module_file(workspace, path, ".".join(parts[:count]), 0)
        if file is not None:
            found = member(workspace, ModuleFile(file), parts[count])
            return found if isinstance(found, Definition) and len(parts) == count + 1 else None
    return None


def _value(scopes: Scopes, place: Place, node: ast.expr, hops: int) -> object:
    """The part of a configuration that an expression is, as far as that is known."""
    if hops <= 0:
        return None
    if isinstance(node, ast.Attribute):
        return _part(_value(scopes, place, node.value, hops - 1), node.attr)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return _part(_value(scopes, place, node.value, hops - 1), node.slice.value)
    if isinstance(node, ast.Call):
        meaning = scopes.meaning(place, dotted(node.func) or "")
        name = meaning.name if isinstance(meaning, External) else ""
        read = loaded(scopes.workspace, place.source, name, node)
        return ast.literal_eval(read[0]) if read is not None else None
    if not isinstance(node, ast.Name):
        return None
    bound, at = scopes.bound(place, node.id)
    for candidate in nearest_first(bound, place.line):
        if isinstance(candidate.value, ast.expr) and not candidate.items:
            return _value(scopes, at, candidate.value, hops - 1)
    parameter = parameter_of(place, node.id)
    if parameter is None:
        return None
    config = hydra_config(scopes.workspace, place.source, parameter.function)
    for outer, value, items in scopes.values(parameter) if config is None else ():
        if not items and config is None:
            config = cast("dict[str, object] | None", _value(scopes, outer, value, hops - 1))
    return config


def _part(config: object, key: object) -> object:
    return cast("dict[object, object]", config).get(key) if isinstance(config, dict) else None
