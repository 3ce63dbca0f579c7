"""Ways in which blocks that look equal are not: each was shown wrong once, and runs now."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.worker.leaving import Leaving, assert_true

IMPORTS = "import collections, functools\n"
NET = """
class Block(nn.Module):
    def __init__(self, i=0):
        super().__init__()
        self.lin = nn.Linear(8, 8)
        {init}

    def forward(self, x{more}):
        y = self.lin(x)
        {body}
        return {result}

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(i) for i in range(5)])

    def forward(self, x):
        for i, block in enumerate(self.blocks):
            {call}
        return x
"""


@dataclass
class Case:
    """One of them; a `;;` stands for a new line at the same depth."""

    body: str = "pass"
    init: str = "pass"
    before: str = ""
    call: str = "x = block(x)"
    result: str = "x + y"
    more: str = ""
    example: str = "Net()(f32[2, 8])"

    def source(self) -> str:
        """The file."""
        body = self.body.replace(";;", "\n        ")
        call = self.call.replace(";;", "\n            ")
        net = NET.format(init=self.init, more=self.more, body=body, result=self.result, call=call)
        return f"{IMPORTS}{self.before.replace(';;', chr(10))}{net}"


CASES = {
    "an attribute of a class": Case(
        "k = torch.zeros(Cfg.size)", before="class Cfg: size = 2", call="Cfg.size = i + 2;;x = block(x)"
    ),
    "an attribute of an object's class": Case(
        "k = torch.zeros(CFG.size)", before="class Cfg: size = 2;;CFG = Cfg()", call="Cfg.size = i + 2;;x = block(x)"
    ),
    "a tensor in a global": Case(
        "STEP.add_(1);;k = torch.zeros(int(STEP))", before="STEP = torch.zeros((), dtype=torch.long)"
    ),
    "a tensor in a global, read outside": Case(
        "STEP.add_(1)",
        before="STEP = torch.zeros((), dtype=torch.long)",
        call="x = block(x);;k = torch.zeros(int(STEP))",
    ),
    "a tensor in an argument": Case(
        "pack[0].unsqueeze_(0)", more=", pack", call="t = [x * 1];;x = block(x, t);;k = t[0]"
    ),
    "an exception inside": Case(
        "try: z = self.fast(x);;except RuntimeError: SEEN.append(1)",
        init="self.fast = Fast()",
        before="class Fast(nn.Module):;;    def forward(self, x):;;        raise RuntimeError('no')",
        call="x = block(x);;k = torch.zeros(len(SEEN))",
    ),
    "a name in __dict__": Case("k = torch.zeros(self.__dict__['size'])", init="self.size = 2 + i"),
    "an attribute of a tensor": Case("k = torch.zeros(*x.hw)", call="x.hw = (i + 1, 2);;x = block(x)"),
    "a function is given back": Case(
        "back = lambda g: g[:, : self.size]",
        init="self.size = i + 1",
        result="(x + y, back)",
        call="x, back = block(x);;k = back(x)",
    ),
    "a queue of its own": Case(
        "k = torch.zeros(len(self.q))",
        init="self.q = Queue([0] * (i + 1))",
        before="class Queue(collections.deque): pass",
    ),
    "a function of C is called for each": Case(
        "list(map(SEEN.append, [1]))", call="x = block(x);;k = torch.zeros(len(SEEN))"
    ),
    "an answer is kept": Case(
        "m = mask(8)",
        before="@functools.lru_cache;;def mask(n):;;    m = torch.ones(n, n).tril();;    return m",
        result="x + y @ m",
        example="torch.no_grad()(Net())(f32[2, 8])",
    ),
    "torch's names are the user's": Case(init="self.buffers = []"),
    "a sparse result": Case("s = torch.eye(4).to_sparse()", result="(x + y, s)", call="x, s = block(x)"),
    "batched tensors": Case(example="torch.vmap(Net())(f32[2, 8])"),
    "a layer's class is patched": Case(
        before="def reset(self):;;    w = torch.empty_like(self.weight);;nn.Linear.reset_parameters = reset"
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_as_if_all_ran(name: str, left_out: Leaving) -> None:
    assert_true(left_out, CASES[name].source(), CASES[name].example)


@pytest.mark.parametrize("body", ["pass", "def forward(self, x): return super().forward(x)"])
def test_settings_of_layers_in_classes_made_from_them(body: str, left_out: Leaving) -> None:
    source = f"""
class Conv(nn.Conv2d):
    {body}

class Block(nn.Module):
    def __init__(self, **more):
        super().__init__()
        self.conv = Conv(4, 4, 3, padding=1, **more)
    def forward(self, x):
        y = self.conv(x)
        return y

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(), Block(), Block(), Block(stride=2)])
    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x
"""
    assert "blocks.3" not in assert_true(left_out, source, "Net()(f32[2, 4, 16, 16])")


COLLECTED = """
import gc
from fx_lsp.worker.repeats.effects import Watch

watch, kept = Watch(), []

class Garbage:
    def __init__(self):
        self.own = self

    def __del__(self):
        watch.rest()

def called(x):
    return x

def once(allocations):
    gc.disable()
    gc.collect()
    kept.append([{} for _ in range(100)])  # so that Python has no empty one left for the variables of a frame
    Garbage()
    gc.set_threshold(gc.get_count()[0] + allocations)
    gc.enable()
    watch.begin()
    called(1)
    watch.end()

for allocations in range(40):
    once(allocations)
"""


def test_it_may_rest_while_python_is_about_to_call_it() -> None:
    environment = {"PYTHONPATH": str(Path(__file__).parents[2]), "PYTHONMALLOC": "debug"}
    done = subprocess.run([sys.executable, "-c", COLLECTED], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
