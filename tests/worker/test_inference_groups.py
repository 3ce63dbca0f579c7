"""Inputs that hold others: dicts with keys, objects with attributes."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.worker.inference.attempts import Attempt
from fx_lsp.worker.inference.demands import key
from fx_lsp.worker.inference.groups import flat, folded
from fx_lsp.worker.inference.inputs import Group, Plain, Tensor
from fx_lsp.worker.inference.watch import Watch
from tests.worker.test_inference import found, works

CASES = {
    "a batch of a loader": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv2d(3, 8, 3)
                self.fc = nn.Linear(8, 5)
            def forward(self, batch):
                x = self.conv(batch["image"]).mean((2, 3))
                loss = F.cross_entropy(self.fc(x), batch["label"])
                return loss
        """,
        "Net()({'image': f32[2, 3, 32, 32], 'label': ",
    ),
    "levels of a pyramid": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.lat = nn.ModuleDict({k: nn.Conv2d(24, 8, 1) for k in ("p3", "p4")})
            def forward(self, features: dict[str, torch.Tensor]):
                y = [conv(features[k]) for k, conv in self.lat.items()]
                return y
        """,
        "Net()({'p3': f32[2, 24, 32, 32], 'p4': f32[2, 24, 32, 32]})",
    ),
    "a table for each feature": (
        """
        class Net(nn.Module):
            def __init__(self, features: dict[str, int]):
                super().__init__()
                self.tables = nn.ModuleDict({k: nn.Embedding(n, 8) for k, n in features.items()})
                self.fc = nn.Linear(8, 4)
            def forward(self, user):
                y = sum(table(user[k]) for k, table in self.tables.items())
                return self.fc(y)
        """,
        "'b': i64[",
    ),
    "several graphs at once": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(12, 7)
            def forward(self, data):
                x = torch.zeros(data.x.size(0), 12).index_add_(0, data.edge_index[1], data.x[data.edge_index[0]])
                y = torch.zeros(5, 7).index_add_(0, data.batch, self.fc(x))
                return y
        """,
        "Net()(types.SimpleNamespace(x=f32[16, 12], edge_index=",
    ),
    "a graph in arguments": (
        """
        class Net(nn.Module):
            def __init__(self, i, o):
                super().__init__()
                self.fc = nn.Linear(i, o)
            def forward(self, x, edge_index, batch):
                m = self.fc(x)[edge_index[0]]
                y = torch.zeros(5, m.size(1)).index_add_(0, batch[edge_index[1]], m)
                return y
        """,
        "Net(i=64, o=64)(f32[16, 64], i64[2, 16], i64[16])",
    ),
    "modules that take more than one input": (
        """
        class Net(nn.Module):
            def __init__(self, enc, dec):
                super().__init__()
                self.enc, self.dec = enc, dec
            def forward(self, src, trg):
                h = self.enc(src, src != 0)
                y = self.dec(trg, h, src != 0)
                return y
        """,
        "Net(enc=lambda *a, **k: a[0], dec=lambda *a, **k: a[0])(",
    ),
    "a graph": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(12, 7)
            def forward(self, data):
                x, edges = data.x, data.edge_index
                m = self.fc(x)[edges[0]]
                y = torch.zeros(x.size(0), 7).index_add_(0, edges[1], m)
                return y
        """,
        "Net()(types.SimpleNamespace(x=f32[16, 12], edge_index=i64[2, 16]))",
    ),
    "several groups, by all that is looked up in them": (
        """
        class Dice(nn.Module):
            def forward(self, pred, gt, mask):
                assert pred.dim() == 4, pred.dim()
                return self.compute(pred[:, 0], gt[:, 0], mask)
            def compute(self, p, g, m):
                assert p.shape == g.shape
                assert p.shape == m.shape
                both = (p * g * m).sum()
                return both
        class Both(nn.Module):
            def __init__(self):
                super().__init__()
                self.dice = Dice()
            def forward(self, pred, batch):
                assert isinstance(pred, dict)
                assert "fine" in pred
                loss = self.dice(pred["coarse"], batch["gt"], batch["mask"])
                return loss + self.dice(pred["fine"], batch["gt"], batch["mask"])
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.both = Both()
            def forward(self, pred, batch):
                total = self.both(pred, batch)
                return total + (pred["coarse"] - batch["gt"]).abs().mean()
        """,
        "'mask': b8[2, 32, 32]",
    ),
    "a key of its own, and one that is asked for": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(24, 7)
            def forward(self, batch):
                batch["scale"] = 2
                y = self.fc(batch["x"]) * batch["scale"]
                if "weight" in batch:
                    y = y * batch["weight"]
                return y
        """,
        "Net()({'x': f32[2, 16, 24], 'weight': ",
    ),
    "nodes and edges under names that are constants": (
        """
        class Keys:
            kinds, first, second, between = "_atomic_numbers", "_idx_i", "_idx_j", "_Rij"
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.table, self.fc = nn.Embedding(20, 8), nn.Linear(1, 8)
            def forward(self, inputs):
                x = self.table(inputs[Keys.kinds])
                far = inputs[Keys.between].norm(dim=1, keepdim=True)
                message = x[inputs[Keys.second]] * self.fc(far)
                y = torch.zeros_like(x).index_add(0, inputs[Keys.first], message)
                return y
        """,
        "Net()({'_atomic_numbers': i64[16], '_Rij': f32[16, 3], '_idx_j': i64[16], '_idx_i': i64[16]})",
    ),
    "the ends of edges": (
        """
        class Net(nn.Module):
            def __init__(self, width, act: Callable):
                super().__init__()
                self.act, self.fc = act, nn.Linear(width, width)
            def forward(self, x, w_ij, idx_i, idx_j, d_ij):
                w = self.act(self.fc(w_ij)) * d_ij[:, None]
                y = torch.zeros_like(x).index_add(0, idx_i, x[idx_j] * w)
                return y
        """,
        "i64[16], i64[16], f32[16])",
    ),
    "a dict or a tensor": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(24, 7)
            def forward(self, x):
                if isinstance(x, dict):
                    x = x["x"]
                y = self.fc(x)
                return y
        """,
        "Net()(f32[2, 16, 24])",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_asked_of_an_input_is_in_it(case: str, tmp_path: Path) -> None:
    source, expected = CASES[case]
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert expected in one.call, one.call


def test_no_object_for_a_method_that_a_tensor_lacks(tmp_path: Path) -> None:
    source = """
    class Net(nn.Module):
        def forward(self, x):
            y = x.decompose()
            return y
    """
    one = found(tmp_path, source)["Net"]
    assert "decompose" in one.why
    assert "SimpleNamespace" not in one.call


def test_members_change_like_inputs_of_their_own() -> None:
    image = Tensor("f32", (2, 3, 8, 8))
    inputs = {"batch": Group("", (("image", image), (2, Plain("4")))), "x": Plain("1")}
    assert key(folded(flat(inputs), inputs)) == key(inputs)
    changed = {**flat(inputs), "batch['image']": image.resized((2, 3))}
    assert str(folded(changed, inputs)["batch"]) == "{'image': f32[2, 3], 2: 4}"


def test_which_input_a_value_is() -> None:
    image, mask = object(), object()
    watch = Watch()
    watch.given = {"batch": {"image": image}, "pair": (None, mask)}
    attempt = Attempt(None, None, watch)
    assert [attempt.input_of(value) for value in (image, mask, object())] == ["batch['image']", "pair[1]", ""]
