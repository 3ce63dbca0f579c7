"""The custom request `fx/doctor`: a report on the session."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fx_lsp.server.app import App
from fx_lsp.server.doctor import report
from fx_lsp.server.protocol import DoctorReply


def register(app: App) -> None:
    """Answer without parameters."""

    @app.server.feature("fx/doctor")
    def doctor(params: Any) -> dict[str, Any]:
        return asdict(DoctorReply(report(app.engine, app.server.version or "")))
