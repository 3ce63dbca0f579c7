"""Ways through a class that no example takes: which are looked for, when, and what is shown of them."""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent

import pytest

from fx_lsp.analysis.config import Config
from fx_lsp.analysis.inventions import Inventions
from fx_lsp.analysis.plan import next_wave
from fx_lsp.analysis.snapshot import Trace
from fx_lsp.analysis.ways import complementing, untaken
from fx_lsp.model.example import Example
from fx_lsp.model.failure import Failure
from fx_lsp.model.messages import Invented, TraceReply
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Binding, ModuleUse, Reached, Variant
from fx_lsp.model.value import TensorType
from tests.analysis.workspaces import workspace

PATH = "/w/model.py"
X = TensorType("f32", (2, 3))
MODEL = """
import torch
from torch import nn

class Part(nn.Module):
    def forward(self, x, mask=None):
        if mask is not None:
            x = x * mask
        return x + 1

class Net(nn.Module):
    def __init__(self):
        self.part = Part()
    def forward(self, x, targets=None, deep=False):
        y = self.part(x)
        if targets is not None:
            loss = (y - targets).mean()
        if self.depth:
            y = y * 2
        if x.dim() != 2:
            raise ValueError(x.shape)
        return y
    @torch.no_grad()
    def sample(self, count):
        return self.part(torch.randn(count, 3))
    @property
    def width(self):
        return self.part.weight.shape[0]
    @staticmethod
    def made(x):
        return x + 1
    def _inner(self, x):
        return x + 1
    def nothing(self, x):
        pass
"""


def line(text: str, source: str = MODEL) -> int:
    return source[: source.index(text)].count("\n") + 1


def fact(number: int, name: str = "x", size: int = 2) -> Binding:
    value = TensorType("f32", (size, 3))
    return Binding(Span(PATH, number, 8, number, 9), name, "assignment", (Variant(value),))


def trace(call: str = "Net()(f32[2, 3])", target: str = "Net", *lines: int, missed: tuple[int, ...] = ()) -> Trace:
    facts = tuple(fact(one) for one in lines or (line("y = self.part(x)"), line("return x + 1")))
    uses = (ModuleUse(PATH, "Net", (X,), X, 0), ModuleUse(PATH, "Part", (X,), X, 0, "part"))
    reply = TraceReply(0, bindings=facts, modules=uses, reached=(Reached(PATH, missed),))
    return Trace(Example(PATH, call, "inferred", target=target), call, (), reply)


ALL = tuple(map(line, ("x = x * mask", "loss = (y", "y = y * 2", "raise ValueError")))


def names(one: Trace, source: str = MODEL) -> list[tuple[str, str]]:
    return [(maker.name, maker.call) for maker in untaken(workspace(source), PATH, [one])]


def test_methods_that_nothing_called_and_branches_that_inputs_decide():
    assert names(trace(missed=ALL)) == [
        ("Part::forward", "Net()(f32[2, 3])"),
        ("Net::forward", "Net()(f32[2, 3])"),
        ("Net::sample", "Net()(f32[2, 3])"),
    ]


def test_a_branch_that_a_setting_decides_or_that_raises_is_none():
    missed = (line("y = y * 2"), line("raise ValueError"))
    assert names(trace(missed=missed)) == [("Net::sample", "Net()(f32[2, 3])")]


def test_what_some_example_came_to_is_not_looked_for():
    there = trace("Net()(f32[2, 3])", "Net", *ALL, line("return self.part(torch.randn"))
    assert names(replace(there, reply=replace(there.reply, reached=(Reached(PATH, ALL),)))) == []


def test_a_side_of_a_conditional_expression():
    source = dedent("""
    from torch import nn

    class Net(nn.Module):
        def forward(self, x, targets=None):
            loss = (x - targets).mean() if targets is not None else None
            return x
    """)
    found = names(trace("Net()(f32[2, 3])", "Net", line("return x", source)), source)
    assert found == [("Net::forward", "Net()(f32[2, 3])")]


@pytest.mark.parametrize("change", ["failed", "elsewhere", "own"])
def test_only_from_a_call_of_this_file_that_ran(change: str):
    one = trace(missed=ALL)
    if change == "failed":
        one = replace(one, reply=replace(one.reply, failure=Failure("trace", "no")))
    elif change == "elsewhere":
        one = replace(one, example=replace(one.example, scope="/w/train.py"))
    else:
        one = replace(one, example=replace(one.example, target="Net::sample"))
    assert names(one) == []


def wave(inventions: Inventions, *traces: Trace, source: str = MODEL) -> tuple[Example, ...]:
    return next_wave(workspace(source), Config(), PATH, traces, inventions)


TESTS = """
import torch
from model import Net

def test_all():
    Net()(torch.ones(2, 3))

def test_ways():
    net = Net(depth=2)
    net(torch.ones(2, 3))
    net(torch.ones(2, 3), torch.ones(2))
    net.sample(4)
    net.nothing(torch.ones(1))
"""


