"""The line above each module class: input, output, parameters."""

from __future__ import annotations

from lsprotocol import types

from fx_lsp.analysis.lenses import lenses
from fx_lsp.server.app import App


def register(app: App) -> None:
    """Answer with one lens for each class."""

    @app.server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def code_lens(params: types.CodeLensParams) -> list[types.CodeLens] | None:
        snapshot = app.snapshot(params.text_document.uri)
        if snapshot is None or not app.settings.code_lens:
            return None
        # Without the name of a command a lens is text and cannot be clicked.
        return [
            types.CodeLens(app.border.range_out(snapshot.text, lens.span), types.Command(lens.title, command=""))
            for lens in lenses(snapshot)
        ]
