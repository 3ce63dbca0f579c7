"""The layers of the sandbox by name, as the user's configuration can leave them out."""

from __future__ import annotations

import asyncio

from fx_lsp.server.layers import survey
from fx_lsp.server.user_config import UserConfig

_REPORTS = asyncio.run(survey(UserConfig(bubblewrap=True)))

ALL = tuple(dict.fromkeys(report.name for report in _REPORTS))

ACTIVE = tuple(
    dict.fromkeys(report.name for report in _REPORTS if report.status == "active" and report.name != "bubblewrap")
)
"""Those that hold on this system without being asked for."""

ALONE = {
    name: tuple(layer for layer in ALL if layer.split("-")[0] != name)
    for name in dict.fromkeys(layer.split("-")[0] for layer in ACTIVE)
}
"""What to leave out so that only this one is left; the two of Landlock are one, and so are those of seccomp."""
