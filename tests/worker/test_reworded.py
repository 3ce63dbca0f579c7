"""The facts of a run, moved to another wording of the text, are those of a run of that wording."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest

from fx_lsp.analysis.meaning import moves
from fx_lsp.analysis.reworded import Reworded, Uncertain
from fx_lsp.model.costs import CostRequest
from fx_lsp.model.example import fill
from fx_lsp.model.messages import GraphRequest, TraceReply, TraceRequest
from tests.worker.tracing import in_child, trace

MODEL = '''
import torch
from torch import nn
import torch.nn.functional as F

def scaled(q, k):
    w = q @ k.transpose(-2, -1)
    return w / w.size(-1) ** 0.5

class Block(nn.Module):
    """A block."""
    def __init__(self, dim):
        super().__init__()
        self.norm, self.fc = nn.LayerNorm(dim), nn.Linear(dim, dim)
    def forward(self, x, *more):
        """Doc."""
        y = (self.norm(x)
             .relu()
             .add(1))
        if x.shape[0] > 100:
            y = y.flatten()
            return y
        print(f"{y.shape} é {y.sum(dim=0)!s:>{20}}", end="")
        return self.fc(y) + x

class Net(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.größe = nn.ModuleList([Block(dim) for _ in range(3)])
    def forward(self, x):
        for i, block in enumerate(self.größe): x = block(x)
        with torch.set_grad_enabled(True) as _, torch.autocast("cpu"):
            a, b = x.clone().chunk(2, dim=-1)
        match (a, b):
            case (first, second): pass
        z = [part * 2 for part in (first, second) if (s := part.sum()) is not None]
        x[:, 0] += 1; out = {"a": scaled(a, b), "z": torch.cat(z, dim=-1)}
        f = lambda t: t.exp()
        FAILS
        return f(out["z"]), out
'''

FORMATTED = '''
"""Now with a docstring."""

# A comment.
import torch
from torch import nn
import torch.nn.functional as F


def scaled(
    q,
    k,  # é
):
    w = q @ k.transpose(-2, -1)
    return w / w.size(-1) ** 0.5


class Block(nn.Module):
    """A block of
    two layers."""

    def __init__(self, dim):
        super().__init__()
        self.norm, self.fc = nn.LayerNorm(dim), nn.Linear(dim, dim)

    def forward(self, x, *more):
        y = self.norm(x).relu().add(1)
        if x.shape[0] > 100:
            y = y.flatten()

            return y
        print(f"{y.shape} é {y.sum(dim=0)!s:>{20}}", end='')
        return (
            self.fc(y)
            + x
        )


class Net(nn.Module):
\tdef __init__(self, dim=8):
\t\tsuper().__init__()
\t\tself.größe = nn.ModuleList([Block(dim) for _ in range(3)])

\tdef forward(self, x):
\t\tfor i, block in enumerate(self.größe):
\t\t\tx = block(x)
\t\twith torch.set_grad_enabled(True) as _, torch.autocast("cpu"):
\t\t\ta, b = x.clone().chunk(
\t\t\t\t2, dim=-1)
\t\tmatch (a, b):
\t\t\tcase (first, second):
\t\t\t\tpass
\t\tz = [
\t\t\tpart * 2
\t\t\tfor part in (first, second)
\t\t\tif (s := part.sum()) is not None
\t\t]
\t\tx[:, 0] += 1
\t\tout = {"a": scaled(a, b), "z": torch.cat(z, dim=-1,)}
\t\tf = (lambda t: t.exp())
\t\tFAILS
\t\treturn f(out["z"]), out
'''


def bare(reply: TraceReply) -> TraceReply:
    """What a run says, without what differs from run to run, and without texts for the log."""
    failure = reply.failure and replace(reply.failure, detail="")
    return replace(reply, ms=0.0, import_ms=0.0, imported="", dispatched="", log="", failure=failure)


@pytest.mark.parametrize("statement", ["pass", "out['z'].view(3, -1)", "scaled(a, 1 + F.one_hot(b))"])
@pytest.mark.parametrize("windows", [False, True])
def test_moved_facts_are_those_of_a_run(tmp_path: Path, statement: str, windows: bool) -> None:
    old, new = (dedent(text).replace("FAILS", statement) for text in (MODEL, FORMATTED))
    if windows:
        new = new.replace("\n", "\r\n")
    path, call = str(tmp_path / "model.py"), "Net()(torch.randn(2, 4, 8))"
    before, after = (trace(tmp_path, text, call) for text in (old, new))
    assert before.bindings
    assert (before.failure is None) == (statement == "pass")
    found = moves(path, old, new)
    assert found is not None
    assert bare(Reworded(found).reply(before)) == bare(after)


def test_a_graph_too(tmp_path: Path) -> None:
    old, new = (dedent(text).replace("FAILS", "pass") for text in (MODEL, FORMATTED))
    file, replies = tmp_path / "model.py", []
    call = fill("Net()(f32[2, 4, 8])", {})[0]
    for text in (old, new):
        file.write_text(text)
        wanted = GraphRequest("operator", str(file), "Net")
        replies.append(in_child(TraceRequest(1, str(tmp_path), str(file), call, graph=wanted)))
    before, after = replies
    assert before.graph is not None
    assert before.graph.spans
    found = moves(str(file), old, new)
    assert found is not None
    assert bare(Reworded(found).reply(before)) == bare(after)


def test_costs_too_unless_lines_were_split(tmp_path: Path) -> None:
    old = dedent(MODEL).replace("FAILS", "pass")
    file, call = tmp_path / "model.py", "Net()(torch.randn(2, 4, 8))"

    def costs(text: str) -> TraceReply:
        file.write_text(text)
        return in_child(TraceRequest(1, str(tmp_path), str(file), call, engine="fake", costs=CostRequest()))

    before = costs(old)
    assert before.costs is not None
    assert before.costs.training is not None
    new = old.replace("return self.fc(y) + x", "# more\n\n        return (self.fc(y) + x)").replace(
        "import", "#\nimport", 1
    )
    found = moves(str(file), old, new)
    assert found is not None
    assert bare(Reworded(found).reply(before)) == bare(costs(new))
    split = moves(str(file), old, dedent(FORMATTED).replace("FAILS", "pass"))
    assert split is not None
    with pytest.raises(Uncertain):
        Reworded(split).reply(before)
