"""The compiler's package that a trace does without, and who wants it all the same; each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BEGIN = """
import sys, torch
from fx_lsp.worker.deferred import Deferred, defer
defer()
from torch._subclasses.fake_tensor import FakeTensorMode
with FakeTensorMode() as mode:
    y = torch.nn.Conv2d(3, 4, 3)(torch.randn(2, 3, 8, 8))
    z = torch.nn.LayerNorm(5)(torch.nn.Linear(144, 5)(y.flatten(1))).softmax(-1) * 2 + torch.arange(5).sum()
assert y.shape == (2, 4, 6, 6)
settings = sys.modules["torch._dynamo.config"]
assert type(torch._dynamo) is Deferred and "torch._dynamo" not in sys.modules
assert torch._dynamo.config is settings and settings.cache_size_limit
"""
END = """
package = sys.modules["torch._dynamo"]
assert torch._dynamo is package and type(package) is not Deferred
assert torch._dynamo.config is sys.modules["torch._dynamo.config"] is settings
import torch._dynamo.eval_frame as frames
assert package.OptimizedModule is frames.OptimizedModule
with mode:
    assert torch.nn.Linear(3, 5)(torch.randn(2, 3)).shape == (2, 5)
"""
WANTED = {
    "the module that its package imports first": "import torch._dynamo.eval_frame",
    "a name of it": "from torch._dynamo import explain",
    "a model that is compiled": "torch.compile(torch.nn.Linear(2, 3), backend='eager')(torch.ones(4, 2))",
    "a constant among fake tensors": "mode.from_tensor(torch.ones(2))",
}


@pytest.mark.parametrize("body", WANTED.values(), ids=WANTED)
def test_it_is_there_for_whoever_wants_it(body: str) -> None:
    _holds(BEGIN + body + END)


def test_what_is_imported_already_stays() -> None:
    _holds("import torch._dynamo, sys\nbefore = vars(torch._dynamo).copy()\n"
           "from fx_lsp.worker.deferred import defer\ndefer()\n"
           "assert vars(torch._dynamo) == before and sys.modules['torch._dynamo'] is torch._dynamo")  # fmt: skip


def _holds(script: str) -> None:
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_a_package_that_does_not_name_its_settings_has_them_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "compiler").mkdir()
    (tmp_path / "compiler" / "__init__.py").write_text("from .frames import names\n")
    (tmp_path / "compiler" / "frames.py").write_text("from . import config\nnames = dir(config)\n")
    (tmp_path / "compiler" / "config.py").write_text("limit = 8\n")
    _holds(f"""
import sys, torch
from fx_lsp.worker import deferred
sys.path.insert(0, {str(tmp_path)!r})
deferred.PACKAGE = "compiler"
deferred.defer()
assert "compiler" not in sys.modules and torch.compiler.config.limit == 8
import compiler
assert compiler.config is sys.modules["compiler.config"] and "limit" in compiler.names
""")
