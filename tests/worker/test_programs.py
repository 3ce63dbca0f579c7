"""Files that are run as programs: loops that train end early, and what is done outside of modules is shown."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from fx_lsp.model.example import OUTSIDE, PROGRAM
from fx_lsp.worker.capture import laps
from tests.worker.tracing import annotated, trace

TRAINING = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
    def forward(self, x):
        y = self.fc(x)
        return y

def step(model, x, y):
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    return loss

rounds = []
def main():
    model = Net()
    for epoch in range(10 ** 9):
        for number in range(10 ** 9):
            x = torch.randn(2, 4)
            step(model, x, torch.zeros(2, dtype=torch.long))
            rounds.append((epoch, number))
    after = torch.zeros(len(rounds))

if __name__ == "__main__":
    main()
    print("rounds", rounds)
"""


@pytest.mark.parametrize("engine", ["fake", "real"])
def test_what_a_program_does_outside_of_its_modules(tmp_path: Path, engine: str):
    reply = trace(tmp_path, TRAINING, OUTSIDE, engine=engine)
    assert reply.failure is None
    shown = annotated(reply, tmp_path / "model.py")
    assert "def step(model, x⟦f32[2, 4]⟧, y⟦i64[2]⟧):" in shown
    assert "loss⟦f32[]⟧ = " in shown
    assert "y = self.fc(x)" in shown
    assert reply.modules == ()


def test_all_that_a_program_does(tmp_path: Path):
    reply = trace(tmp_path, TRAINING, PROGRAM)
    assert "y⟦f32[2, 3]⟧ = self.fc(x)" in annotated(reply, tmp_path / "model.py")
    assert [use.name for use in reply.modules] == ["Net"]


AFTER = """
    probs = model(torch.randn(7, 4)).softmax(-1)
    last = torch.tensor([float(n) for n in rounds[-100:]]).mean()
    {}
    best = probs.topk(2, -1).values

"""


@pytest.mark.parametrize("engine", ["fake", "real"])
def test_what_comes_after_a_loop_that_ended_early_is_shown_where_more_rounds_do_not_change_it(
    tmp_path: Path, engine: str
):
    source = TRAINING.replace("\n\nif __name__", AFTER.format("last") + "if __name__")
    source = source.replace("rounds.append((epoch, number))", "rounds.append(number)")
    reply = trace(tmp_path, source, OUTSIDE, engine=engine)
    assert reply.failure is None
    shown = annotated(reply, tmp_path / "model.py")
    assert "    after = torch" in shown
    assert "    probs⟦f32[7, 3]⟧ = " in shown
    assert "    last⟦f32[]⟧ = " in shown
    assert "    best⟦f32[7, 2]⟧ = " in shown
    assert "loss⟦f32[]⟧ = " in shown
    operations = [(one.span.line, one.target) for one in reply.operations]
    assert (27, "Net") in operations, "of classes that each run makes anew"
    assert (26, "torch.zeros") not in operations


@pytest.mark.parametrize("count", [1, 2, 3, 4, 6])
def test_what_comes_after_a_short_loop_is_shown(tmp_path: Path, count: int):
    source = TRAINING.replace("range(10 ** 9)", f"range({count})").replace(
        "    after =", "    other = torch.ones(3)\n    after ="
    )
    reply = trace(tmp_path, source, OUTSIDE)
    assert reply.failure is None
    assert "    other⟦f32[3]⟧ = " in annotated(reply, tmp_path / "model.py")


MODELS = """
import torch
from torch import nn

class A(nn.Linear):
    def forward(self, x):
        a = nn.functional.linear(x, self.weight)
        return a

class B(nn.Linear):
    def forward(self, x):
        b = super().forward(x)
        return b

class C(nn.Linear):
    def forward(self, x):
        c = super().forward(x)
        return c

class D(nn.Linear):
    def forward(self, x):
        d = super().forward(x)
        return d

if __name__ == "__main__":
    for cls in (A, B, C, D):
        model = cls(4, 3)
        for epoch in range(3):
            model(torch.randn(2, 4)).sum().backward()
"""


