"""A script without any class: its lines have shapes, what fails in it is explained, and an edit mends it."""

from __future__ import annotations

import pytest
from lsprotocol import types

from tests.e2e.conftest import Start

pytestmark = pytest.mark.asyncio

SCRIPT = """import torch
from torch import nn

features = torch.randn(64, 20)
labels = torch.randint(0, 3, (64,))
model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def step(x, y):
    logits = model(x)
    loss = nn.functional.cross_entropy(logits, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


for epoch in range(1_000_000):
    for start in range(0, 64, 8):
        batch = features[start : start + 8]
        step(batch, labels[start : start + 8])
"""


async def test_a_script_has_shapes_and_what_fails_in_it_is_mended(start: Start) -> None:
    editor = await start()
    await editor.open("train.py", SCRIPT)
    assert await editor.hints("train.py") == [
        "features⟦: f32[64, 20]⟧ = torch.randn(64, 20)",
        "labels⟦: i64[64]⟧ = torch.randint(0, 3, (64,))",
        "def step(x⟦: f32[8, 20]⟧, y⟦: i64[8]⟧):",
        "logits⟦: f32[8, 3]⟧ = model(x)",
        "loss⟦: f32[]⟧ = nn.functional.cross_entropy(logits, y)",
        "batch⟦: f32[8, 20]⟧ = features[start : start + 8]",
    ]
    assert editor.problems("train.py") == []
    await editor.edit("train.py", "nn.Linear(32, 3)", "nn.Linear(16, 3)")
    (problem,) = editor.problems("train.py")
    assert "takes 16 features in the last dim" in problem
    actions = [one for one in await editor.actions("train.py", "model(x)") if isinstance(one, types.CodeAction)]
    texts = [editor.apply("train.py", one.edit) for one in actions if one.edit is not None]
    assert SCRIPT in texts


GIVEN = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 4)

    def forward(self, x, mask):
        h = self.fc(x)
        return h.masked_fill(mask.unsqueeze(-1), 0.0)


net = Net()
x = torch.randn(2, 5, 8)
mask = torch.ones(2, 6, dtype=torch.bool)
out = net(x, mask)
"""


async def test_what_a_script_gives_its_model_is_mended_where_it_is_made(start: Start) -> None:
    editor = await start()
    await editor.open("run.py", GIVEN)
    actions = [one for one in await editor.actions("run.py", "h.masked_fill") if isinstance(one, types.CodeAction)]
    texts = [editor.apply("run.py", one.edit) for one in actions if one.edit is not None]
    assert GIVEN.replace("torch.ones(2, 6,", "torch.ones(2, 5,") in texts
    assert GIVEN.replace("torch.randn(2, 5,", "torch.randn(2, 6,") in texts


TRAINED = """import torch
import torch.nn.functional as F
from torch import nn


def loss_of(scores, y):
    p = torch.softmax(scores, dim=1)
    return F.nll_loss(torch.log(p), y)


def main():
    x, y, z = torch.randn(64, 20), torch.randint(0, 3, (64,)), torch.rand(64)
    classes, rate = nn.Linear(20, 3), nn.Linear(20, 1)
    optimizer = torch.optim.SGD(classes.parameters(), lr=0.1)
    for epoch in range(1_000_000):
        optimizer.zero_grad()
        loss_of(classes(x), y).backward()
        optimizer.step()
    guess = rate(x)
    print((guess - z).abs().mean())


if __name__ == "__main__":
    main()
"""


async def test_what_only_a_program_calls_is_rewritten_and_what_it_warns_of_mended(start: Start) -> None:
    editor = await start()
    await editor.open("train.py", TRAINED)
    (problem,) = editor.problems("train.py")
    assert "f32[64, 1] and f32[64] become f32[64, 64]: each with each" in problem

    async def texts(needle: str) -> list[str]:
        actions = [one for one in await editor.actions("train.py", needle) if isinstance(one, types.CodeAction)]
        return [editor.apply("train.py", one.edit) for one in actions if one.edit is not None]

    assert TRAINED.replace("guess - z", "guess.squeeze(-1) - z") in await texts("guess - z")
    rewritten = TRAINED.replace("    p = torch.softmax(scores, dim=1)\n", "")
    assert rewritten.replace("torch.log(p)", "F.log_softmax(scores, dim=1)") in await texts("torch.log(p)")


STATED = """import torch
import torch.nn.functional as F
from torch import nn

x, y = torch.randn(64, 20), torch.randint(0, 3, (64,))
model = nn.Linear(20, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(20):
    p = torch.softmax(model(x), dim=1)
    loss = F.nll_loss(torch.log(p), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
"""


async def test_what_a_script_does_outside_of_functions_is_rewritten(start: Start) -> None:
    editor = await start()
    await editor.open("train.py", STATED)
    actions = [one for one in await editor.actions("train.py", "torch.log(p)") if isinstance(one, types.CodeAction)]
    texts = [editor.apply("train.py", one.edit) for one in actions if one.edit is not None]
    rewritten = STATED.replace("    p = torch.softmax(model(x), dim=1)\n", "")
    assert rewritten.replace("torch.log(p)", "F.log_softmax(model(x), dim=1)") in texts
