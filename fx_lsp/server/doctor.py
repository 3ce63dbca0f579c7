"""A report on a session: what runs where, what holds of the sandbox, and why something does not work."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence

from fx_lsp.analysis.markdown import code, plain
from fx_lsp.model.sandbox import LayerReport
from fx_lsp.server.engine import Engine
from fx_lsp.server.folder import Folder
from fx_lsp.server.layers import sentence, table
from fx_lsp.server.trust import UNTRUSTED


def report(engine: Engine, version: str, surveyed: Sequence[LayerReport], problem: str = "") -> str:
    """Markdown; `surveyed` are the layers as they would hold, and `problem` is why that is not known."""
    config = engine.trust.user.config
    lines = [
        "## Server",
        "",
        f"- version {version}, in Python {platform.python_version()} on {platform.platform()}",
        f"- examples are run: {'yes' if engine.settings.run else 'no, running is switched off'}",
        f"- trust: {_word(engine.trust.word)}",
        f"- your own configuration: {code(engine.trust.user.path)}",
        *([f"- **{plain(config.problem)}**"] if config.problem else []),
    ]
    for folder in engine.folders:
        lines += ["", f"### {code(folder.root)}", "", *_folder(folder)]
    if not engine.folders:
        lines += ["", "No Python file is open."]
    lines += [
        "",
        "## Sandbox",
        "",
        sentence(surveyed) or problem or "It is whole.",
        "",
        *(table(surveyed) if surveyed else ()),
    ]
    return "\n".join(lines) + "\n"


def _word(word: bool | None) -> str:
    if word is None:
        return "your editor says nothing of it, so your own configuration decides"
    return "your editor says that the workspace is trusted" if word else "your editor says that it is not trusted"


def _folder(folder: Folder) -> Iterator[str]:
    if not folder.standing.runs:
        yield f"- **{UNTRUSTED}**"
        return
    yield f"- models run in {code(folder.interpreter.path)} (found by: {folder.interpreter.why})"
    state = folder.state
    if folder.unavailable:
        yield f"- **nothing can be run**: {plain(folder.unavailable)}"
    elif state is None:
        yield "- worker: not started, nothing had to be run yet"
    elif state.phase == "ready":
        yield f"- worker: ready, torch {plain(state.torch)}, Python {plain(state.python)}"
        yield f"- its sandbox: {sentence(state.layers) or 'whole'}"
    else:
        yield f"- worker: {state.phase}{f': {code(state.message)}' if state.message else ''}"
    if folder.remark:
        yield f"- **{plain(folder.remark)}**"
    answers = folder.answers
    where = f" (kept in {code(answers.path)})" if answers.path else ""
    yield f"- answers of earlier sessions that were of use: {answers.recalled}{where}"
    yield f"- limits of a run: {folder.config.timeout:g} s, {folder.config.memory / 2**30:g} GiB"
    yield f"- Python files: {sum(path.endswith('.py') for path in folder.files())}"
    for problem in folder.problems:
        yield f"- pyproject.toml, line {problem.span.line}: {plain(problem.message)}"
