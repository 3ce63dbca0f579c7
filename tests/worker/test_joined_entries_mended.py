"""What is no tensor among what is joined is spread out, left out, or one of several is taken."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.analysis.mends import proposals
from tests.worker.proposed import proposed
from tests.worker.tracing import trace

MODEL = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(8, 8, batch_first=True)
        self.side = None

    def forward(self, x):
        {body}
"""


@pytest.mark.parametrize(
    ("body", "mended"),
    [("maps = [x, x]\n        return torch.cat([maps, x], dim=-1)", "torch.cat([*maps, x], dim=-1)"),
     ("y = self.rnn(x)\n        return torch.cat([x, y], dim=-1)", "y, _ = self.rnn(x)"),
     ("return torch.cat([x, self.rnn(x)], dim=-1)", "torch.cat([x, self.rnn(x)[0]], dim=-1)"),
     ("return torch.cat([x, self.side], dim=-1)", "torch.cat([x], dim=-1)"),
     ("maps = [x]\n        maps.append(self.side)\n        return torch.cat(maps, dim=-1)",
      "torch.cat([one for one in maps if one is not None], dim=-1)"),
     ("maps = [x]\n        for _ in range(2):\n            maps.append(self.rnn(x))\n        return torch.cat(maps, 1)",
      "maps.append(self.rnn(x)[0])"),
     ("maps = [self.rnn(one) for one in x.split(1)]\n        return torch.cat(maps)", "[self.rnn(one)[0] for one in"),
     ("maps = [(one, one) for one in x.split(1)]\n        return torch.stack(maps)",
      "torch.stack([one[0] for one in maps])")],
)  # fmt: skip
def test_it_is_mended(tmp_path: Path, body: str, mended: str) -> None:
    source = MODEL.format(body=body)
    failure = trace(tmp_path, source, "Net()(f32[2, 3, 8])").failure
    assert failure is not None
    runs = [text for text in proposed(tmp_path, source, failure) if mended in text]
    assert runs
    assert trace(tmp_path, runs[0], "Net()(f32[2, 3, 8])").failure is None


def test_what_holds_no_tensors_is_not_spread(tmp_path: Path) -> None:
    source = MODEL.format(body="sizes = [2, 3]\n        return torch.cat([x, sizes], dim=-1)")
    failure = trace(tmp_path, source, "Net()(f32[2, 3, 8])").failure
    assert failure is not None
    assert not any("*sizes" in change for one in proposals(failure, {str(tmp_path / "model.py"): source}.get)
                   for _, change in one.changes)  # fmt: skip
