"""What stands beside the classes of a workspace and does not bear to be looked at."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fx_lsp.worker.inference.standing import assertion
from tests.worker.test_inference import found, works


def test_a_module_that_imports_when_it_is_asked(tmp_path: Path) -> None:
    source = """
        import sys

        class Later(types.ModuleType):
            def __getattr__(self, name):
                raise ImportError(f"{self.__name__} is not there: {name}")

        sys.modules["model.later"] = Later("model.later")

        class Settings:
            def __init__(self, width=8):
                self.width = width

        class Net(nn.Module):
            def __init__(self, settings):
                super().__init__()
                self.fc = nn.Linear(settings.width, 4)
            def forward(self, x):
                y = self.fc(x)
                return y
    """
    works(tmp_path, source, found(tmp_path, source)["Net"])


def test_callables_of_a_class_that_cannot_be_hashed(tmp_path: Path) -> None:
    source = """
        class Action:
            __hash__ = None
            def __call__(self, x):
                return x

        class Base(nn.Module):
            act = Action()
            def __init__(self, width=8):
                super().__init__()
                self.fc = nn.Linear(width, width)
            def forward(self, x):
                return self.fc(x)

        class Net(nn.Module):
            def __init__(self, inner: Base):
                super().__init__()
                self.inner = inner
            def forward(self, x):
                y = self.inner(x)
                return y
    """
    works(tmp_path, source, found(tmp_path, source, "Net")["Net"])


def test_a_guard_behind_an_assertion_is_no_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "guarded.py"
    source = "def f(x):\n    assert x and (\n        x > 1)\n    if x != 3:\n        raise AssertionError('bad')\n"
    path.write_text(source)
    names: dict[str, Callable[[int], None]] = {}
    exec(compile(source, str(path), "exec"), names)
    with pytest.raises(AssertionError) as caught:
        names["f"](2)
    frame = caught.traceback[-1].frame.raw
    assert assertion(frame, 5) == ""
    assert assertion(frame, 3).split() == ["assert", "x", "and", "(", "x", ">", "1)"]
