"""What mends by what stands beside do not propose: near misses, where it would change more or mean something else."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

import pytest

from fx_lsp.analysis.actions import applied
from fx_lsp.analysis.mends import ordered_beside, proposals
from fx_lsp.analysis.mends._broken import broken
from fx_lsp.analysis.proposals import mended
from fx_lsp.analysis.snapshot import Snapshot, Trace
from fx_lsp.model.example import Example
from fx_lsp.model.failure import Failure
from fx_lsp.model.messages import TraceReply
from tests.analysis.test_mends import PATH, attempt, edited, place

METHOD = """import torch
from torch import nn
class Net(nn.Module):
    def forward(self, x, h, b, n):
"""


def _method(*lines: str) -> str:
    return METHOD + "".join(f"        {one}\n" for one in lines)


def _failure(text: str, part: str, target: str, *arguments: Any) -> Failure:
    return Failure("trace", "no", place(text, part), operation=attempt(target, arguments))


def _added(text: str, part: str) -> list[str]:
    return edited(_failure(text, part, "torch.Tensor.add", "f32[4, 8, 8]", "f32[4, 6, 8]"), text)


def _whole(failure: Failure, text: str) -> list[str]:
    return [applied(text, edit.changes) for edit in proposals(failure, {PATH: text}.get)]


def test_each_line_of_a_long_function_is_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[ast.Call] = []
    given = ordered_beside._given
    monkeypatch.setattr(ordered_beside, "_given", lambda call: compared.append(call) or given(call))
    text = _method(*["x = x.view(b, n).transpose(1, 2)"] * 200, "return x @ h")
    found = broken(_failure(text, "x @ h", "torch.Tensor.matmul", "f32[4, 12]", "f32[4, 12]"), {PATH: text}.get)
    assert found is not None
    assert list(ordered_beside.propose(found)) == []
    assert len(compared) == 2 * 200


def test_of_a_variable_only_what_it_is_last_is_ordered_as_beside() -> None:
    lines = ["k = self.k(x).view(b, n)", "k = self.q(x).view(n, b)", "v = self.v(x).view(b, n)", "return v @ k"]
    text = _method(*lines)
    found = edited(_failure(text, "v @ k", "torch.Tensor.matmul", "f32[4, 12]", "f32[4, 12]"), text)
    assert "k = self.q(x).view(b, n)" in found
    assert "k = self.k(x).view(n, b)" not in found


def test_no_rest_is_left_where_it_is_taken_already() -> None:
    text = _method("keys = x[:, :2]", "values = x[:, 2:]", "y = x + h", "return y, keys, values")
    assert not any("x = x[:, 2:]" in one for one in _added(text, "x + h"))


def test_no_rest_is_left_where_all_is_used_between() -> None:
    text = _method("keys = x[:, :2]", "values = self.v(x)", "y = x + h", "return y, keys, values")
    assert not any("x = x[:, 2:]" in one for one in _added(text, "x + h"))


def test_no_rest_is_left_above_what_is_taken() -> None:
    text = _method("tokens = x[:, :2]; n = x + h", "return n, tokens")
    assert not any("x = x[:, 2:]" in one for one in _added(text, "x + h"))


def test_no_rest_is_left_in_each_round() -> None:
    text = _method("tokens = x[:, :2]", "for _ in range(3):", "    h = x + h", "return h, tokens")
    assert not any("x = x[:, 2:]" in one for one in _added(text, "x + h"))


def test_the_rest_is_left_where_it_fails() -> None:
    text = _method("tokens = x[:, :2]; n = 3", "b = 4", "y = x + h", "return y, tokens")
    failure = _failure(text, "x + h", "torch.Tensor.add", "f32[4, 8, 8]", "f32[4, 6, 8]")
    changed = "        b = 4\n        x = x[:, 2:]\n        y = x + h\n"
    assert any(changed in one for one in _whole(failure, text))


def test_nothing_is_changed_before_a_loop_that_reads_it_before() -> None:
    text = _method("for _ in range(3):", "    self.log(x)", "    y = h + x", "    self.log(x)", "return y")
    given = _failure(text, "h + x", "torch.Tensor.add", "f32[4, 1, 8]", "f32[4, 8, 6]")
    assert not any("        x = x" in one for one in _whole(given, text))


def test_what_follows_a_loop_is_changed_there() -> None:
    text = _method("for _ in range(3):", "    self.log(b)", "else:", "    y = h + x", "    self.log(x)", "return y")
    given = _failure(text, "h + x", "torch.Tensor.add", "f32[4, 6, 8]", "f32[4, 8, 6]")
    assert not any("x = x.transpose(-2, -1)\n        for" in one for one in _whole(given, text))


PASSED = """from torch import nn
class Block(nn.Module):
    def __init__(self, inplanes, planes=1, stride=1, downsample=None):
        self.downsample = downsample
