"""What an example costs, found on fake tensors: compared with real runs, and charged to the right expressions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from fx_lsp.model.costs import Cost, CostRequest, Costs
from fx_lsp.model.messages import TraceReply, TraceRequest
from tests.worker.tracing import in_child

HEAD = """
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint
"""
ATTENTION = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(100, 64)
        self.qkv = nn.Linear(64, 192)
        self.norm = nn.LayerNorm(64)
        self.head = nn.Linear(64, 100)

    def forward(self, x):
        x = self.embed(x)
        q, k, v = self.qkv(self.norm(x)).chunk(3, dim=-1)
        weights = (q @ k.transpose(1, 2)).softmax(-1)
        x = x + weights @ v
        return self.head(F.gelu(x))
"""
CONVOLUTIONS = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 16, 3, padding=1)
        self.norm = nn.BatchNorm2d(16)
        self.second = nn.Conv2d(16, 32, 3)
        self.head = nn.Linear(32, 10)

    def forward(self, x):
        x = self.norm(self.first(x)).relu()
        return self.head(self.second(x).mean((2, 3)))
"""
BLOCKS = """
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(64, 256)
        self.down = nn.Linear(256, 64)

    def forward(self, x):
        return x + self.down(self.up(x).relu())

class Net(nn.Module):
    def __init__(self, way=None):
        super().__init__()
        self.way = way
        self.blocks = nn.ModuleList(Block() for _ in range(6))

    def forward(self, x):
        for block in self.blocks:
            x = block(x) if self.way is None else checkpoint(block, x, use_reentrant=self.way)
        return x
"""


def asked(folder: Path, source: str, call: str, engine: str = "fake") -> TraceReply:
    path = folder / "model.py"
    path.write_text(HEAD + dedent(source))
    return in_child(TraceRequest(1, str(folder), str(path), call, engine=engine, seconds=60, costs=CostRequest(engine)))


def costs(folder: Path, source: str, call: str, engine: str = "fake") -> Costs:
    reply = asked(folder, source, call, engine)
    assert reply.failure is None, reply.failure.detail
    assert reply.costs is not None
    return reply.costs


def by_text(folder: Path, found: Costs) -> dict[str, tuple[Cost, Cost]]:
    """Own and total cost of each expression, by its text."""
    lines = (folder / "model.py").read_text().split("\n")
    return {
        lines[one.span.line - 1][one.span.column : one.span.end_column]: (one.own, one.total)
        for one in found.expressions
    }


def built(source: str) -> nn.Module:
    names: dict[str, Any] = {}
    exec(HEAD + source, names)
    return names["Net"]()


def peak(there: list[torch.Tensor], work: Callable[[], Any]) -> int:
    """What torch's profiler sees, on top of what was there."""
    now = most = sum({one.untyped_storage().data_ptr(): one.untyped_storage().nbytes() for one in there}.values())
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
        work()
    profiler: Any = profile.profiler
    events = [event for event in profiler.kineto_results.events() if event.name() == "[memory]"]
    for event in sorted(events, key=lambda event: event.start_ns()):
        now += event.nbytes()
        most = max(most, now)
    return most


