"""As large as what is flattened has to be: the number of features is written down, and kernels take off the edges."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.worker.test_inference import found, works

HEAD = """
class Net(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        {layers}
    def forward(self, x):
        x = {flattened}
        return self.fc(x)
"""
DIGITS = "self.one, self.two, self.fc = nn.Conv2d(1, 20, 5), nn.Conv2d(20, 50, 5), nn.Linear(4 * 4 * 50, 10)"
POOLED = "F.max_pool2d(F.relu(self.two(F.max_pool2d(F.relu(self.one(x)), 2))), 2)"
FRAMES = (
    "self.conv = nn.Sequential(nn.Conv2d(4, 32, 8, stride=4), nn.ReLU(), nn.Conv2d(32, 64, 4, stride=2), nn.ReLU(), "
    "nn.Conv2d(64, 64, 3)); self.fc = nn.Linear(7 * 7 * 64, 6)"
)
SIGNAL = (
    "self.one, self.two = nn.Conv1d(1, 16, 9, stride=3), nn.Conv1d(16, 32, 5, stride=2); "
    "self.fc = nn.Linear(32 * 51, 6)"
)
PADDED = "self.conv, self.fc = nn.Conv2d(3, 8, 3, padding=1), nn.Linear(8 * 50 * 50, 6)"
VOLUME = "self.conv, self.fc = nn.Conv3d(1, 8, 3), nn.Linear(8 * 6 * 6 * 6, 6)"
FLATTENED = {
    "a view by a number": (DIGITS, f"{POOLED}.view(-1, 4 * 4 * 50)", "[2, 1, 28, 28]"),
    "a view of each": (DIGITS, f"{POOLED}.view(x.size(0), 4 * 4 * 50)", "[2, 1, 28, 28]"),
    "flattened": (DIGITS, f"{POOLED}.flatten(1)", "[2, 1, 28, 28]"),
    "no two pictures in one": (FRAMES, "self.conv(x).reshape((-1, 7 * 7 * 64))", "[2, 4, 84, 84]"),
    "a signal": (SIGNAL, "self.two(self.one(x)).view(-1, 32 * 51)", "[2, 1, 326]"),
    "no usual size": (PADDED, "F.max_pool2d(self.conv(x), 2).view(-1, 8 * 50 * 50)", "[2, 3, 100, 100]"),
    "a volume": (VOLUME, "F.max_pool3d(self.conv(x), 2).view(-1, 8 * 6 * 6 * 6)", "[2, 1, 14, 14, 14]"),
}


@pytest.mark.parametrize(("layers", "flattened", "shape"), FLATTENED.values(), ids=FLATTENED)
def test_the_size_of_what_is_flattened_is_found(layers: str, flattened: str, shape: str, tmp_path: Path) -> None:
    source = HEAD.format(layers=layers.replace("; ", "\n        "), flattened=flattened)
    one = found(tmp_path, source, "Net")["Net"]
    assert shape in one.call, one
    works(tmp_path, source, one)
