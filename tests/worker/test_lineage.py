"""Warnings on values that another module, a function or a layer of torch made; and near misses."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.analysis.diagnostics import all_problems
from fx_lsp.analysis.snapshot import Snapshot, Trace
from fx_lsp.model.example import PROGRAM, Example
from fx_lsp.model.value import label
from tests.worker.tracing import trace

SOURCE = """
import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Categorical

DEVICE = torch.device("cpu")

def later(t):
    return torch.triu(torch.ones(t, t, dtype=torch.bool, device=DEVICE), diagonal=1)

def past(t):
    return torch.tril(torch.ones(t, t, device=DEVICE))

class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.one = nn.Linear(8, 5), nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 1))
        self.embedding = nn.Embedding(30, 8, padding_idx=0)
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def spare(self):
        return self.fc, self.one, self.attention

    def forward(self, ids):
        x = self.embedding(ids)
        real = ids != 0
        y, first = self.fc(x), x[:, 0]
        some = real, y
        HEAD

    def mixed(self, scores, blocked, x):
        MIXED

class Loss(nn.Module):
    def __init__(self):
        super().__init__()
        self.head, self.ce, self.bce = Head(), nn.CrossEntropyLoss(), nn.BCEWithLogitsLoss()

    def spare(self):
        return self.ce, self.bce

    def forward(self, ids, target):
        out = self.head(ids)
        BODY
