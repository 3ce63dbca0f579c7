"""What one run had to work out, the next one finds done: in a process of its own, as it is in a spare."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fx_lsp.model.messages import MAX_DISPATCHED
from fx_lsp.worker.engines.dispatched import MAX_KEPT, Ahead
from tests.worker.tracing import trace

ROOT = Path(__file__).parents[2]

NET = """from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.fc = nn.Conv2d(3, 7, 3), nn.Linear(7, 5)
        nn.init.trunc_normal_(self.fc.weight)

    def forward(self, x):
        first, second = self.conv(x).mean((2, 3)).chunk(2)
        return self.fc(first).view(-1, 5)[..., 1:].T.reshape(2, -1) + second.sum()
"""

RUN = """
import json, sys
from torch._subclasses.fake_tensor import FakeTensorMode
from fx_lsp.model.messages import TraceRequest
from fx_lsp.worker.engines.dispatched import AHEAD
from fx_lsp.worker.run import run
from fx_lsp.worker.warming import warm_up

warm_up()
AHEAD.want(sys.stdin.read())
AHEAD.do()
before = FakeTensorMode.cache_info()
reply = run(TraceRequest(1, sys.argv[1], sys.argv[1] + "/net.py", "Net()(f32[2, 3, 9, 9])", engine="fake"))
after = FakeTensorMode.cache_info()
assert reply.failure is None, reply.failure
labels = [str(binding.variants[0].value) for binding in reply.bindings]
print(json.dumps([after.misses - before.misses, reply.dispatched, labels]))
"""


def run(folder: Path, ahead: str) -> tuple[int, str, list[str], str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", RUN, str(folder)]
    done = subprocess.run(command, env=environment, input=ahead, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    missed, dispatched, labels = json.loads(done.stdout)
    return missed, dispatched, labels, done.stderr


def test_a_second_run_works_nothing_out(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET)
    missed, dispatched, labels, _ = run(tmp_path, "")
    assert missed > 5
    assert "convolution" in dispatched
    again, rest, same, said = run(tmp_path, dispatched)
    assert (again, rest, same, said) == (0, "", labels, "")


def test_text_of_a_stranger_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET)
    _, dispatched, labels, _ = run(tmp_path, "")
    first, *others = dispatched.splitlines()
    strange = [
        "no JSON", "[]", "[" * 5000, '["_import","default",["tuple"],{}]', '["__class__","mro",["tuple"],{}]',
        '["add","Tensor",["tuple",["tensor","nn",[2],[1],0,2,false]],{}]',
        '["add","Tensor",["tuple",["tensor","float32",[-2],[1],0,99999999999999999999,false]],{}]',
    ]  # fmt: skip
    missed, _, same, said = run(tmp_path, "\n".join([first, *strange, *others]))
    assert (missed, same) == (0, labels)
    assert said.count("not done ahead") == len(strange)


def test_what_is_kept_is_bounded() -> None:
    ahead = Ahead()
    ahead.want("")
    ahead.want("x" * (MAX_DISPATCHED + 1))
    assert ahead.made == 0
    for number in range(2 * MAX_KEPT // MAX_DISPATCHED):
        ahead.want(f"{number}".rjust(MAX_DISPATCHED))
        ahead.want(f"{number}".rjust(MAX_DISPATCHED))
    assert ahead.made == 2 * MAX_KEPT // MAX_DISPATCHED
    assert sum(map(len, ahead._texts)) == MAX_KEPT


@pytest.mark.parametrize("engine", ["fake", "real"])
def test_only_fake_kernels_work_anything_out(engine: str, tmp_path: Path) -> None:
    assert bool(trace(tmp_path, NET, "Net()(f32[2, 3, 9, 9])", engine=engine).dispatched) is (engine == "fake")
