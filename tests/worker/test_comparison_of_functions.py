"""Two versions of a function that only a program calls, on what it calls it with."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.model.comparison import Compared, Comparison, Overlay
from fx_lsp.model.example import OUTSIDE, PROGRAM
from fx_lsp.model.messages import TraceReply, TraceRequest
from tests.worker.tracing import in_child

SOURCE = """
import torch
import torch.nn.functional as F
from torch import nn

model = nn.Linear(4, 3)

DEFINED

if __name__ == "__main__":
    x, y = torch.randn(8, 4), torch.randint(0, 3, (8,))
    CALLED
"""
LOSS = "def loss(out, y, scale=None):\n    p = BODY\n    return -p.gather(1, y[:, None]).mean() * (scale or 1)"
LOG, FUSED = "torch.log(torch.softmax(out, 1))", "torch.log_softmax(out, 1)"


def reply(
    folder: Path, old: str, new: str, name: str, lines: tuple[tuple[int, int], ...] = (), call: str = PROGRAM
) -> TraceReply:
    path = folder / "train.py"
    path.write_text(old)
    comparison = Comparison((Overlay(str(path), new),), str(path), function=name, lines=lines)
    return in_child(TraceRequest(1, str(folder), str(path), call, comparison=comparison))


def compared(
    folder: Path, defined: str, old: str, new: str, called: str, name: str, call: str = PROGRAM, edited: bool = True
) -> Compared:
    """`edited`: whether calls have to run through the line that is another one."""
    old_text, new_text = texts = [
        SOURCE.replace("DEFINED", defined.replace("BODY", one)).replace("CALLED", called) for one in (old, new)
    ]
    line = next(
        n for n, (one, other) in enumerate(zip(*(text.split("\n") for text in texts), strict=True), 1) if one != other
    )
    found = reply(folder, old_text, new_text, name, ((line, line),) if edited else (), call)
    assert found.failure is None, found.failure
    assert found.compared is not None
    return found.compared


@pytest.mark.parametrize("call", [PROGRAM, OUTSIDE])
def test_a_loss_is_compared_with_its_gradients_on_other_values_and_sizes(call: str, tmp_path: Path) -> None:
    found = compared(tmp_path, LOSS, LOG, FUSED, "loss(model(x), y).backward()", "loss", call)
    assert (found.why, found.runs, found.dtype) == ("", True, "f64")
    assert found.checks > 4
    assert 0 < found.difference < 1e-12


@pytest.mark.parametrize(
    "new", ["torch.log_softmax(out, 0)", "torch.log_softmax(out.detach(), 1)", "torch.log_softmax(out, 1) * 1.001"]
)
def test_another_value_or_gradient_is_told(new: str, tmp_path: Path) -> None:
    assert compared(tmp_path, LOSS, LOG, new, "loss(model(x), y).backward()", "loss").why != ""


def test_what_does_not_run_any_more_is_told(tmp_path: Path) -> None:
    found = compared(tmp_path, LOSS, LOG, "torch.log_softmax(out, 7)", "loss(model(x), y)", "loss")
    assert "it does not run any more" in found.why


STEPS = """class Trainer:
    def __init__(self, model):
        self.model, self.seen = model, []

    @staticmethod
    def norm(x):
        return BODY

    def step(self, x, y):
        out = BODY
        self.seen.append(float(out.mean()))
        return F.cross_entropy(out, y)
"""


@pytest.mark.parametrize("name", ["Trainer.step", "Trainer.norm"])
def test_a_method_of_something_that_is_no_module(name: str, tmp_path: Path) -> None:
    old, new = ("self.model(x) * 2", "2 * self.model(x)") if name == "Trainer.step" else ("x / 2", "x * 0.5")
    defined = STEPS.replace("BODY", "x", 1) if name == "Trainer.step" else STEPS.replace("out = BODY", "out = x")
    called = "t = Trainer(model)\n    t.step(x, y)\n    Trainer.norm(x)"
    found = compared(tmp_path, defined, old, new, called, name)
    assert found.why == ""
    assert found.checks > 4
    assert found.dtype == "f64"
    assert compared(tmp_path, defined, old, f"{new} * 1.00001", called, name).why != ""


METHOD = """class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)

    @torch.no_grad()
    def sample(self, x, *, steps=2):
        for _ in range(steps):
            x = BODY
        return {"x": x}
"""


def test_a_method_of_a_model_with_its_weights(tmp_path: Path) -> None:
    called = "Net().sample(x, steps=3)"
    assert compared(tmp_path, METHOD, "self(x) + x", "x + self(x)", called, "Net.sample").why == ""
    assert compared(tmp_path, METHOD, "self(x) + x", "self(x) + x + self.fc.bias", called, "Net.sample").why != ""


WAYS = """def pick(x, mask=None):
    if mask is not None:
        x = BODY
    return x.sum()
