"""Inputs and arguments that are objects of a class of the workspace."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.worker.test_inference import found, works

SOURCES = {
    "of the shape of a picture": (
        """
        class Space:
            def __init__(self, low: float, high: float, shape=None):
                assert low <= high
                self.shape = (1,) if shape is None else tuple(shape)

        class Net(nn.Module):
            def __init__(self, seen: Space):
                super().__init__()
                self.conv = nn.Conv2d(seen.shape[0], 8, 3)
                self.fc = nn.Linear(self.conv(torch.ones(1, *seen.shape)).numel(), 4)
            def forward(self, x):
                x = self.fc(self.conv(x).flatten(1))
                return x
        """,
        "shape=(3, 64, 64)",
    ),
    "anything of the shape of a picture": (
        """
        class Net(nn.Module):
            def __init__(self, seen):
                super().__init__()
                self.conv = nn.Conv2d(seen.shape[0], 8, 3)
                self.fc = nn.Linear(self.conv(torch.ones(1, *seen.shape)).numel(), 4)
            def forward(self, x):
                x = self.fc(self.conv(x).flatten(1))
                return x
        """,
        "torch.ones(3, 64, 64)",
    ),
    "as it is made elsewhere": (
        """
        class Kinds:
            def __init__(self, text):
                count, _, kind = text.partition("*")
                if kind not in ("even", "odd"):
                    raise ValueError("no such kind")
                self.width = int(count)

        USUAL = [Kinds("6*even"), Kinds("4*odd"), Kinds("6*even")]

        class Net(nn.Module):
            def __init__(self, kinds_in: Kinds, kinds_out: Kinds):
                super().__init__()
                self.fc = nn.Linear(kinds_in.width, kinds_out.width)
            def forward(self, x):
                x = self.fc(x)
                return x
        """,
        'kinds_in=Kinds("6*even"), kinds_out=Kinds("6*even")',
    ),
    "one of several, by its class": (
        """
        class Block(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.fc = nn.Linear(width, width)
            def forward(self, x):
                return self.fc(x)

        class Net(nn.Module):
            def __init__(self, stage, *, scale=2):
                super().__init__()
                self.stages = nn.ModuleList([])
                for one in stage if isinstance(stage, tuple) else (stage,):
                    assert isinstance(one, Block)
                    self.stages.append(one)
            def forward(self, x):
                for one in self.stages:
                    x = one(x)
                return x
        """,
        "stage=Block(",
    ),
    "of another package, told apart in a function": (
        """
        import fractions

        def width_of(ratio):
            if isinstance(ratio, fractions.Fraction):
                return 8 + ratio.numerator
            raise NotImplementedError(f"kind {type(ratio)} not supported")

        class Net(nn.Module):
            def __init__(self, share):
                super().__init__()
                self.fc = nn.Linear(width_of(share), 4)
            def forward(self, x):
                x = self.fc(x)
                return x
        """,
        "share=Fraction(",
    ),
    "asserted by a function": (
        """
        import fractions

        def is_exact(ratio):
            return isinstance(ratio, fractions.Fraction)

        class Net(nn.Module):
            def __init__(self, share):
                super().__init__()
                self.share = share
                assert is_exact(self.share), "for exact ones only"
                self.fc = nn.Linear(8, 4)
            def forward(self, x):
                x = self.fc(x) * self.share.numerator
                return x
        """,
        "share=Fraction(",
    ),
    "one that is annotated": (
        """
        class Graph:
            def __init__(self, num_v: int, e_list: Optional[list] = None):
                self.num_v = num_v
            def smooth(self, x):
                return torch.eye(self.num_v) @ x

        class Net(nn.Module):
            def __init__(self, in_channels: int, out_channels: int):
                super().__init__()
                self.fc = nn.Linear(in_channels, out_channels)
            def forward(self, X: Tensor, g: "Graph") -> Tensor:
                x = self.fc(X)
                y = g.smooth(x)
                return y
        """,
        "Graph(",
    ),
    "one that is not": (
        """
        class Graph:
            def __init__(self, num_v, e_list=None):
                self.num_v = num_v
            def smooth(self, x):
                return x * self.num_v

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(8, 4)
            def forward(self, x, g):
                y = g.smooth(self.fc(x))
                return y
        """,
        "Graph(",
    ),
    "a dataclass of tensors": (
        """
        import dataclasses

        @dataclasses.dataclass
        class Batch:
            features: Tensor
            mask: Tensor
            scale: float = 1.0

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(24, 4)
            def forward(self, batch: Batch):
                x = self.fc(batch.features)
                y = x.masked_fill(batch.mask[..., None], 0.0) * batch.scale
                return y
        """,
        "Batch(features=f32[",
    ),
    "a named tuple": (
        """
        from typing import NamedTuple

        class Sample(NamedTuple):
            image: Tensor
            ids: Tensor

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv2d(3, 8, 3)
                self.words = nn.Embedding(10, 8)
            def forward(self, sample: Sample):
                y = self.conv(sample.image).mean((2, 3)) + self.words(sample.ids).mean(1)
                return y
        """,
        "Sample(image=f32[",
    ),
    "an argument of a class below the one that is annotated": (
        """
        class Space:
            def sample(self):
                raise NotImplementedError

        class Several(Space):
            def __init__(self, parts: Optional[dict] = None):
                self.parts = parts or {}
            def sample(self):
                return {}

        class Box(Space):
            def __init__(self, low: int, high: int):
                self.shape = (high,)
            def sample(self):
                return torch.zeros(self.shape)

        class Net(nn.Module):
            def __init__(self, space: Space):
                super().__init__()
                if not isinstance(space, Box):
                    raise NotImplementedError(f"not done for {type(space)}")
                self.fc = nn.Linear(space.shape[0], 4)
            def forward(self, x):
                y = self.fc(x)
                return y
        """,
        "Box(",
    ),
    "beside a class that is wrapped": (
        """
        class Wrapped:
            def __init__(self, cls):
                self.cls = cls
            __class__ = property(lambda self: type(self.cls))
            def __call__(self, *args):
                return self.cls(*args)

        @Wrapped
        class Old(nn.Module):
            def forward(self, x):
                return x + 1

        class Part(nn.Module):
            def __init__(self, width: int):
                super().__init__()
                self.fc = nn.Linear(width, 4)
            def forward(self, x):
                return self.fc(x)

        class Net(nn.Module):
            def __init__(self, part: Part):
                super().__init__()
                self.part = part
            def forward(self, x):
                y = self.part(x)
                return y
        """,
        "Part(",
    ),
    "a table with known keys": (
        """
        from typing import TypedDict

        class Sample(TypedDict):
            query: Tensor
            key: Tensor

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(24, 4)
            def forward(self, sample: Sample):
                y = self.fc(sample["query"]) + self.fc(sample["key"])
                return y
        """,
        "{'query': f32[",
    ),
}


@pytest.mark.parametrize("name", SOURCES)
def test_object(tmp_path: Path, name: str) -> None:
    source, expected = SOURCES[name]
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert expected in one.call
