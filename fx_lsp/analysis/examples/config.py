"""Examples written in `[tool.fx-lsp.examples]` of `pyproject.toml`."""

from __future__ import annotations

import os

from fx_lsp.analysis.config import Config
from fx_lsp.analysis.examples import Finder, Found
from fx_lsp.analysis.mistakes import find_mistake, knows
from fx_lsp.analysis.snapshot import Problem
from fx_lsp.analysis.workspace import Workspace
from fx_lsp.model.example import Example


def find(workspace: Workspace, config: Config, path: str) -> tuple[Found, ...]:
    """The examples of one file; for the `pyproject.toml` itself, what is wrong with any of them."""
    if os.path.basename(path) == "pyproject.toml":
        return tuple(_problems(workspace, config))
    calls = config.examples.get(path, ())
    dims = tuple(config.dims.items())
    setup = config.setup.get(path, "")
    return tuple(
        Example(path, call, "config", setup, _target(call), config.spans.get((path, number)), dims)
        for number, call in enumerate(calls)
        if _mistake(workspace, config, path, call) is None
    )


def _problems(workspace: Workspace, config: Config) -> list[Problem]:
    found: list[Problem] = []
    for (path, number), span in sorted(config.spans.items(), key=lambda item: item[1]):
        name = workspace.relative(path)
        if number < 0:
            if not workspace.exists(path):
                found.append(Problem(span, "error", "bad-config", f"there is no file {name}"))
        elif (message := _mistake(workspace, config, path, config.examples[path][number])) is not None:
            found.append(Problem(span, "error", "bad-config", f"{message} ({name})"))
    return found


def _mistake(workspace: Workspace, config: Config, path: str, call: str) -> str | None:
    source = workspace.source(path)
    if source is None or source.tree is None:
        return None
    mistake = find_mistake(call, knows(source, config.setup.get(path, "")))
    return mistake.message if mistake is not None else None


def _target(call: str) -> str:
    return call.partition("(")[0].strip()


FINDER = Finder("config", find)
