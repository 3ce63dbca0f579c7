"""What nobody wrote is shown where nothing else goes through the class."""

from __future__ import annotations

from itertools import permutations

import pytest

from fx_lsp.analysis.snapshot import Trace
from fx_lsp.analysis.spare import needed
from fx_lsp.model.example import Example
from fx_lsp.model.failure import Failure
from fx_lsp.model.messages import TraceReply
from fx_lsp.model.trace import ModuleUse
from fx_lsp.model.value import TensorType

VALUE = TensorType("f32", (2,))


def run(name: str, *through: str, origin: str = "inferred", fails: bool = False) -> Trace:
    """Of an example for the class of this name, that goes through these as well; it fails in the last one."""
    names = (name, *through)
    uses = tuple(ModuleUse("/w/a.py", one, (VALUE,), None if fails and one == names[-1] else VALUE, 0) for one in names)
    reply = TraceReply(1, modules=uses, failure=Failure("trace", "no") if fails else None)
    return Trace(Example("/w/a.py", f"{name}()", origin, target=name), f"{name}()", (), reply)


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
    ],
)
def test_whatever_the_order(traces: list[Trace], stay: str) -> None:
    for order in permutations(traces):
        assert {trace.example.target for trace, _ in needed((trace, None) for trace in order)} == {*stay.split()}
