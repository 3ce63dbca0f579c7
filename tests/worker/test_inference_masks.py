"""Values that are put where a mask is true: whether they are as many, fake tensors do not say."""

from __future__ import annotations

from pathlib import Path

from tests.worker.test_inference import found, works

SOURCE = """
    class Triangle(nn.Module):
        def __init__(self, width: int):
            super().__init__()
            self.width = width
            self.register_buffer("upper", torch.triu(torch.ones(1, {count}, {count})).bool())
        def forward(self, {name}):
            full = torch.zeros({name}.shape[0], {count}, {count})
            full[self.upper.expand({name}.shape[0], -1, -1)] = {name}.reshape(-1)
            return full
"""


def test_a_call_that_real_tensors_refuse_is_no_example(tmp_path: Path) -> None:
    one = found(tmp_path, SOURCE.format(count=97, name="entries"), "Triangle")["Triangle"]
    assert not one.call
    assert "real tensors take" in one.why


def test_one_that_they_take_stays(tmp_path: Path) -> None:
    source = SOURCE.format(count=16, name="x").replace("torch.triu(torch.ones(1, 16, 16))", "torch.ones(1, 16, 16)")
    source = source.replace(".reshape(-1)", "[:, :, :16].reshape(-1)")
    works(tmp_path, source, found(tmp_path, source, "Triangle")["Triangle"])


def test_ids_are_of_a_table_that_has_them(tmp_path: Path) -> None:
    source = """
    class Few(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("energies", torch.zeros({rows}))
        def forward(self, species):
            y = self.energies[species] * 2
            return y
    """
    one = found(tmp_path, source.replace("{rows}", "1"), "Few")["Few"]
    assert not one.call
    assert "real tensors take" in one.why
    works(tmp_path, source.replace("{rows}", "3"), found(tmp_path, source.replace("{rows}", "3"), "Few")["Few"])


def test_a_mask_that_is_taken_from_one_holds_numbers(tmp_path: Path) -> None:
    source = """
    class Net(nn.Module):
        def __init__(self, dim: int):
            super().__init__()
            self.to_bias = nn.Linear(dim, 4)
        def forward(self, x, mask):
            y = self.to_bias(x) + (1 - mask[..., None]) * -1e9
            return y
    """
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert "b8" not in one.call


def test_a_mask_that_meets_several_sizes_goes_with_each(tmp_path: Path) -> None:
    source = """
        class Coupling(nn.Module):
            def __init__(self, channels: int, hidden_channels: int, mean_only: bool = False):
                super().__init__()
                self.half, self.mean_only = channels // 2, mean_only
                self.pre = nn.Conv1d(self.half, hidden_channels, 1)
                self.post = nn.Conv1d(hidden_channels, self.half * (2 - mean_only), 1)
            def forward(self, x, x_mask):
                x0, x1 = torch.split(x, [self.half] * 2, 1)
                h = torch.tanh(self.pre(x0) * x_mask)
                stats = self.post(h) * x_mask
                m, logs = torch.split(stats, [self.half] * 2, 1)
                x1 = m + x1 * torch.exp(logs) * x_mask
                return torch.cat([x0, x1], 1)
    """
    one = found(tmp_path, source, "Coupling")["Coupling"]
    works(tmp_path, source, one)
    assert "[2, 1, 64]" in one.call
