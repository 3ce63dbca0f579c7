"""A column of a linear layer that meets a row of data, wherever that is written: each with each."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.analysis.actions import applied
from fx_lsp.analysis.diagnostics import all_problems
from fx_lsp.analysis.mends import for_warning
from fx_lsp.analysis.snapshot import Problem, Snapshot, Trace
from fx_lsp.model.example import PROGRAM, Example
from tests.worker.tracing import trace

SOURCE = """
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
        self.register_buffer("bins", torch.linspace(0, 1, 8))

    def forward(self, x):
        return self.net(x)

model, x, y = Net(), torch.randn(8, 4), torch.randn(8)
loader = DataLoader(TensorDataset(x, y), 8)
batch = {"x": x, "y": y}
q, actions, w = nn.Linear(4, 3), torch.zeros(8, dtype=torch.long), torch.rand(8)
BODY
"""

WRONG = [
    "pred = model(x)\nloss = torch.abs(«pred - y»).mean()\nloss.backward()",
    "for xb, yb in loader:\n    loss = ((«model(xb) - yb») ** 2).mean()",
    "def rmse(p, t):\n    return («t - p»).pow(2).mean().sqrt()\nprint(rmse(model(x), y))",
    "t = «y + 0.99 * model(x)»\nloss = (model(x) - t).mean()",
    "with torch.no_grad():\n    hits = («(torch.sigmoid(model(x)) > 0.5).float() == y»).float().mean()",
    "with torch.no_grad():\n    p = torch.round(torch.sigmoid(model(batch['x'])))\n    hits = «p.eq(batch['y'])».sum()",
    "for epoch in range(9):\n    loss = model(x).squeeze(1).mean()\n    loss.backward()\nm = («model(x) - y»).abs()",
    "late = (x.sum(1) > 0).float()\nloss = («model(x) - late»).abs().mean()",
    "pred = q(x).argmax(dim=1, keepdim=True)\nhits = («pred == actions»).sum().item()",
    "pred = q(x).softmax(1).max(1, keepdim=True)[1]\nhits = «pred.eq(actions)».sum()",
    "best = torch.log_softmax(q(x), 1).topk(1).indices\nhits = («best == actions»).float().mean()",
    "logp = torch.log_softmax(q(x), -1).gather(1, actions[:, None])\nloss = -(«logp * y»).mean()",
    "each = F.mse_loss(model(x), y[:, None], reduction='none')\nloss = («each * w»).mean()",
    "each = nn.BCEWithLogitsLoss(reduction='none')(model(x), (y > 0).float()[:, None])\nloss = («w * each»).mean()",
    "away = 1 - torch.sigmoid(model(x))\nloss = («away * w»).mean()",
    "miss = (y.unsqueeze(1) - model(x)) ** 2\nloss = («miss * w»).sum()",
    "qa = q(x).gather(1, actions.unsqueeze(1))\nloss = ((«qa - y.float()») ** 2).mean()",
]
RIGHT = [
    "s = model(x)\nloss = torch.relu(1 - (s - s.squeeze(1))).mean()",
    "near = (model(x) - model.bins) ** 2",
    "steps = torch.arange(8)\nnear = model(x) - steps",
    "row = y[:, None].view(-1)\nnear = (model(x) - row).abs()",
    "pred = model(x).squeeze(1)\nloss = (pred - y).mean()",
    "pred = model(x[:1])\nloss = (pred - y[:1]).mean()",
    "cuts = torch.rand(8)\nabove = torch.sigmoid(model(x)) > cuts",
    "near = (q(x).gather(1, actions[:, None]) - y).abs().argmin(1)",
    "s = model(x)\nbest, top = q(x).max(1, keepdim=True).values, q(x).max(1).values\nmargins = best - top",
    "pseudo = q(x).argmax(1, keepdim=True)\nsame = (pseudo == actions).float()\nn = same.sum(1)",
    "cuts = torch.tensor([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])\nnear = model(x) - cuts",
    "far = (model(x) - model(x + 1)).abs() * y[:, None]",
    "best = q(x).topk(2).indices\nhits = (best == actions[:, None]).any(1)",
    "best = q(x).argmax(1, keepdim=True)\nhits = (best == actions.view_as(best)).sum()",
    "best = q(x).argmax(1, keepdim=True)\nscatter = best == torch.arange(8)",
    "scores = q(x)[:, :1]\npairs = scores - y",
]


def looked_at(folder: Path, text: str, call: str = PROGRAM, origin: str = "program") -> tuple[Snapshot, list[Problem]]:
    reply = trace(folder, text, call)
    assert reply.failure is None, reply.failure
    path = str(folder / "model.py")
    snapshot = Snapshot(path, text, traces=(Trace(Example(path, call, origin), call, (), reply),))
    return snapshot, [one for one in all_problems(snapshot) if one.severity == "warning"]


@pytest.mark.parametrize("body", WRONG)
def test_each_with_each(body: str, tmp_path: Path) -> None:
    """And the quick fix leaves nothing to warn of."""
    snapshot, (problem,) = looked_at(tmp_path, SOURCE.replace("BODY", body.replace("«", "").replace("»", "")))
    line = snapshot.text.split("\n")[problem.span.line - 1]
    assert problem.code == "silent-broadcast"
    assert line[problem.span.column : problem.span.end_column] == body.partition("«")[2].partition("»")[0]
    edit = for_warning(problem, snapshot)[0]
    assert looked_at(tmp_path, applied(snapshot.text, edit.changes))[1] == []


@pytest.mark.parametrize("body", RIGHT)
def test_what_is_meant_or_is_no_column(body: str, tmp_path: Path) -> None:
    assert looked_at(tmp_path, SOURCE.replace("BODY", body))[1] == []


def test_sizes_that_nobody_wrote_agree_by_chance(tmp_path: Path) -> None:
    text = SOURCE.partition("model, x, y")[0].replace("forward(self, x)", "forward(self, x, cuts)")
    text = text.replace("return self.net(x)", "return 2 * self.net(x) - cuts.float()")
    assert looked_at(tmp_path, text, "Net()(f32[8, 4], f32[8])", "inferred")[1] == []
