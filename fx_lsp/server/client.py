"""What the client on the other side can do, as far as anything here depends on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lsprotocol import types


@dataclass(frozen=True)
class Client:
    """Capabilities that change what is sent."""

    pulls_diagnostics: bool = False
    """It asks for diagnostics, and asks again when told to: they are not published as well."""
    refresh_hints: bool = False
    refresh_lenses: bool = False
    resolves_tooltips: bool = False
    """It asks for a hint's tooltip when it is needed."""
    resolves_annotations: bool = False
    """It asks for what a hint writes when somebody accepts it."""
    resolves_edits: bool = False
    """It asks for the edit of an action when that is chosen."""
    progress: bool = False
    """It shows progress, and has no status item of its own for `fx/status`."""
    configuration: bool = False
    """Settings are asked for with `workspace/configuration`."""
    watches_files: bool = False
    """It can be asked to watch files."""
    told_of_settings: bool = False
    """It can be asked to tell of changed settings."""
    asks: bool = False
    """It can show a question and tell the answer."""
    commands: frozenset[str] = frozenset()
    """Commands of its own that a lens may have: `experimental.fxLsp.commands`."""
    markdown: bool = True
    """It shows Markdown in a hover."""

    @classmethod
    def of(cls, capabilities: types.ClientCapabilities) -> Client:
        """What the client said when it started."""
        hover = _get(capabilities, "text_document.hover.content_format")
        asks_again = bool(_get(capabilities, "workspace.diagnostics.refresh_support"))
        resolved = _get(capabilities, "text_document.inlay_hint.resolve_support.properties") or ()
        return cls(
            pulls_diagnostics=_get(capabilities, "text_document.diagnostic") is not None and asks_again,
            refresh_hints=bool(_get(capabilities, "workspace.inlay_hint.refresh_support")),
            refresh_lenses=bool(_get(capabilities, "workspace.code_lens.refresh_support")),
            resolves_tooltips="tooltip" in resolved,
            resolves_annotations="textEdits" in resolved,
            resolves_edits="edit" in (_get(capabilities, "text_document.code_action.resolve_support.properties") or ()),
            progress=bool(_get(capabilities, "window.work_done_progress")) and _own(capabilities) is None,
            configuration=bool(_get(capabilities, "workspace.configuration")),
            watches_files=bool(_get(capabilities, "workspace.did_change_watched_files.dynamic_registration")),
            told_of_settings=bool(_get(capabilities, "workspace.did_change_configuration.dynamic_registration")),
            asks=_get(capabilities, "window.show_message") is not None,
            commands=frozenset(name for name in _get(_own(capabilities), "commands") or () if isinstance(name, str)),
            markdown=not hover or types.MarkupKind.Markdown in hover,
        )


def _own(capabilities: types.ClientCapabilities) -> Any:
    """`experimental.fxLsp`: what a client that knows this server says."""
    return _get(capabilities.experimental, "fxLsp")


def _get(item: Any, path: str) -> Any:
    for name in path.split("."):
        item = item.get(name) if isinstance(item, dict) else getattr(item, name, None)
    return item
