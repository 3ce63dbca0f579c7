"""The command line's way: all files to the end, each example once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.model.failure import Failure
from fx_lsp.model.trace import ModuleUse
from fx_lsp.model.value import TensorType
from fx_lsp.server.check import first, gathered
from fx_lsp.server.folder import Plan
from fx_lsp.server.ran import Ran
from fx_lsp.server.rounds import Progress
from tests.analysis.test_spare import run
from tests.server.workers import MODEL, Bench

pytestmark = pytest.mark.asyncio

OTHER = MODEL.replace("Net", "Other").replace("f32[2, 3]", "f32[4, 5]")


async def checked(bench: Bench, *paths: str, seen: list[Progress] | None = None) -> dict[str, Snapshot]:
    """Final snapshots by path below the root."""
    progress = (lambda state: None) if seen is None else seen.append
    found = [snapshot async for snapshot in bench.engine.check(paths, progress)]
    return {Path(snapshot.path).relative_to(bench.root).as_posix(): snapshot for snapshot in found}


async def test_a_folder_is_everything_in_it_but_what_is_excluded(bench: Bench) -> None:
    bench.path("pyproject.toml", '[tool.fx-lsp]\nexclude = ["old/**"]\n')
    for name, text in (("a.py", MODEL), ("pkg/b.py", OTHER), ("old/c.py", MODEL)):
        bench.path(name, text)
    seen: list[Progress] = []
    found = await checked(bench, str(bench.root), seen=seen)
    assert list(found) == ["a.py", "pkg/b.py"]
    assert {name: len(snapshot.traces) for name, snapshot in found.items()} == {"a.py": 1, "pkg/b.py": 1}
    assert [(state.done, state.known) for state in seen] == [(1, 2), (2, 2)]
    assert not any(snapshot.pending or snapshot.stale for snapshot in found.values())


async def test_a_file_reached_only_from_another_ones_example_is_reported_too(bench: Bench) -> None:
    user, helper = bench.path("a.py", MODEL), bench.path("helper.py", "x = 1\n")
    bench.worker.reads = {user: [helper]}
    found = await checked(bench, helper, user)
    assert [trace.call for trace in found["helper.py"].traces] == ["Net()(f32[2, 3])"]
    assert bench.worker.calls == ["Net()(f32[2, 3])"]


async def test_an_example_written_twice_is_run_once(bench: Bench) -> None:
    twice = MODEL.replace("# fx: Net()(f32[2, 3])", "# fx: Net()(f32[2, 3])\n# fx: Net()(f32[B, 3])")
    found = await checked(bench, bench.path("a.py", twice))
    assert bench.worker.calls == ["Net()(f32[2, 3])"]
    assert len(found["a.py"].traces) == 1


async def test_the_example_written_for_a_class_is_enough_where_it_goes_through(bench: Bench) -> None:
    bench.path("pyproject.toml", "")
    path = bench.path("a.py", MODEL + OTHER[OTHER.index("# fx") :])
    value = TensorType("f32", (4, 5))
    bench.worker.uses["Other()(f32[4, 5])"] = (ModuleUse(path, "Other", (value,), value, 0),)
    bench.worker.uses["Net()(f32[2, 3])"] = (ModuleUse(path, "Net", (value,), value, 0),)
    bench.worker.failures["Net()(f32[2, 3])"] = Failure("trace", "no")
    folder = bench.engine.folder(path)
    found = await first(folder, path, "Other", Path(path).read_text(), lambda state: None)
    assert found is not None
    assert [trace.call for trace in found.traces] == bench.worker.calls == ["Other()(f32[4, 5])"]
    assert [module.name for module in found.modules] == ["Net", "Other"]
    assert await first(folder, path, "Net", Path(path).read_text(), lambda state: None) is None


async def test_files_without_a_text_are_problems_and_the_others_still_work(bench: Bench) -> None:
    (bench.root / "latin.py").write_bytes("é = 1\n".encode("latin-1"))
    bench.path("wrong.py", "def (\n")
    bench.path("a.py", MODEL)
    found = await checked(bench, str(bench.root), bench.path("missing.py"))
    assert [problem.code for problem in found["latin.py"].problems] == ["not-utf-8"]
    assert [problem.code for problem in found["missing.py"].problems] == ["unreadable"]
    assert found["wrong.py"].text == "def (\n"
    assert len(found["a.py"].traces) == 1


async def test_mistakes_in_the_configuration_come_with_its_file(bench: Bench) -> None:
    bench.path("pyproject.toml", "[tool.fx-lsp]\ntimeout = 'soon'\n")
    found = await checked(bench, bench.path("a.py", MODEL))
    assert list(found) == ["a.py", "pyproject.toml"]
    assert [problem.span.line for problem in found["pyproject.toml"].problems] == [2]


async def test_without_a_worker_there_is_one_message_and_what_the_text_says(bench: Bench) -> None:
    for name, text in (("a.py", MODEL), ("b.py", OTHER)):
        bench.path(name, text)
    for call in ("Net()(f32[2, 3])", "Other()(f32[4, 5])"):
        bench.worker.failures[call] = Failure("start", "There is no torch.")
    found = await checked(bench, str(bench.root))
    assert bench.messages == ["There is no torch."]
    assert {name: [m.name for m in snapshot.modules] for name, snapshot in found.items()} == {
        "a.py": ["Net"],
        "b.py": ["Other"],
    }


async def test_files_of_several_roots(bench: Bench) -> None:
    bench.path("sub/pyproject.toml", "")
    found = await checked(bench, bench.path("a.py", MODEL), bench.path("sub/b.py", OTHER))
    assert {request.root for request in bench.worker.requests} == {str(bench.root), str(bench.root / "sub")}
    assert all(len(snapshot.traces) == 1 for snapshot in found.values())


async def test_what_nobody_wrote_is_left_out_where_another_run_goes_through() -> None:
    path = "/w/a.py"
    tried, found = run("Net", fails=True), run("Net")
    found = replace(found, example=replace(found.example, call="Net(2)()"), call="Net(2)()")
    ran = [(trace, Ran(trace.reply, frozenset({path}), ())) for trace in (tried, found)]
    assert gathered(path, "", Plan((), (), ()), ran).traces == (found,)
    assert gathered(path, "", Plan((), (), ()), ran[:1]).traces == (tried,)
