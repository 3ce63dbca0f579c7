"""What only other files do with a class: read an attribute that it makes, such as a sampler that takes
`model.alpha_bar`, or convert what it makes to double precision."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from fx_lsp.analysis.config import Config
from fx_lsp.analysis.modules import classes_of, modules, own_method
from fx_lsp.analysis.snapshot import ModuleClass
from fx_lsp.analysis.source import Source
from fx_lsp.analysis.workspace import Workspace

LONGEST = 100
"""Characters of a text that may name an attribute."""


CONVERT = frozenset({"double", "float64", "set_default_dtype"})
"""Words without which no file asks for double precision."""


def with_users(workspace: Workspace, config: Config, path: str) -> tuple[ModuleClass, ...]:
    """The module classes of the file, each with those of its attributes that no line of it reads and another file does,
    and with whether another one asks for double precision.

    No attribute is searched where every one that is made of a call is read in the file, as it mostly is.
    """
    found, source = modules(workspace, path), workspace.source(path)
    if not found or source is None:
        return found
    read = {name for name, _ in _reads(source)}
    classes = classes_of(source)
    made = {one.name: frozenset(_made(classes[one.name])) - read for one in found if one.name in classes}
    wanted = frozenset[str]().union(*made.values())
    owners = frozenset(one.name.rpartition(".")[2] for one in found)
    with workspace.settled():
        there = frozenset(_there(workspace, config, path, wanted, owners)) if wanted else frozenset[str]()
        double = frozenset(_in_double(workspace, config, path, owners))
    return tuple(
        replace(
            one,
            for_others=made.get(one.name, frozenset[str]()) & there,
            in_double=one.name.rpartition(".")[2] in double,
        )
        for one in found
    )


def _in_double(workspace: Workspace, config: Config, path: str, owners: frozenset[str]) -> Iterator[str]:
    """Those of the classes that a file names which asks for double precision: nobody follows what it converts."""
    for file, present in workspace.mentioning(owners | CONVERT, config.exclude).items():
        source = workspace.source(file) if file != path and present & owners and present & CONVERT else None
        if source is not None and any(_converts(call) for call in source.every(ast.Call)):
            yield from present & owners


def _converts(call: ast.Call) -> bool:
    """Whether it makes doubles of all that a model has, or may."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name == "double":
        return not call.args
    given = (*call.args, *(one.value for one in call.keywords))
    return name in {"to", "set_default_dtype"} and any(
        isinstance(one, ast.Attribute) and one.attr in {"double", "float64"} for one in given
    )


def _made(owner: ast.ClassDef) -> Iterator[str]:
    """What `__init__` assigns to `self` and calls something for."""
    init = own_method(owner, "__init__")
    for node in ast.walk(init) if init is not None else ():
        for target in node.targets if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) else ():
            if isinstance(target, ast.Attribute) and _is_self(target.value):
                yield target.attr


def _there(
    workspace: Workspace, config: Config, path: str, wanted: frozenset[str], owners: frozenset[str]
) -> Iterator[str]:
    """Those of `wanted` that other files read of something that may be one of the classes.

    A file that names none of `owners` reads `self.name` of another class, and so it does what it binds itself.
    """
    for file, present in workspace.mentioning(wanted | owners, config.exclude).items():
        source = workspace.source(file) if file != path and present & wanted else None
        if source is not None and source.tree is None:
            yield from present & wanted  # nobody knows
        elif source is not None:
            if present & owners:
                yield from (name for name, _ in _reads(source))
            else:
                bound = set(_bound(source))
                yield from {name for name, of_self in _reads(source) if not of_self} - bound


def _bound(source: Source) -> Iterator[str]:
    for node in source.every(ast.Attribute):
        if isinstance(node.ctx, ast.Store) and _is_self(node.value):
            yield node.attr


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _reads(source: Source) -> Iterator[tuple[str, bool]]:
    """Names of attributes that the file reads, and whether of `self`; texts may be such names too."""
    for node in source.every(ast.Attribute):
        if isinstance(node.ctx, ast.Load):
            yield node.attr, _is_self(node.value)
    for text in source.every(ast.Constant):
        if isinstance(text.value, str) and len(text.value) < LONGEST:
            yield text.value.rpartition(".")[2], False
