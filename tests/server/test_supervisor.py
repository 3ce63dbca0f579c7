"""Real workers, real models that misbehave: each trace is answered, and the next one works."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from fx_lsp.model.messages import MAX_REQUEST, PROTOCOL, Overlay, TraceReply, TraceRequest
from fx_lsp.server import supervisor as module
from fx_lsp.server import worker_process
from fx_lsp.server.supervisor import Supervisor, WorkerState
from tests.worker.conversation import Held

SECONDS = 120.0
HELLO = f"say('hello', protocol={PROTOCOL}, python='3', torch='2', pid=os.getpid(), levels=[])"

MODEL = """
import ctypes, os, signal, sys, threading
import torch
from torch import nn

print("imported")

class Net(nn.Module):
    def __init__(self, harm=lambda: None):
        super().__init__()
        self.harm = harm
        self.fc = nn.Linear(3, 4)

    def forward(self, x):
        y = self.fc(x)
        self.harm()
        z = y.relu()
        return z

def loop():
    while True:
        pass

def deaf():
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))
    loop()

def loud():
    os.write(1, b"by number\\n")
    os.system("echo by shell")

def everywhere():
    for fd in range(256):
        try:
            os.write(fd, b"{garbage\\n")
        except OSError:
            continue

def hold(path):
    os.write(os.open(path, os.O_WRONLY), b"!")
    deaf()

def orphan():
    if os.fork() == 0:
        threading.Event().wait()
