"""The layers of the sandbox by name, as the user's configuration can leave them out."""

from __future__ import annotations

from fx_lsp.model.sandbox import Policy
from fx_lsp.worker.sandbox import LAYERS, survey

ALL = tuple(dict.fromkeys(layer.name for layer in LAYERS))

ACTIVE = tuple(dict.fromkeys(report.name for report in survey(Policy()) if report.status == "active"))
"""Those that hold on this system."""

ALONE = {
    name: tuple(layer for layer in ALL if layer.split("-")[0] != name)
    for name in dict.fromkeys(layer.split("-")[0] for layer in ACTIVE)
}
"""What to leave out so that only this one is left; the two of Landlock are one, and so are those of seccomp."""
