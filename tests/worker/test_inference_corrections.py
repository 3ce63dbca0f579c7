"""What the error of a constructor or of an operation says is tried."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.worker.test_inference import found, works

CONVS = "CONVS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)\n"
SOURCES = {
    "so many spatial dims": CONVS
    + """
class Net(nn.Module):
    def __init__(self, spatial_dims: int, in_channels: int):
        super().__init__()
        self.conv = CONVS[spatial_dims - 1](in_channels, 4, 3)
    def forward(self, x):
        y = self.conv(x)
        return y
""",
    "a number that chooses from a table": CONVS
    + """
class Net(nn.Module):
    def __init__(self, width: int, way: int):
        super().__init__()
        self.conv = CONVS[way](width, 4, 3)
    def forward(self, x):
        y = self.conv(x)
        return y
""",
    "one of these, without quotes": """
class Net(nn.Module):
    def __init__(self, flavour: str):
        super().__init__()
        if flavour not in ("tiny12", "small34"):
            raise ValueError(f"invalid flavour, must be one of {', '.join(('tiny12', 'small34'))}")
        self.fc = nn.Linear(8, 4)
    def forward(self, x):
        y = self.fc(x)
        return y
""",
    "a class method that builds one": """
class Net(nn.Module):
    def __init__(self, table):
        super().__init__()
        assert isinstance(table, Table), "a table is needed"
        self.fc = nn.Linear(table.width, 4)

    @classmethod
    def from_name(cls, model_name, **others):
        if model_name not in ("net-b0", "net-b1"):
            raise ValueError("model_name should be one of: " + ", ".join(("net-b0", "net-b1")))
        return cls(Table(8 if model_name == "net-b0" else 16), **others)

    def forward(self, x):
        y = self.fc(x)
        return y

class Table:
    def __init__(self, width, *, secret=None):
        assert width in (8, 16)
        self.width = width
""",
    "odd": """
class Net(nn.Module):
    def __init__(self, window_length: int):
        super().__init__()
        if window_length % 2 == 0:
            raise ValueError("window_length must be odd.")
        self.conv = nn.Conv1d(1, 1, window_length, padding=window_length // 2)
    def forward(self, x):
        y = self.conv(x)
        return y
""",
    "given to the class above by the class itself": """
class Base(nn.Module):
    def __init__(self, block, layers, spatial_dims, in_channels):
        super().__init__()
        self.conv = block(in_channels, layers, spatial_dims)
    def forward(self, x):
        y = self.conv(x)
        return y

class Net(Base):
    def __init__(self, layers=4, **kwargs):
        super().__init__(block=nn.Conv2d, layers=layers, **kwargs)
""",
    "two of one shape": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
    def forward(self, image, guidance):
        if image.shape != guidance.shape:
            raise ValueError(f"Shape of image must equal that of guidance, got {image.shape} and {guidance.shape}.")
        y = self.conv(image) + self.conv(guidance)
        return y
""",
    "a rank that an operation needs": """
class Net(nn.Module):
    def forward(self, x):
        y = F.interpolate(x, scale_factor=2, mode="trilinear")
        return y
""",
}


@pytest.mark.parametrize("name", SOURCES)
def test_is_found(name: str, tmp_path: Path) -> None:
    works(tmp_path, SOURCES[name], found(tmp_path, SOURCES[name])["Net"])
