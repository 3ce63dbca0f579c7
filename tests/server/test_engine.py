"""When the engine runs what, and what it shows meanwhile."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from fx_lsp.model.failure import Failure
from fx_lsp.model.messages import Invented, TraceReply, TraceRequest
from fx_lsp.model.trace import ModuleUse
from fx_lsp.model.value import TensorType, label
from fx_lsp.server.settings import Settings
from tests.server.workers import MODEL, PATIENCE, Bench

pytestmark = pytest.mark.asyncio

OTHER = MODEL.replace("Net", "Other").replace("f32[2, 3]", "f32[4, 5]")


async def test_a_file_that_is_opened_is_run_and_shown(bench: Bench) -> None:
    path = bench.path("a.py", MODEL)
    bench.engine.update(path, MODEL)
    first = bench.engine.snapshot(path)
    assert first is not None
    assert (first.text, first.traces, first.pending, first.stale) == (MODEL, (), True, False)
    await bench.idle()
    snapshot = bench.engine.snapshot(path)
    assert snapshot is not None
    assert bench.worker.calls == ["Net()(f32[2, 3])"]
    assert [trace.call for trace in snapshot.traces] == ["Net()(f32[2, 3])"]
    assert [module.name for module in snapshot.modules] == ["Net"]
    assert (snapshot.pending, snapshot.stale) == (False, False)


async def test_an_edit_runs_exactly_what_depends_on_the_file(bench: Bench) -> None:
    a, b, helper = bench.path("a.py", MODEL), bench.path("b.py", OTHER), bench.path("helper.py", "x = 1\n")
    bench.worker.reads = {a: [helper]}
    for path in (a, b, helper):
        bench.engine.update(path, Path(path).read_text())
    await bench.idle()
    assert sorted(bench.worker.calls) == ["Net()(f32[2, 3])", "Other()(f32[4, 5])"]
    bench.engine.update(helper, "x = 2\n")
    stale = bench.engine.snapshot(a)
    assert stale is not None
    assert (stale.stale, stale.pending, len(stale.traces)) == (True, True, 1)
    await bench.idle()
    assert bench.worker.calls == ["Net()(f32[2, 3])"]
    fresh = bench.engine.snapshot(a)
    assert fresh is not None
    assert (fresh.stale, fresh.pending, len(fresh.traces)) == (False, False, 1)


async def test_a_trace_is_shown_in_every_file_it_ran_through(bench: Bench) -> None:
    a, helper, apart = bench.path("a.py", MODEL), bench.path("helper.py", "x = 1\n"), bench.path("apart.py", "y = 1\n")
    bench.worker.reads = {a: [helper]}
    for path in (helper, apart, a):
        bench.engine.update(path, Path(path).read_text())
    await bench.idle()
    counts = {Path(p).name: len(bench.engine.snapshot(p).traces) for p in (a, helper, apart)}  # type: ignore[union-attr]
    assert counts == {"a.py": 1, "helper.py": 1, "apart.py": 0}
    bench.engine.close(a)
    await bench.idle()
    assert bench.engine.snapshot(a) is None


async def test_undo_needs_no_run(bench: Bench) -> None:
    path = bench.path("a.py", MODEL)
    for text in (MODEL, MODEL + "y = 1\n"):
        bench.engine.update(path, text)
        await bench.idle()
    assert len(bench.worker.calls) == 2
    bench.engine.update(path, MODEL)
    await bench.idle()
    assert bench.worker.calls == []
    snapshot = bench.engine.snapshot(path)
    assert snapshot is not None
    assert (len(snapshot.traces), snapshot.stale) == (1, False)


async def test_a_newer_edit_cancels_the_older_run(bench: Bench) -> None:
    path = bench.path("a.py", MODEL)
    bench.worker.gate = asyncio.Event()
    bench.engine.update(path, MODEL)
    await bench.running()
    bench.engine.update(path, MODEL.replace("2, 3", "7, 3"))
    await bench.running()
    bench.worker.gate.set()
    await bench.idle()
    assert bench.worker.cancelled == ["Net()(f32[2, 3])"]
    assert bench.worker.calls == ["Net()(f32[2, 3])", "Net()(f32[7, 3])"]


async def test_an_edit_elsewhere_lets_a_run_go_on(bench: Bench) -> None:
    a, apart = bench.path("a.py", MODEL), bench.path("apart.py", "y = 1\n")
    for path in (apart, a):
        bench.engine.update(path, Path(path).read_text())
    await bench.idle()
    bench.worker.gate = asyncio.Event()
    bench.engine.update(a, MODEL + "z = 1\n")
    await bench.running()
    bench.engine.update(apart, "y = 2\n")
    bench.worker.gate.set()
    await bench.idle()
    assert bench.worker.cancelled == []
    assert bench.worker.calls == ["Net()(f32[2, 3])"] * 2


async def test_nothing_runs_while_the_text_does_not_parse(bench: Bench) -> None:
    path, user = bench.path("a.py", MODEL), bench.path("b.py", "import a\n" + OTHER)
    bench.worker.reads = {user: [path]}
    bench.engine.update(user, Path(user).read_text())
    bench.engine.update(path, MODEL)
    await bench.idle()
    bench.worker.requests.clear()
    bench.engine.update(path, MODEL + "y = (\n")
    await bench.idle()
    assert bench.worker.calls == []
    for file in (path, user):
        snapshot = bench.engine.snapshot(file)
        assert snapshot is not None
        assert snapshot.traces, file
        assert (snapshot.stale, snapshot.pending) == (True, False), file
    bench.engine.update(path, MODEL + "y = ()\n")
    await bench.idle()
    assert sorted(bench.worker.calls) == ["Net()(f32[2, 3])", "Other()(f32[4, 5])"]
    snapshot = bench.engine.snapshot(user)
    assert snapshot is not None
    assert not snapshot.stale


async def test_the_newest_document_comes_first(bench: Bench) -> None:
    a, b = bench.path("a.py", MODEL), bench.path("b.py", OTHER)
    bench.engine.hold()
    bench.engine.update(b, OTHER)
    bench.engine.update(a, MODEL)
    assert not bench.engine.idle
    bench.engine.release()
    await bench.idle()
    assert bench.worker.calls == ["Net()(f32[2, 3])", "Other()(f32[4, 5])"]


async def test_the_buffer_is_what_runs(bench: Bench) -> None:
    path, same = bench.path("a.py", "old"), bench.path("b.py", OTHER)
    bench.engine.update(path, MODEL)
    bench.engine.update(same, OTHER)
    await bench.idle()
    overlays = {overlay.path: overlay.text for overlay in bench.worker.requests[0].overlays}
    assert overlays == {path: MODEL}


async def test_an_edited_example_takes_the_place_of_the_old_one(bench: Bench) -> None:
    path = bench.path("a.py", MODEL)
    bench.engine.update(path, MODEL)
    await bench.idle()
    bench.worker.gate = asyncio.Event()
    bench.engine.update(path, MODEL.replace("2, 3", "7, 3"))
    await bench.running()
    shown = bench.engine.snapshot(path)
    assert shown is not None
    assert [trace.call for trace in shown.traces] == ["Net()(f32[2, 3])"]
    bench.worker.gate.set()
    await bench.idle()
    shown = bench.engine.snapshot(path)
    assert shown is not None
    assert [trace.call for trace in shown.traces] == ["Net()(f32[7, 3])"]


async def test_no_worker_is_said_once_and_tried_again_when_saved(bench: Bench) -> None:
    path = bench.path("a.py", MODEL)
    call = "Net()(f32[2, 3])"
    bench.worker.failures[call] = Failure("start", "There is no torch in /py. Install it with pip install torch.")
    bench.engine.update(path, MODEL)
    await bench.idle()
    bench.engine.update(path, MODEL + "y = 1\n")
    await bench.idle()
    assert bench.messages == ["There is no torch in /py. Install it with pip install torch."]
    assert bench.worker.calls == [call]
    snapshot = bench.engine.snapshot(path)
    assert snapshot is not None
    assert [module.name for module in snapshot.modules] == ["Net"]
    assert [trace.reply.failure and trace.reply.failure.stage for trace in snapshot.traces] == ["start"]
    assert not snapshot.pending
    bench.worker.failures.clear()
    bench.engine.save(path)
    await bench.idle()
    snapshot = bench.engine.snapshot(path)
    assert snapshot is not None
    assert [trace.call for trace in snapshot.traces] == [call]
    assert snapshot.traces[0].reply.failure is None


async def test_nothing_is_run_when_the_user_says_so(bench: Bench) -> None:
    path = bench.path("a.py", MODEL)
    bench.engine.configure(Settings(run=False))
    bench.engine.update(path, MODEL)
    await bench.idle()
    assert bench.worker.calls == []
    snapshot = bench.engine.snapshot(path)
    assert snapshot is not None
    assert [module.name for module in snapshot.modules] == ["Net"]


async def test_a_run_that_never_said_what_it_read_is_run_again_after_any_edit(bench: Bench) -> None:
    path, apart = bench.path("a.py", MODEL), bench.path("apart.py", "y = 1\n")
    worker, answer = bench.worker, bench.worker.trace

    async def silent(request: TraceRequest) -> TraceReply:
        await answer(request)
        return TraceReply(request.id, failure=Failure("timeout", "took longer than 20 s"))

    worker.trace = silent  # type: ignore[method-assign]
    bench.engine.update(apart, "y = 1\n")
    bench.engine.update(path, MODEL)
    await bench.idle()
    assert len(worker.calls) == 1
    bench.engine.update(apart, "y = 2\n")
    await bench.idle()
    assert len(worker.calls) == 1


async def test_a_file_that_appears_gives_failures_another_chance(bench: Bench) -> None:
    path = bench.path("a.py", MODEL)
    bench.worker.failures["Net()(f32[2, 3])"] = Failure("import", "No module named 'b'", error="ModuleNotFoundError")
    bench.engine.update(path, MODEL)
    await bench.idle()
    bench.worker.failures.clear()
    bench.engine.disk_changed([bench.path("b.py", "x = 1\n")], listed=True)
    await bench.idle()
    assert len(bench.worker.calls) == 2
    snapshot = bench.engine.snapshot(path)
    assert snapshot is not None
    assert snapshot.traces[0].reply.failure is None


async def test_a_change_on_disk_runs_what_depends_on_it(bench: Bench) -> None:
    path, helper = bench.path("a.py", MODEL), bench.path("helper.py", "x = 1\n")
    bench.worker.reads = {path: [helper]}
    bench.engine.update(path, MODEL)
    await bench.idle()
    bench.path("helper.py", "x = 22\n")
    bench.engine.disk_changed([helper], listed=False)
    await bench.idle()
    assert len(bench.worker.calls) == 2


async def test_the_configuration_is_read_as_it_is_edited(bench: Bench) -> None:
    path, config = bench.path("a.py", MODEL), bench.path("pyproject.toml")
    bench.engine.update(path, MODEL)
    await bench.idle()
    bench.engine.update(config, "[tool.fx-lsp]\ntimeout = 3\nmemroy = 1\n")
    await bench.idle()
    snapshot = bench.engine.snapshot(config)
    assert snapshot is not None
    assert [problem.span.line for problem in snapshot.problems] == [3]
    assert [request.seconds for request in bench.worker.requests] == [20.0, 3.0]


async def test_restart_ends_the_worker_and_runs_everything_again(bench: Bench) -> None:
    path = bench.path("a.py", MODEL)
    bench.engine.update(path, MODEL)
    await bench.idle()
    bench.engine.restart()
    await bench.idle()
    assert bench.worker.closed == 1
    assert bench.worker.calls == ["Net()(f32[2, 3])"] * 2
    await bench.engine.stop()
    assert bench.worker.closed == 2


@pytest.mark.parametrize("defect", ["folder.with_users", "session.compose", "session.refined"])
async def test_a_defect_is_logged_and_the_engine_goes_on(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, defect: str
) -> None:
    path = bench.path("a.py", MODEL)
    with monkeypatch.context() as patch:
        patch.setattr(f"fx_lsp.server.{defect}", lambda *given: 1 / 0)
        bench.engine.update(path, MODEL)
        await bench.idle()
    assert any("ZeroDivisionError" in text for text in bench.log)
    bench.engine.update(path, MODEL + "y = 1\n")
    await bench.idle()
    snapshot = bench.engine.snapshot(path)
    assert snapshot is not None
    assert len(snapshot.traces) == 1


async def test_two_roots_have_a_worker_each(bench: Bench) -> None:
    inner = bench.path("sub/a.py", MODEL)
    bench.path("sub/pyproject.toml", "")
    outer = bench.path("a.py", OTHER)
    bench.engine.update(inner, MODEL)
    bench.engine.update(outer, OTHER)
    await bench.idle()
    assert {request.root for request in bench.worker.requests} == {str(bench.root), str(bench.root / "sub")}
    bench.engine.close(inner)
    await bench.engine.close_folder(str(bench.root / "sub"))
    assert bench.worker.closed == 1


async def test_a_file_that_does_not_parse_blocks_only_what_is_known_to_read_it(bench: Bench) -> None:
    path, broken = bench.path("a.py", MODEL), bench.path("broken.py", "def (\n")
    bench.engine.update(broken, "def (\n")
    bench.engine.update(path, MODEL)
    await bench.idle()
    assert bench.worker.calls == ["Net()(f32[2, 3])"]


async def test_an_interpreter_that_is_being_typed_is_not_started(bench: Bench) -> None:
    path, config = bench.path("a.py", MODEL), bench.path("pyproject.toml")
    bench.engine.update(path, MODEL)
    bench.engine.update(config, "")
    await bench.idle()
    for text in ("[tool.fx-lsp]\ninter", "[tool.fx-lsp]\ninterpreter = '/some/py'\n"):
        bench.engine.update(config, text)
        await bench.idle()
    assert bench.worker.closed == 0
    bench.engine.save(config)
    await bench.idle()
    assert bench.worker.closed == 1


async def test_the_folder_opened_is_the_root_where_nothing_else_says_so(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    (tmp_path / "pyproject.toml").unlink()
    bench.engine.open_folder(str(tmp_path))
    inner = bench.path("sub/a.py", MODEL)
    bench.engine.update(inner, MODEL)
    await bench.idle()
    assert [request.root for request in bench.worker.requests] == [str(tmp_path)]
    await bench.engine.stop()


async def test_a_crash_in_company_is_tried_again_alone(bench: Bench) -> None:
    two = MODEL.replace("# fx: Net()", "# fx: Net()(f32[9, 3])\n# fx: Net()")
    path, worker = bench.path("a.py", two), bench.worker
    answer, crash = worker.trace, Failure("crash", "The worker process ended.", proven=False)
    meeting = asyncio.Barrier(2)

    async def dying_together(request: TraceRequest) -> TraceReply:
        together = len(worker.requests) < 4 and request.engine == "fake"
        reply = await answer(request)
        if together:
            await asyncio.wait_for(meeting.wait(), PATIENCE)
        return replace(reply, failure=crash) if len(worker.requests) <= 4 else reply

    worker.trace = dying_together  # type: ignore[method-assign]
    bench.engine.update(path, two)
    await bench.idle()
    snapshot = bench.engine.snapshot(path)
    assert snapshot is not None
    assert [trace.reply.failure for trace in snapshot.traces] == [None, None]


async def test_a_crash_alone_is_believed(bench: Bench) -> None:
    path, call = bench.path("a.py", MODEL), "Net()(f32[2, 3])"
    bench.worker.failures[call] = Failure("crash", "The worker process ended.", proven=False)
    bench.engine.update(path, MODEL)
    await bench.idle()
    assert [request.engine for request in bench.worker.requests] == ["fake", "real"]
    snapshot = bench.engine.snapshot(path)
    assert snapshot is not None
    assert snapshot.traces[0].reply.failure == bench.worker.failures[call]


async def test_the_first_of_two_answers_is_shown_at_once_and_takes_the_place_of_what_it_overtakes(bench: Bench) -> None:
    a, b = bench.path("a.py", MODEL), bench.path("b.py", "import a\n" + OTHER)
    bench.worker.reads = {b: [a]}
    for path in (b, a):
        bench.engine.update(path, Path(path).read_text())
    await bench.idle()
    assert shapes(bench, a) == [("Net()(f32[2, 3])", False, ["f32[16]"]), ("Other()(f32[4, 5])", False, ["f32[18]"])]
    gate = bench.worker.gates["Other()(f32[4, 5])"] = asyncio.Event()
    bench.worker.widths["Net()(f32[2, 3])"] = 99
    bench.engine.update(a, MODEL + "y = 1\n")
    await bench.until(lambda: (snapshot := bench.engine.snapshot(a)) is not None and not snapshot.traces[0].older)
    assert shapes(bench, a) == [("Net()(f32[2, 3])", False, ["f32[99]"]), ("Other()(f32[4, 5])", True, [])]
    gate.set()
    await bench.idle()
    assert shapes(bench, a) == [("Net()(f32[2, 3])", False, ["f32[99]"]), ("Other()(f32[4, 5])", False, ["f32[18]"])]


@pytest.mark.parametrize("broken", ["a.py", "between.py"])
async def test_facts_from_the_run_of_another_file_stay_while_that_run_cannot_be_repeated(
    bench: Bench, broken: str
) -> None:
    texts = {"a.py": MODEL, "between.py": "y = 1\n", "b.py": "x = 1\n"}
    a, between, b = (bench.path(name, text) for name, text in texts.items())
    bench.worker.reads = {a: [between, b]}
    for name, text in texts.items():
        bench.engine.update(bench.path(name), text)
    await bench.idle()
    fresh = bench.engine.snapshot(b)
    assert fresh is not None
    bench.engine.update(bench.path(broken), texts[broken] + "y = (\n")
    await bench.idle()
    for text, line in (("x = 1\n", 1), ("\nx = 1\n", 2), ("\nx = 1\ny = (\n", 2), ("\nx = 1\ny = ()\n", 2)):
        bench.engine.update(b, text)
        await bench.idle()
        stale = bench.engine.snapshot(b)
        assert stale is not None
        assert (stale.stale, stale.pending) == (True, False)
        places = [fact.span.line for trace in stale.traces for fact in trace.reply.bindings if fact.span.path == b]
        assert places == [line]
    bench.engine.update(b, "x = 1\n")
    bench.engine.update(bench.path(broken), texts[broken])
    await bench.idle()
    assert bench.engine.snapshot(b) == fresh


async def test_facts_from_the_run_of_a_file_that_is_closed_while_it_does_not_parse_go(bench: Bench) -> None:
    a, b = bench.path("a.py", MODEL), bench.path("b.py", "x = 1\n")
    bench.worker.reads = {a: [b]}
    for path in (a, b):
        bench.engine.update(path, Path(path).read_text())
    await bench.idle()
    bench.engine.update(a, MODEL + "y = (\n")
    await bench.idle()
    bench.engine.close(a)
    await bench.idle()
    snapshot = bench.engine.snapshot(b)
    assert snapshot is not None
    assert snapshot.traces == ()


async def test_nothing_is_invented_for_what_a_run_goes_through_that_cannot_be_repeated_now(bench: Bench) -> None:
    plain = MODEL.replace("# fx: Net()(f32[2, 3])\n", "")
    a, b = bench.path("a.py", "import b\n" + OTHER), bench.path("b.py", plain)
    bench.worker.reads = {a: [b]}
    bench.worker.uses = {"Other()(f32[4, 5])": (ModuleUse(b, "Net", (), TensorType("f32", (2,)), 0),)}
    bench.worker.invented = {b: (Invented("Net", "", "Net()(f32[7])"),)}
    bench.engine.update(a, Path(a).read_text())
    await bench.idle()
    bench.engine.update(b, plain)
    await bench.idle()
    assert shapes(bench, b) == [("Other()(f32[4, 5])", False, ["f32[18]"])]
    bench.worker.requests.clear()
    bench.engine.update(a, Path(a).read_text() + "y = (\n")
    for text in (plain, plain + "y = 1\n"):
        bench.engine.update(b, text)
        await bench.idle()
        assert bench.worker.calls == []
        assert shapes(bench, b) == [("Other()(f32[4, 5])", True, ["f32[18]"])]
    bench.engine.close(a)
    await bench.idle()
    assert shapes(bench, b) == [("Net()(f32[7])", False, ["f32[13]"])]


async def test_calls_are_looked_for_in_the_last_text_that_parsed(bench: Bench) -> None:
    model = bench.path("a.py", MODEL.replace("# fx: Net()(f32[2, 3])\n", ""))
    calling = "import torch\nfrom a import Net\nNet()(torch.zeros(4, 5))\n"
    user = bench.path("train.py", calling)
    for path in (model, user):
        bench.engine.update(path, Path(path).read_text())
    await bench.idle()
    before = bench.engine.snapshot(model)
    assert before is not None
    assert [trace.call for trace in before.traces] == ["Net()(torch.zeros(4, 5))"]
    bench.worker.requests.clear()
    for text in (calling + "y = (\n", calling.replace("zeros(4, 5)", "zeros(")):
        bench.engine.update(user, text)
        await bench.idle()
        assert bench.engine.snapshot(model) == before
    assert bench.worker.calls == []
    bench.engine.update(user, calling.replace("4, 5", "6, 7"))
    await bench.idle()
    after = bench.engine.snapshot(model)
    assert after is not None
    assert [trace.call for trace in after.traces] == ["Net()(torch.zeros(6, 7))"]


async def test_what_was_invented_gives_way_to_another_run_through_the_class(bench: Bench) -> None:
    plain, call = MODEL.replace("# fx: Net()(f32[2, 3])\n", ""), "Other()(f32[4, 5])"
    a, b = bench.path("a.py", "import b\n" + OTHER), bench.path("b.py", plain)
    bench.worker.reads = {a: [b]}
    bench.worker.uses = {call: (ModuleUse(b, "Net", (), TensorType("f32", (2,)), 0),)}
    bench.worker.invented = {b: (Invented("Net", "", "Net()(f32[7])"),)}
    bench.engine.update(b, plain)
    await bench.idle()
    assert shapes(bench, b) == [("Net()(f32[7])", False, ["f32[13]"])]
    bench.engine.update(a, Path(a).read_text())
    await bench.idle()
    assert shapes(bench, b) == [(call, False, ["f32[18]"])]
    bench.engine.update(b, plain + "y = 1\n")
    await bench.idle()
    assert shapes(bench, b) == [(call, False, ["f32[18]"])]
    bench.worker.uses.clear()
    bench.engine.update(a, Path(a).read_text() + "y = 1\n")
    await bench.idle()
    assert shapes(bench, b) == [(call, False, ["f32[18]"]), ("Net()(f32[7])", False, ["f32[13]"])]


async def test_what_gives_way_is_not_run_again_as_long_as_the_other_run_goes_through_the_class(bench: Bench) -> None:
    plain, call = MODEL.replace("# fx: Net()(f32[2, 3])\n", ""), "Other()(f32[4, 5])"
    a, b = bench.path("a.py", "import b\n" + OTHER), bench.path("b.py", plain)
    bench.worker.reads = {a: [b]}
    through = (ModuleUse(b, "Net", (), TensorType("f32", (2,)), 0),)
    bench.worker.uses = {call: through}
    bench.worker.invented = {b: (Invented("Net", "", "Net()(f32[7])"),)}
    for path in (b, a):
        bench.engine.update(path, Path(path).read_text())
        await bench.idle()
    bench.worker.requests.clear()
    bench.engine.update(b, plain + "y = 1\n")
    await bench.idle()
    assert bench.worker.calls == [call]
    assert shapes(bench, b) == [(call, False, ["f32[18]"])]
    bench.worker.uses = {}  # the edit has the run take another way, which nobody can know before
    bench.worker.requests.clear()
    bench.engine.update(b, plain + "y = 2\n")
    await bench.idle()
    assert bench.worker.calls == [call, "Net()(f32[7])"]
    assert [trace[0] for trace in shapes(bench, b)] == [call, "Net()(f32[7])"]


async def test_calls_of_what_a_run_goes_through_that_cannot_be_repeated_now_are_run(bench: Bench) -> None:
    model, calling = (
        MODEL.replace("# fx: Net()(f32[2, 3])\n", ""),
        "import torch\nfrom b import Net\nNet()(torch.zeros(4, 5))\n",
    )
    texts = {"train.py": calling, "a.py": "import b\n" + OTHER, "b.py": model}
    train, a, b = (bench.path(name, text) for name, text in texts.items())
    bench.worker.reads = {a: [b]}
    bench.worker.uses = {"Other()(f32[4, 5])": (ModuleUse(b, "Net", (), TensorType("f32", (2,)), 0),)}
    for path in (train, a, b):
        bench.engine.update(path, Path(path).read_text())
    await bench.idle()
    before = shapes(bench, b)
    assert [call for call, _, _ in before] == ["Other()(f32[4, 5])", "Net()(torch.zeros(4, 5))"]
    bench.engine.update(a, texts["a.py"] + "y = (\n")
    await bench.idle()
    assert shapes(bench, b) == [(call, call.startswith("Other"), found) for call, _, found in before]


async def test_what_a_call_ran_that_is_deleted_is_invented_instead(bench: Bench) -> None:
    plain, called = MODEL.replace("# fx: Net()(f32[2, 3])\n", ""), "Net()(torch.zeros(4, 5))"
    calling = f"import torch\nfrom a import Net\n{called}\n"
    a, inner, train = bench.path("a.py", plain), bench.path("b.py", plain), bench.path("train.py", calling)
    bench.worker.reads = {a: [inner]}
    found = {a: "Net()(f32[7])", inner: "Net()(f32[8, 9])"}
    bench.worker.invented = {path: (Invented("Net", "", call),) for path, call in found.items()}
    bench.worker.uses = {
        call: tuple(ModuleUse(path, "Net", (), TensorType("f32", (2,)), 0) for path in paths)
        for call, paths in {called: (a, inner), found[a]: (a,), found[inner]: (inner,)}.items()
    }
    for path in (train, a, inner):
        bench.engine.update(path, Path(path).read_text())
    await bench.idle()
    assert [{call for call, _, _ in shapes(bench, path)} for path in (a, inner)] == [{called}, {called}]
    bench.engine.update(train, "import torch\n")
    await bench.idle()
    assert [{call for call, _, _ in shapes(bench, path)} for path in (a, inner)] == [{found[a]}, {*found.values()}]


def shapes(bench: Bench, path: str) -> list[tuple[str, bool, list[str]]]:
    """Of each trace of the file: its call, whether it is older, and what it bound in the file."""
    snapshot = bench.engine.snapshot(path)
    assert snapshot is not None
    return [
        (
            trace.call,
            trace.older,
            [label(one.variants[0].value) for one in trace.reply.bindings if one.span.path == path],
        )
        for trace in snapshot.traces
    ]
