"""Which modules of a workspace have to be imported anew when some of its files are other ones."""

from __future__ import annotations

import os
import sys
from types import FunctionType, ModuleType
from typing import Any, Collection, Dict, Optional, Set

from fx_lsp.worker.overlay import Workspace


def forget(workspace: Workspace, files: Optional[Collection[str]] = None) -> None:
    """Let the workspace's modules be imported anew: all of them, or those of some files and what was made from them.

    What a module merely wrote into another one, as into a registry, is not seen: who leaves modules in place has to
    look whether what comes out is new.
    """
    ours = {name: module for name, module in [*sys.modules.items()] if _file(module, workspace)}
    gone = (
        set(ours)
        if files is None
        else _made_from(ours, {name for name in ours if _file(ours[name], workspace) in files})
    )
    for name in gone:
        del sys.modules[name]


def _file(module: Any, workspace: Workspace) -> str:
    """Real path of a module of the workspace; empty for any other."""
    path = getattr(module, "__file__", None)
    known = isinstance(path, str) and os.path.isabs(path) and workspace.is_ours(path)
    return os.path.realpath(path) if known else ""


def _made_from(modules: Dict[str, ModuleType], first: Set[str]) -> Set[str]:
    """Names of the modules with anything in them that is from one of the `first` ones, or from those."""
    gone, new = set(first), set(first)
    while new:
        left = {name: module for name, module in modules.items() if name not in gone}
        new = {
            name for name, module in left.items() if any(_is_from(one, name, gone) for one in [*vars(module).values()])
        }
        gone |= new
    return gone


def _is_from(item: Any, holder: str, gone: Set[str]) -> bool:
    if isinstance(item, ModuleType):  # a package holds its modules by itself: importing them anew replaces them there
        name = vars(item).get("__name__")
        return name in gone and not str(name).startswith(f"{holder}.")
    if isinstance(item, type):
        return any(vars(cls).get("__module__") in gone for cls in type.mro(item))
    if isinstance(item, FunctionType):
        return item.__module__ in gone
    return vars(type(item)).get("__module__") in gone
