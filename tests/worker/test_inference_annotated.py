"""Annotations of constructors, also where one of them names what is not there, and for those who check them."""

from __future__ import annotations

from pathlib import Path

from tests.worker.test_inference import found, works

PART = """
    from typing import Dict, Mapping
    class Part(nn.Module):
        def __init__(self, *, dim, depth):
            super().__init__()
            self.dim = dim
            self.layers = nn.ModuleList(nn.Linear(dim, dim) for _ in range(depth))
        def forward(self, x):
            for one in self.layers:
                x = one(x)
            return x
"""


def test_classes_beside_one_that_is_not_there(tmp_path: Path) -> None:
    source = f"""{PART}
    class Net(nn.Module):
        def __init__(self, other: Nowhere, net: Part, heads: Optional[List[Part]], tails: "Tuple[Part, ...]"):
            super().__init__()
            if not isinstance(net, Part):
                raise TypeError("parameter violates type hint")
            self.net, self.heads, self.tails = net, nn.ModuleList(heads), nn.ModuleList(tails)
            self.fc = nn.Linear(net.dim, 4)
        def forward(self, x):
            y = self.fc(self.net(x))
            for one in [*self.heads, *self.tails]:
                y = y + one(x).sum()
            return y
    """
    works(tmp_path, source, found(tmp_path, source)["Net"])


def test_a_class_that_only_another_file_knows(tmp_path: Path) -> None:
    (tmp_path / "shared.py").write_text(
        "from torch import nn\n"
        "class Part(nn.Module):\n"
        "    def __init__(self, dim):\n"
        "        super().__init__()\n"
        "        self.dim, self.fc = dim, nn.Linear(dim, dim)\n"
        "    def forward(self, x):\n"
        "        return self.fc(x)\n"
    )
    source = """
    import shared
    class Net(nn.Module):
        def __init__(self, net: Optional[Part], kind: Part):
            super().__init__()
            assert isinstance(net, shared.Part) and isinstance(kind, shared.Part)
            self.net, self.fc = net, nn.Linear(net.dim, 4)
        def forward(self, x):
            y = self.fc(self.net(x))
            return y
    """
    works(tmp_path, source, found(tmp_path, source)["Net"])


def test_a_module_for_each_name(tmp_path: Path) -> None:
    source = f"""{PART}
    class Net(nn.Module):
        def __init__(self, encoders: Dict[str, Part], heads: Mapping[str, nn.Module]):
            super().__init__()
            assert all(isinstance(one, Part) for one in encoders.values()), "violates type hint"
            self.encoders, self.heads = nn.ModuleDict(encoders), nn.ModuleDict(heads)
            self.fc = nn.Linear(64, 4)
        def forward(self, x):
            y = self.fc(sum(one(x) for one in [*self.encoders.values(), *self.heads.values()]))
            return y
    """
    works(tmp_path, source, found(tmp_path, source)["Net"])


def test_an_object_that_may_be_left_out_is_no_text(tmp_path: Path) -> None:
    source = """
    class Head(nn.Module):
        def __init__(self, dim: int = 64):
            super().__init__()
            self.fc, self.made = nn.Linear(dim, 4), {"dim": dim}
            self.loss = lambda y: y.sum()
        def forward(self, x):
            return self.fc(x)

    class Wide(nn.Module):
        def __init__(self, dim: int = 64):
            super().__init__()
            self.fc, self.made = nn.Linear(dim, 8), {"dim": dim}
            self.loss = lambda y: y.mean()
        def forward(self, x):
            return self.fc(x)

    class Net(nn.Module):
        def __init__(self, head: Optional[Head] = None, wide: Optional[Wide] = None):
            super().__init__()
            if head is None and wide is None:
                raise ValueError("At least one of head and wide must be provided.")
            self.made = {"head": head.made if head is not None else None}
            self.head, self.wide = head, wide
            self.loss = (head or wide).loss
        def forward(self, x):
            y = (self.head or self.wide)(x)
            return self.loss(y)
    """
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert "Head()" in one.call or "Wide()" in one.call