@pytest.mark.parametrize(
    ("source", "call", "inputs", "room"),
    [
        (ATTENTION, "Net()(i64[8, 32])", lambda: torch.randint(1, 3, (8, 32)), 0.05),
        (CONVOLUTIONS, "Net()(f32[8, 3, 32, 32])", lambda: torch.randn(8, 3, 32, 32), 0.1),
    ],
    ids=["attention", "convolutions"],
)
def test_a_real_step_costs_as_much(
    tmp_path: Path, source: str, call: str, inputs: Callable[[], torch.Tensor], room: float
) -> None:
    found = costs(tmp_path, source, call)
    assert found.training is not None
    model, x = built(source), inputs()
    assert found.parameters == sum(parameter.numel() for parameter in model.parameters())
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        model.eval()(x)
    assert found.total.flops == counter.get_total_flops()
    with FlopCounterMode(display=False) as counter:
        model.train()(x).sum().backward()
    assert found.training.flops == found.total.flops + found.total.backward == counter.get_total_flops()
    assert found.training.mode == "train"
    there = [*model.parameters(), *model.buffers(), x]
    with torch.no_grad():
        assert found.peak == pytest.approx(peak(there, lambda: model.eval()(x)), rel=room)
    for name, make in (("sgd", torch.optim.SGD), ("adam", torch.optim.Adam)):
        optimizer = make(model.parameters(), lr=1e-6)

        def step(optimizer: Any = optimizer) -> None:
            result = model.train()(x)
            result.sum().backward()
            optimizer.step()

        step()
        model.zero_grad(set_to_none=True)
        state = [value for one in optimizer.state.values() for value in one.values()]
        assert found.training.with_optimizer(name) == pytest.approx(peak([*there, *state], step), rel=room)


def test_constants_live_as_long_as_in_a_real_run(tmp_path: Path) -> None:
    """Those that were drawn at random, and their twins, of which the fake engine keeps track."""
    source = """
    class Net(nn.Module):
        def forward(self, x):
            for _ in range(4):
                noise = torch.rand(4096)
                x = (x * noise + noise[:4096]).relu()
            return x
    """
    x = torch.randn(4096)
    found = costs(tmp_path, source, "Net()(f32[4096])")
    assert found.peak == peak([x], lambda: built(dedent(source))(x))


def test_an_expression_has_its_own_cost_and_that_of_all_below(tmp_path: Path) -> None:
    found = costs(tmp_path, BLOCKS, "Net()(f32[32, 64])")
    product = 2 * 32 * 64 * 256
    of = by_text(tmp_path, found)
    assert (of["self.up(x)"][0].flops, of["self.up(x)"][1].flops) == (6 * product, 6 * product)
    assert (of["block(x)"][0].flops, of["block(x)"][1].flops) == (0, 12 * product)
    assert of["self.down(self.up(x).relu())"][0].backward == 2 * 6 * product
    # The first product needs no gradient of the input of the model.
    assert of["self.up(x)"][0].backward == 2 * 6 * product - product
    assert found.total.flops == 12 * product
    assert of["self.up(x).relu()"][0].kept == 6 * 32 * 256 * 4
    assert sum(one.own.backward for one in found.expressions) == found.total.backward == (24 - 1) * product
    lines = {line: total for _, line, total in found.of_lines()}
    text = (tmp_path / "model.py").read_text().split("\n")
    down = next(number for number, line in enumerate(text, 1) if "self.down(self.up" in line)
    assert lines[down].flops == 12 * product


def test_modules(tmp_path: Path) -> None:
    found = costs(tmp_path, BLOCKS, "Net()(f32[32, 64])")
    product = 2 * 32 * 64 * 256
    modules = {one.module: one for one in found.modules}
    assert list(modules)[:4] == ["", "blocks.0", "blocks.0.up", "blocks.0.down"]
    assert (modules[""].name, modules[""].path) == ("Net", str(tmp_path / "model.py"))
    assert modules["blocks.1.up"].path == ""  # torch's own
    assert modules["blocks.1"].total.flops == 2 * product
    assert modules["blocks.1"].total.backward == 4 * product
    assert modules["blocks.1"].parameters == 2 * 64 * 256 + 64 + 256
    assert modules["blocks.1"].calls == 1
    assert modules[""].total.backward == found.total.backward
    assert modules[""].total.kept == found.total.kept


