"""Values between bounds, losses and cells as arguments, objects with the methods that a constructor calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.worker.inference import search
from tests.worker.test_inference import found, works


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found is looked at here, not how fast: one case needs most of the usual seconds on a busy machine."""
    monkeypatch.setattr(search, "PER_CLASS", 20.0)


CASES = {
    "values between nothing and one": (
        """
        class OutOfRange(Exception):
            pass

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.scale = nn.Parameter(torch.ones(1))
            def forward(self, inputs, context=None):
                if torch.min(inputs) < 0.0 or torch.max(inputs) > 1.0:
                    raise OutOfRange()
                y = torch.logit(inputs) * self.scale
                return y
        """,
        "torch.sigmoid(f32[",
    ),
    "values that are asserted": (
        """
        class Net(nn.Module):
            def __init__(self, width=12):
                super().__init__()
                self.fc = nn.Linear(width, 4)
            def forward(self, rates):
                assert (rates >= 0).all(), "no rate is less than nothing"
                y = self.fc(rates.sqrt())
                return y
        """,
        "torch.sigmoid(f32[2, 16, 12])",
    ),
    "a result that is asserted": (
        """
        class Net(nn.Module):
            def forward(self, pred, target, mask):
                assert pred.dim() == 4
                pred, target = pred[:, 0], target[:, 0]
                assert pred.size() == mask.size() and pred.size() == target.size()
                both = (pred * target * mask).sum()
                loss = 1 - 2.0 * both / ((pred * mask).sum() + (target * mask).sum() + 1e-6)
                assert loss <= 1
                return loss
        """,
        "torch.sigmoid(f32[",
    ),
    "probabilities that torch insists on": (
        """
        class Net(nn.Module):
            def __init__(self, width=12):
                super().__init__()
                self.fc = nn.Linear(width, 1)
            def forward(self, x, hits):
                loss = F.binary_cross_entropy(hits, hits.detach())
                keep = loss.item() > 0.0
                y = self.fc(x) * keep
                return y
        """,
        "torch.sigmoid(f32[",
    ),
    "a loss behind what depends on values": (
        """
        class Net(nn.Module):
            def __init__(self, loss_function):
                super().__init__()
                self.loss_function = loss_function
            def forward(self, preds, targets):
                known = ~torch.isnan(targets)
                first, second = targets[known], preds[known]
                return self.loss_function(second, first)
        """,
        "loss_function=nn.MSELoss()",
    ),
    "a cell that is asked for its width": (
        """
        class Net(nn.Module):
            def __init__(self, flow, step, out):
                super().__init__()
                self.flow, self.step, self.out = flow, step, out
            def forward(self, x):
                h = torch.zeros(x.shape[1], self.step.hidden_size)
                for row in x:
                    h = self.flow(self.step(row, h))
                y = self.out(h)
                return y
        """,
        "step=nn.GRUCell(64, 64)",
    ),
    "an object with the methods that are called": (
        """
        class Plan:
            def __init__(self, units):
                self.units, self.inputs = units, None
            def prepare(self, size):
                self.inputs = size
            @property
            def count(self):
                return 1
            def members(self, number):
                raise NotImplementedError()

        class Everything(Plan):
            def members(self, number):
                return list(range(self.units))

        class Net(nn.Module):
            def __init__(self, width, wiring):
                super().__init__()
                wiring.prepare(width)
                self.parts = nn.ModuleList(
                    [nn.Linear(wiring.inputs, len(wiring.members(n))) for n in range(wiring.count)]
                )
            def forward(self, x):
                for part in self.parts:
                    x = part(x)
                return x
        """,
        "wiring=Everything(",
    ),
    "lists of objects that are told apart by their class": (
        """
        from collections import namedtuple

        class Column(namedtuple("Column", ["name", "count", "width"])):
            def __new__(cls, name, count, width=4):
                return super().__new__(cls, name, count, width)

        class Number(namedtuple("Number", ["name", "width"])):
            pass

        class Base(nn.Module):
            def __init__(self, wide, deep):
                super().__init__()
                known = [one for one in wide + deep if isinstance(one, Column)]
                if not known:
                    raise ValueError("no columns")
                self.tables = nn.ModuleDict({one.name: nn.Embedding(one.count, one.width) for one in known})

        class Net(Base):
            def __init__(self, deep, width=8):
                super().__init__([], deep)
                self.columns = deep
                self.fc = nn.Linear(sum(one.width for one in deep), width)
            def forward(self, x):
                each = [self.tables[one.name](x[:, n].long()) for n, one in enumerate(self.columns)]
                y = self.fc(torch.cat(each, dim=-1))
                return y
        """,
        "deep=[Column(",
    ),
    "a step for each of many": (
        """
        class Net(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.each = nn.ModuleList([nn.Linear(1, 1) for _ in range(width * width)])
                self.width = width
            def forward(self, x):
                total = 0
                for i in range(self.width):
                    for j in range(self.width):
                        for k in range(self.width):
                            total = total + self.each[i * self.width + j](x[:, k : k + 1])
                return total
        """,
        "width=4",
    ),
    "a layer that a method makes": (
        """
        class Net(nn.Module):
            def __init__(self, width=8):
                super().__init__()
                self.width = width
            def build(self, in_features, bias=True):
                self.fc = nn.Linear(in_features, self.width, bias=bias)
            def forward(self, x):
                y = self.fc(x)
                return y
        """,
        "model.build(in_features=64))[0](f32[2, 16, 64])",
    ),
    "a state that a method makes": (
        """
        class Net(nn.Module):
            def __init__(self, width=8):
                super().__init__()
                self.cell = nn.GRUCell(width, width)
                self.state = None
            def reset(self, batch_size):
                self.state = torch.zeros(batch_size, self.cell.hidden_size)
            def forward(self, x):
                self.state = self.cell(x, self.state.detach())
                y = self.state * 2
                return y
        """,
        "model.reset(batch_size=2))[0](f32[",
    ),
    "weights in double precision": (
        """
        class Net(nn.Module):
            def __init__(self, dim=12):
                super().__init__()
                self.w = nn.Parameter(torch.zeros(dim, dim, dtype=torch.float64))
            def forward(self, x):
                y = x @ self.w
                return y
        """,
        "(f64[2, 16, 12])",
    ),
    "steps that take a condition too": (
        """
        class Step(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.fc = nn.Linear(dim, dim)
            def forward(self, x, given=None):
                s = torch.tanh(self.fc(x))
                return x * s.exp(), s.sum(-1)

        class Net(nn.Module):
            def __init__(self, flows):
                super().__init__()
                self.flows = nn.ModuleList(flows)
            def forward(self, x, given=None):
                total = x.new_zeros(x.shape[0], x.shape[1])
                for flow in self.flows:
                    x, more = flow(x, given)
                    total = total + more
                return x, total
        """,
        "flows=[Step(",
    ),
    "a distribution for the constructor": (
        """
        class Net(nn.Module):
            def __init__(self, base, transform):
                super().__init__()
                self.base, self.transform = base, transform
            def forward(self, x):
                y = self.base.log_prob(self.transform(x)).sum(-1)
                return y
        """,
        "base=torch.distributions.Normal(",
    ),
    "rows of three": (
        """
        class Net(nn.Module):
            def __init__(self, table, extra):
                super().__init__()
                self.parts = nn.ModuleList([nn.Embedding(count, width) for _, count, width in table])
                self.fc = nn.Linear(sum(width for _, _, width in table) + extra, 1)
            def forward(self, kinds, numbers):
                each = [part(kinds[:, i]) for i, part in enumerate(self.parts)]
                y = self.fc(torch.cat(each + [numbers], 1))
                return y
        """,
        "table=[(64, 64, 64)",
    ),
    "a module that is asked for its width": (
        """
        class Net(nn.Module):
            def __init__(self, front, latent):
                super().__init__()
                self.front, self.width = front, latent
                self.mean = nn.Linear(front.out_width, latent)
            def forward(self, x):
                y = self.mean(self.front(x))
                return y
        """,
        "{'out_width': 64})()",
    ),
    "several matrices": (
        """
        class Net(nn.Module):
            def __init__(self, supports, width=4):
                super().__init__()
                self.supports = supports
                self.conv = nn.Conv2d(2 * len(supports), width, 1)
            def forward(self, x):
                each = [torch.einsum("ncvl,vw->ncwl", x, one) for one in self.supports]
                y = self.conv(torch.cat(each, dim=1))
                return y
        """,
        "supports=[torch.ones(64, 64), torch.ones(64, 64)]",
    ),
    "a matrix that is kept": (
        """
        class Net(nn.Module):
            def __init__(self, weights, turned=False):
                super().__init__()
                self.weights, self.turned = weights, turned
            def forward(self, x):
                held = self.weights
                if self.turned:
                    held = held.t()
                return x @ held
        """,
        "weights=torch.ones(64, 64)",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_found(case: str, tmp_path: Path) -> None:
    source, part = CASES[case]
    one = found(tmp_path, source, "Net")["Net"]
    works(tmp_path, source, one)
    assert part in one.call, one
