"""Which of several calls is shown: chosen for a class or a line, kept by the client, given back at the next start."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types

from tests.e2e.conftest import Start
from tests.e2e.editor import PUSH, Editor

pytestmark = pytest.mark.asyncio

BLOCKS = """import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, 2 * width)

    def forward(self, x):
        h = self.fc(x)
        return h


# fx: Net()(f32[3, 8])
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(Block(8), Block(16))

    def forward(self, x):
        return self.blocks(x)
"""
BOTH = ["def forward(self, x⟦: f32[3, 8|16]⟧):", "h⟦: f32[3, 16|32]⟧ = self.fc(x)", "return⟦: f32[3, 16|32]⟧ h"]
SECOND = ["def forward(self, x⟦: f32[3, 16] +1⟧):", "h⟦: f32[3, 32] +1⟧ = self.fc(x)", "return⟦: f32[3, 32] +1⟧ h"]


async def listed(editor: Editor, needle: str) -> Any:
    line = editor.place("blocks.py", needle).line
    params = {"textDocument": {"uri": editor.uri("blocks.py")}, "line": line}
    return await editor.ask(editor.client.protocol.send_request_async("fx/examples", params))


async def choose(editor: Editor, needle: str, number: int) -> Any:
    line = editor.place("blocks.py", needle).line
    params = types.ExecuteCommandParams("fx.chooseCall", [editor.uri("blocks.py"), line, number])
    return await editor.ask(editor.client.workspace_execute_command_async(params))


async def test_a_call_is_chosen_kept_and_given_back(start: Start) -> None:
    editor = await start()
    await editor.open("blocks.py", BLOCKS)
    assert (await editor.hints("blocks.py"))[:3] == BOTH
    found = await listed(editor, "class Block")
    assert [(one.of, one.label, one.modules, one.shown) for one in found.calls] == [
        ("Block", "f32[3, 8] → f32[3, 16]", ["blocks.0"], True),
        ("Block", "f32[3, 16] → f32[3, 32]", ["blocks.1"], False),
    ]
    assert await choose(editor, "class Block", 1) is True
    assert (await editor.hints("blocks.py"))[:3] == SECOND
    assert any("f32[3, 16] → f32[3, 32] · blocks.1 in Net" in lens for lens in await editor.lenses("blocks.py"))
    await editor.edit("blocks.py", "import torch\n", "import torch\n\n")
    assert (await editor.hints("blocks.py"))[:3] == SECOND
    assert await choose(editor, "class Block", 7) is False
    kept = (await listed(editor, "class Block")).chosen
    assert (kept.example, [(one.place, one.shown) for one in kept.calls]) == (None, [("Block", "blocks.1")])
    await editor.close("blocks.py")
    await editor.open("blocks.py")
    assert (await editor.hints("blocks.py"))[:3] == SECOND
    given = {"example": None, "calls": [{"place": "Block", "shown": "blocks.1", "name": ""}, "nonsense"]}
    again = await start(options={"chosen": {editor.uri("blocks.py"): given, "nowhere": 3}})
    await again.open("blocks.py")
    assert (await again.hints("blocks.py"))[:3] == SECOND


async def test_a_value_of_a_line_is_chosen(start: Start) -> None:
    editor = await start()
    await editor.open("blocks.py", BLOCKS)
    found = await listed(editor, "h = self.fc")
    assert [(one.of, one.label) for one in found.calls[2:]] == [("h", "f32[3, 16]"), ("h", "f32[3, 32]")]
    assert await choose(editor, "h = self.fc", 3) is True
    assert (await editor.hints("blocks.py"))[:3] == [BOTH[0], SECOND[1], BOTH[2]]


async def test_a_chosen_example_is_given_back_too(start: Start) -> None:
    editor = await start()
    two = BLOCKS.replace("# fx: Net()(f32[3, 8])", "# fx: Net()(f32[3, 8])\n# fx: Net()(f32[5, 8])")
    await editor.open("blocks.py", two)
    params = types.ExecuteCommandParams("fx.chooseExample", [editor.uri("blocks.py"), 1])
    assert await editor.ask(editor.client.workspace_execute_command_async(params)) is True
    kept = (await listed(editor, "class Net")).chosen
    again = await start(options={"chosen": {editor.uri("blocks.py"): {"example": kept.example, "calls": []}}})
    await again.open("blocks.py")
    assert [one.shown for one in (await listed(again, "class Net")).examples] == [False, True]


async def test_a_client_with_the_command_has_it_above_the_class(start: Start) -> None:
    experimental = {"fxLsp": {"commands": ["fx-lsp.chooseCall"]}}
    capabilities = types.ClientCapabilities(text_document=PUSH.text_document, experimental=experimental)
    editor = await start(capabilities=capabilities)
    await editor.open("blocks.py", BLOCKS)
    assert "5: call 1 of 2" in await editor.lenses("blocks.py")
