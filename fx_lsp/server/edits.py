"""Edits of the analysis, as a client applies them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from fx_lsp.analysis import actions
from fx_lsp.analysis.actions import Action, Edit
from fx_lsp.model.registry import collect

if TYPE_CHECKING:
    from fx_lsp.server.app import App


def all_actions() -> dict[str, Action]:
    """Every action of the analysis, by id."""
    return {action.id: action for action in collect(actions, "ACTION").values()}


def workspace_edit(app: App, edit: Edit) -> types.WorkspaceEdit:
    """The edit in the client's places."""
    changes: dict[str, list[types.TextEdit]] = {}
    for span, new in edit.changes:
        place = app.location(span)
        changes.setdefault(place.uri, []).append(types.TextEdit(place.range, new))
    return types.WorkspaceEdit(changes=dict(changes))
