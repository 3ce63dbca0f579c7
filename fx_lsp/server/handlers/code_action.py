"""Code actions: edits on offer at a place."""

from __future__ import annotations

from lsprotocol import types

from fx_lsp.server.app import App
from fx_lsp.server.edits import all_actions, workspace_edit

OPTIONS = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])


def register(app: App) -> None:
    """Answer with what is on offer at the start of the range."""

    @app.server.feature(types.TEXT_DOCUMENT_CODE_ACTION, OPTIONS)
    def code_action(params: types.CodeActionParams) -> list[types.CodeAction] | None:
        view = app.view(params.text_document.uri)
        if view is None or not _wanted(params.context.only):
            return None
        place = view.position_in(params.range.start)
        edits = [edit for action in all_actions().values() if (edit := action.find(view.snapshot, *place)) is not None]
        return [
            types.CodeAction(edit.title, types.CodeActionKind.QuickFix, edit=workspace_edit(app, edit))
            for edit in edits
        ]


def _wanted(only: object) -> bool:
    """Whether the kinds that the client restricts itself to include ours; an empty kind includes all."""
    kinds = [str(getattr(kind, "value", kind)) for kind in only] if isinstance(only, (list, tuple)) else [""]
    return any(kind in ("", types.CodeActionKind.QuickFix.value) for kind in kinds)
