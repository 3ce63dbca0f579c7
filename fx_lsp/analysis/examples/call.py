"""Real calls of a model in its workspace: in its own file, in tests, in training scripts, in its documentation."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from dataclasses import dataclass

from fx_lsp.analysis.config import Config
from fx_lsp.analysis.examples import Finder, Found
from fx_lsp.analysis.examples._instances import Instances, Place
from fx_lsp.analysis.examples._reach import files_reaching, rank_of_file
from fx_lsp.analysis.examples._sites import Site, sites
from fx_lsp.analysis.examples._slice import Slice, cut
from fx_lsp.analysis.examples._snippets import is_snippet, snippet_span
from fx_lsp.analysis.modules import modules
from fx_lsp.analysis.names import Definition
from fx_lsp.analysis.source import Source
from fx_lsp.analysis.workspace import Workspace
from fx_lsp.model.example import Example

MAX_SLICES = 12
"""Calls of one class kept."""
MAX_CUTS = 40
"""Calls of one class looked at more closely."""


@dataclass(frozen=True, eq=False)
class Use:
    """A call of an instance."""

    site: Site
    target: str
    rank: int


def find(workspace: Workspace, config: Config, path: str) -> tuple[Found, ...]:
    """Examples for the classes of a file, the best of each class first."""
    found: dict[str, list[tuple[int, int, Example]]] = {}
    looked: dict[str, int] = {}
    for use in uses(workspace, config, path):
        mine = found.setdefault(use.target, [])
        looked[use.target] = looked.get(use.target, 0) + 1
        if len(mine) >= MAX_SLICES or looked[use.target] > MAX_CUTS:
            continue
        if (part := cut(workspace, use.site, path)) is not None:
            example = _example(path, use, part)
            if all((example.setup, example.call) != (other.setup, other.call) for _, _, other in mine):
                mine.append((use.rank, part.size, example))
    return tuple(example for mine in found.values() for _, _, example in sorted(mine, key=lambda item: item[:2]))


def uses(workspace: Workspace, config: Config, path: str) -> Iterator[Use]:
    """Calls of instances of the file's classes, in its own file first."""
    targets = {module.name for module in modules(workspace, path) if not module.abstract}
    instances = Instances(workspace)
    for file in files_reaching(workspace, config, path, targets, instances) if targets else ():
        source = workspace.source(file)
        for site in sites(source) if source is not None else ():
            model = called_model(instances, site)
            if model is not None and model.path == path and model.name in targets:
                yield Use(site, model.name, _rank(path, source, site) if source is not None else 0)


def called_model(instances: Instances, site: Site) -> Definition | None:
    """The module class whose instance is called there, except inside another module: that is its own model's run."""
    func = site.call.func
    model = func.value if isinstance(func, ast.Attribute) and func.attr == "forward" else func
    if isinstance(model, ast.Attribute) and not isinstance(model.value, ast.Name):
        return None
    return None if inside_module(instances, site) else instances.of(place_of(site), model)


def place_of(site: Site) -> Place:
    """Where the call stands."""
    return Place(site.source, site.owners, site.call.lineno)


def inside_module(instances: Instances, site: Site) -> bool:
    """Whether it is code of an `nn.Module`."""
    outer = [owner for owner in site.owners if isinstance(owner, ast.ClassDef)]
    name = ".".join(owner.name for owner in outer)
    return bool(outer) and instances.is_module(Definition(site.source.path, name, outer[-1]))


def _rank(path: str, source: Source, site: Site) -> int:
    if is_snippet(source.path):
        return 3
    if source.path == path:
        return 0 if site.in_main else 1
    return (2, 4, 5)[rank_of_file(source.path)]


def _example(path: str, use: Use, part: Slice) -> Example:
    span = snippet_span(use.site.source.span(use.site.call))
    return Example(os.path.normpath(path), part.call, "call", part.setup, use.target, span)


FINDER = Finder("call", find)
