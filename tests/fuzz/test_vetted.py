"""Answers of a process that means ill: what is left of them can be shown, and names only files of the workspace."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fx_lsp.analysis.diagnostics import all_problems
from fx_lsp.analysis.graph.code import code
from fx_lsp.analysis.graph.export import FORMATS, export
from fx_lsp.analysis.graph.hierarchy import draw
from fx_lsp.analysis.hints import all_hints, tooltip
from fx_lsp.analysis.hover import hover
from fx_lsp.analysis.lenses import lenses
from fx_lsp.analysis.moved import moved
from fx_lsp.analysis.preview import render
from fx_lsp.analysis.report import file_report
from fx_lsp.analysis.snapshot import ModuleClass, Snapshot, Trace
from fx_lsp.analysis.visible import visible
from fx_lsp.model import wire
from fx_lsp.model.comparison import Overlay
from fx_lsp.model.costs import Cost, CostRequest, Costs, ExpressionCost, LineCost, ModuleCost, Training
from fx_lsp.model.example import Example, Maker, Search
from fx_lsp.model.failure import Failure, Obstacle
from fx_lsp.model.graph import Graph, GraphNode, GraphScope
from fx_lsp.model.messages import MAX_DISPATCHED, MAX_VAIN, GraphRequest, Invented, TraceReply, TraceRequest
from fx_lsp.model.naming import Constraint, Naming
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Binding, Operation, OperationVariant, Reached, Variant
from fx_lsp.model.value import Group, Opaque, TensorType
from fx_lsp.server.vetted import CONSTRAINTS, FEW, IN_ALL, LOG, MESSAGE, OBSTACLES, SENTENCE, VARIANTS, vetted
from fx_lsp.server.vetted_values import LARGEST
from tests.fuzz import hostile

SOURCE = "class Net:\n    def forward(self, x):\n        y = x\n        return y\n"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace, reached over a link, and a secret beside it."""
    top = tmp_path_factory.mktemp("top")
    real = top / "real"
    real.mkdir()
    (top / "secret.py").write_text("secret")
    (real / "model.py").write_text(SOURCE)
    (real / "other.py").write_text(SOURCE)
    (real / "out.py").symlink_to(top / "secret.py")
    (real / "loop.py").symlink_to(real / "loop.py")
    (real / "folder.py").mkdir()
    os.mkfifo(real / "pipe.py")
    (top / "link").symlink_to(real)
    return top / "link"


def request_for(root: Path) -> TraceRequest:
    """Of `model.py`, with its graph; `unsaved.py` is only in the editor."""
    graph = GraphRequest("module", str(root / "model.py"), "Net")
    overlays = (Overlay(str(root / "unsaved.py"), "x = 1"),)
    naming = Naming("Net()(f32[B])", ("B",), (2,))
    call = "Net()(f32[2])"
    return TraceRequest(1, str(root), str(root / "model.py"), call, overlays=overlays, graph=graph, naming=naming)


@pytest.mark.parametrize(
    ("name", "believed"),
    [
        ("model.py", "model.py"),
        ("../real/model.py", "model.py"),
        ("other.py", "other.py"),
        ("./folder.py/../other.py", "other.py"),
        ("unsaved.py", "unsaved.py"),
        ("out.py", None),
        ("loop.py", None),
        ("folder.py", None),
        ("pipe.py", None),
        ("missing.py", None),
        ("../secret.py", None),
        ("model.py\0", None),
        ("\ud800.py", None),
        ("a" * 5000, None),
        ("/dev/zero", None),
        ("/proc/self/environ", None),
    ],
)
def test_only_regular_files_of_the_workspace_are_believed(root: Path, name: str, believed: str | None) -> None:
    path = os.path.join(root, name)
    span = Span(path, 1, 0, 1, 1)
    reply = TraceReply(
        1,
        files=(path, name),
        bindings=(Binding(span, "x", "assign", ()),),
        operations=(Operation(span, "f", "function", (), (span,)),),
        reached=(Reached(path, (1,)),),
        failure=Failure("trace", "no", span, (span,)),
    )
    found = vetted(reply, request_for(root))
    expected = () if believed is None else (str(root / believed),)
    assert found.files == expected
    assert tuple(binding.span.path for binding in found.bindings) == expected
    assert tuple(span.path for one in found.operations for span in (one.span, *one.calls)) == 2 * expected
    assert tuple(reached.path for reached in found.reached) == expected
    assert found.failure is not None
    assert tuple(span.path for span in (found.failure.span, *found.failure.calls) if span) == 2 * expected


def test_a_run_cannot_say_that_there_is_no_worker(root: Path) -> None:
    for stage in ("start", "cancelled", "protocol", "crash", "x"):
        found = vetted(TraceReply(1, failure=Failure(stage, "install `evil`")), request_for(root))
        assert found.failure is not None
        assert found.failure.stage == "trace"


