"""A report on the session: what runs where, and why something does not."""

from __future__ import annotations

import platform
from collections.abc import Iterator

from fx_lsp.analysis.markdown import code
from fx_lsp.server.engine import Engine
from fx_lsp.server.folder import Folder
from fx_lsp.server.status import SANDBOX


def report(engine: Engine, version: str) -> str:
    """Markdown."""
    lines = [
        "## Server",
        "",
        f"- version {version}, in Python {platform.python_version()} on {platform.platform()}",
        f"- examples are run: {'yes' if engine.settings.run else 'no, running is switched off or not trusted'}",
        f"- sandbox: {SANDBOX}",
    ]
    for folder in engine.folders:
        lines += ["", f"### {folder.root}", "", *_folder(folder)]
    if not engine.folders:
        lines += ["", "No Python file is open."]
    return "\n".join(lines) + "\n"


def _folder(folder: Folder) -> Iterator[str]:
    yield f"- models run in {code(folder.interpreter.path)} (found by: {folder.interpreter.why})"
    state = folder.state
    if folder.unavailable:
        yield f"- **nothing can be run**: {folder.unavailable}"
    elif state is None:
        yield "- worker: not started, nothing had to be run yet"
    elif state.phase == "ready":
        yield f"- worker: ready, torch {state.torch}, Python {state.python}"
    else:
        yield f"- worker: {state.phase}{f', {state.message}' if state.message else ''}"
    yield f"- limits of a run: {folder.config.timeout:g} s, {folder.config.memory / 2**30:g} GiB"
    yield f"- Python files: {len(folder.files())}"
    for problem in folder.problems:
        yield f"- pyproject.toml, line {problem.span.line}: {problem.message}"