class Net(nn.Module):
    def layer(self, w, stride):
        downsample = nn.Conv2d(w, w, 1)
        return Block(GIVEN)
    def forward(self, x, y):
        return x + y
"""


def _passed(given: str) -> list[str]:
    text = PASSED.replace("GIVEN", given)
    return _whole(_failure(text, "x + y", "torch.Tensor.add", "f32[2, 256, 8, 8]", "f32[2, 64, 8, 8]"), text)


def test_one_more_argument_stands_behind_parentheses_and_comments() -> None:
    assert any("Block(w, w, (stride), downsample)" in one for one in _passed("w, w, (stride)"))
    assert any("stride, downsample,  # (a)\n" in one for one in _passed("w, w, stride,  # (a)\n"))
    assert not any("for one in w, down" in one for one in _passed("one for one in w"))


def test_a_name_that_is_used_elsewhere_is_not_missing() -> None:
    text = _method("h, w = x.shape[-2:]", "area = h * h", "side = w", "return x + area, side")
    assert not any("h * w" in one or "w * h" in one for one in _added(text, "x + area"))


def test_results_are_not_ordered_as_something_else_returns_them() -> None:
    text = "def stats(a):\n    return std, mean, count\n" + _method("mean, std, count = self.run(x)", "return x + mean")
    assert not any("std, mean, count = self.run" in one for one in _added(text, "x + mean"))


def test_a_comment_stays_where_names_are_exchanged() -> None:
    text = "def stats(a):\n    return std, mean\n" + _method("(mean,  # of all", " std) = stats(x)", "return x + mean")
    failure = _failure(text, "x + mean", "torch.Tensor.add", "f32[4, 8, 8]", "f32[4, 6, 8]")
    assert any("(std,  # of all\n         mean) = stats(x)" in one for one in _whole(failure, text))


def test_nothing_is_taken_at_what_something_else_is_taken_at() -> None:
    text = _method("key = self.cfg[name]", "loss = self.table[labels]", "return x * h")
    given = _failure(text, "x * h", "torch.Tensor.mul", "f32[100, 8]", "f32[500, 8]")
    assert not any("[name]" in one or "[labels] *" in one or "h[labels]" in one for one in edited(given, text))


def test_nothing_grows_where_no_layer_is_made() -> None:
    text = _method("for i in range(3):", "    h = self.f(b + n)", "return x + h")
    assert not any("i * n" in one for one in _added(text, "x + h"))


def test_what_is_one_wide_is_no_map_to_be_resized() -> None:
    text = _method("y = x * h.view(1, 1, -1, 1)", "return y").replace(
        "import torch\n", "import torch\nimport torch.nn.functional as F\n"
    )
    shapes = ("f32[2, 2, 8, 9]", "f32[1, 1, 6, 1]"), ("f32[2, 2, 8, 9]", "f32[2, 2, 6, 7]")
    failures = [_failure(text, "x * h.view(1, 1, -1, 1)", "torch.Tensor.mul", *one) for one in shapes]
    assert [any("interpolate" in one for one in edited(failure, text)) for failure in failures] == [False, True]


def test_what_stands_beside_what_is_changed_stays() -> None:
    text = _method("y = self.table[b : n if h else 4 : 2]", "return x + y")
    assert "y = self.table[b : b + (n if h else 4) : 2]" in _added(text, "x + y")
    text = _method("y = self.table[b : n - b]", "return x + y")
    assert not any("b + " in one for one in _added(text, "x + y"))
    text = _method("y = torch.zeros(b, n, **h)", "return x + y")
    assert "y = torch.zeros(n, b, **h)" in _added(text, "x + y")
    text = _method("y = x.mean(dim=1)  # of all", "return x + y")
    assert "y = x.mean(dim=1, keepdim=True)  # of all" in _added(text, "x + y")


def test_no_two_proposals_have_one_name() -> None:
    text = _method("return self.join(x, h[None], x)", "def join(self, x, h, other):", "    return x + h")
    failure = _failure(text, "x + h", "torch.Tensor.add", "f32[4, 8, 8]", "f32[1, 4, 6, 8]")
    failure = replace(failure, calls=(place(text, "self.join(x, h[None], x)"),))
    example = Example(PATH, "Net()(f32[4, 8])", "call", "", "Net", place(text, "self.join(x, h[None], x)"))
    failing = Trace(example, example.call, (), TraceReply(1, failure=failure))
    titles = [one.title for one in mended(Snapshot(PATH, text, traces=(failing,)), {PATH: text}.get, range(1, 20))]
    assert titles
    assert len({*titles}) == len(titles)
