"""The custom request `fx/doctor`: a report on the session."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fx_lsp.server.app import App
from fx_lsp.server.doctor import report
from fx_lsp.server.layers import survey
from fx_lsp.server.protocol import DoctorReply


def register(app: App) -> None:
    """Answer without parameters."""

    @app.server.feature("fx/doctor")
    async def doctor(params: Any) -> dict[str, Any]:
        reports, problem = (), ""
        try:
            reports = await survey(app.engine.trust.user.config)
        except OSError as error:
            problem = f"It is not known what holds of it: {error}."
        return asdict(DoctorReply(report(app.engine, app.server.version or "", reports, problem)))