def test_texts_are_cut_and_made_visible(root: Path) -> None:
    text = "a\x1b[31m\u202eb\n\u200b" * 100_000
    reply = TraceReply(1, log=text, fallback=text, failure=Failure("trace", text, error=text, detail=text))
    found = vetted(reply, request_for(root))
    assert found.failure is not None
    assert found.failure.error == ""
    assert len(found.failure.message) <= SENTENCE
    assert "\n" not in found.failure.message
    assert found.failure.message.startswith("a␛[31m\ufffdb \ufffda")
    assert len(found.log) <= LOG
    assert "\n" in found.log
    for shown in (found.log, found.fallback, found.failure.detail, found.failure.message):
        assert visible(shown, keep="\n") == shown


def test_costs_are_brought_into_range_and_lose_what_is_elsewhere(root: Path) -> None:
    inside, outside = (Span(str(root / name), 1, 0, 1, 1) for name in ("model.py", "../secret.py"))
    wild = Cost(-1, 1 << 80, 3, -5, 7)
    told = Costs(
        wild, -1, 1 << 70, 5,
        tuple(ExpressionCost(span, wild, wild) for span in (outside, inside, outside, inside)),
        (LineCost((0, 2), wild), LineCost((1, 0, 1, 3), wild), LineCost((99, -1), wild)),
        (ModuleCost(str(root / "../secret.py"), "a\x1b[31m", "\u202e" * 1000, -3, wild, -1, -1),),
        Training(-1, 1 << 70, 1, 1, 1, "sleep"),
        "a\x1b[31m\n" * 1000,
    )  # fmt: skip
    reply = TraceReply(1, costs=told)
    assert vetted(reply, request_for(root)).costs is None
    found = vetted(reply, dataclasses.replace(request_for(root), costs=CostRequest())).costs
    assert found is not None
    tame = Cost(0, LARGEST, 3, 0, 7)
    assert (found.total, found.parameters, found.weights, found.peak) == (tame, 0, LARGEST, 5)
    assert [one.span for one in found.expressions] == [inside, inside]
    assert found.lines == (LineCost((0, 1), tame),)
    (module,) = found.modules
    assert (module.path, module.root, module.parameters, module.calls, module.total) == ("", 0, 0, 1, tame)
    assert all(visible(text) == text for text in (module.name, module.module, found.why))
    assert found.training == Training(0, LARGEST, 1, 1, 1, "eval")
    assert list(found.of_lines()) == [(inside.path, 1, tame)]


def test_obstacles_are_those_of_the_compilers_asked_for(root: Path) -> None:
    inside, outside = (Span(str(root / name), 1, 0, 1, 1) for name in ("model.py", "../secret.py"))
    said = "a\x1b[31m\n" * 1000
    told = tuple(Obstacle(name, span, said, said) for name in ("export", "jit") for span in (inside, outside))
    reply = TraceReply(1, obstacles=told * 1000)
    assert vetted(reply, request_for(root)).obstacles == ()
    asked = dataclasses.replace(request_for(root), compilers=("export",))
    found = vetted(reply, asked).obstacles
    assert {(one.compiler, one.span) for one in found} == {("export", inside)}
    assert len(found) <= OBSTACLES
    assert all(len(text) <= MESSAGE and visible(text) == text for one in found for text in (one.message, one.hint))


def test_constraints_are_few_and_name_places_of_the_workspace(root: Path) -> None:
    inside, outside = (Span(str(root / name), 1, 0, 1, 1) for name in ("model.py", "../secret.py"))
    told = (Constraint("T\n" * 1000, inside), Constraint("T", outside), Constraint("T")) * 100
    found = vetted(TraceReply(1, constraints=told), request_for(root)).constraints
    assert len(found) == CONSTRAINTS
    assert {one.span for one in found} == {inside, None}
    assert all(len(one.text) <= 100 and visible(one.text) == one.text for one in found)
    unasked = dataclasses.replace(request_for(root), naming=None)
    assert vetted(TraceReply(1, constraints=told), unasked).constraints == ()


