"""Shapes in annotations of `forward`: `Float[Tensor, "b c h w"]`, `TensorType["b", 3]`, `Annotated[Tensor, "b c"]`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.config import Config
from fx_lsp.analysis.examples import Finder, Found
from fx_lsp.analysis.examples._arguments import defaults, parameters
from fx_lsp.analysis.examples._constructors import constructors, default_sizes, definition_of
from fx_lsp.analysis.examples._shapes import Shapes
from fx_lsp.analysis.modules import ancestry, modules
from fx_lsp.analysis.names import Definition
from fx_lsp.analysis.workspace import Workspace
from fx_lsp.model.example import Example

MAX_WAYS = 2
"""Ways to make an instance that are tried."""


def find(workspace: Workspace, config: Config, path: str) -> tuple[Found, ...]:
    """One example for each class whose `forward` says the shapes of its inputs."""
    return tuple(_found(workspace, config, path))


def _found(workspace: Workspace, config: Config, path: str) -> Iterator[Example]:
    dims = tuple(config.dims.items())
    for module in modules(workspace, path):
        definition = definition_of(workspace, path, module.name)
        source = workspace.source(path)
        if module.abstract or definition is None or source is None:
            continue
        forward = ancestry(workspace, definition).method("forward")
        needed = annotated_inputs(workspace, definition)
        if needed is None or forward is None:
            continue
        ways = dict.fromkeys((annotated_inputs(workspace, definition, optional=True) or needed, needed))
        home = workspace.source(forward.path) or source
        for number, made in enumerate(constructors(workspace, config, definition)):
            if number >= MAX_WAYS:
                break
            before = config.before(path, made.setup)
            span = home.span(forward.node)
            for inputs in ways:
                yield Example(path, f"{made.call}({inputs})", "annotation", before, module.name, span, dims)


def annotated_inputs(workspace: Workspace, definition: Definition, *, optional: bool = False) -> str | None:
    """The arguments that the annotations of `forward` describe; None when one that is needed is not described.

    `optional`: also those that can be left out.
    """
    above = ancestry(workspace, definition)
    forward = above.method("forward")
    if forward is None or not isinstance(forward.node, ast.FunctionDef):
        return None
    shapes = Shapes(workspace, forward.path, default_sizes(above))
    given = defaults(forward.node)
    keyword_only = {argument.arg for argument in forward.node.args.kwonlyargs}
    written: list[str] = []
    for argument in parameters(forward.node)[1:]:
        if argument.arg in given and (not optional or argument in forward.node.args.posonlyargs):
            continue
        text = shapes.tensor(argument.annotation) if argument.annotation is not None else None
        if text is None and argument.arg in given:
            continue
        if text is None:
            return None
        named = argument.arg in keyword_only or argument.arg in given
        written.append(f"{argument.arg}={text}" if named else text)
    return ", ".join(written) if written else None


FINDER = Finder("annotation", find)
