"""Classes that fail with the numbers that they have by default, though others would run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.worker.test_inference import found

FAILING = {
    "defaults that do not go together": """
        class Net(nn.Module):
            def __init__(self, heads=4, width=40, channels=48):
                super().__init__()
                self.into, self.out = nn.Linear(channels, heads * width), nn.Linear(heads * width, heads * width)

            def forward(self, x):
                return self.out(self.into(x)) + x
    """,
    "no inputs, and a length that has to be the heads": """
        class Net(nn.Module):
            def __init__(self, heads=8):
                super().__init__()
                self.register_buffer("slopes", torch.rand(heads))

            def forward(self, length=128):
                positions = torch.arange(length)
                return self.slopes[:, None] * (positions[None] - positions[:, None])
    """,
    "a table that only one column fills": """
        class Net(nn.Module):
            def __init__(self, dim=256, most=512):
                super().__init__()
                table = torch.zeros(most, dim)
                table[:, 0::2] = torch.arange(most)[:, None] * torch.arange(dim)
                self.register_buffer("table", table)

            def forward(self, length=64):
                return self.table[:length]
    """,
    "sizes that are only equal by accident": """
        class Net(nn.Module):
            def __init__(self, past=10, ahead=5):
                super().__init__()
                self.past, self.back, self.fore = past, nn.Linear(past, ahead), nn.Linear(past, ahead)

            def forward(self, x):
                left = x - self.back(x)
                return self.fore(left)
    """,
    "a kernel that loses places": """
        class Net(nn.Module):
            def __init__(self, channels, kernel=3):
                super().__init__()
                self.conv = nn.Conv2d(channels, channels, kernel)

            def forward(self, x):
                return x + self.conv(x)
    """,
}
RUNNING = {
    "a width that its inputs have together": """
        class Net(nn.Module):
            def __init__(self, channels=7):
                super().__init__()
                self.conv = nn.Conv2d(channels, 8, 3)

            def forward(self, one, other):
                return self.conv(torch.cat([one, other], 1))
    """,
    "a length of pictures": """
        class Net(nn.Module):
            def __init__(self, size=224):
                super().__init__()
                self.fc = nn.Linear(size * size, 8)

            def forward(self, x):
                return self.fc(x.flatten(1))
    """,
    "a number that stands for nothing": """
        class Net(nn.Module):
            def __init__(self, width=0):
                super().__init__()
                self.fc = nn.Linear(width, 8)

            def forward(self, x):
                return self.fc(x)
    """,
    "a number that goes with another one": """
        class Net(nn.Module):
            def __init__(self, width, heads=7):
                super().__init__()
                assert width % heads == 0
                self.fc = nn.Linear(width, heads)

            def forward(self, x):
                return self.fc(x)
    """,
    "heads of a width that was made up": """
        class Net(nn.Module):
            def __init__(self, width, heads=12):
                super().__init__()
                self.attention = nn.MultiheadAttention(width, heads, batch_first=True)

            def forward(self, x):
                return self.attention(x, x, x)[0]
    """,
    "groups of channels that were made up": """
        class Net(nn.Module):
            def __init__(self, inplanes, planes, groups=48):
                super().__init__()
                self.conv = nn.Conv2d(inplanes, planes, 3, groups=groups)

            def forward(self, x):
                return self.conv(x)
    """,
    "layers that a class below it makes": """
        class Net(nn.Module):
            def __init__(self, wide=512):
                super().__init__()
                self.stem, self.layers = nn.Conv2d(3, 64, 7, 2, 3), self.make_layers()
                self.fc = nn.Linear(wide, 10)

            def make_layers(self):
                return nn.Conv2d(64, 64, 1)

            def forward(self, x):
                return self.fc(self.layers(self.stem(x)).mean((2, 3)))

        class Wide(Net):
            def make_layers(self):
                return nn.Conv2d(64, 512, 1)
    """,
    "layers that nobody made": """
        class Net(nn.Module):
            def __init__(self, wide=512):
                super().__init__()
                self.body, self.fc = nn.Sequential(), nn.Linear(wide, 10)

            def forward(self, x):
                return self.fc(self.body(x[..., :64]))
    """,
    "places that another method chooses": """
        class Net(nn.Module):
            def __init__(self, width=64, kept=48):
                super().__init__()
                self.index, self.first, self.second = torch.arange(width), nn.Linear(8, width), nn.Linear(kept, 8)

            def prune(self, kept):
                self.index = self.index[:kept]

            def forward(self, x):
                return self.second(self.first(x)[:, self.index])
    """,
    "a way to pool that has another width": """
        class Net(nn.Module):
            def __init__(self, dim=768, pooling="mean"):
                super().__init__()
                self.pooling, self.body, self.fc = pooling, nn.Linear(8, 256), nn.Linear(dim, 10)

            def forward(self, x):
                x = self.body(x)
                if self.pooling == "stats":
                    return self.fc(torch.cat([x.mean(1), x.amax(1), x.amin(1)], 1))
                return self.fc(x.mean(1))
    """,
    "widths of what it is given": """
        class Net(nn.Module):
            def __init__(self, body: nn.Linear, width=256):
                super().__init__()
                self.body, self.fc = body, nn.Linear(width, 8)

            def forward(self, x):
                return self.fc(self.body(x))
    """,
}


def test_a_signature_that_cannot_be_read_is_no_reason_to_lose_what_runs(tmp_path: Path) -> None:
    source = """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(torch.ones(4, 4))

            def forward(self):
                return self.weight @ self.weight

        Net.forward.__signature__ = 3
    """
    one = found(tmp_path, source)["Net"]
    assert (one.call, one.why) == ("Net()()", ""), one


@pytest.mark.parametrize("name", FAILING)
def test_it_fails_as_it_was_made(tmp_path: Path, name: str) -> None:
    one = found(tmp_path, FAILING[name])["Net"]
    assert one.regardless, one


@pytest.mark.parametrize("name", RUNNING)
def test_other_numbers_are_what_it_is_for(tmp_path: Path, name: str) -> None:
    one = found(tmp_path, RUNNING[name])["Net"]
    assert not one.regardless, one