def test_each_model_of_a_loop_over_models_is_trained(tmp_path: Path):
    shown = annotated(trace(tmp_path, MODELS, PROGRAM), tmp_path / "model.py")
    for name in "abcd":
        assert f"{name}⟦f32[2, 3]⟧ = " in shown


def test_a_loop_that_makes_layers_in_each_round_ends(tmp_path: Path):
    source = MODELS.replace("(A, B, C, D)", "iter(lambda: A, None)")
    reply = trace(tmp_path, source, OUTSIDE)
    assert reply.failure is None


@pytest.mark.parametrize(
    ("statement", "proven"), [("after.view(-1, 1000)", False), ("probs.view(-1, 1000)", True)], ids=["lacking", "wrong"]
)
def test_what_fails_after_such_a_loop_is_told_if_more_rounds_do_not_change_it(
    tmp_path: Path, statement: str, proven: bool
):
    source = TRAINING.replace("\n\nif __name__", AFTER.format(statement) + "if __name__")
    source = source.replace("rounds.append((epoch, number))", "rounds.append(number)")
    reply = trace(tmp_path, source, OUTSIDE, engine="real")
    assert reply.failure is not None
    assert (reply.failure.proven, reply.failure.operation is not None) == (proven, True)
    shown = annotated(reply, tmp_path / "model.py")
    assert "x⟦f32[2, 4]⟧ = " in shown
    assert "    probs⟦f32[7, 3]⟧ = " in shown
    assert "    best = " in shown


def test_what_is_evaluated_between_epochs_is_shown(tmp_path: Path):
    source = """
    import torch
    weight = torch.zeros(3, requires_grad=True)
    def train():
        for number in range(1000):
            (weight * torch.ones(5, 3)).sum().backward()
    def test():
        out = weight * torch.ones(8, 3)
        return out
    for epoch in range(100):
        train()
        found = test()
    """
    shown = annotated(trace(tmp_path, source, PROGRAM), tmp_path / "model.py")
    assert "out⟦f32[8, 3]⟧ = " in shown
    assert "found⟦f32[8, 3]⟧ = " in shown


def test_a_size_that_depends_on_data_is_found_in_a_program_too(tmp_path: Path):
    source = """
    import torch
    x = torch.rand(40)
    few = x[x > 0.5]
    for number in range(1000):
        (torch.ones(3, requires_grad=True) * 2).sum().backward()
    y = torch.rand(40)
    some = y[y > 0.5]
    """
    shown = annotated(trace(tmp_path, source, PROGRAM, engine="real"), tmp_path / "model.py")
    assert "few⟦f32[u0]⟧ = " in shown
    assert "some⟦f32[u1]⟧ = " in shown


def test_a_loop_that_does_not_train_runs_to_its_end(tmp_path: Path):
    source = "import torch\nfound = []\nfor n in range(7):\n    found.append(torch.ones(n))\nwhole = torch.cat(found)\n"
    assert "whole⟦f32[21]⟧" in annotated(trace(tmp_path, source, PROGRAM), tmp_path / "model.py")


def test_a_script_without_a_guard_trains_two_rounds_when_it_is_imported(tmp_path: Path):
    source = TRAINING.replace('__name__ == "__main__"', "True")
    reply = trace(tmp_path, source, "Net()(f32[5, 4])")
    assert reply.failure is None
    shown = annotated(reply, tmp_path / "model.py")
    assert "y⟦f32[2, 3] | f32[5, 3]⟧ = self.fc(x)" in shown
    assert "    after = torch" in shown


def test_a_module_goes_through_all_rounds_of_its_own_loops(tmp_path: Path):
    source = """
    import torch
    from torch import nn
    class Fitted(nn.Module):
        def forward(self, x):
            code = torch.zeros(3, requires_grad=True)
            kept = []
            for _ in range(5):
                (code * x).sum().backward()
                kept.append(code)
            codes = torch.stack(kept)
            return codes
    """
    reply = trace(tmp_path, source, "Fitted()(f32[3])")
    assert "codes⟦f32[5, 3]⟧" in annotated(reply, tmp_path / "model.py")


