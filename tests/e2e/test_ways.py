"""Methods that nothing calls, and branches that optional inputs decide, in an editor: hints there too, and no alarm."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import Start

pytestmark = pytest.mark.asyncio

MODEL = """import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.words = nn.Embedding(50, width)
        self.head = nn.Linear(width, 50)

    def forward(self, ids, targets=None):
        logits = self.head(self.words(ids))
        if targets is not None:
            loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
            return loss
        return logits

    def generate(self, ids, steps):
        for _ in range(steps):
            logits = self(ids)
            last = logits[:, -1].argmax(-1, keepdim=True)
            ids = torch.cat([ids, last], 1)
        return ids


net = Net()
net(torch.zeros(3, 5, dtype=torch.long))
"""


def of(hints: list[str], text: str) -> list[str]:
    return [hint for hint in hints if text in hint]


async def test_what_no_call_comes_to_is_shown_and_changes_nothing_else(start: Start) -> None:
    editor = await start()
    await editor.open("net.py", MODEL)
    hints = await editor.hints("net.py")
    assert of(hints, "targets⟦: i64[3, 5]⟧=None") or of(hints, "targets⟦: i64[B, T]⟧=None")
    assert of(hints, "loss⟦: f32[]⟧")
    (last,) = of(hints, "last⟦")
    assert last.startswith(("last⟦: i64[3, 1]⟧", "last⟦: i64[B, 1]⟧"))
    (logits,) = of(hints, "= self.head(")
    assert logits.startswith(("logits⟦: f32[3, 5, 50]⟧", "logits⟦: f32[B, T, 50]⟧")), "the call's, with no other beside"
    (lens,) = await editor.lenses("net.py")
    assert "call 1 of" not in lens
    assert editor.problems("net.py") == []


async def test_they_follow_edits_and_what_fails_there_is_no_error(start: Start) -> None:
    editor = await start()
    await editor.open("net.py", MODEL)
    await editor.edit("net.py", "keepdim=True)", "keepdim=True).repeat(1, 2)")
    (last,) = of(await editor.hints("net.py"), "last⟦")
    assert last.startswith(("last⟦: i64[3, 2]⟧", "last⟦: i64[B, 2]⟧"))
    await editor.edit("net.py", "torch.cat([ids, last], 1)", "torch.cat([ids, last], 0)")
    assert of(await editor.hints("net.py"), "last⟦"), "what was found before the failure stays"
    assert editor.problems("net.py") == []


async def test_what_is_wrong_whatever_the_inputs_are_is_told_there_too(start: Start) -> None:
    editor = await start()
    text = MODEL.replace("logits.flatten(0, 1)", "logits.softmax(-1).flatten(0, 1)")
    await editor.open("net.py", text.replace("return logits\n", "return logits + logits.new_zeros(5, 1)\n"))
    await editor.settled()
    (problem,) = editor.problems("net.py")
    assert problem.startswith("15:19-15:87 warning softmax-before-cross-entropy")
