"""What holds of the sandbox: for the status item, the log, the report, and the command line that has to decide."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Iterable, Sequence
from functools import partial

from fx_lsp.model import wire
from fx_lsp.model.sandbox import LayerReport, Policy
from fx_lsp.server.greeting import launcher
from fx_lsp.server.user_config import UserConfig

PATIENCE = 20.0
"""Seconds for a survey, which takes some tens of milliseconds."""


async def survey(user: UserConfig) -> tuple[LayerReport, ...]:
    """The layers as they would hold for a worker: asked of the launcher, in this Python; nothing is applied.

    Raises:
        OSError: it could not be asked.
    """
    policy = Policy(off=user.off, bubblewrap=user.bubblewrap)
    command = launcher("--survey", wire.encode(policy).decode())
    # In a thread: at its end, asyncio.run waits for ever for a task that is just starting a process (Python 3.11).
    run = partial(subprocess.run, command, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False)
    try:
        done = await asyncio.to_thread(run)
        if done.returncode == 0:
            return tuple(wire.decode(json.dumps(one).encode()) for one in json.loads(done.stdout))
    except subprocess.TimeoutExpired as error:
        raise OSError(f"the survey of the sandbox took longer than {PATIENCE:g} s") from error
    except ValueError as error:
        raise OSError(f"the survey of the sandbox is none: {error}") from None
    raise OSError(done.stderr.decode("utf-8", "replace").strip() or f"status {done.returncode}")


def lacking(reports: Iterable[LayerReport]) -> tuple[LayerReport, ...]:
    """The layers that do not hold, those that the user left out too."""
    return tuple(report for report in reports if report.status != "active")


def worst(reports: Iterable[LayerReport]) -> tuple[LayerReport, ...]:
    """One report for each layer: one that does not hold rather than one that does."""
    found: dict[str, LayerReport] = {}
    for report in reports:
        if report.name not in found or report.status != "active":
            found[report.name] = report
    return tuple(found.values())


def sentence(reports: Sequence[LayerReport]) -> str:
    """What the sandbox lacks and what that means; empty when it is whole or nothing is known of it."""
    without = lacking(worst(reports))
    if not without:
        return ""
    names = ", ".join(f"{report.name} ({report.why})" if report.why else report.name for report in without)
    lost = " ".join(dict.fromkeys(report.protects for report in without if report.protects))
    return f"The sandbox is not whole, without {names}. What they are for: {lost}" if lost else f"Without {names}."


def table(reports: Sequence[LayerReport]) -> list[str]:
    """Lines of a Markdown table."""
    rows = [f"| {one.name} | {one.stage} | {one.status} | {one.why or one.protects} |" for one in reports]
    return ["| layer | applied by | state | |", "|---|---|---|---|", *rows]