def test_a_trainer_that_is_a_class_trains_two_rounds(tmp_path: Path):
    source = """
    import torch
    class Trainer:
        def fit(self, weight):
            for self.step in range(10 ** 9):
                (weight * 2).sum().backward()
            return self.step
    trainer = Trainer()
    x = torch.zeros(trainer.fit(torch.ones(3, requires_grad=True)) + 1)
    """
    assert trace(tmp_path, source, "torch.ones(1)").failure is None


def test_the_failure_of_a_program_is_at_its_expression(tmp_path: Path):
    reply = trace(tmp_path, TRAINING.replace("torch.zeros(2, dtype", "torch.zeros(3, dtype"), OUTSIDE)
    assert reply.failure is not None
    assert reply.failure.proven
    assert reply.failure.operation is not None
    assert reply.failure.span is not None
    assert reply.failure.span.line == 14


def test_data_are_loaded_in_the_process_and_nothing_is_saved(tmp_path: Path):
    source = """
    import torch
    from torch.utils.data import DataLoader, TensorDataset
    data = TensorDataset(torch.randn(8, 3))
    for (x,) in DataLoader(data, 4, False, None, None, 2):
        pass
    for (y,) in DataLoader(data, batch_size=2, num_workers=4, prefetch_factor=2, persistent_workers=True):
        pass
    torch.save(x, "/nowhere/x.pt")
    """
    reply = trace(tmp_path, source, PROGRAM)
    assert reply.failure is None
    shown = annotated(reply, tmp_path / "model.py")
    assert "for (x⟦f32[4, 3]⟧,)" in shown
    assert "for (y⟦f32[2, 3]⟧,)" in shown


def test_a_program_of_a_package_imports_from_it(tmp_path: Path):
    files = {"pkg/__init__.py": "", "pkg/parts.py": "import torch\ndef made(): return torch.ones(3)\n"}
    reply = trace(tmp_path, "from .parts import made\nx = made()\n", PROGRAM, files=files, scope="pkg/run.py")
    assert "x⟦f32[3]⟧" in annotated(reply, tmp_path / "pkg/run.py")


def test_what_a_program_writes_goes_nowhere(tmp_path: Path):
    source = """
    import os, torch
    os.makedirs("/nowhere/runs/1", exist_ok=True)
    with open("/nowhere/runs/1/log.txt", "w") as log:
        log.write("begun")
    x = torch.ones(3)
    """
    assert "x⟦f32[3]⟧" in annotated(trace(tmp_path, source, PROGRAM), tmp_path / "model.py")
    assert not Path("/nowhere").exists()


def test_numbers_that_fake_tensors_do_not_have_are_none(tmp_path: Path):
    source = """
    import torch
    x = torch.randn(300, 300)
    total = 0.0
    total += x.sum().item() + float(x.mean())
    print(f"{x.max():.3f} {x.max().item():.3f}")
    if x.sum().item() > 3:
        x = x[:1]
    y = x * 2
    """
    reply = trace(tmp_path, source, PROGRAM)
    assert reply.failure is None
    assert "y⟦f32[300, 300]⟧" in annotated(reply, tmp_path / "model.py")


def test_no_size_is_made_of_such_a_number(tmp_path: Path):
    source = "import torch\nn = (torch.randn(300, 300) > 0).sum().item()\nx = torch.zeros(n)\n"
    reply = trace(tmp_path, source, PROGRAM)
    assert reply.failure is not None
    assert not reply.failure.proven
    assert trace(tmp_path, source, PROGRAM, engine="real").failure is None


@pytest.mark.parametrize("given", [True, False])
def test_what_the_name_of_an_argument_has_not_is_no_mistake(tmp_path: Path, given: bool):
    source = f"""
    import argparse
    import torch
    x = torch.ones(2)
    parser = argparse.ArgumentParser()
    parser.add_argument("data", {"nargs='?', default='data'" if given else ""})
    for name, part in parser.parse_args().data.items():
        pass
    """
    failure = trace(tmp_path, source, PROGRAM).failure
    assert failure is not None
    assert (failure.error, failure.proven) == ("AttributeError", given)