"""
CALL = "Loss()(i64[3, 6], i64[3])"
CROSS, TWICE, LOGITS = "softmax-before-cross-entropy", "double-softmax", "sigmoid-before-logits"
LOG, BATCH, ONE = "probabilities-without-log", "softmax-over-batch", "softmax-of-one"
IN_PLACE, INVERTED, NO_DIM = "in-place-on-saved", "mask-inverted", "softmax-without-dim"
DROPS, NORM, EACH = "dropout-always", "norm-of-one", "silent-broadcast"
MIXED = "return self.mixed(x @ x.mT, blocked, x)"

WRONG = [
    (CROSS, "return y[:, 0].softmax(-1), first", "return self.ce(out[0], target)", "", "self.ce(out[0], target)"),
    (CROSS, "return nn.Softmax(dim=-1)(y).flatten(0, 1)", "return F.cross_entropy(out, target.repeat(6))", "",
     "F.cross_entropy(out, target.repeat(6))"),
    (TWICE, "return {'probs': F.softmax(y[:, 0], 1)}", "return out['probs'].log_softmax(dim=-1)", "",
     "out['probs'].log_softmax(dim=-1)"),
    (TWICE, "return y[:, 0].log_softmax(-1)", "return Categorical(logits=out.exp(), validate_args=False).logits", "",
     "Categorical(logits=out.exp(), validate_args=False)"),
    (LOGITS, "return torch.sigmoid(self.one(first))", "return self.bce(out.squeeze(1), target.float())", "",
     "self.bce(out.squeeze(1), target.float())"),
    (LOG, "return y[:, 0]", "return F.nll_loss(out, target)", "", "F.nll_loss(out, target)"),
    (BATCH, "return F.log_softmax(y[:, 0], dim=0)", "return out.gather(1, target[:, None])", "",
     "F.log_softmax(y[:, 0], dim=0)"),
    (ONE, "return self.one(first)", "return out", "nn.Softmax(dim=1)(self.one(first))",
     "nn.Softmax(dim=1)(self.one(first))"),
    (NO_DIM, "return nn.Softmax()(first)", "return out", "", "nn.Softmax()(first)"),
    (DROPS, "return nn.Dropout(0.1)(first)", "return out", "", "nn.Dropout(0.1)(first)"),
    (DROPS, "return F.scaled_dot_product_attention(x, x, x, dropout_p=0.1)", "return out", "",
     "F.scaled_dot_product_attention(x, x, x, dropout_p=0.1)"),
    (NORM, "return F.layer_norm(self.one(first), [1])", "return out", "", "F.layer_norm(self.one(first), [1])"),
    (EACH, "return self.one(first)", "return (out - target) ** 2", "", "out - target"),
    (IN_PLACE, "p = torch.sigmoid(y); p[p < 0.1] = 0; return p", "return out", "", "p[p < 0.1] = 0"),
    (IN_PLACE, "p = self.one(first).tanh(); p.add_(1); return p", "return out", "", "p.add_(1)"),
    (INVERTED, "blocked = ~later(6); " + MIXED, "return out",
     "return scores.masked_fill(blocked, -1e9).softmax(-1) @ x", "blocked"),
    (INVERTED, "blocked = later(6)[None] | ~real[:, None]; " + MIXED, "return out",
     "return torch.where(blocked, scores, -1e9).softmax(-1) @ x", "blocked"),
    (INVERTED, "blocked = later(6); " + MIXED, "return out",
     "return F.scaled_dot_product_attention(x, x, x, attn_mask=blocked)", "blocked"),
    (INVERTED, "return self.attention(x, x, x, key_padding_mask=real)[0]", "return out", "", "real"),
    ("mask-of-numbers", "m = past(6); return self.attention(x, x, x, attn_mask=m)[0]", "return out", "", "m"),
    ("mask-of-numbers", "m = past(6); return F.scaled_dot_product_attention(x, x, x, m)", "return out", "", "m"),
]  # fmt: skip
"""Rule, what the head does, what its user does, what `mixed` does, and the expression; a text in the fourth place of a
rule without masks stands in place of what the head returns."""

NEAR = [
    ("if self.training:;; return y[:, 0]; return y[:, 0].softmax(-1)", "return self.ce(out, target)"),
    ("return y[:, 0].log_softmax(-1)", "return self.ce(out, target)"),
    ("return y[:, 0].softmax(-1)", "return F.nll_loss(out.log(), target)"),
    ("return y[:, 0].softmax(0)", "return out.softmax(-1)"),
    ("return self.one(first)", "return (out.squeeze(-1) - target) ** 2"),
    ("p = torch.sigmoid(y); p = p.clone(); p[p < 0.1] = 0; return p", "return out"),
    ("p = y.softmax(-1); q = p.detach().clone(); q += 1; return p", "return out"),
    ("p = y.softmax(-1); s = p.argmax(-1); p *= 2; return s", "return out"),
    ("blocked = later(6) | ~real[:, None]; s = x @ x.mT; return s.masked_fill(blocked, -1e9).softmax(-1) @ x",
     "return out"),
    ("return self.attention(x, x, x, key_padding_mask=~real)[0]", "return out"),
    ("m = (1 - past(6)) * -1e9; return self.attention(x, x, x, attn_mask=m)[0]", "return out"),
    ("m = past(6).bool(); return F.scaled_dot_product_attention(x, x, x, attn_mask=m)", "return out"),
    ("m = past(6); m = m.masked_fill(m == 0, -1e9).masked_fill(m == 1, 0.0);"
     " return F.scaled_dot_product_attention(x, x, x, attn_mask=m)", "return out"),
    ("m = ids != 7; s = x @ x.mT; return s.masked_fill(m[:, None], -1e9).softmax(-1) @ x", "return out"),
    ("return F.scaled_dot_product_attention(x, x, x, attn_mask=~later(6))", "return out"),
    ("return F.dropout(first, 0.1, training=True)", "return out"),
]  # fmt: skip


def warned(folder: Path, head: str, body: str, mixed: str = "return x") -> list[tuple[str, str]]:
    text = (
        SOURCE.replace("HEAD", _laid_out(head)).replace("BODY", _laid_out(body)).replace("MIXED", mixed or "return x")
    )
    reply = trace(folder, text, CALL)
    assert reply.failure is None, reply.failure
    path = str(folder / "model.py")
    snapshot = Snapshot(path, text, traces=(Trace(Example(path, CALL, "call"), CALL, (), reply),))
    lines = text.split("\n")
    problems = [one for one in all_problems(snapshot) if one.severity == "warning"]
    return [(one.code, lines[one.span.line - 1][one.span.column : one.span.end_column]) for one in problems]


def test_attention_drops_in_a_program_since_that_trains(tmp_path: Path) -> None:
    text = """import torch
