"""Rewrites that a workspace writes itself: they are read and never run, and what cannot be used is said."""

from __future__ import annotations

import pytest

from fx_lsp.analysis.diagnostics import all_problems
from fx_lsp.analysis.rewrites._own import own_rewrites
from fx_lsp.analysis.snapshot import Snapshot

PATH = "/w/fx_rewrites.py"
GOOD = """
import torch
import torch.nn.functional as F
from torch import relu as r
def before_relu(x):
    \"\"\"relu, written out\"\"\"
    return r(x)
def after_relu(x):
    positive = x > 0
    return positive * x
def before(x, y):
    return torch.add(F.gelu(x), y)
def after(x, y):
    return torch.mul(x, y)
def helper():
    raise RuntimeError
"""


def test_each_pair_is_a_rule_with_its_first_line_as_its_title() -> None:
    rules, wrong = own_rewrites(PATH, GOOD)
    assert wrong == ()
    assert [(rule.id, rule.title) for rule in rules] == [
        ("own:relu", "relu, written out"),
        ("own:own", "torch.add(F.gelu(x), y) → torch.mul(x, y)"),
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("def before(x): return x", "needs a function `after`"),
        ("def after_a(x): return x", "needs a function `before_a`"),
        ("def before(x): return x\ndef after(y): return y", "takes other arguments"),
        ("def before(x, y): return x\ndef after(x, y): return x", "does not use `y`"),
        ("def before(x): return f(x)\ndef after(x): return x", "`f` is neither an argument nor from torch"),
        ("def before(x):\n    while x: pass\ndef after(x): return x", "assignments to one name and a `return`"),
        ("def before(x): x = x\ndef after(x): return x", "returns nothing"),
    ],
)
def test_what_cannot_be_used_is_a_warning_on_its_line(text: str, says: str) -> None:
    (problem,) = all_problems(Snapshot(PATH, text))
    assert (problem.code, problem.severity) == ("bad-rewrite", "warning")
    assert says in problem.message
