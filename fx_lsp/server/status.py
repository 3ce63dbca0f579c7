"""What is going on, for a status item: the notification `fx/status`."""

from __future__ import annotations

from fx_lsp.server.engine import Engine
from fx_lsp.server.protocol import Status

SANDBOX = "Runs have limits on time, memory and written files; the network and what can be read are open to them."
"""What the sandbox lacks."""


def status(engine: Engine) -> Status:
    """The state of all roots together: the worst of them, and what is left to do in all."""
    folders = engine.folders
    done, total = (sum(getattr(folder.runs, name) for folder in folders) for name in ("done", "total"))
    phases = {folder.state.phase for folder in folders if folder.state is not None}
    message = next((folder.unavailable for folder in folders if folder.unavailable), "")
    if not engine.settings.run:
        state = "off"
    elif message or "failed" in phases:
        state = "error"
    elif "starting" in phases:
        state = "starting"
    elif total or not engine.idle:
        state = "tracing"
    else:
        state = "idle"
    return Status(state, done, total, message, SANDBOX)
