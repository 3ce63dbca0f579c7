"""Ranks of inputs that run in several ranks: what a classifier takes, and what is taken step by step."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.worker.test_inference import BLOCK, found

LAYERS = (
    "self.one, self.two, self.drop = nn.Linear(24, 8), nn.Linear(8, 5), nn.Dropout(0.1); "
    "self.net = nn.Sequential(nn.Linear(24, 8), nn.ReLU(), nn.Linear(8, 5)); self.score = nn.Linear(24, 1); "
    "self.words = nn.Embedding(9, 4); self.over = nn.Softmax(dim=1); self.loss = nn.CrossEntropyLoss(); "
    "self.conv = nn.Conv2d(5, 4, 3); self.cell, self.step = nn.GRUCell(24, 8), nn.LSTMCell(24, 8)"
)
ROW, STEPS, LABELLED = "f32[2, 24]", "f32[2, 16, 24]", "f32[2, 24], i64[2]"
CASES = {
    "a softmax over dim 1 is given back": ("return F.log_softmax(self.two(F.relu(self.one(x))), dim=1)", ROW),
    "it has a name": ("h = self.drop(self.one(x)).relu()\ny = self.two(h).softmax(1)\nreturn y", ROW),
    "by a layer": ("y = self.over(self.net(x))\nreturn y, x", ROW),
    "a loss": ("logits = self.net(x)\nloss = F.cross_entropy(logits, y)\nreturn loss", LABELLED),
    "a loss that is a layer": ("logits = self.net(x)\nz = self.loss(logits, y)\nreturn z", LABELLED),
    "a loss that is made there": ("z = nn.CrossEntropyLoss()(self.net(x), y)\nreturn z", LABELLED),
    "two losses in one statement": (
        "z = F.cross_entropy(self.net(x), y) + F.cross_entropy(self.words(t).mT, t)\nreturn z",
        "f32[2, 24], i64[2], i64[2, 16]",
    ),
    "weights that are given back": ("w = self.one(x).softmax(1)\ny = (w.mT @ x).sum(1)\nreturn w, y", STEPS),
    "the last step of channels": ("y = self.one(x[:, :, -1])\nreturn y", "f32[2, 24, 64]"),
    "over the last dim": ("y = self.two(self.one(x)).softmax(-1)\nreturn y", STEPS),
    "weights of steps": ("w = F.softmax(self.score(x), dim=1)\nz = (w * x).sum(1)\nreturn z", STEPS),
    "weights of steps, several": (
        "w = self.one(x).softmax(1)\nz = torch.einsum('btk,btd->bkd', w, x)\nreturn z",
        STEPS,
    ),
    "step by step": (
        "h = x.new_zeros(x.size(0), 8)\nfor t in range(x.size(1)):\n    h = self.cell(x[:, t], h)\nreturn h",
        STEPS,
    ),
    "step by step, without a state": (
        "hs = []\nfor t in range(x.size(1)):\n    hs.append(self.step(x[:, t, :])[0])\nreturn torch.stack(hs)",
        STEPS,
    ),
    "the first step": ("y = self.one(x[:, 0])\nreturn y", STEPS),
    "frames of a film": (
        "ys = []\nfor t in range(x.size(1)):\n    ys.append(self.conv(x[:, t]))\nreturn torch.stack(ys, 1)",
        "f32[2, 3, 5, 32, 32]",
    ),
    "columns of ids": ("y = self.words(x[:, 0]) * self.words(x[:, 1])\nreturn y", "i64[2, 16]"),
}


@pytest.mark.parametrize("name", CASES)
def test_the_rank_is_the_one_that_the_code_is_for(tmp_path: Path, name: str) -> None:
    body, inputs = CASES[name]
    parameters = ", ".join("xyt"[: inputs.count("[")])
    source = BLOCK.format(init="", body=LAYERS) + f"    def forward(self, {parameters}):\n"
    source += "".join(f"        {line}\n" for line in body.split("\n"))
    (one,) = found(tmp_path, source).values()
    assert one.call == f"Net()({inputs})"
