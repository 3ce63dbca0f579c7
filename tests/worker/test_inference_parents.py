"""Constructors that hand on what they are given to the one above."""

from __future__ import annotations

from pathlib import Path

from fx_lsp.model.example import Maker
from tests.worker.test_inference import found, works

ABOVE = """
class Above(nn.Module):
    def __init__(self, width, depth, bias=True):
        super().__init__()
        self.fc = nn.Linear(width, depth, bias=bias)
    def forward(self, x):
        y = self.fc(x)
        return y
"""


def test_what_is_handed_on_in_order(tmp_path: Path) -> None:
    source = f"""{ABOVE}
class Net(Above):
    def __init__(self, *args):
        super().__init__(*args)
class Scaled(nn.Conv2d):
    def __init__(self, scale, *args, shift=1.0):
        super().__init__(*args)
        self.scale, self.shift = float(scale), shift
    def forward(self, x):
        y = super().forward(x) * self.scale + self.shift
        return y
class Listed(Above):
    def __init__(self, *kinds):
        super().__init__(4, 4)
        assert not kinds
    """
    answer = found(tmp_path, source, "Net", "Scaled", "Listed")
    for one in answer.values():
        works(tmp_path, source, one)
    assert answer["Net"].call.startswith("Net(64, 2)(")


def test_a_constructor_behind_a_function_that_takes_anything(tmp_path: Path) -> None:
    source = """
    def checked(function):
        def inside(self, *args, **kwargs):
            return function(self, *args, **kwargs)
        return inside
    class Net(nn.Module):
        @checked
        def __init__(self, width, *, depth):
            super().__init__()
            self.fc = nn.Linear(width, depth)
        def forward(self, x):
            y = self.fc(x)
            return y
    """
    works(tmp_path, source, found(tmp_path, source)["Net"])


def test_the_reason_is_of_what_got_furthest(tmp_path: Path) -> None:
    source = """
    class Above(nn.Module):
        def __init__(self, width, kind):
            super().__init__()
            if kind not in ("known",):
                raise ValueError(f"no such kind: {kind}")
            raise OSError("nobody answers")
    class Net(Above):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
        def forward(self, x):
            return x
    """
    one = found(tmp_path, source, makers=(Maker("Net", "", "Net()"),))["Net"]
    assert "nobody answers" in one.why
    assert "needs width, kind" in one.why
