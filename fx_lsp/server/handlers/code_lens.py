"""The line above each module class: input, output, parameters; and what the client can do with it."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from fx_lsp.analysis.lenses import Lens, lenses
from fx_lsp.server.app import App
from fx_lsp.server.view import View

SHOW_GRAPH = "fx-lsp.showGraph"
CHOOSE_CALL = "fx-lsp.chooseCall"
"""Commands of the client, see `Client.commands`."""


def register(app: App) -> None:
    """Answer with the lenses of each class."""

    @app.server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def code_lens(params: types.CodeLensParams) -> list[types.CodeLens] | None:
        uri = params.text_document.uri
        view = app.view(uri)
        if view is None or not app.settings.code_lens:
            return None
        return [
            types.CodeLens(view.range_out(lens.span), command)
            for lens in lenses(view.snapshot)
            if view.holds(lens.span)
            for command in _commands(app, view, lens)
        ]


def _commands(app: App, view: View, lens: Lens) -> Iterator[types.Command]:
    uri, several = view.uri, lens.examples > 1
    if not several or CHOOSE_CALL in app.client.commands:
        yield types.Command(lens.title, command="")  # without the name of a command it is text
    else:
        yield types.Command(f"{lens.title} · {lens.examples} examples", command="")
    if SHOW_GRAPH in app.client.commands:
        yield types.Command("Show FX graph", SHOW_GRAPH, arguments=[uri, lens.name])
    if several and CHOOSE_CALL in app.client.commands:
        yield types.Command(f"example {lens.number} of {lens.examples}", CHOOSE_CALL, arguments=[uri])
    if lens.calls > 1 and CHOOSE_CALL in app.client.commands:
        line = view.range_out(lens.span).start.line
        yield types.Command(f"call {lens.call} of {lens.calls}", CHOOSE_CALL, arguments=[uri, line])