def test_variants_are_few_in_all(root: Path) -> None:
    request = request_for(root)
    place = Span(request.scope, 1, 0, 1, 1)
    variants = tuple(Variant(TensorType("f32", (number,))) for number in range(VARIANTS + 1))
    given = (Binding(place, "x", "assign", variants),) * 100
    counts = [len(one.variants) for one in vetted(TraceReply(1, bindings=given), request).bindings]
    assert counts == [VARIANTS] * (IN_ALL // VARIANTS) + [FEW] * (100 - IN_ALL // VARIANTS)


def test_a_graph_nobody_asked_for_is_none(root: Path) -> None:
    graph = Graph("module", "Net", (GraphNode("x", "placeholder", "x", "", ()),), (GraphScope("", "Net"),))
    assert vetted(TraceReply(1, graph=graph), request_for(root)).graph is not None
    unasked = dataclasses.replace(request_for(root), graph=None)
    assert vetted(TraceReply(1, graph=graph), unasked).graph is None


@pytest.mark.parametrize(
    "broken",
    [
        {"scopes": ()},
        {"scopes": (GraphScope("", "Net", parent=0),)},
        {"scopes": (GraphScope("", "N"), GraphScope("a", "A", parent=2), GraphScope("b", "B", parent=1))},
        {"nodes": (GraphNode("x", "placeholder", "x", "", (0,)),)},
        {"nodes": (GraphNode("x", "placeholder", "x", "", (-1,)),)},
        {"nodes": (GraphNode("x", "placeholder", "x", "", (), output=0),)},
        {"nodes": (GraphNode("x", "placeholder", "x", "", (), output=-2),)},
        {"nodes": (GraphNode("x", "exec", "x", "", ()),)},
        {"nodes": (GraphNode("x", "output", "x", "", (), scope=1),)},
        {"nodes": (GraphNode("x", "output", "x", "", (), span=0),)},
        {"failed": 0},
        {"scopes": tuple(GraphScope("", "N", parent=number - 1) for number in range(1000))},
    ],
)
def test_a_graph_that_does_not_hold_together_is_none(root: Path, broken: dict[str, Any]) -> None:
    whole = Graph("module", "Net", (), (GraphScope("", "Net"),))
    found = vetted(TraceReply(1, graph=dataclasses.replace(whole, **broken)), request_for(root))
    assert found.graph is None
    assert found.defect


def _linked(root: Path) -> Iterator[str]:
    yield from (str(root / name) for name in ("model.py", "other.py", "out.py", "pipe.py", "../secret.py"))


@cache
def _replies(root: Path) -> st.SearchStrategy[TraceReply]:
    span = hostile.spans(*_linked(root))
    graph = hostile.of(Graph, Span=span, GraphNode=_nodes, GraphScope=_scopes)
    return hostile.of(TraceReply, Span=span, path=st.sampled_from([*_linked(root)]), Graph=graph)


@given(data=st.data())
def test_what_is_left_can_be_shown_in_every_way(root: Path, data: st.DataObject) -> None:
    request = request_for(root)
    found = vetted(data.draw(_replies(root)), request)
    for text in _texts(found):
        assert visible(text, keep="\n\t") == text
    for number in _numbers(found):
        assert -LARGEST <= number <= LARGEST
    assert vetted(found, request) == found
    assert wire.decode(wire.encode(found)) == found
    _show(found, request)


@given(st.data())
def test_any_graph_that_holds_together_can_be_drawn(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 12))
    scopes = [GraphScope("", "Net")]
    scopes += [
        data.draw(_scopes.map(lambda scope, n=n: _within(scope, n))) for n in range(1, data.draw(st.integers(1, 5)))
    ]
    nodes = [_joined(data.draw(_nodes), number, len(scopes)) for number in range(count)]
    graph = Graph(
        "module", "Net", tuple(nodes), tuple(scopes), (TensorType("f32", (2,)), Group("tuple", (Opaque("x"),)))
    )
    found = vetted(TraceReply(1, graph=graph), request_for(Path("/")))
    assert found.graph is not None
    _draw(found.graph)


_nodes = hostile.of(
    GraphNode, op=st.sampled_from(["placeholder", "get_attr", "call_function", "call_method", "call_module", "output"])
)
_scopes = hostile.of(GraphScope)


def _within(scope: GraphScope, number: int) -> GraphScope:
    return dataclasses.replace(scope, parent=scope.parent % number, span=-1, definition=-1)


def _joined(node: GraphNode, number: int, scopes: int) -> GraphNode:
    inputs = tuple(dict.fromkeys(one % number for one in node.inputs)) if number else ()
    target = node.target if node.output % 2 else "operator.getitem"
    return dataclasses.replace(
        node, inputs=inputs, target=target, output=node.output % 3 - 1, scope=node.scope % scopes, span=-1
    )


def _show(reply: TraceReply, request: TraceRequest) -> None:
    path = request.scope
    example = Example(path, "Net()(f32[2])", "call", target="Net", span=Span(path, 1, 0, 1, 5))
    module = ModuleClass("Net", 1, 0, 4, Span(path, 1, 6, 1, 9), 2)
    snapshot = Snapshot(path, SOURCE, (module,), (Trace(example, "Net()(f32[2])", (), reply),))
    for one in (snapshot, moved(snapshot, "\n" + SOURCE)):
        for hint in all_hints(one):
            tooltip(hint, one)
        for line in range(7):
            for column in range(0, 20, 5):
                hover(one, line, column)
        lenses(one)
        all_problems(one)
        file_report(one, request.root)
        render(one, colour=True)
    if reply.graph is not None:
        _draw(reply.graph)


