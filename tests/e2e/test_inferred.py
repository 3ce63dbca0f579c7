"""A file that says nothing of how its models are used: hints are there all the same, and say where they come from."""

from __future__ import annotations

import pytest
from lsprotocol import types

from tests.e2e.conftest import Start

pytestmark = pytest.mark.asyncio

MODEL = """import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, dim, num_heads):
        super().__init__()
        self.heads = num_heads
        self.qkv = nn.Linear(dim, dim * 3)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.view(b, n, self.heads, d // self.heads)
        return q


class Net(nn.Module):
    def __init__(self, vocab_size, dim=32):
        super().__init__()
        self.words = nn.Embedding(vocab_size, dim)
        self.block = Block(dim, 4)

    def forward(self, tokens):
        h = self.block(self.words(tokens))
        return h
"""
HINTS = [
    "def forward(self, x⟦: f32[2, 16, 32]⟧):",
    "q⟦: f32[2, 16, 32]⟧, k⟦: f32[2, 16, 32]⟧, v⟦: f32[2, 16, 32]⟧ = self.qkv(x).chunk(3, dim=-1)",
    "q⟦: f32[2, 16, 4, 8]⟧ = q.view(b, n, self.heads, d // self.heads)",
    "return⟦: f32[2, 16, 4, 8]⟧ q",
    "def forward(self, tokens⟦: i64[2, 16]⟧):",
    "h⟦: f32[2, 16, 4, 8]⟧ = self.block(self.words(tokens))",
    "return⟦: f32[2, 16, 4, 8]⟧ h",
]
NAMED = [line.replace("2, 16", "B, T") for line in HINTS]
"""Once its dims have names, which is when there is nothing else to do."""
CALL = "Net(vocab_size=100)(i64[2, 16])"


async def test_hints_without_a_word_and_an_action_that_writes_the_example(start: Start) -> None:
    editor = await start()
    await editor.open("net.py", MODEL)
    assert await editor.hints("net.py") in (HINTS, NAMED)
    assert editor.problems("net.py") == []
    block, net = await editor.lenses("net.py")
    assert "block in Net" in block
    assert net.startswith("18: i64[2, 16] → f32[2, 16, 4, 8] · 6.4 k params · ")
    assert net.endswith(" · inferred")
    (action,) = [a for a in await editor.actions("net.py", "class Net") if isinstance(a, types.CodeAction)]
    text = editor.apply("net.py", action.edit)
    assert f"# fx: {CALL}\nclass Net(nn.Module):" in text
    await editor.replace("net.py", text)
    assert await editor.hints("net.py") in (HINTS, NAMED)


async def test_it_stays_while_one_types_and_is_looked_for_again_when_the_call_changes(start: Start) -> None:
    editor = await start()
    await editor.open("net.py", MODEL)
    await editor.edit("net.py", "h = self.block(self.words(tokens))", "h = self.block(self.words(tokens)) * 2")
    (doubled,) = [
        hint for hint in await editor.hints("net.py") if hint.endswith("= self.block(self.words(tokens)) * 2")
    ]
    assert doubled.partition(" =")[0] in ("h⟦: f32[2, 16, 4, 8]⟧", "h⟦: f32[B, T, 4, 8]⟧")
    await editor.edit("net.py", "(tokens)) * 2", "(tokens)).no_such()")
    assert editor.problems("net.py") == [], "an example of ours that fails is no error of theirs"
    await editor.edit("net.py", "forward(self, tokens):", "forward(self, tokens, mask):")
    await editor.edit("net.py", "(tokens)).no_such()", "(tokens))")
    assert any("tokens⟦: i64[2, 16]⟧, mask⟦" in hint for hint in await editor.hints("net.py"))


async def test_why_there_is_none(start: Start) -> None:
    editor = await start()
    await editor.open("net.py", MODEL.replace("self.words = nn", "raise OSError(vocab_size)\n        self.words = nn"))
    hints = await editor.hints("net.py")
    assert any(f"def forward(self, x⟦: f32[{sizes}, 64]⟧):" in hints for sizes in ("2, 16", "B, T"))
    assert not any("tokens" in hint for hint in hints)
    (problem,) = editor.problems("net.py")
    assert "Net has no example" in problem
    assert "its constructor needs vocab_size, and failed at line 21" in problem


RAYS = """import torch
from torch import nn


class Rays(nn.Module):
    def __init__(self, width=64, octaves=4):
        super().__init__()
        self.octaves = octaves
        self.first = nn.Linear(3, width)
        self.last = nn.Linear(width + 3 * octaves, 3)

    def forward(self, points, ways):
        h = self.first(points)
        h = self.last(h)
        d = torch.cat([ways * 2**i for i in range(self.octaves)], -1)
        return self.last(torch.cat([h, d], -1))
"""


async def test_a_mistake_that_is_mended_lets_other_inputs_be_found(start: Start) -> None:
    editor = await start()
    await editor.open("rays.py", RAYS)
    assert not any("return⟦" in line for line in await editor.hints("rays.py"))
    await editor.replace("rays.py", RAYS.replace("        h = self.last(h)\n", ""))
    hints = await editor.hints("rays.py")
    assert "def forward(self, points⟦: f32[2, 16, 3]⟧, ways⟦: f32[2, 16, 3]⟧):" in hints, hints
    assert "return⟦: f32[2, 16, 3]⟧ self.last(torch.cat([h, d], -1))" in hints