"""


class Desk:
    """A supervisor, its event loop, and what it said."""

    def __init__(self, folder: Path, interpreter: str = sys.executable, arguments: tuple[str, ...] = ()) -> None:
        self.folder = folder
        self.logged: list[str] = []
        self.phases: list[str] = []
        self._change = asyncio.Event()
        self.model = folder / "model.py"
        self.model.write_text(MODEL)
        self.loop = asyncio.Runner()
        self.supervisor = Supervisor(interpreter, log=self.logged.append, changed=self.changed, arguments=arguments)

    def changed(self) -> None:
        self.phases.append(self.supervisor.state.phase)
        self._change.set()

    async def until(self, phase: str) -> None:
        """Wait for the worker to be in that phase."""
        while self.supervisor.state.phase != phase:
            self._change.clear()
            await self._change.wait()

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self.loop.run(asyncio.wait_for(work, SECONDS))

    def request(self, harm: str = "", seconds: float = 30.0, **more: Any) -> TraceRequest:
        return TraceRequest(0, str(self.folder), str(self.model), f"Net({harm})(f32[2, 3])", seconds=seconds, **more)

    def trace(self, harm: str = "", seconds: float = 30.0, **more: Any) -> TraceReply:
        return self.run(self.supervisor.trace(self.request(harm, seconds, **more)))

    def works(self) -> None:
        """The next trace is right."""
        reply = self.trace()
        assert reply.failure is None, reply.failure
        assert [binding.name for binding in reply.bindings] == ["x", "y", "z", "return"]

    def holding(self, held: Held) -> asyncio.Task[TraceReply]:
        """A run that goes on until it is killed."""
        harm = f"lambda: hold({str(held.path)!r})"
        return asyncio.create_task(self.supervisor.trace(self.request(harm, seconds=1e6)))

    def pid(self) -> int:
        """Of the worker."""
        found = [int(text.split()[-1]) for text in self.logged if text.startswith("worker ready")]
        return found[-1]

    def close(self) -> None:
        self.run(self.supervisor.close())
        self.loop.close()


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    desk = Desk(tmp_path_factory.mktemp("workspace"))
    yield desk
    desk.close()


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Desk]:
    """A worker for tests that end it."""
    desk = Desk(tmp_path)
    yield desk
    desk.close()


def stub(folder: Path, source: str, hello: bool = True) -> Desk:
    """A supervisor whose interpreter is a script that behaves as `source` says, mostly after a hello."""
    script = folder / "interpreter"
    lines = [
        f"#!{sys.executable}",
        "import json, os, sys, time, threading",
        "def say(kind, **fields): print(json.dumps({'kind': kind, **fields}), flush=True)",
        "def hear(): return json.loads(input())",
        HELLO if hello else "",
        source,
    ]
    script.write_text("\n".join(lines))
    script.chmod(0o755)
    return Desk(folder, str(script))


def test_trace(desk: Desk) -> None:
    reply = desk.trace("loud")
    assert reply.failure is None
    assert [binding.name for binding in reply.bindings] == ["x", "y", "z", "return"]
    assert reply.log == "imported\nby number\nby shell\n"
    state = desk.supervisor.state
    assert (state.phase, state.message) == ("ready", "")
    assert state.torch.startswith("2.")
    assert desk.phases == ["starting", "ready"]


def test_unsaved_buffer(desk: Desk) -> None:
    overlay = Overlay(str(desk.model), MODEL.replace("z =", "renamed =").replace("return z", "return renamed"))
    reply = desk.trace(overlays=(overlay,))
    assert [binding.name for binding in reply.bindings] == ["x", "y", "renamed", "return"]


@pytest.mark.parametrize(
    ("harm", "stage", "message"),
    [
        ("sys.exit", "trace", "the code calls sys.exit()"),
        ("lambda: os._exit(3)", "crash", "the process of the run ended without an answer (exit status 3)"),
        (
            "lambda: os.kill(os.getpid(), 9)",
            "crash",
            "the process of the run was ended by SIGKILL, perhaps because it used too much memory",
        ),
        ("lambda: ctypes.string_at(0)", "crash", "the process of the run was ended by SIGSEGV"),
        ("lambda: os.closerange(0, 256)", "crash", "the process of the run ended without an answer (exit status 0)"),
        ("everywhere", "protocol", "the run gave an answer that cannot be read: not JSON"),
    ],
)
def test_harm(desk: Desk, harm: str, stage: str, message: str) -> None:
    failure = desk.trace(harm).failure
    assert failure is not None
    assert failure.stage == stage
    assert failure.message.startswith(message)
    desk.works()


def test_endless_run_says_where(desk: Desk) -> None:
    reply = desk.trace("loop", seconds=1.0)
    assert reply.failure is not None
    assert reply.failure.stage == "timeout"
    assert "y" in [binding.name for binding in reply.bindings]
    desk.works()


def test_endless_run_that_hears_nothing(desk: Desk) -> None:
    reply = desk.trace("deaf", seconds=1.0)
    assert reply.failure is not None
    assert (reply.failure.stage, reply.failure.message) == ("timeout", "did not finish within 1 s")
    assert not reply.failure.proven
    assert reply.log == "imported\n"
    desk.works()


def test_process_that_keeps_the_pipes_open(desk: Desk) -> None:
    assert desk.trace("orphan").failure is None
    desk.works()


def test_many_at_once(desk: Desk) -> None:
    async def all_of_them() -> list[TraceReply]:
        harms = ["", "lambda: os._exit(3)", "loud", "sys.exit"] * 3
        return await asyncio.gather(*(desk.supervisor.trace(desk.request(harm)) for harm in harms))

    replies = desk.run(all_of_them())
    stages = [reply.failure.stage if reply.failure else "" for reply in replies]
    assert stages == ["", "crash", "", "trace"] * 3
    assert len({reply.id for reply in replies}) == len(replies)


def test_cancelled(desk: Desk, tmp_path: Path) -> None:
    async def cancel() -> list[Any]:
        held = [Held(tmp_path / name) for name in ("first", "second")]
        runs = [desk.holding(one) for one in held]
        for one in held:
            await asyncio.to_thread(one.wait_until_held)
        for run in runs:
            run.cancel()
        for one in held:
            await asyncio.to_thread(one.wait_until_free)
        return await asyncio.gather(*runs, return_exceptions=True)

    assert [type(result) for result in desk.run(cancel())] == [asyncio.CancelledError] * 2
    desk.works()


def test_request_too_large(desk: Desk) -> None:
    failure = desk.trace(overlays=(Overlay(str(desk.model), "#" * MAX_REQUEST),)).failure
    assert failure is not None
    assert (failure.stage, failure.message) == ("protocol", "the unsaved files are larger than 32 MiB")
    desk.works()


def test_worker_killed_by_a_run(own: Desk) -> None:
    failure = own.trace("lambda: (os.kill(os.getppid(), 9), loop())").failure
    assert failure is not None
    assert (failure.stage, failure.message) == ("crash", "The worker process ended unexpectedly (signal 9).")
    own.works()
    assert own.phases == ["starting", "ready", "stopped", "starting", "ready"]


def test_worker_that_hangs(own: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GRACE_SECONDS", 0.5)
    failure = own.trace("lambda: (os.kill(os.getppid(), signal.SIGSTOP), loop())", seconds=0.5).failure
    assert failure is not None
    assert (failure.stage, failure.message) == ("timeout", "The worker did not answer any more and was ended.")
    monkeypatch.undo()
    own.works()


def test_worker_that_dies_idle(own: Desk) -> None:
    async def die() -> None:
        await own.supervisor.start()
        os.kill(own.pid(), signal.SIGKILL)
        await own.until("stopped")

    own.run(die())
    assert own.supervisor.state.message == "The worker process ended unexpectedly (signal 9)."
    own.works()


def test_close_while_traces_run(own: Desk, tmp_path: Path) -> None:
    async def close() -> list[TraceReply]:
        held = Held(tmp_path / "held")
        runs = [own.holding(held), own.holding(held), asyncio.create_task(own.supervisor.trace(own.request()))]
        await asyncio.to_thread(held.wait_until_held)
        await own.supervisor.close()
        await asyncio.to_thread(held.wait_until_free)
        return await asyncio.gather(*runs)

    own.run(own.supervisor.start())
    pid = own.pid()
    replies = own.run(close())
    assert [reply.failure and reply.failure.stage for reply in replies] == ["cancelled"] * 3
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert own.supervisor.state == WorkerState()
    late = own.trace().failure
    assert late is not None
    assert late.stage == "cancelled"


def test_close_while_starting(own: Desk) -> None:
    async def close() -> None:
        start = asyncio.create_task(own.supervisor.start())
        await own.until("starting")
        await own.supervisor.close()
        await start

    own.run(close())
    assert own.phases == ["starting", "stopped"]


def test_listener_that_raises(tmp_path: Path) -> None:
    desk = stub(tmp_path, "hear()")
    desk.changed = lambda: 1 / 0
    desk.supervisor = Supervisor(str(tmp_path / "interpreter"), log=desk.logged.append, changed=desk.changed)
    desk.run(desk.supervisor.start())
    assert desk.supervisor.state.phase == "ready"
    assert any("ZeroDivisionError" in text for text in desk.logged)
    desk.close()


def failed_start(desk: Desk) -> str:
    """The state's message after a start that cannot work; a trace says the same."""
    desk.run(desk.supervisor.start())
    state = desk.supervisor.state
    assert state.phase == "failed"
    failure = desk.trace().failure
    assert failure is not None
    assert (failure.stage, failure.message, failure.proven) == ("start", state.message, False)
    assert desk.phases == ["starting", "failed"]
    desk.close()
    return state.message