def test_batches_are_cut_out_of_data_at_random_places(tmp_path: Path):
    source = """
    import torch
    data = torch.randint(0, 9, (10_000,))
    places = torch.randint(len(data) - 64, (4,))
    x = torch.stack([data[i : i + 64] for i in places])
    """
    reply = trace(tmp_path, source, PROGRAM)
    assert reply.failure is None
    assert "x⟦i64[4, 64]⟧" in annotated(reply, tmp_path / "model.py")


@pytest.mark.parametrize("test", ["True", "step < 10 ** 9", "not done and step < last"])
def test_a_while_that_trains_ends_early_too(tmp_path: Path, test: str):
    source = f"""
    import torch
    def fit(weight):
        step, done, last = 0, False, 10 ** 9
        while {test}:
            x = torch.ones(step + 1)
            (weight * 2).sum().backward()
            step += 1
        return step
    print("steps", fit(torch.ones(3, requires_grad=True)))
    """
    reply = trace(tmp_path, source, PROGRAM)
    assert reply.failure is None
    assert "x⟦f32[1] | f32[2]⟧" in annotated(reply, tmp_path / "model.py")


def test_a_while_that_trains_is_what_it_was(tmp_path: Path):
    source = """
    import torch
    weight, step, seen = torch.ones(1, requires_grad=True), 0, []
    while step < 4:
        step += 1
        if step == 2:
            continue
        if step == 3:
            break
        weight.sum().backward()
        seen.append(step)
    else:
        seen.append(9)
    x = torch.ones(len(seen) + 2)
    """
    assert "x⟦f32[3]⟧" in annotated(trace(tmp_path, source, PROGRAM), tmp_path / "model.py")


def test_an_operand_that_is_no_tensor_is_a_failure_of_the_program_s_own(tmp_path: Path):
    source = "import torch\nx = torch.ones(2, 3)\ny = x - x.min(dim=1)\n"
    failure = trace(tmp_path, source, PROGRAM, engine="real").failure
    assert failure is not None
    assert failure.proven
    other = trace(tmp_path, "import torch\nx = 1 + None\n", PROGRAM).failure
    assert other is not None
    assert not other.proven


def test_a_constant_that_gradients_are_asked_for_is_trained(tmp_path: Path):
    source = """
    import torch
    weight, bias = torch.randn(4, 3), torch.zeros(3)
    weight.requires_grad = True
    bias.requires_grad_()
    for number in range(1000):
        loss = (torch.ones(2, 4) @ weight + bias).sum()
        loss.backward()
        for one in (weight, bias):
            one.data -= 0.1 * one.grad
            one.grad = None
    after = weight.t()
    """
    reply = trace(tmp_path, source, PROGRAM)
    assert reply.failure is None
    assert "after⟦f32[3, 4]⟧ = " in annotated(reply, tmp_path / "model.py")


@pytest.mark.parametrize("start", ["import torch", "import torch, not_installed"])
def test_a_statement_that_lacks_rounds_ends_nothing(tmp_path: Path, start: str):
    source = f"""
    {start}
    weight, losses = torch.ones(3, requires_grad=True), []
    for number in range(100000):
        loss = (weight * 2).sum()
        loss.backward()
        losses.append(number)
    means = torch.tensor(losses).view(-1, 1000)
    x = torch.randn(5, 3)
    y = x * weight
    """
    reply = trace(tmp_path, source, PROGRAM)
    assert reply.failure is None
    shown = annotated(reply, tmp_path / "model.py")
    assert "\nmeans = " in shown
    assert "y⟦f32[5, 3]⟧ = " in shown


