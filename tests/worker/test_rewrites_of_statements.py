"""Rewrites of what a script does outside of its functions."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.analysis.actions import applied
from fx_lsp.analysis.proposals import rewritten
from fx_lsp.analysis.snapshot import Snapshot, Trace
from fx_lsp.model.comparison import MODULE, Comparison, Overlay
from fx_lsp.model.example import PROGRAM, Example
from fx_lsp.model.messages import TraceRequest
from tests.worker.tracing import in_child, trace

SOURCE = """
import torch
import torch.nn.functional as F
from torch import nn

def middle(x):
    return scale * x.mean()

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)

    def forward(self, x):
        return self.fc(x)

q, k, v = torch.randn(2, 5, 8), torch.randn(2, 5, 8), torch.randn(2, 5, 8)
net, seen = Net(), []
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
BODY
"""


def found(folder: Path, body: str, rule: str) -> str | None:
    """What the script is with what is offered, which is compared."""
    text = SOURCE.replace("BODY", body)
    reply = trace(folder, text, PROGRAM)
    assert reply.failure is None, reply.failure
    path = str(folder / "model.py")
    program = Trace(Example(path, PROGRAM, "program"), PROGRAM, (), reply)
    snapshot = Snapshot(path, text, traces=(program,))
    proposal = next((one for one in rewritten(snapshot) if one.rule == rule), None)
    if proposal is None:
        return None
    assert proposal.function == MODULE
    after = applied(text, proposal.edit.changes)
    wanted = Comparison((Overlay(path, after),), path, function=MODULE)
    compared = in_child(TraceRequest(1, str(folder), path, PROGRAM, comparison=wanted)).compared
    assert compared is not None
    assert compared.why == ""
    assert compared.checks > 4
    return after


ATTENTION = """scores = q @ k.transpose(-2, -1) / 8**0.5
weights = scores.softmax(-1)
out = weights @ v"""


def test_attention_is_one_function(tmp_path: Path) -> None:
    after = found(tmp_path, ATTENTION, "attention-by-hand")
    assert after is not None
    assert "out = F.scaled_dot_product_attention(q, k, v" in after
    assert "scores" not in after


LOOP = """for epoch in range(3):
    # of each word
    p = torch.log(torch.softmax(net(q), dim=-1))
    loss = -p.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    seen.append(loss.item())"""


@pytest.mark.parametrize("guard", ["", 'if __name__ == "__main__":\n    '])
def test_a_statement_of_a_training_loop(guard: str, tmp_path: Path) -> None:
    body = guard + LOOP.replace("\n", "\n    ") if guard else LOOP
    after = found(tmp_path, body, "log-of-softmax")
    assert after is not None
    assert "# of each word" in after
    assert "p = F.log_softmax(net(q), dim=-1)" in after


@pytest.mark.parametrize(
    "body",
    [
        f"{ATTENTION}\nprint(weights.sum())",
        f"{ATTENTION}\nprint([one for one in weights])",
        "scores = q @ k.transpose(-2, -1) / 8**0.5\n"
        "scale = scores.softmax(-1)\nout = scale @ v\nprint(middle(q))",  # which a function above reads
    ],
)
def test_what_is_read_elsewhere_stays(body: str, tmp_path: Path) -> None:
    assert found(tmp_path, body, "attention-by-hand") is None


@pytest.mark.parametrize(
    "above",
    ['__all__ = ["weights"]\n', 'if __name__ == "__main__":\n    print(1)\n'],
)
def test_what_other_files_may_import_stays(above: str, tmp_path: Path) -> None:
    assert found(tmp_path, f"{above}{ATTENTION}", "attention-by-hand") is None
    assert found(tmp_path, f"{above}scores = q.exp()\nprint(q)", "result-unread") is None


LOSS = "loss = nn.NLLLoss(reduction='sum')\ny = torch.tensor([0, 1])\nd = loss(q[:, 0].log_softmax(-1), y)\nprint(d)"


def test_a_loss_layer_is_another_one_for_others_too(tmp_path: Path) -> None:
    after = found(tmp_path, LOSS, "nll-of-log-softmax")
    assert after is not None
    assert "loss = nn.CrossEntropyLoss(reduction='sum')" in after


@pytest.mark.parametrize(
    "more",
    [
        "def switch():\n    global loss\n    loss = nn.L1Loss()\n",
        "def loss(a, b):\n    return a.sum()\n",
        "if q.shape[0] > 9:\n    from math import exp as loss\n",
    ],
)
def test_a_variable_that_may_be_something_else_is_no_layer(more: str, tmp_path: Path) -> None:
    assert found(tmp_path, f"{more}{LOSS}", "nll-of-log-softmax") is None


def test_functions_are_none_of_it(tmp_path: Path) -> None:
    loop = "for i in range(n):\n        out = torch.cat([out, q])"
    body = f"def grown(n):\n    out = q\n    {loop}\n    return out\ngrown(2)"
    path, text = str(tmp_path / "model.py"), SOURCE.replace("BODY", body)
    reply = trace(tmp_path, text, PROGRAM)
    program = Trace(Example(path, PROGRAM, "program"), PROGRAM, (), reply)
    proposals = rewritten(Snapshot(path, text, traces=(program,)))
    assert [one.function for one in proposals if one.rule == "cat-in-loop"] == ["grown"]
