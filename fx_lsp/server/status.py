"""What is going on, for a status item: the notification `fx/status`."""

from __future__ import annotations

from fx_lsp.server.engine import Engine
from fx_lsp.server.layers import sentence, worst
from fx_lsp.server.protocol import SandboxLayer, Status
from fx_lsp.server.trust import UNTRUSTED


def status(engine: Engine) -> Status:
    """The state of all roots together: the worst of them, and what is left to do in all."""
    folders = engine.folders
    done, total = (sum(getattr(folder.runs, name) for folder in folders) for name in ("done", "total"))
    phases = {folder.state.phase for folder in folders if folder.state is not None}
    message = next((folder.unavailable for folder in folders if folder.unavailable), "")
    if not engine.settings.run:
        state = "off"
    elif folders and not any(folder.standing.runs for folder in folders):
        state, message = "untrusted", _sentence(UNTRUSTED)
    elif message or "failed" in phases:
        state = "error"
    elif "starting" in phases:
        state = "starting"
    elif total or not engine.idle:
        state = "tracing"
    else:
        state = "idle"
    reports = worst(report for folder in folders if folder.state is not None for report in folder.state.layers)
    layers = tuple(SandboxLayer(report.name, report.status, report.why) for report in reports)
    return Status(state, done, total, message, sentence(reports), layers)


def _sentence(clause: str) -> str:
    return f"{clause[0].upper()}{clause[1:]}."