def written(*traces: Trace) -> list[tuple[str, str]]:
    space = workspace({"model.py": MODEL, "tests/test_model.py": TESTS})
    return [(one.target, one.call) for one in next_wave(space, Config(), PATH, traces)]


def of_test(call: str = "Net()(torch.ones(2, 3))", *lines: int, target: str = "Net", setup: str = "") -> Trace:
    one = trace(call, target, *lines, missed=ALL)
    return replace(one, example=replace(one.example, origin="call", setup=setup))


def test_what_tests_do_otherwise_runs_before_anything_is_made_up():
    assert written() == [("Net", "Net()(torch.ones(2, 3))")]
    first = of_test()
    two = [("Net::sample", "Net(depth=2).sample(4)"), ("Net::forward", "Net(depth=2)(torch.ones(2, 3))")]
    assert written(first) == two
    ways = (line("return self.part(torch.randn"), line("y = y * 2"))
    more = [of_test(call, way, target=target) for (target, call), way in zip(two, ways, strict=True)]
    assert written(first, *more) == [("Net::forward", "Net(depth=2)(torch.ones(2, 3), torch.ones(2))")]


def test_first_what_gives_otherwise_what_decides_whether_a_line_is_left_out():
    tests = TESTS.replace("Net(depth=2)", "Net(width=2)") + "\ndef test_deep():\n    Net(depth=3)(torch.ones(9, 3))\n"
    space = workspace({"model.py": MODEL, "tests/test_model.py": tests})
    found = next_wave(space, Config(), PATH, [of_test()])
    assert found[0].call == "Net(depth=3)(torch.ones(9, 3))"


def test_two_that_come_to_nothing_new_are_the_last():
    first = of_test()
    vain = [of_test(call, target="Net::forward") for _, call in written(first)]
    assert written(first, vain[0]) != []
    assert written(first, *vain) == []


def test_nothing_that_tests_do_runs_where_all_was_come_to_or_a_test_fails():
    there = of_test("Net()(torch.ones(2, 3))", *ALL, line("return self.part(torch.randn"))
    assert written(there) == []
    failed = of_test()
    assert written(replace(failed, reply=replace(failed.reply, failure=Failure("trace", "no")))) == []


def test_one_search_after_everything_else_then_what_it_found():
    inventions, ran = Inventions(), trace(missed=ALL)
    (search,) = wave(inventions, ran)
    assert search.search is not None
    assert search.fills
    assert search.search.names == ("Part::forward", "Net::forward", "Net::sample")
    found = (
        Invented("Part::forward", "", "Net().part(f32[2, 3], b8[2, 3])", 2),
        Invented("Net::sample", "", "Net().sample(2)", 1),
    )
    reply = TraceReply(0, invented=found)
    inventions.take(workspace(MODEL), PATH, search.search, reply)
    examples = wave(inventions, ran, Trace(search, "", (), reply))
    assert [(one.call, one.target, one.fills) for one in examples] == [
        ("Net().part(f32[2, 3], b8[2, 3])", "Part::forward", True),
        ("Net().sample(2)", "Net::sample", True),
    ]
    assert inventions.unfound(workspace(MODEL), PATH) == (), "that a method cannot be called is no news"
    assert wave(inventions, ran) == examples, "what was looked for in vain is not looked for again"


def test_it_is_looked_for_again_when_the_call_is_another_or_the_method_takes_something_else():
    inventions, ran = Inventions(), trace(missed=(line("loss = (y"),))
    (search,) = wave(inventions, ran)
    found = (
        Invented("Net::forward", "", "Net()(f32[2, 3], f32[2, 3])", 2),
        Invented("Net::sample", "", "Net().sample(2)"),
    )
    inventions.take(workspace(MODEL), PATH, search.search, TraceReply(0, invented=found))
    assert [one.search for one in wave(inventions, ran)] == [None, None]
    (again,) = wave(inventions, trace("Net()(f32[4, 3])", missed=(line("loss = (y"),)))
    assert again.search is not None
    *_, again = wave(inventions, ran, source=MODEL.replace("count)", "number)"))
    assert again.search is not None
    assert again.search.names == ("Net::sample",)
    kept = wave(inventions, ran, source=MODEL.replace("torch.randn", "torch.rand"))
    assert [one.search for one in kept] == [None, None], "whatever else is typed"


def test_only_what_others_do_not_show():
    main, other = trace(), trace("Net().sample(2)", "Net::sample", line("y = self.part(x)"), line("return self.part("))
    shown = complementing((main, other))
    assert shown[0] is main
    assert [one.span.line for one in shown[1].reply.bindings] == [line("return self.part(")]
    assert shown[1].reply.modules == (), "calls are counted where they are real"


def test_one_that_the_user_chose_is_shown_whole():
    traces = (trace(), trace("Net().sample(2)", "Net::sample"))
    assert complementing(traces, chosen=1) == traces
