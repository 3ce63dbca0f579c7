"""Lenses that a client can click."""

from __future__ import annotations

import pytest
from lsprotocol import types

from tests.e2e.conftest import Start
from tests.e2e.sources import NET

pytestmark = pytest.mark.asyncio


async def test_lenses_have_the_commands_that_the_client_says_it_has(start: Start) -> None:
    experimental = {"fxLsp": {"commands": ["fx-lsp.showGraph", "fx-lsp.chooseCall"]}}
    editor = await start(capabilities=types.ClientCapabilities(experimental=experimental))
    await editor.open("two.py", NET.replace("# fx: Net()(f32[2, 8])", "# fx: Net()(f32[2, 8])\n# fx: Net()(f32[5, 8])"))
    await editor.settled()
    params = types.CodeLensParams(editor.document("two.py"))
    lenses = await editor.ask(editor.client.text_document_code_lens_async(params))
    commands = [lens.command for lens in lenses or () if lens.command is not None]
    assert [(command.title, command.command, list(command.arguments or ())) for command in commands[1:]] == [
        ("Show FX graph", "fx-lsp.showGraph", [editor.uri("two.py"), "Net"]),
        ("example 1 of 2", "fx-lsp.chooseCall", [editor.uri("two.py")]),
    ]
    assert (commands[0].command, "examples" in commands[0].title) == ("", False)