def test_no_interpreter(tmp_path: Path) -> None:
    path = str(tmp_path / "python")
    assert failed_start(Desk(tmp_path, path)) == (
        f"{path} cannot be started (No such file or directory): "
        "choose another interpreter with the setting `fx-lsp.interpreter`."
    )


def test_interpreter_without_torch(tmp_path: Path) -> None:
    fields = f"protocol={PROTOCOL}, message='There is no torch in it: install it.'"
    desk = stub(tmp_path, f"say('start_failed', {fields}); sys.exit(1)", hello=False)
    assert failed_start(desk) == "There is no torch in it: install it."


def test_death_at_every_start(tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    desk = stub(tmp_path, f"open({str(starts)!r}, 'a').write('x'); sys.exit('no libc here')", hello=False)
    assert failed_start(desk) == f"{tmp_path}/interpreter ended before it was ready: no libc here"
    assert starts.read_text() == "xxx"


def test_another_start_after_a_failure(tmp_path: Path) -> None:
    desk = stub(tmp_path, f"say('start_failed', protocol={PROTOCOL}, message='no'); sys.exit(1)", hello=False)
    desk.run(desk.supervisor.start())
    desk.close()
    desk = stub(tmp_path, "hear()")
    desk.run(desk.supervisor.start())
    assert desk.supervisor.state.phase == "ready"
    desk.close()


def test_other_protocol(tmp_path: Path) -> None:
    desk = stub(tmp_path, "say('hello', protocol=99, python='3', torch='2', pid=1, levels=[]); hear()", hello=False)
    assert failed_start(desk) == f"The worker speaks protocol 99 and this server {PROTOCOL}: reinstall fx-lsp."


def test_no_hello(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "START_SECONDS", 0.2)
    desk = stub(tmp_path, "hear()", hello=False)
    assert failed_start(desk) == f"{tmp_path}/interpreter did not get ready within 0.2 s."


def test_no_token_reaches_the_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "secret")
    desk = stub(tmp_path, HELLO.replace("'2'", "os.environ.get('HF_TOKEN', 'none')") + "; hear()", hello=False)
    desk.run(desk.supervisor.start())
    assert desk.supervisor.state.torch == "none"
    desk.close()