from torch import nn
from torch.nn import functional as F

class Net(nn.Module):
    def forward(self, x):
        return F.scaled_dot_product_attention(x, x, x, dropout_p=0.1 if self.training else 0.0)

if __name__ == "__main__":
    Net()(torch.randn(2, 3, 4))
"""
    path = str(tmp_path / "model.py")
    for call in ("Net()(torch.randn(2, 3, 4))", PROGRAM):
        reply = trace(tmp_path, text, call)
        assert reply.failure is None, reply.failure
        snapshot = Snapshot(path, text, traces=(Trace(Example(path, call, "call"), call, (), reply),))
        assert [one.made for one in reply.lineage] == (["dropped"] if call == PROGRAM else [])
        assert [one.code for one in all_problems(snapshot) if one.severity == "warning"] == []


def _laid_out(code: str) -> str:
    return code.replace(":;; ", ":\n            ").replace("; ", "\n        ")


@pytest.mark.parametrize(("rule", "head", "body", "other", "wanted"), WRONG)
def test_what_was_made_elsewhere(rule: str, head: str, body: str, other: str, wanted: str, tmp_path: Path) -> None:
    masks = rule == INVERTED
    found = warned(tmp_path, head if masks or not other else f"return {other}", body, other if masks else "")
    assert found == [(rule, wanted)]


@pytest.mark.parametrize(("head", "body"), NEAR)
def test_what_is_as_it_should_be(head: str, body: str, tmp_path: Path) -> None:
    assert warned(tmp_path, head, body) == []


def test_what_is_not_always_so(tmp_path: Path) -> None:
    """What a place took once as a softmax and once as it is, is not told of."""
    head = "return y[:, 0].softmax(-1), y[:, 0]"
    body = "return sum(self.ce(one, target) for one in out)"
    assert warned(tmp_path, head, body) == []


def test_what_is_packed_by_somebody_is_not_looked_at(tmp_path: Path) -> None:
    """A checkpoint would run its part again, and what that does besides."""
    source = """
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.part, self.calls = nn.Sequential(nn.Linear(8, 8), nn.ReLU()), 0
    def body(self, x):
        self.calls += 1
        return self.part(x)
    def forward(self, x):
        h = checkpoint(self.body, x, use_reentrant=False)
        y = torch.zeros(2, 8)
        y += h
        h += y
        return y.new_zeros(self.calls)
"""
    reply = trace(tmp_path, source, "Net()(f32[2, 8])")
    assert reply.failure is None
    (use,) = (one for one in reply.modules if one.name == "Net")
    assert label(use.output) == "f32[1]"


TRAINED = """
import torch
import torch.nn.functional as F
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x):
        if self.training:
            x = x + torch.randn_like(x)
        return self.fc(x).softmax(-1)

net = Net()
if __name__ == "__main__":
    net.MODE()
    for _ in range(2):
        F.cross_entropy(net(torch.randn(5, 4)), torch.tensor([0, 1, 2, 0, 1])).backward()
"""


@pytest.mark.parametrize(("mode", "made"), [("train", {"linear", "softmax"}), ("eval", set())])
def test_what_asks_for_the_mode_is_what_it_is_while_it_trains(mode: str, made: set[str], tmp_path: Path) -> None:
    reply = trace(tmp_path, TRAINED.replace("MODE", mode), PROGRAM)
    assert reply.failure is None
    assert {one.made for one in reply.lineage} == made
