"""What nobody wrote is shown where nothing else goes through the class."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest

from fx_lsp.analysis.snapshot import Trace
from fx_lsp.analysis.spare import borne_out, needed
from fx_lsp.model.example import Example
from fx_lsp.model.failure import Failure
from fx_lsp.model.messages import TraceReply
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Binding, ModuleUse, Operation, Variant
from fx_lsp.model.value import TensorType

VALUE = TensorType("f32", (2,))


def run(name: str, *through: str, origin: str = "inferred", fails: bool = False) -> Trace:
    """Of an example for the class of this name, that goes through these as well; it fails in the last one."""
    names = (name, *through)
    uses = tuple(ModuleUse("/w/a.py", one, (VALUE,), None if fails and one == names[-1] else VALUE, 0) for one in names)
    reply = TraceReply(1, modules=uses, failure=Failure("trace", "no") if fails else None)
    return Trace(Example("/w/a.py", f"{name}()", origin, target=name), f"{name}()", (), reply)


def way(name: str, method: str, *through: str, origin: str = "inferred") -> Trace:
    """Of an example for what the one of the class leaves out."""
    trace = run(name, *through, origin=origin)
    return replace(trace, example=replace(trace.example, target=f"{name}::{method}"))


@pytest.mark.parametrize(
    ("traces", "stay"),
    [
        ([run("Net")], "Net"),
        ([run("Net"), run("Block")], "Net Block"),
        ([run("Net", "Block"), run("Block")], "Net"),
        ([run("Net", "Block", origin="directive"), run("Block", origin="default")], "Net"),
        ([run("Net", "Block", origin="call"), run("Block", origin="call")], "Net Block"),
        ([run("Net", "Block", fails=True), run("Block")], "Net Block"),
        ([run("Net", "Block", "Last", fails=True), run("Block"), run("Last")], "Net Last"),
        ([run("A", "B"), run("B", "A")], "A"),
        ([run("A", "B", origin="call"), run("B", "A")], "A"),
        ([run("B", "A", origin="call"), run("A", "B")], "B"),
        ([run("Net", "Block"), run("Block"), run("Block")], "Net"),
        ([run("Net", "Block"), way("Net", "forward")], "Net Net::forward"),
        ([run("Net", "Block"), way("Net", "forward", "Block"), run("Block")], "Net Net::forward"),
        ([run("Net", origin="call"), run("Net"), way("Net", "encode")], "Net Net::encode"),
        ([run("Net"), way("Net", "forward", "Block"), run("Block")], "Net Net::forward"),
        ([run("Net"), way("Net", "forward", origin="call")], "Net::forward"),
    ],
)
def test_whatever_the_order(traces: list[Trace], stay: str) -> None:
    for order in permutations(traces):
        assert {trace.example.target for trace, _ in needed((trace, None) for trace in order)} == {*stay.split()}


def test_of_what_failed_what_gets_furthest_stays() -> None:
    operation = Operation(Span("/w/a.py", 3, 0, 3, 1), "relu", "function", ())
    near, other = run("Net", fails=True), run("Block", fails=True)
    far = replace(
        near,
        example=replace(near.example, call="Net()(2)"),
        reply=replace(near.reply, operations=(operation,)),
    )
    for order in permutations((near, far, other)):
        kept = [trace for trace, _ in needed((trace, None) for trace in order)]
        assert [one for one in order if one in kept] == kept
        assert sorted(one.example.call for one in kept) == ["Block()", "Net()(2)"]


@pytest.mark.parametrize(("origin", "ran", "shown"), [("inferred", 0, 0), ("inferred", 1, 1), ("call", 0, 1)])
def test_a_guess_that_no_operation_took_shows_no_value(origin: str, ran: int, shown: int) -> None:
    place = Span("/w/a.py", 3, 0, 3, 1)
    operation = Operation(place, "relu", "function", ())
    reply = TraceReply(
        1,
        bindings=(Binding(place, "x", "parameter", (Variant(VALUE, (), 1),)),),
        operations=(operation,) * ran,
        failure=Failure("trace", "no"),
    )
    example = Example("/w/a.py", "Net()(x)", origin, target="Net")
    assert len(borne_out(example, reply).bindings) == shown
    assert borne_out(example, replace(reply, failure=None)).bindings == reply.bindings