"""


def test_calls_count_that_run_through_what_is_edited(tmp_path: Path) -> None:
    called = "pick(x)\n    pick(x, x > 0)"
    found = compared(tmp_path, WAYS, "x * mask", "torch.where(mask, x, 1.0)", called, "pick")
    assert "output 0 differs" in found.why
    found = compared(tmp_path, WAYS, "x * mask", "mask * x", called, "pick")
    assert (found.why, found.checks > 4) == ("", True)
    found = compared(tmp_path, WAYS, "x * mask", "torch.where(mask, x, 1.0)", "pick(x)", "pick")
    assert found.why == "the example calls no such function"


def test_another_call_of_another_kind_is_compared_too(tmp_path: Path) -> None:
    """The first has no weights, with which the new text gives something else."""
    defined = "def mean(x, w=None):\n    s = BODY\n    return s.mean()"
    old, new = "x if w is None else x * w", "x if w is None else x + w"
    found = compared(tmp_path, defined, old, new, "mean(x)\n    mean(x, x)", "mean")
    assert "differs" in found.why


def test_what_gives_no_numbers_or_more_than_one_time_is_compared_by_its_statements(tmp_path: Path) -> None:
    for defined, called in (
        ("def f(x):\n    BODY\n    return 'a'", "f(x)"),
        ("def f(x):\n    BODY\n    yield x", "next(f(x))"),
    ):
        assert compared(tmp_path, defined, "x = x + 0", "x = 0 + x", called, "f").why == ""
        assert "differs" in compared(tmp_path, defined, "x = x + 0", "x = 1 + x", called, "f").why


def test_numbers_and_arrays_are_compared(tmp_path: Path) -> None:
    for returned in ("x.sum().item()", "[x.tolist()]", "x.numpy()"):
        defined = f"def f(x):\n    x = BODY\n    x = x.detach()\n    return {returned}"
        assert compared(tmp_path, defined, "x * 2", "2 * x", "f(x)", "f").why == ""
        assert "output" in compared(tmp_path, defined, "x * 2", "2.001 * x", "f(x)", "f").why


def test_a_long_training_before_the_call_ends_early(tmp_path: Path) -> None:
    called = (
        "opt = torch.optim.SGD(model.parameters(), 0.1)\n    for _ in range(10**9):\n"
        "        opt.zero_grad()\n        model(x).sum().backward()\n        opt.step()\n    loss(model(x), y)"
    )
    assert compared(tmp_path, LOSS, LOG, FUSED, called, "loss").why == ""


SOFT, OTHER = "torch.softmax(x, 1)", "torch.softmax(x, 0)"
TOLD = [
    ("def beams(x):\n    return BODY", "x[0].unsqueeze(0).repeat(3, 1)", "x[0].unsqueeze(0).expand(3, -1)", "beams(x)"),
    ("def same(x):\n    return BODY", "x.clone()", "x", "same(x)"),
    ("def root(ids):\n    return BODY", "torch.sqrt(ids.double())", "torch.sqrt(ids)", "root(y)"),
    ("def part(x, w):\n    return BODY", "w.mean().item() * x", "w.double().mean() * x", "part(x, x)"),
    ("def names(x):\n    p = BODY\n    return ['abcdefghijklmnop'[i] for i in p.argmax(0)], 4", SOFT, "-x", "names(x)"),
    ("seen = {}\ndef note(x):\n    seen['p'] = BODY\n    return len(seen)", SOFT, OTHER, "note(x)"),
    ("def lazy(x):\n    return sum(\n        BODY.max()\n        for _ in range(2)\n    )", SOFT, OTHER, "lazy(x)"),
    (
        "class Replay:\n    def __init__(self):\n        self.data, self.at = torch.zeros(4, 8, 4), 0\n\n"
        "    def push(self, x):\n        self.data[self.at] = BODY\n        return self.at",
        SOFT, OTHER, "Replay().push(x)",
    ),
    (
        "class Net(nn.Module):\n    def remember(self, x):\n        self.cache = BODY\n        return x.mean()",
        SOFT, OTHER, "Net().remember(x)",
    ),
    (
        "def early(x, w=None):\n    if x.dim() == 3:\n        return x.sum()\n"
        "    return sum(map(lambda one: BODY, [x]))",
        SOFT, OTHER, "early(x[None])\n    early(x[None].double())\n    early(x)",
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("defined", "old", "new", "called"), TOLD, ids=[one[0].split("(")[0].split()[-1] for one in TOLD]
)
def test_what_else_it_does_is_told(defined: str, old: str, new: str, called: str, tmp_path: Path) -> None:
    """Memory that is shared now, other dtypes, what objects and the file hold, texts, code in other code."""
    name = called.split("\n")[0].split("(")[0] if "()." not in called else called.split("(x")[0].replace("().", ".")
    assert compared(tmp_path, defined, old, new, called, name).why != ""


def test_what_is_left_as_it_is_can_be_compared(tmp_path: Path) -> None:
    for defined, old, new, called in TOLD[5:6] + TOLD[7:9]:
        name = called.split("(")[0] if "()." not in called else called.split("(x")[0].replace("().", ".")
        why = compared(tmp_path, defined, old, "F.softmax(x, 1)", called, name).why
        assert (why == "") is (name != "note"), (name, why, new)


def test_what_is_given_something_that_can_be_gone_through_but_once_is_compared_by_its_statements(
    tmp_path: Path,
) -> None:
    defined = "def total(parts):\n    n = 0.0\n    for x in parts:\n        n = n + BODY.max()\n    return n"
    called, old = "total(one for one in (x, x))", "torch.softmax(x, 1)"
    assert compared(tmp_path, defined, old, f"({old} * 1)", called, "total").why == ""
    assert "differs" in compared(tmp_path, defined, old, f"({old} * 2)", called, "total").why


def test_a_program_that_goes_on_and_on_after_the_call(tmp_path: Path) -> None:
    called = "import time\n    loss(model(x), y)\n    for _ in range(10**6):\n        F.relu(x), time.sleep(0.01)"
    found = compared(tmp_path, LOSS, LOG, FUSED, called, "loss")
    assert (found.why, found.checks > 4) == ("", True)


def test_calls_of_several_kinds_with_a_model(tmp_path: Path) -> None:
    defined = "def loss(net, x, w=None):\n    p = BODY\n    return p.mean() if w is None else (p * w).mean()"
    called = "loss(model, x)\n    loss(model, x, torch.rand(8, 3))"
    old, new = "torch.log(torch.softmax(net(x), 1))", "torch.log_softmax(net(x), 1)"
    found = compared(tmp_path, defined, old, new, called, "loss")
    assert (found.why, found.dtype) == ("", "f64")
    assert compared(tmp_path, defined, old, new.replace("1)", "0)"), called, "loss").why != ""


STEP = """def update(model, optimizer, x):
    loss = model(x).square().mean()
    before = BODY
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return (model.weight - before).abs().max()
"""


def test_the_steps_of_an_optimizer_that_is_given_are_steps(tmp_path: Path) -> None:
    called = "update(model, torch.optim.SGD(model.parameters(), lr=0.5), x)"
    old = "model.weight.detach() * 1"
    assert compared(tmp_path, STEP, old, "1 * model.weight.detach()", called, "update").why == ""
    assert compared(tmp_path, STEP, old, "model.weight", called, "update").why != ""


@pytest.mark.parametrize(("new", "same"), [("p.add_(-0.1 * p.grad)", True), ("p.sub_(0.2 * p.grad)", False)])
def test_weights_that_are_changed_are_compared(new: str, same: bool, tmp_path: Path) -> None:
    defined = (
        "def step(model, x):\n    loss = model(x).square().mean()\n    loss.backward()\n    with torch.no_grad():\n"
        "        for p in model.parameters():\n            BODY\n    return loss"
    )
    assert (compared(tmp_path, defined, "p.sub_(0.1 * p.grad)", new, "step(model, x)", "step").why == "") is same


def test_running_statistics_are_the_same_before_each_run(tmp_path: Path) -> None:
    defined = "norm = nn.BatchNorm1d(3)\n\ndef loss(norm, out):\n    return BODY.mean()"
    assert compared(tmp_path, defined, "(norm(out) * 2)", "(2 * norm(out))", "loss(norm, model(x))", "loss").why == ""


def test_a_model_of_the_file_that_is_trained_meanwhile_is_the_same_for_both(tmp_path: Path) -> None:
    defined = "def loss(x, y):\n    return F.nll_loss(BODY, y)"
    called = (
        "opt = torch.optim.SGD(model.parameters(), lr=0.5)\n    for _ in range(5):\n        opt.zero_grad()\n"
        "        loss(x, y).backward()\n        opt.step()"
    )
    old = "torch.log(torch.softmax(model(x), 1))"
    found = compared(tmp_path, defined, old, "torch.log_softmax(model(x), 1)", called, "loss")
    assert (found.why, found.dtype) == ("", "f64")
    assert "gradient" in compared(tmp_path, defined, old, "torch.log_softmax(model(x.detach()), 1)", called, "loss").why
