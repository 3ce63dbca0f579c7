"""Two versions of a program whose statements outside of functions differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.model.comparison import MODULE, Compared, Comparison, Overlay
from fx_lsp.model.example import PROGRAM
from fx_lsp.model.messages import TraceRequest
from tests.worker.tracing import in_child

SOURCE = """
import torch
import torch.nn.functional as F
from torch import nn

def double(x):
    return x * 2

x, y = torch.randn(8, 4), torch.randint(0, 3, (8,))
model = nn.Sequential(nn.Linear(4, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
seen, total = [], torch.zeros(3)
for epoch in range(3):
    for part in (slice(0, 4), slice(4, 8)):
        out = model(x[part])
        STATEMENT
        loss = F.nll_loss(F.log_softmax(out, 1), y[part])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        LAST
scale = 3.0
if __name__ == "__main__":
    BELOW
"""


def compared(folder: Path, *changes: tuple[str, str, str]) -> Compared:
    """Each change is a place of the source, what stands there, and what is written instead."""
    old = new = SOURCE
    for place, before, after in changes:
        indent = " " * (4 if place == "BELOW" else 8)
        old, new = (
            text.replace(place, one.replace("\n", f"\n{indent}"), 1) for text, one in ((old, before), (new, after))
        )
    for place in ("STATEMENT", "LAST", "BELOW"):
        old, new = (text.replace(place, "pass") for text in (old, new))
    return of(folder, old, new)


def of(folder: Path, old: str, new: str, function: str = MODULE) -> Compared:
    path = folder / "train.py"
    path.write_text(old)
    wanted = Comparison((Overlay(str(path), new),), str(path), function=function)
    reply = in_child(TraceRequest(1, str(folder), str(path), PROGRAM, comparison=wanted))
    assert reply.failure is None, reply.failure
    assert reply.compared is not None
    return reply.compared


LOG, FUSED = "p = torch.log(torch.softmax(out, 1))", "p = torch.log_softmax(out, 1)"


def test_a_statement_in_a_loop_is_compared_with_its_gradients_on_other_values_and_sizes(tmp_path: Path) -> None:
    found = compared(tmp_path, ("STATEMENT", LOG, FUSED))
    assert (found.why, found.runs, found.dtype) == ("", True, "f64")
    assert found.checks > 4
    assert 0 < found.difference < 1e-12


@pytest.mark.parametrize(
    "new", ["p = torch.log_softmax(out, 0)", "p = torch.log_softmax(out.detach(), 1)", f"{FUSED} * 1.001", "p = out[9]"]
)
def test_another_value_or_gradient_is_told(new: str, tmp_path: Path) -> None:
    assert compared(tmp_path, ("STATEMENT", LOG, new)).why != ""


def test_statements_in_several_places_each_have_to_be_the_same(tmp_path: Path) -> None:
    below = ("BELOW", "z = double(x) / 2 + scale", "z = double(x) * 0.5 + scale")
    assert compared(tmp_path, ("STATEMENT", LOG, FUSED), below).why == ""
    assert compared(tmp_path, ("STATEMENT", LOG, FUSED), (*below[:2], "z = double(x) * 0.51 + scale")).why != ""


def test_a_variable_that_is_gone_matters_where_it_is_read(tmp_path: Path) -> None:
    old, new = "a = out * 2\nb = a + 1", "b = out * 2 + 1"
    assert compared(tmp_path, ("STATEMENT", old, new)).why == ""
    assert compared(tmp_path, ("STATEMENT", old, new), ("LAST", "seen.append(a)", "seen.append(a)")).why != ""


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("seen.append(out.sum().item() * 2)", "seen.append(2 * out.sum().item())", True),
        ("seen.append(out.sum().item() * 2)", "seen.append(3 * out.sum().item())", False),
        ("total += out.sum(0) * 2", "total += 2 * out.sum(0)", True),
        ("total += out.sum(0) * 2", "total += out.sum(0)", False),
        ("total.add_(out.sum(0).detach())", "total.sub_(out.sum(0).detach())", False),
    ],
)
def test_what_else_changes_is_compared(old: str, new: str, same: bool, tmp_path: Path) -> None:
    assert (compared(tmp_path, ("STATEMENT", f"z = out.sum()\n{old}", f"z = out.sum()\n{new}")).why == "") is same


def test_an_import_that_comes_with_it_is_none_of_it(tmp_path: Path) -> None:
    old = SOURCE.replace("STATEMENT", "p = out + 1").replace("LAST", "pass").replace("BELOW", "pass")
    new = old.replace("p = out + 1", "p = 1 + out").replace("import torch\n", "import math\nimport torch\n", 1)
    assert of(tmp_path, old, new).why == ""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return x * 2", "return 2 * x"),
        ("STATEMENT", "if epoch == 2: break"),
        ("LAST", "LAST"),
    ],
)
def test_what_is_no_such_statement_or_cannot_stand_alone_is_not_compared(old: str, new: str, tmp_path: Path) -> None:
    text = SOURCE.replace("LAST", "pass").replace("BELOW", "pass")
    found = of(tmp_path, text.replace("STATEMENT", "pass"), text.replace(old, new).replace("STATEMENT", "pass"))
    assert "does not run through what is edited" in found.why


def test_what_the_program_does_not_come_to_is_not_compared(tmp_path: Path) -> None:
    changes = ("LAST", "if epoch > 7:\n    z = out + 1", "if epoch > 7:\n    z = 1 + out")
    assert "does not run through what is edited" in compared(tmp_path, changes).why


TRAINER = """
import torch
import torch.nn.functional as F
from torch import nn

class Trainer:
    def __init__(self, model):
        self.model, self.seen = model, []

    def fit(self, x, y, epochs=2):
        half = 0.5
        criterion = nn.NLLLoss(weight=torch.ones(3) * half)
        optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        for epoch in range(epochs):
            scale = half * 2
            out = self.model(x) * scale
            p = torch.log(torch.softmax(out, 1))
            loss = criterion(p, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            self.seen.append(loss.item())
        print(self.seen)

Trainer(nn.Linear(4, 3)).fit(torch.randn(8, 4), torch.randint(0, 3, (8,)))
"""
SOFT = "torch.log(torch.softmax(out, 1))"


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        (SOFT, "torch.log_softmax(out, 1)", True),
        (SOFT, "torch.log_softmax(out, 0)", False),
        ("self.seen.append(loss.item())", "self.seen.append(loss.item() * 2)", False),
        ("half * 2", "2 * half", True),
        ("half * 2", "half", False),
    ],
)
def test_statements_of_a_function_that_gives_nothing(old: str, new: str, same: bool, tmp_path: Path) -> None:
    found = of(tmp_path, TRAINER, TRAINER.replace(old, new), "Trainer.fit")
    assert (found.why == "") is same, found.why


@pytest.mark.parametrize(("weight", "same"), [("torch.ones(3) * half", True), ("torch.ones(3) * torch.rand(3)", False)])
def test_what_an_object_does_that_is_made_otherwise(weight: str, same: bool, tmp_path: Path) -> None:
    new = TRAINER.replace("nn.NLLLoss(weight=torch.ones(3) * half)", f"nn.CrossEntropyLoss(weight={weight})")
    new = new.replace(f"            p = {SOFT}\n", "").replace("criterion(p, y)", "criterion(out, y)")
    found = of(tmp_path, TRAINER, new, "Trainer.fit")
    assert (found.why == "") is same, found.why


def test_other_functions_are_none_of_it(tmp_path: Path) -> None:
    new = TRAINER.replace("self.model, self.seen = model, []", "self.seen, self.model = [], model")
    assert "calls no such function" in of(tmp_path, TRAINER, new, "Trainer.fit").why
