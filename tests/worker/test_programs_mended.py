"""Mistakes in what a program does outside of its models, and what is proposed for them first."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.analysis.causes import explained
from fx_lsp.model.example import PROGRAM
from tests.worker.proposed import proposed
from tests.worker.tracing import trace

HEAD = """
import torch
from torch import nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence

net = nn.Linear(4, 5)

"""
ROLLOUT = """
def collect(T=6, N=3):
    value, reward = torch.zeros(SIZES), torch.zeros(T, N)
    for t in range(T):
        value[t] = net(torch.randn(N, 4))[:, 0]
    value[T] = net(torch.randn(N, 4))[:, 0]
    return reward + value[1:] - value[:-1]

collect()
"""
TAGS = """
items = [(torch.randn(n, 4), torch.randint(0, 5, (n,))) for n in (3, 6)]
x, y = pad_sequence([one for one, _ in items]), pad_sequence([one for _, one in items], padding_value=FILL)
net(x).gather(2, y.unsqueeze(2))
"""
EMBEDDED = """
ids = F.pad(torch.randint(0, 9, (2, 3)), (0, 2), value=FILL)
nn.Embedding(9, 4)(ids)
"""
PADDED = """
def collate(items):
    longest = max(item["x"].shape[0] for item in items)
    padded = [F.pad(item["x"], (0, 0, 0, REST)) for item in items]
    return torch.stack(padded)

net(collate([{"x": torch.randn(3, 4)}, {"x": torch.randn(6, 4)}]))
"""
BANDS = """
BANDS = (8, 8, 16, LAST)

class Split(nn.Module):
    def __init__(self, widths):
        super().__init__()
        self.widths = list(widths)
        self.parts = nn.ModuleList(nn.Linear(w, 4) for w in widths)

    def forward(self, x):
        return sum(part(one) for part, one in zip(self.parts, x.split(self.widths, dim=-1)))

Split(BANDS)(torch.randn(2, 65))
"""
ROOM = """
past = torch.zeros(3, 5)
for row, n in enumerate((4, 7, 2)):
    seen = torch.randn(n)
    past[row, -n:] = SET
"""
HEADS = """
from einops import rearrange

class Heads(nn.Module):
    def __init__(self, widths, stems):
        super().__init__()
        self.widths, self.stems = widths, stems
        heads = [nn.Linear(4, SIZE) for w in widths]
        self.heads = nn.ModuleList(heads)

    def forward(self, x):
        for head, w in zip(self.heads, self.widths):
            x = rearrange(head(x), "b (s f c) -> b s f c", s=self.stems, f=w, c=2).flatten(1)[:, :4]
        return x

Heads((4, 8), 3)(torch.randn(2, 4))
"""
CASES = [
    (PADDED, "REST", "longest", 'longest - item["x"].shape[-2]', "cat-sizes"),
    (BANDS, "LAST", "32", "33", "split-sizes"),
    (ROOM, "SET", "seen", "seen[-past.shape[1]:]", "assigned-sizes"),
    (HEADS, "SIZE", "stems * w", "2 * stems * w", "axes-pattern"),
    (ROLLOUT, "SIZES", "T, N", "T + 1, N", "index-range"),
    (ROLLOUT, "SIZES", "6, N", "7, N", "index-range"),
    (ROLLOUT, "SIZES", "(T, N)", "(T + 1, N)", "index-range"),
    (TAGS, "FILL", "-100", "0", "index-range"),
    (EMBEDDED, "FILL", "-1", "0", "embedding-ids"),
]


@pytest.mark.parametrize(("text", "place", "wrong", "right", "cause"), CASES)
def test_the_first_proposal_is_what_is_meant(
    text: str, place: str, wrong: str, right: str, cause: str, tmp_path: Path
) -> None:
    source = HEAD + text.replace(place, wrong)
    reply = trace(tmp_path, source, PROGRAM)
    assert reply.failure is not None
    found = explained(reply.failure)
    assert found is not None
    assert found.code == cause
    meant = HEAD + text.replace(place, right)
    assert meant in proposed(tmp_path, source, reply.failure)[:2]
    assert trace(tmp_path, meant, PROGRAM).failure is None


def test_what_is_further_beyond_the_end_is_not_made_longer(tmp_path: Path) -> None:
    source = HEAD + "v = torch.zeros(3)\nv[5] = 1.0\n"
    reply = trace(tmp_path, source, PROGRAM)
    assert reply.failure is not None
    assert not any("zeros(4)" in one for one in proposed(tmp_path, source, reply.failure))
