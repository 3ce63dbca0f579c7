"""Warnings on tensors that `forward` makes on the CPU, and with a type of its own; and near misses."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.analysis.diagnostics import all_problems
from fx_lsp.analysis.snapshot import Snapshot, Trace
from fx_lsp.model.example import Example
from tests.worker.tracing import trace

SOURCE = """
import torch
import torch.nn.functional as F
from torch import nn

def later(t):
    return torch.ones(t, t, dtype=torch.bool).triu(1)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.embedding = nn.Linear(8, 8), nn.Embedding(30, 8)
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.register_buffer("rate", torch.ones(2, 8))

    def spare(self):
        return self.attention, self.embedding

    def forward(self, x, n=None):
        b, t, c = x.shape
        x = self.fc(x)
        some = x
        BODY

if __name__ == "__main__":
    Net()(torch.randn(2, 5, 8))
"""
CALL = "Net()(torch.randn(2, 5, 8))"
LEFT = "device-left-out"

WRONG = [
    (LEFT, "return x + self.embedding(«torch.arange(t)»)"),
    (LEFT, "return x + «torch.arange(5)»[:, None] * self.rate[0]"),
    (LEFT, "return self.attention(x, x, x, attn_mask=«torch.ones(t, t)».triu(1).bool())"),
    (LEFT, "return x * «torch.linspace(0, 1, 8)».exp()[None]"),
    (LEFT, "y = «torch.tensor([])»; y = torch.cat([y, self.rate * x[0, 0]]); return x, y"),
    (LEFT, "return x * «torch.linspace(x[0, 0, 0], x[0, 0, 1], 8)».exp()[None]"),
    (LEFT, "mask = «torch.ones(t, t)».tril() == 0; s = x @ x.mT; return s.masked_fill(mask, -1e9)"),
    (LEFT, "return torch.cat([x, «torch.zeros(b, 1, 8)»], dim=1)"),
    (LEFT, "n = «torch.zeros(b, t, 8)»; n[:, 0] = x[:, 0]; return n + x"),
    (LEFT, "a, d = «torch.rand(2, 5, 8)».chunk(2, 0); return torch.where(a > d, x, 0.0)"),
    (LEFT, "h = «torch.zeros(b, 8)»; h = nn.GRUCell(8, 8)(x[:, 0], h); return h"),
    (LEFT, "h = «torch.zeros(1, b, 8)»; return nn.LSTM(8, 8, batch_first=True)(x, (h, h))[0]"),
    (LEFT, "return torch.einsum('btc,c->bt', x, «torch.tensor([1.0] * 8)».to(x.dtype))"),
]  # fmt: skip
"""Rule, and what `forward` does; the expression stands in guillemets."""

NEAR = [
    "n = x[0, 0].detach(); return x * torch.tensor(n)",
    "return torch.cat([x, torch.as_tensor(x.detach())], dim=1)",
    "return x + self.embedding(torch.arange(t, device=x.device))",
    "return x + torch.zeros(b, t, 8).to(x), x + torch.zeros(8).to(x.device), x + torch.ones(8).type_as(x)",
    "return x * torch.tensor(2.0), x + x.new_zeros(8), x + torch.zeros_like(x)",
    "return x[torch.arange(b)], x[:, torch.randperm(t)], torch.arange(t) * torch.ones(t)",
    "m = torch.ones(t, t).tril(); return m",
    "w = self.attention.in_proj_weight; b = self.attention.in_proj_bias; o = self.attention.out_proj; "
    "return F.multi_head_attention_forward(x, x, x, 8, 2, torch.empty([0]), b, None, None, False, 0.0, o.weight, "
    "o.bias, use_separate_proj_weight=True, q_proj_weight=w[:8], k_proj_weight=w[8:16], v_proj_weight=w[16:])[0]",
    "h = x.new_zeros(1, b, 8); return nn.GRU(8, 8, batch_first=True)(x, h)[0]",
    "y = torch.zeros(t, 8); y[:2] = x[0, :2]; return y",
    "m = torch.ones(t); m = m.cuda() if x.is_cuda else m; return x * m[:, None]",
    "m = torch.ones(8).sum(); return x * m",
    "return x.cpu() * torch.ones(8), x.to('cpu') * torch.ones(8)",
    "with torch.device(x.device):;; return x + torch.ones(8)",
]  # fmt: skip


def found(folder: Path, body: str) -> list[tuple[str, str]]:
    """Rule and text of each warning."""
    text = SOURCE.replace("BODY", body.replace(":;; ", ":\n            ").replace("; ", "\n        "))
    reply = trace(folder, text, CALL)
    assert reply.failure is None, reply.failure
    path = str(folder / "model.py")
    snapshot = Snapshot(path, text, traces=(Trace(Example(path, CALL, "call"), CALL, (), reply),))
    lines = text.split("\n")
    problems = [one for one in all_problems(snapshot) if one.severity == "warning"]
    return [(one.code, lines[one.span.line - 1][one.span.column : one.span.end_column]) for one in problems]


@pytest.mark.parametrize(("rule", "body"), WRONG)
def test_what_is_wrong(rule: str, body: str, tmp_path: Path) -> None:
    wanted = body.partition("«")[2].partition("»")[0]
    assert found(tmp_path, body.replace("«", "").replace("»", "")) == [(rule, wanted)]


@pytest.mark.parametrize("body", NEAR)
def test_what_is_as_it_should_be(body: str, tmp_path: Path) -> None:
    assert found(tmp_path, body) == []


def test_what_another_file_makes(tmp_path: Path) -> None:
    body = "return (x @ x.mT).masked_fill(later(t), -1e9)"
    assert found(tmp_path, body) == [(LEFT, "torch.ones(t, t, dtype=torch.bool)")]
