"""The layers of the sandbox by name, as the user's configuration can leave them out."""

from __future__ import annotations

from fx_lsp.worker.sandbox import LAYERS

ALL = tuple(dict.fromkeys(layer.name for layer in LAYERS))

ALONE = {
    name: tuple(layer for layer in ALL if layer.split("-")[0] != name)
    for name in dict.fromkeys(layer.split("-")[0] for layer in ALL)
}
"""What to leave out so that only this one is left; the two of Landlock are one, and so are those of seccomp."""