def test_what_a_program_saves_it_loads_again(tmp_path: Path):
    source = """
    import torch
    from pathlib import Path
    from torch import nn
    model = nn.Linear(4, 3)
    best = Path("models") / "best.pt"
    for number in range(1000):
        model(torch.randn(2, 4)).sum().backward()
        torch.save({"model": model.state_dict(), "step": [number]}, best)
    found = torch.load("models/best.pt", map_location="cpu", weights_only=True)
    model.load_state_dict(found.pop("model"))
    weight = torch.load(best)["model"]["weight"]
    other = torch.load("other.pt")["step"][0] + 1
    """
    reply = trace(tmp_path, source, PROGRAM)
    assert "weight⟦f32[3, 4]⟧ = " in annotated(reply, tmp_path / "model.py")
    assert reply.failure is not None
    assert reply.failure.error == "FileNotFoundError"
    assert not (tmp_path / "models").exists()


def test_how_long_more_rounds_would_take(monkeypatch: pytest.MonkeyPatch):
    """A batch of one second in loops of two rounds each: five of five are 25; another second trains nothing."""
    now = [0.0]
    monkeypatch.setattr(laps.time, "perf_counter", lambda: now[0])
    counted = laps.Laps(SimpleNamespace(depth=0, current=None, close=lambda: None))
    for _ in counted.of(range(9)):
        for _ in counted.of(range(9)):
            counted.backwards += 1
            now[0] += 1
        for _ in counted.of(range(2)):
            now[0] += 0.25
    assert now[0] + counted.extra == 25 + 5 * 0.5


NUMBERS = {
    "printed and added up": ("total += loss.item(); print(f'{loss.item():.3f}', round(total / 3, 2), -total)", True),
    "as text": ("print(f'{loss:.3f}')", True),
    "compared": ("best = 1 if loss.item() < 3 else 2", False),
    "compared, after sums": ("total += loss.item(); best = max(total / 2, 1)", False),
    "a condition": ("total = 1 if loss.item() else 0", False),
    "made a plain one": ("total = float(loss)", False),
    "put into a tensor": (
        "t = torch.zeros(3); t[0] = loss.item(); print(t[0], f'{t.mean():.2f}', t.mean().item())",
        True,
    ),
    "put into a list": ("print(torch.tensor([loss.item(), total]).mean())", True),
    "put into a tensor that is compared": (
        "t = torch.zeros(3); t[0] = loss.item(); total = 1 if t.sum() < 3 else 2",
        False,
    ),
    "put into a tensor, and compared": ("t = torch.tensor([loss.item()]); total = min(t.max().item(), 1)", False),
    "handed to torch": ("y = torch.full((2,), loss.item())", False),
}


@pytest.mark.parametrize("case", NUMBERS)
def test_a_failure_counts_unless_such_a_number_decided_something(tmp_path: Path, case: str):
    """It may be that one of the other way."""
    statement, proven = NUMBERS[case]
    source = f"""
    import torch
    total = 0.0
    loss = torch.randn(300, 300).sum()
    {statement}
    z = torch.ones(3) @ torch.ones(4)
    """
    failure = trace(tmp_path, source, PROGRAM).failure
    assert failure is not None
    assert failure.proven == proven


def test_such_a_number_is_described_like_any_other(tmp_path: Path):
    source = """
    import copy
    import torch
    x = torch.randn(300, 300)
    both = {"x": x, "sum": copy.deepcopy(x.sum().item())}
    """
    assert "both⟦{'x': f32[300, 300], 'sum': nan}⟧" in annotated(
        trace(tmp_path, source, PROGRAM), tmp_path / "model.py"
    )


