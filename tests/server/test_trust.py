"""What the engine runs of whom, and when a worker is replaced because it may do too little or too much."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.model.comparison import COMPARISON
from fx_lsp.server.settings import Settings
from fx_lsp.server.trust import Standing, Trust
from fx_lsp.server.user_config import UserFile, set_trust
from tests.server.workers import MODEL, Bench

pytestmark = pytest.mark.asyncio


@pytest.fixture
def user(tmp_path: Path) -> UserFile:
    """The configuration of a user who has none yet."""
    return UserFile(str(tmp_path / "config.toml"))


@pytest_asyncio.fixture
async def stranger(tmp_path: Path, user: UserFile) -> AsyncIterator[Bench]:
    """A root that nobody said anything of."""
    (tmp_path / "root").mkdir()
    bench = Bench(tmp_path / "root", trust=Trust(user))
    yield bench
    await bench.engine.stop()


async def opened(bench: Bench, name: str = "a.py", text: str = MODEL) -> Snapshot:
    """What is known of a file when nothing is pending."""
    path = bench.path(name, text)
    bench.engine.update(path, text)
    await bench.idle()
    snapshot = bench.engine.snapshot(path)
    assert snapshot is not None
    return snapshot


async def test_the_word_comes_before_the_configuration(tmp_path: Path, user: UserFile) -> None:
    root = str(tmp_path)
    assert Trust(user).of(root) is Standing.UNTRUSTED
    assert Trust(user, otherwise=Standing.GUARDED).of(root) is Standing.GUARDED
    set_trust(user.path, root, True)
    assert Trust(user).of(root) is Standing.TRUSTED
    assert Trust(user, word=False).of(root) is Standing.UNTRUSTED
    set_trust(user.path, root, False)
    assert Trust(user, word=True).of(root) is Standing.TRUSTED


async def test_what_cannot_be_written_down_holds_for_the_session(tmp_path: Path) -> None:
    trust = Trust(UserFile("/dev/null/config.toml"))
    with pytest.raises(OSError, match=r"Not a directory"):
        trust.grant(str(tmp_path))
    assert trust.of(str(tmp_path)) is Standing.TRUSTED


async def test_of_a_stranger_nothing_is_started(stranger: Bench) -> None:
    snapshot = await opened(stranger)
    assert (stranger.worker.policies, stranger.worker.calls) == ([], [])
    assert [module.name for module in snapshot.modules] == ["Net"]
    (trace,) = snapshot.traces
    assert trace.reply.failure is not None
    assert "`fx-lsp trust`" in trace.reply.failure.message
    assert stranger.engine.folders[0].standing is Standing.UNTRUSTED


async def test_trust_that_is_granted_later_is_noticed(stranger: Bench, user: UserFile) -> None:
    await opened(stranger)
    set_trust(user.path, str(stranger.root), True)
    stranger.engine.save(stranger.path("a.py"))
    await stranger.idle()
    assert stranger.worker.calls == ["Net()(f32[2, 3])"]


async def test_trust_that_is_taken_back_ends_the_worker(bench: Bench) -> None:
    await opened(bench)
    bench.trust.word = False
    bench.engine.reconsider()
    await bench.idle()
    assert bench.worker.closed == 1
    assert (await opened(bench, "b.py", MODEL.replace("2, 3", "4, 3"))).traces[0].reply.failure is not None
    assert bench.worker.calls == ["Net()(f32[2, 3])"]


async def test_running_that_is_switched_off_is_no_matter_of_trust(stranger: Bench) -> None:
    stranger.trust.word = True
    stranger.engine.configure(Settings(run=False))
    snapshot = await opened(stranger)
    assert snapshot.traces[0].reply.failure is not None
    assert snapshot.traces[0].reply.failure.message == "running is switched off"
    assert stranger.worker.policies == []


async def test_a_guarded_root_does_not_get_what_it_asks_for(tmp_path: Path, user: UserFile) -> None:
    bench = Bench(tmp_path, trust=Trust(user, otherwise=Standing.GUARDED))
    config = bench.path(
        "pyproject.toml", "[tool.fx-lsp]\ntimeout = 500\nmemory = '1MiB'\nread = ['/']\ndims = { B = 3 }\n"
    )
    await opened(bench)
    (policy,) = bench.worker.policies
    assert (policy.seconds, policy.memory) == (COMPARISON * 20.0, 1 << 20)
    assert "/" not in (*policy.read, *policy.names)
    folder = bench.engine.folders[0]
    assert folder.config.restricted == ("timeout", "read")
    assert [(problem.span.path, problem.span.line, problem.severity) for problem in folder.problems] == [
        (config, 2, "information"),
        (config, 4, "information"),
    ]
    await bench.engine.stop()


async def test_a_worker_is_warmed_for_a_file_that_looks_like_torch(bench: Bench) -> None:
    await opened(bench, "plain.py", "x = 1\n")
    assert bench.worker.policies == []
    await opened(bench, "soon.py", "import torch\n")
    assert len(bench.worker.policies) == 1
    assert bench.worker.calls == []


async def test_a_folder_that_appears_in_a_split_root_gets_another_worker(bench: Bench) -> None:
    bench.path(".env", "KEY=1")
    await opened(bench)
    assert str(bench.root) in bench.worker.policies[0].names
    bench.path("layers/norm.py", "")
    bench.engine.disk_changed([bench.path("layers/norm.py")], listed=True)
    await bench.idle()
    assert len(bench.worker.policies) == 2
    assert str(bench.root / "layers") in bench.worker.policies[1].read
    assert bench.worker.closed == 1


async def test_a_source_that_appears_in_a_split_root_is_laid_over(bench: Bench) -> None:
    bench.path(".env", "KEY=1")
    await opened(bench)
    bench.path("helper.py", "SIZE = 3\n")
    await opened(bench, text=MODEL.replace("import torch\n", "import torch\nimport helper\n"))
    assert len(bench.worker.policies) == 1
    last = bench.worker.requests[-1]
    assert {overlay.path: overlay.text for overlay in last.overlays}[bench.path("helper.py")] == "SIZE = 3\n"


async def test_more_time_than_a_worker_was_started_for_is_another_worker(bench: Bench) -> None:
    config = bench.path("pyproject.toml", "")
    await opened(bench)
    bench.path("pyproject.toml", "[tool.fx-lsp]\ntimeout = 3\n")
    bench.engine.disk_changed([config], listed=False)
    await bench.idle()
    assert len(bench.worker.policies) == 1
    bench.path("pyproject.toml", "[tool.fx-lsp]\ntimeout = 90\n")
    bench.engine.disk_changed([config], listed=False)
    await bench.idle()
    assert [policy.seconds for policy in bench.worker.policies] == [COMPARISON * 20.0, COMPARISON * 90.0]
    assert [request.seconds for request in bench.worker.requests] == [20.0, 3.0, 90.0]
