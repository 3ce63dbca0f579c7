"""Two versions of a model: what computes the same is told from what does not, also where one run would not show it."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.model.comparison import Compared, Comparison, Overlay
from fx_lsp.model.messages import TraceRequest
from tests.worker.tracing import in_child

ATTENTION = """
import torch
import torch.nn.functional as F
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x, mask=None):
        q, k, v = self.q(x), self.k(x), self.v(x)
        BODY
"""
BY_HAND = """scores = q @ k.transpose(-2, -1) / 8 ** 0.5
        return F.dropout(scores.softmax(-1), 0.1, self.training) @ v"""
FUSED = "return F.scaled_dot_product_attention(q, k, v, dropout_p=0.1 if self.training else 0.0)"
MASKED = """scores = (q @ k.transpose(-2, -1) / 8 ** 0.5).masked_fill(mask == 0, -1e9)
        return scores.softmax(-1) @ v"""
X, WITH_MASK = "Net()(f32[2, 5, 8])", "Net()(f32[2, 5, 8], torch.ones(2, 5, 5))"
TWICE = "return self.q(x).relu()"


def compared(folder: Path, old: str, new: str, call: str = X) -> Compared:
    path = folder / "model.py"
    path.write_text(ATTENTION.replace("BODY", old))
    comparison = Comparison((Overlay(str(path), ATTENTION.replace("BODY", new)),))
    reply = in_child(TraceRequest(1, str(folder), str(path), call, comparison=comparison))
    assert reply.failure is None, reply.failure
    assert reply.compared is not None
    return reply.compared


def test_attention_by_hand_is_the_fused_one_also_with_dropout_in_training(tmp_path: Path) -> None:
    found = compared(tmp_path, BY_HAND, FUSED)
    assert (found.why, found.runs, found.dtype) == ("", True, "f64")
    assert found.checks > 4
    assert found.difference < 1e-12


def test_what_the_file_calls_itself_is_compared_as_well(tmp_path: Path) -> None:
    """Each example of such a file runs through all that it calls."""
    path, calls = tmp_path / "model.py", "\nNet()(torch.ones(2, 5, 8))\nother = nn.Linear(8, 3)\n"
    path.write_text(ATTENTION.replace("BODY", BY_HAND) + calls)
    for body, why in ((FUSED, ""), (FUSED.replace("0.1 if", "0.2 if"), "in train()")):
        edited = Overlay(str(path), ATTENTION.replace("BODY", body) + calls)
        comparison = Comparison((edited,), str(path), "Net")
        reply = in_child(TraceRequest(1, str(tmp_path), str(path), "other(f32[2, 8])", comparison=comparison))
        assert reply.compared is not None, reply.failure
        assert why in reply.compared.why if why else reply.compared.why == "", reply.compared


def test_a_target_that_has_to_lie_between_0_and_1_does(tmp_path: Path) -> None:
    loss = "return F.binary_cross_entropy(torch.sigmoid(self.q(x)), mask)"
    logits = "return F.binary_cross_entropy_with_logits(self.q(x), mask)"
    found = compared(tmp_path, loss, logits, "Net()(f32[2, 5, 8], f32[2, 5, 8])")
    assert found.why == ""
    assert found.checks > 4
    assert "differs by" in compared(tmp_path, loss, f"{logits} * 2", "Net()(f32[2, 5, 8], f32[2, 5, 8])").why


CACHED = """cached = self.q.__dict__.setdefault("cached", {})
        table = self.k.weight * 2 if self.training else cached.setdefault("table", self.k.weight * 2)
        return (self.q(x) @ table).relu()"""


def test_what_a_model_keeps_of_one_run_is_not_there_in_the_next(tmp_path: Path) -> None:
    texts = CACHED, CACHED.replace('cached.setdefault("table", self.k.weight * 2)', "self.k.weight * 2")
    kept, anew = (compared(tmp_path, text, text.replace(".relu()", ".clamp(min=0)")) for text in texts)
    assert kept.why == ""
    assert kept.checks == anew.checks > 4


@pytest.mark.parametrize(
    ("old", "new", "call", "why"),
    [
        (BY_HAND, FUSED.replace("(q, k, v", "(q, k, v, scale=0.5"), X, "differs by"),
        (BY_HAND, FUSED.replace("0.1 if", "0.2 if"), X, "in train()"),
        (MASKED, "return F.scaled_dot_product_attention(q, k, v, attn_mask=mask != 0)", WITH_MASK, "differs by"),
        ("return x.relu()", "return x * (x > 0.1)", X, "the example gives something else"),
        ("return torch.zeros(x.shape)", "return torch.zeros(2, 5, 8)", X, "size 3 in place of 2"),
        ("return (q + k).sum(-1)", "return q.sum(-1) + k.detach().sum(-1)", X, "gradient"),
        (TWICE, "return self.q(x.relu_()).relu()", X, "output 0"),
        ("return torch.rand_like(x)", "return torch.rand_like(x) + x", X, "output 0"),
        ("return x", "return x.float() if x.shape[0] > 2 else x", X, "was float64[3, 5, 8]"),
        ("return x", "return x.view(7)", X, "does not run any more"),
        ("return x", "return (x, x)", X, "there were 1 outputs"),
    ],
)  # fmt: skip
def test_what_is_not_the_same_is_found(tmp_path: Path, old: str, new: str, call: str, why: str) -> None:
    assert why in compared(tmp_path, old, new, call).why