@pytest.mark.parametrize("way", [False, True], ids=["not reentrant", "reentrant"])
def test_checkpoints_keep_less_and_compute_more(tmp_path: Path, way: bool) -> None:
    plain = costs(tmp_path, BLOCKS, "Net()(f32[512, 64].requires_grad_())")
    saved = costs(tmp_path, BLOCKS, f"Net({way})(f32[512, 64].requires_grad_())")
    assert plain.training is not None
    assert saved.training is not None
    assert saved.total.kept < plain.total.kept / 4
    assert saved.training.peak < 0.65 * plain.training.peak
    assert saved.total.flops == plain.total.flops
    again = saved.total.backward - plain.total.backward
    # One way stops before the last product, of which nothing is needed.
    assert plain.total.flops / 2 <= again <= plain.total.flops
    of = by_text(tmp_path, saved)
    assert of["self.up(x)"][0].backward > 2 * of["self.up(x)"][0].flops
    assert saved.training.peak == pytest.approx(_real_peak(way), rel=0.05)


def _real_peak(way: bool) -> int:
    names: dict[str, Any] = {}
    exec(HEAD + BLOCKS, names)
    model, x = names["Net"](way), torch.randn(512, 64, requires_grad=True)

    def step() -> None:
        result = model(x)
        result.sum().backward()

    return peak([*model.parameters(), x], step)


NO_GRADIENT = "class Net(nn.Module):\n    @torch.no_grad()\n    def forward(self, x):\n        return x @ x\n"


def test_what_cannot_be_trained(tmp_path: Path) -> None:
    found = costs(tmp_path, NO_GRADIENT, "Net()(f32[4, 4])")
    assert (found.total.flops, found.training) == (2 * 4**3, None)
    assert found.why == "NoGradientError: the result depends on no parameter by a gradient"


def test_what_can_be_trained_in_eval_only(tmp_path: Path) -> None:
    source = "class Net(nn.Sequential):\n    def __init__(self):\n        super().__init__(nn.BatchNorm1d(4))\n"
    found = costs(tmp_path, source, "Net()(f32[1, 4])")  # one value per channel has no variance
    assert found.training is not None
    assert found.training.mode == "eval"


def test_code_that_computes_gradients_itself(tmp_path: Path) -> None:
    source = """
    class Net(nn.Module):
        def forward(self, x):
            x = x.requires_grad_()
            return torch.autograd.grad((x @ x).sum(), x)[0]
    """
    found = costs(tmp_path, source, "Net()(f32[4, 4])")
    assert found.total.flops == 3 * 2 * 4**3


def test_a_loss_is_minimised_alone_where_all_depends_on_it(tmp_path: Path) -> None:
    source = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.head, self.gate = nn.Linear(64, 64), nn.Linear(64, 64)

        def forward(self, x, whole):
            y, penalty = self.head(x), self.gate(x).sum()
            return y, y.sum() + penalty if whole else penalty
    """
    product = 2 * 8 * 64 * 64
    alone, both = (costs(tmp_path, source, f"Net()(f32[8, 64], {whole})") for whole in (True, False))
    assert alone.total.backward == both.total.backward == 2 * product


def test_real_tensors_are_counted_alike(tmp_path: Path) -> None:
    fake, real = (costs(tmp_path, ATTENTION, "Net()(i64[8, 32])", engine) for engine in ("fake", "real"))
    assert (fake.total.flops, fake.total.backward) == (real.total.flops, real.total.backward)
    assert fake.total.kept == real.total.kept
    assert fake.training is not None
    assert real.training is not None
    assert fake.training.peak == pytest.approx(real.training.peak, rel=0.02)


def test_half_precision_takes_half_the_memory(tmp_path: Path) -> None:
    single, half = (costs(tmp_path, BLOCKS, f"Net().to(torch.{one})({two}[32, 64])") for one, two in
                    (("float32", "f32"), ("bfloat16", "bf16")))  # fmt: skip
    assert single.training is not None
    assert half.training is not None
    assert half.total.kept == single.total.kept / 2
    assert half.training.with_optimizer("adam") == single.training.with_optimizer("adam") / 2


def test_what_fails_has_no_costs(tmp_path: Path) -> None:
    reply = asked(tmp_path, BLOCKS, "Net()(f32[2, 63])")
    assert reply.costs is None
    assert reply.failure is not None
    assert "63" in reply.failure.message
