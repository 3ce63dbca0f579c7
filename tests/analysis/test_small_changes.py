"""Small changes of one expression: what is written in its place."""

from __future__ import annotations

import ast

import pytest

from fx_lsp.analysis.actions import applied
from fx_lsp.analysis.mends import _text
from fx_lsp.analysis.mends._changes import changes, reshaped, retyped
from fx_lsp.analysis.mends._seen import Seen
from fx_lsp.analysis.source import parsed
from fx_lsp.model.value import Group, TensorType
from tests.analysis.facts import tensor

HEAD = """import torch
from torch import nn
import torch.nn.functional as F

def f(self, x, q, k, a, b, n, heads, kw):
    """


def _texts(expression: str, seen: Seen | None = None) -> list[str]:
    """The expression with each change."""
    source = parsed("/w/model.py", f"{HEAD}return {expression}\n")
    (statement,) = source.every(ast.Return)
    assert statement.value is not None
    known = seen if seen is not None else Seen()
    found = changes(source, statement.value, known, ({1}, {2}), ast.Pass())
    new = [applied(source.text, _text.instead(source, node, text)) for _, _, (node, text) in found]
    return [text.partition("return ")[2].strip() for text in new]


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("n // heads", "(2 * n) // heads"),
        ("n // heads", "n // (heads + 1)"),
        ("-n % heads", "-(n + 1) % heads"),
        ("(a + b) / 2", "(a + b) // 2"),
        ("n - (a + b) * heads", "n - (a + b)"),
        ("range(n)", "range(n + 1)"),
        ("x[1:n]", "x[1:n - 1]"),
        ("torch.arange(-n, n)", "torch.arange(-n, n + 1)"),
        ("nn.PixelShuffle(2)", "nn.PixelUnshuffle(2)"),
        ("nn.Conv2d(n, 4, 3)", "nn.Conv1d(n, 4, 3)"),
        ("nn.LSTM(4, 4, batch_first=True)", "nn.LSTM(4, 4, batch_first=False)"),
        ("g(x, k=a)", "g(x)"),
        ("g(x, q)", "g(q, x)"),
        ("a, b", "b, a"),
        ("[a], [b]", "[b], [a]"),
        ("(a, b)", "(b, a)"),
        ("int(n * 0.5)", "int(int(n * 0.5))"),
    ],
)
def test_what_may_be_meant(expression: str, wanted: str) -> None:
    assert wanted in _texts(expression)


@pytest.mark.parametrize(
    ("expression", "never"),
    [
        ("n // heads", "2 * n // heads"),
        ("n ** 2", "n + 1 ** 2"),
        ("[a], [b]", "[[b], [a]]"),
        ("x[[0, 1], [2, 3]]", "x[[[2, 3], [0, 1]]]"),
        ("F.relu(x)", "2 * F.relu(x)"),
        ("self.half(x)", "self"),
        ("g(*a)", "*a"),
        ("g(*a, n)", "g(*a + 1, n)"),
        ("max(a, b)", "amax(a, b)"),
        ("0x10", "17"),
    ],
)
def test_what_is_never_written(expression: str, never: str) -> None:
    assert never not in _texts(expression)


def test_each_parses_and_changes_something() -> None:
    every = ["n // heads", "(a + b) / 2", "g(x, k=a, **kw)", "g(*a, n)", "x[:, :n]", "a, b", "(lambda t: t + n)(x)",
             "[one for one in a]", "a if n > 2 else b", "f'{n}' + b"]  # fmt: skip
    for expression in every:
        for text in _texts(expression):
            assert ast.dump(ast.parse(text)) != ast.dump(ast.parse(expression)), (expression, text)


def test_comments_stay() -> None:
    texts = _texts("g(\n        x,  # the input\n        q,\n        k=n,\n    )")
    assert texts
    assert all("# the input" in text for text in texts)


def test_a_step_is_left_out_where_it_was_called_on_a_tensor() -> None:
    source = parsed("/w/model.py", f"{HEAD}return x.relu()\n")
    (call,) = source.every(ast.Call)
    assert isinstance(call.func, ast.Attribute)
    seen = Seen({source.span(call.func.value): tensor("f32[2, 3]")})
    assert "x" in _texts("x.relu()", seen)
    assert "x" not in _texts("x.relu()")


def test_a_name_is_what_it_was_before_its_statement() -> None:
    source = parsed("/w/model.py", f"{HEAD}x = x.flatten(1)\n")
    name = next(one for one in source.every(ast.Name) if isinstance(one.ctx, ast.Load) and one.id == "x")
    seen = Seen(names={("/w/model.py", "x"): [(5, tensor("f32[2, 3, 8, 8]")), (6, tensor("f32[2, 192]"))]})
    assert seen.value(source, name) == tensor("f32[2, 3, 8, 8]")


@pytest.mark.parametrize(
    ("shape", "suffix", "there"),
    [
        ((2, 3), ".t()", True),
        ((3, 3), ".t()", False),
        ((2, 1), ".squeeze(-1)", True),
        ((2, 3), ".squeeze(-1)", False),
        ((2, 3, 4), ".transpose(1, 2)", True),
        ((2, 4, 4), ".transpose(1, 2)", False),
    ],
)
def test_dims_that_are_moved_or_taken_away_are_there(shape: tuple[int, ...], suffix: str, there: bool) -> None:
    source = parsed("/w/model.py", "x\n")
    (node,) = source.every(ast.Name)
    texts = [text for _, _, (_, text) in reshaped(source, node, TensorType("f32", shape))]
    assert (f"x{suffix}" in texts) is there


def test_of_several_results_one_is_taken_or_left_out() -> None:
    source = parsed("/w/model.py", "g(x)\nenumerate(x)\n")
    calls, several = source.every(ast.Call), Group("tuple", (TensorType("f32", (2,)), TensorType("f32", (3,))))
    assert "g(x)[1]" in [text for _, _, (_, text) in reshaped(source, calls[0], several)]
    assert [*reshaped(source, calls[1], several)] == []


def test_other_types_than_its_own() -> None:
    source = parsed("/w/model.py", "x\n")
    (node,) = source.every(ast.Name)
    texts = [text for _, _, (_, text) in retyped(source, node, TensorType("i64", (2,)))]
    assert "x.float()" in texts
    assert "x.long()" not in texts