def test_noise_before_the_hello(tmp_path: Path) -> None:
    desk = stub(tmp_path, "print('Activating environment'); " + HELLO + "; hear()", hello=False)
    desk.run(desk.supervisor.start())
    assert desk.supervisor.state.phase == "ready"
    assert "worker: Activating environment" in desk.logged
    desk.close()


@pytest.mark.parametrize(
    ("answer", "stage", "message"),
    [
        ("line='{}'", "protocol", "the run gave an answer that cannot be read"),
        ("line='['*100000", "protocol", "the run gave an answer that cannot be read"),
        ('line=\'{"kind":"cancel","id":1}\'', "protocol", "the run gave a cancel for an answer"),
        ('line=\'{"kind":"trace_reply","id":1,"ms":"fast"}\'', "protocol", "the run gave an answer that"),
        ("line='', reason='oversized'", "protocol", "the result is larger than 32 MiB"),
        ("line='', reason='timeout'", "timeout", "did not finish within 30 s"),
        ("line='', status=11", "crash", "the process of the run was ended by SIGSEGV"),
        ("line='', status=64 + 9", "crash", "the process of the run was ended by signal 73"),
    ],
)
def test_answer_that_is_none(tmp_path: Path, answer: str, stage: str, message: str) -> None:
    desk = stub(tmp_path, f"say('output', id=hear()['id'], log='said', {answer}); hear()")
    failure = desk.trace().failure
    assert failure is not None
    assert failure.stage == stage
    assert failure.message.startswith(message)
    desk.close()


def test_id_of_an_answer_is_ours(tmp_path: Path) -> None:
    line = '{"kind":"trace_reply","id":999}'
    desk = stub(tmp_path, f"say('output', id=hear()['id'], line='{line}', log='said'); hear()")
    reply = desk.trace()
    assert reply == TraceReply(id=1, log="said")
    desk.close()


def test_lines_that_are_none_of_ours(tmp_path: Path) -> None:
    line = '{"kind":"trace_reply","id":1}'
    hello = f"say('hello', protocol={PROTOCOL}, python='', torch='', pid=0, levels=[])"
    noise = f"print('garbage'); {hello}; say('output', id=77, line='')"
    desk = stub(tmp_path, f"n = hear()['id']; {noise}; say('output', id=n, line='{line}'); hear()")
    assert desk.trace() == TraceReply(id=1)
    desk.close()


def test_large_answer_is_read_in_a_thread(tmp_path: Path) -> None:
    source = "say('output', id=hear()['id'], line=json.dumps({'kind': 'trace_reply', 'id': 1, 'log': 'x' * 3000000}))"
    desk = stub(tmp_path, f"{source}; hear()")
    assert len(desk.trace().log) == 3_000_000
    desk.close()


def test_endless_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_process, "MAX_OUTPUT", 1 << 16)
    desk = stub(tmp_path, "hear()\nwhile True: sys.stdout.write('x' * 4096)")
    failure = desk.trace().failure
    assert failure is not None
    assert failure.stage == "crash"  # killed, unless it met the closed pipe first
    assert failure.message.startswith("The worker process ended unexpectedly")
    desk.close()


def test_death_tells_the_last_words(tmp_path: Path) -> None:
    desk = stub(tmp_path, "hear(); sys.exit('Fatal Python error')")
    failure = desk.trace().failure
    assert failure is not None
    assert (failure.stage, failure.message) == ("crash", "The worker process ended unexpectedly (exit status 1).")
    assert failure.detail == "Fatal Python error\n"
    assert "worker: Fatal Python error" in desk.logged
    desk.close()