def _draw(graph: Graph) -> None:
    draw(graph)
    code(graph)
    for form in FORMATS:
        export(graph, form, lambda path: SOURCE, "/")


def _texts(item: Any) -> Iterator[str]:
    if isinstance(item, str):
        yield item
    for part in _parts(item):
        yield from _texts(part)


def _numbers(item: Any) -> Iterator[float]:
    if type(item) in (int, float):
        yield item
    for part in _parts(item):
        yield from _numbers(part)


def _parts(item: Any) -> Iterator[Any]:
    if dataclasses.is_dataclass(item):
        yield from (getattr(item, field.name) for field in dataclasses.fields(item))
    elif isinstance(item, tuple):
        yield from item


def test_the_largest_answers_take_time_in_proportion(root: Path) -> None:
    value = TensorType("f32", (2, 3))
    binding = Binding(Span(str(root / "model.py"), 1, 0, 1, 1), "x" * 100, "assign", (Variant(value),))
    operation = Operation(binding.span, "f", "function", (OperationVariant((value,), value),), (binding.span,) * 20)
    deep: Any = Group("list", tuple(Opaque("\x1b" * 100) for _ in range(30_000)))
    reply = TraceReply(
        1,
        bindings=(binding,) * 20_000 + (dataclasses.replace(binding, variants=(Variant(deep),)),),
        operations=(operation,) * 20_000,
        files=tuple(f"{root}/{'d/' * 30}{number}.py" for number in range(20_000)),
        log="\u202e" * (4 << 20),
    )
    started = time.perf_counter()
    vetted(reply, request_for(root))
    assert time.perf_counter() - started < 20


@pytest.mark.parametrize(
    ("setup", "call", "believed"),
    [
        ("", "Net()(f32[2])", True),
        ("from torch import nn\nimport types", "Net(nn.Identity())(f32[2], i64[])", True),
        ("n = 3", "Net(n)(f32[2])", True),
        ("n = 4", "Net(n)(f32[2])", False),
        ("import os; os.remove('x')", "Net()(f32[2])", False),
        ("import os\x1b[2J", "Net()(f32[2])", False),
        ("", "Net()(f32[2])\nimport os", False),
        ("", "Net()(f32[2]) # \u202e", False),
        ("", "Net", False),
        ("", "Net()(", False),
        ("", "Net()(" + "1, " * 3000 + ")", False),
        ("", "(" * 500 + ")" * 500, False),
        ("(" * 5000, "Net()(f32[2])", False),
    ],
)
def test_examples_that_a_search_found(root: Path, setup: str, call: str, believed: bool) -> None:
    request = dataclasses.replace(
        request_for(root), call="", graph=None, search=Search(("Net",), (Maker("Net", "n = 3", "Net(n)"),))
    )
    found = (Invented("Net", setup, call, -5, "a\nb\x00"), Invented("Net", "", "Net()(f32[9])"), Invented("Other"))
    (one,) = vetted(TraceReply(1, invented=found), request).invented
    assert (one.setup, one.call) == ((setup, call) if believed else ("", ""))
    assert (one.name, one.operations) == ("Net", 0)
    assert one.why == visible(one.why)


def test_examples_that_nobody_searched_for(root: Path) -> None:
    assert vetted(TraceReply(1, invented=(Invented("Net", "", "Net()(f32[2])"),)), request_for(root)).invented == ()


def test_too_many_operators_to_do_ahead(root: Path) -> None:
    for text in ("x" * MAX_DISPATCHED, "x" * (MAX_DISPATCHED + 1)):
        kept = vetted(TraceReply(1, dispatched=text), request_for(root)).dispatched
        assert kept == (text if len(text) <= MAX_DISPATCHED else "")


def test_too_many_classes_watched_in_vain(root: Path) -> None:
    for text in ("x" * MAX_VAIN, "x" * (MAX_VAIN + 1), "\x1b[0m"):
        kept = vetted(TraceReply(1, vain=text), request_for(root)).vain
        assert kept == (text if text == "x" * MAX_VAIN else "")


@pytest.mark.parametrize(
    ("said", "kept"), [(None, None), (-1, -1), (0, 0), (1, 1), (2, None), (-2, None), (1 << 70, None)]
)
def test_a_view_is_of_an_input_that_there_is(root: Path, said: int | None, kept: int | None) -> None:
    value, span = TensorType("f32", (2, 3)), Span(str(root / "model.py"), 1, 0, 1, 1)
    variant = OperationVariant((value, value), value, view=said)
    (operation,) = vetted(
        TraceReply(1, operations=(Operation(span, "f", "function", (variant,)),)), request_for(root)
    ).operations
    assert operation.variants[0].view == kept