@pytest.mark.parametrize(
    "more",
    [
        "z = y[torch.isnan(y)]",
        "mask = torch.isnan(y.sum())\n    mask |= y.sum() > 5\n    z = y if mask else y[0]",
        "z = y if torch.logical_or(torch.isnan(y.sum()), other=y.sum() > 1) else y[0]",
        "z = y if torch.isnan(y) else y[0]",
        "x = torch.full((20000, 3), -math.inf)\n    z = y if torch.isinf(x).all() else y[0]",
    ],
)
def test_losses_are_numbers_and_nothing_else_is_known(tmp_path: Path, more: str):
    source = """
    import math
    import sys
    import torch
    from torch import nn
    model = nn.Linear(4, 3)
    for x in torch.randn(3, 2, 4):
        loss = model(x).square().mean()
        if torch.isnan(loss) or torch.isinf(loss):
            raise ValueError("it diverged")
        if not torch.isfinite(loss).all() or (torch.isnan(loss) | ~torch.isfinite(loss)).any().item():
            sys.exit(1)
        number = loss.item()
        if math.isnan(number) or not math.isfinite(number / 2) or math.isinf(number):
            sys.exit(2)
    assert math.isnan(float("nan")) and not math.isfinite(math.inf) and torch.isnan(torch.tensor(float("nan")))
    y = model(torch.randn(5, 4))
    {more}
    """
    reply = trace(tmp_path, source.replace("{more}", more), PROGRAM)
    shown = annotated(reply, tmp_path / "model.py")
    assert "y⟦f32[5, 3]⟧ = " in shown
    assert "z⟦" not in shown
    assert reply.failure is not None
    assert reply.failure.error in ("DynamicOutputShapeException", "DataDependentOutputException", "RuntimeError")


NAMES_AND_PYTHON = {
    "a name that is bound later": ("def f():\n    y = size\n    size = 2\nf()", True),
    "a misspelt name": ("y = torhc.ones(2)", True),
    "an operator of other things": ("y = [1, 2] // 2", True),
    "an attribute that a class has not": ("y = torch.nn.Linear(2, 3).weigth", True),
    "a key that is not there": ("y = {'dim': 2}['dims']", True),
    "unpacked": ("a, b = 1, 2, 3", True),
    "sizes of arrays": ("import numpy\ny = numpy.zeros(3) + numpy.zeros(4)", True),
    "unpacked of nothing": ("a, b = []", False),
    "raised": ("raise TypeError('not this one')", False),
    "asserted": ("assert [] == [1]", False),
    "None, which is given elsewhere": ("y = [1][None]", False),
    "an argument that nobody gives": (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('n', type=int)\nn = p.parse_args().n\n{}[n]",
        False,
    ),
    "a variable that is not set": ("import os\nos.environ['NO_SUCH']", False),
    "a key that nobody knows": ("n = {1: 2}[torch.randn(300, 300).sum().item()]", False),
    "a name of a package that is done without": (
        "try:\n    import no_such\nexcept ImportError: pass\nno_such.run()",
        False,
    ),
    "a name that a condition binds": ("def f(big):\n    if big: y = 1\n    return y\nf(False)", False),
    "a name that everything may bind": ("from torch import *\ny = no_such", False),
    "a key that is like no other": ("y = {'dim': 2}['heads']", False),
    "a key of nothing": ("y = {one: 1 for one in ()}['cat']", False),
    "a key of a configuration": ("class C: pass\nc = C()\nc.cfg = {'members': 2}\ny = c.cfg['membrs']", True),
    "after a folder that is not there": ("import os\ntry: os.listdir('gone')\nexcept OSError: pass\n{}[1]", False),
}


@pytest.mark.parametrize("last", ["print(best)", "print({'loss': 1}['losses'])"])
def test_what_python_cannot_go_on_with_after_a_loop_that_was_ended_early_says_nothing(tmp_path: Path, last: str):
    source = f"""
    import torch
    weight = torch.ones(2, requires_grad=True)
    for step in range(10):
        loss = weight.sum()
        loss.backward()
    {last}
    best = loss
    """
    failure = trace(tmp_path, source, PROGRAM).failure
    assert failure is not None
    assert not failure.proven


@pytest.mark.parametrize("case", NAMES_AND_PYTHON)
def test_what_python_cannot_go_on_with_is_wrong_wherever_it_runs(tmp_path: Path, case: str):
    """Not where it may be for want of something that is not here."""
    statement, proven = NAMES_AND_PYTHON[case]
    failure = trace(tmp_path, f"import torch\nx = torch.ones(2)\n{statement}\n", PROGRAM).failure
    assert failure is not None
    assert failure.proven == proven, failure.detail
