"""Calls of methods, and of `forward` with optional inputs: they go on from a call that ran, whose inputs stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.model.example import Maker
from tests.worker.test_inference import found, works

MODEL = """
class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)

    def forward(self, x, mask=None, average=False):
        q, k, v = self.qkv(x).chunk(3, -1)
        scores = q @ k.transpose(1, 2)
        if mask is not None:
            scores = scores.masked_fill(mask, -1e9)
        if self.training:
            scores = F.dropout(scores, 0.1)
        if average:
            return scores.mean(1)
        return scores.softmax(-1) @ v


class Net(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.embed = nn.Embedding(50, width)
        self.attention = Attention(width)
        self.head = nn.Linear(width, 50)

    def forward(self, ids, targets=None):
        logits = self.head(self.attention(self.embed(ids)))
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten()) if targets is not None else None
        return logits, loss

    @torch.no_grad()
    def generate(self, ids, max_new_tokens, top_k=None):
        for _ in range(max_new_tokens):
            logits = self(ids)[0][:, -1]
            if top_k is not None:
                logits = logits.topk(top_k).values
            ids = torch.cat([ids, logits.argmax(-1, keepdim=True)], 1)
        return ids

    def draw(self, batch_size):
        z = torch.randn(batch_size, 12)
        return self.head(z)

    def repeated(self, count):
        x = torch.zeros(2, 12)
        for _ in range(count):
            x = self.head(x)[:, :12]
        return x

    def refused(self, x):
        y = self.head(x)
        raise NotImplementedError

    def train(self, mode=True):
        y = self.head(torch.zeros(1, 12))
        return super().train(mode)

    @staticmethod
    def helper(x):
        return x + 1
"""
CALLS = {
    "forward": ("Net()(i64[3, 7])", "Net()(i64[3, 7], i64[3, 7])"),
    "generate": ("Net()(i64[3, 7])", "Net().generate(i64[3, 7], 4, 4)"),
    "draw": ("Net()(i64[3, 7])", "Net().draw(2)"),
    "repeated": ("Net()(i64[3, 7])", "Net().repeated(16)"),
}


@pytest.mark.parametrize("method", CALLS)
def test_a_call_that_ran_goes_on(tmp_path: Path, method: str) -> None:
    call, expected = CALLS[method]
    name = f"Net::{method}"
    one = found(tmp_path, MODEL, name, makers=(Maker(name, "", call),))[name]
    assert one.call == expected
    works(tmp_path, MODEL, one)


@pytest.mark.parametrize("method", ["refused", "train", "helper", "absent"])
def test_what_does_not_come_to_its_end_or_is_called_by_torch_is_left_alone(tmp_path: Path, method: str) -> None:
    name = f"Net::{method}"
    one = found(tmp_path, MODEL, name, makers=(Maker(name, "", "Net()(i64[3, 7])"),))[name]
    assert (one.call, one.operations) == ("", 0)
    assert one.why


def test_a_part_is_reached_through_its_whole_in_training_and_with_all_that_decides(tmp_path: Path) -> None:
    name = "Attention::forward"
    one = found(tmp_path, MODEL, name, makers=(Maker(name, "", "Net()(f32[3, 7, 12])"),))[name]
    assert one.call.startswith("Net().attention.train()(f32[3, 7, 12], b8[")
    assert one.call.endswith(", True)")
    works(tmp_path, MODEL, one)


def test_what_comes_before_the_call_stays_before_it(tmp_path: Path) -> None:
    name = "Net::generate"
    maker = Maker(name, "net = Net(12)\nids = torch.ones(2, 5, dtype=torch.long)", "net(ids)")
    one = found(tmp_path, MODEL, name, makers=(maker,))[name]
    assert (one.setup, one.call) == (maker.setup, "net.generate(ids, 4, 4)")
    works(tmp_path, MODEL, one)
