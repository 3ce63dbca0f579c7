"""Names for dims: hints are refined in place once the example ran at other sizes."""

from __future__ import annotations

import pytest
from lsprotocol import types

from tests.e2e.editor import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

TOKENS = """
import torch
from torch import nn


class Tokens(nn.Module):  # fx: Tokens()(i64[B:2, T:6])
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(10, 8)

    def forward(self, ids):
        assert ids.size(1) <= 100, "too long"
        x = self.embed(ids)
        y = torch.cat([x, x[:, :1]], 1)
        return y.flatten(0, 1)
"""

NAMED = [
    "def forward(self, ids⟦: i64[B, T]⟧):",
    "x⟦: f32[B, T, 8]⟧ = self.embed(ids)",
    "y⟦: f32[B, T+1, 8]⟧ = torch.cat([x, x[:, :1]], 1)",
    "return⟦: f32[B*T+B, 8]⟧ y.flatten(0, 1)",
]


async def test_a_hint_is_refined_in_place_also_after_an_edit(editor: Editor) -> None:
    await editor.open("tokens.py", TOKENS)
    await editor.until_hints("tokens.py", NAMED)
    await editor.edit("tokens.py", "nn.Embedding(10, 8)", "nn.Embedding(10, 16)")
    await editor.until_hints("tokens.py", [line.replace("8]", "16]") for line in NAMED])


async def test_what_a_dim_has_to_be_is_said(editor: Editor) -> None:
    await editor.open("limit.py", TOKENS)
    await editor.until_hints("limit.py", NAMED)
    assert "`T <= 100`: line 12" in await editor.hover("limit.py", "ids):")
    (lens,) = await editor.lenses("limit.py")
    assert "i64[B, T] → f32[B*T+B, 8] · T <= 100 · " in lens


async def test_numbers_that_the_user_wrote_stay(editor: Editor) -> None:
    text = TOKENS.replace("i64[B:2, T:6]", "i64[2, 6]")
    await editor.open("numbers.py", text)
    await editor.open("after.py", TOKENS)
    await editor.until_hints("after.py", NAMED)
    assert "x⟦: f32[2, 6, 8]⟧ = self.embed(ids)" in await editor.hints("numbers.py")


async def test_they_can_be_switched_off(editor: Editor) -> None:
    await editor.open("off.py", TOKENS)
    await editor.until_hints("off.py", NAMED)
    off = types.DidChangeConfigurationParams({"fx-lsp": {"dimNames": False}})
    await editor.after(lambda: editor.client.workspace_did_change_configuration(off))
    numbers = [line.replace("B*T+B", "14").replace("T+1", "7").replace("[B, T", "[2, 6") for line in NAMED]
    await editor.until_hints("off.py", [line.replace("[B, 7", "[2, 7") for line in numbers])
    on = types.DidChangeConfigurationParams({"fx-lsp": {}})
    await editor.after(lambda: editor.client.workspace_did_change_configuration(on))
    await editor.until_hints("off.py", NAMED)
