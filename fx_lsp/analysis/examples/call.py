"""Real calls of a model in its workspace: in its own file, in tests, in training scripts, in its documentation."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Container, Iterator
from dataclasses import dataclass

from fx_lsp.analysis.config import Config
from fx_lsp.analysis.examples import Finder, Found
from fx_lsp.analysis.examples._arguments import required
from fx_lsp.analysis.examples._bound import Place
from fx_lsp.analysis.examples._fixtures import rows
from fx_lsp.analysis.examples._instances import Instances
from fx_lsp.analysis.examples._reach import files_reaching, rank_of_file
from fx_lsp.analysis.examples._registered import registered
from fx_lsp.analysis.examples._rows import MAX_ROWS, is_to_fail
from fx_lsp.analysis.examples._runners import instance_of, run_of
from fx_lsp.analysis.examples._sites import Site, sites
from fx_lsp.analysis.examples._slice import Slice, cut
from fx_lsp.analysis.examples._snippets import is_snippet, snippet_span
from fx_lsp.analysis.examples._trainers import step_of
from fx_lsp.analysis.modules import ancestry, classes_of, modules, own_method
from fx_lsp.analysis.names import Definition
from fx_lsp.analysis.source import Source, parse_expression
from fx_lsp.analysis.workspace import Workspace
from fx_lsp.model.example import Example

MAX_SLICES = 12
"""Calls of one class kept."""
LAST = 9
"""Rank of calls of other methods: they tell little about `forward`, and something about the rest."""
_NO_RUN = re.compile(
    r"_|load|save|from_|set_|init|reset|freeze|unfreeze|config|print|to_|train$|eval$|register|add_|apply"
)
"""Names of methods that prepare a model."""
MAX_CUTS = 40
"""Calls of one class looked at more closely."""


@dataclass(frozen=True, eq=False)
class Use:
    """A call of an instance."""

    site: Site
    node: ast.expr
    """The call that runs the model: the site's own, or what that does with the model."""
    target: str
    rank: int
    row: int
    """The how manieth of their values the loops and tests around it have."""


def find(workspace: Workspace, config: Config, path: str) -> tuple[Found, ...]:
    """Examples for the classes of a file, the best of each class first."""
    found: dict[str, list[tuple[int, int, int, Example]]] = {}
    looked: dict[tuple[str, bool], int] = {}
    for use in uses(workspace, config, path):
        mine = found.setdefault(use.target, [])
        kind = use.target, use.rank == LAST
        looked[kind] = looked.get(kind, 0) + 1
        same = sum((rank == LAST) == kind[1] for rank, *_ in mine)
        if same >= MAX_SLICES or looked[kind] > MAX_CUTS:
            continue
        if (part := cut(workspace, use.site, path, use.node, use.row)) is not None:
            example = _example(path, use, part)
            if _is_nothing(use.node, example.call) and _takes_something(workspace, path, use.target):
                continue
            if all((example.setup, example.call) != (other.setup, other.call) for *_, other in mine):
                mine.append((use.rank, use.row, part.size, example))
    return tuple(example for mine in found.values() for *_, example in sorted(mine, key=lambda item: item[:3]))


def uses(workspace: Workspace, config: Config, path: str) -> Iterator[Use]:
    """Calls of instances of the file's classes, in its own file first; last those with other values of loops and tests
    than the first."""
    targets = {module.name for module in modules(workspace, path) if not module.abstract}
    by_row = [Instances(workspace, row) for row in range(MAX_ROWS)]
    known = registered(workspace, path, by_row[0]) if targets else {}
    for instances in by_row:
        instances.registered = known
    methods = frozenset(_methods(workspace, path))
    again: list[tuple[Site, int]] = []
    for file in files_reaching(workspace, config, path, targets, by_row[0]) if targets else ():
        source = workspace.source(file)
        for site in sites(source) if source is not None else ():
            yield from _uses(by_row[0], site, methods, path, targets)
            again += [(site, row) for row in range(1, rows(workspace, site))]
    for site, row in again:
        yield from _uses(by_row[row], site, methods, path, targets)


def _uses(
    instances: Instances, site: Site, methods: frozenset[str], path: str, targets: Container[str]
) -> Iterator[Use]:
    found = called_model(instances, site, methods)
    if found is None or found[0].path != path or found[0].name not in targets:
        return
    if not is_to_fail(site, instances.row):
        rank = _rank(path, site.source, site) if found[2] else LAST
        yield Use(site, found[1], found[0].name, rank, instances.row)


def _methods(workspace: Workspace, path: str) -> Iterator[str]:
    """Methods of the file's classes that may run them."""
    source = workspace.source(path)
    for node in classes_of(source).values() if source is not None else ():
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef) and not _NO_RUN.match(statement.name):
                yield statement.name


def called_model(instances: Instances, site: Site, methods: frozenset[str]) -> tuple[Definition, ast.Call, bool] | None:
    """The module class whose instance is run there, how, and whether that is by its `forward`.

    Not inside another module: that is its own model's run.  `methods` are those that count besides `forward`.
    """
    if inside_module(instances, site):
        return None
    place, func = place_of(site), site.call.func
    if (direct := instances.of(place, instance_of(func))) is not None:
        return direct, site.call, True
    run = run_of(instances, site) or step_of(instances, site)
    model = instances.of(place, run[0]) if run is not None else None
    if run is not None and model is not None:
        return model, run[1], True
    if not isinstance(func, ast.Attribute) or func.attr not in methods or not (site.call.args or site.call.keywords):
        return None
    model = instances.of(place, func.value)
    own = ancestry(instances.workspace, model).method(func.attr) if model is not None else None
    return (model, site.call, False) if model is not None and own is not None else None


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


def _takes_something(workspace: Workspace, path: str, name: str) -> bool:
    """Whether the `forward` of the class wants an input."""
    source = workspace.source(path)
    node = classes_of(source).get(name) if source is not None else None
    forward = own_method(node, "forward") if node is not None else None
    return isinstance(forward, ast.FunctionDef) and bool(required(forward))


def _is_nothing(written: ast.expr, call: str) -> bool:
    """Whether the input came to None, which it only is by a default that the code around does not work with."""
    given, meant = (
        [ast.unparse(one) for one in getattr(each, "args", [])[:1]] for each in (parse_expression(call), written)
    )
    return given == ["None"] != meant


FINDER = Finder("call", find)
