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

from fx_lsp.model.comparison import Overlay
from fx_lsp.model.messages import MAX_REQUEST, PROTOCOL, TraceReply, TraceRequest
from fx_lsp.model.sandbox import Policy
from fx_lsp.server import pulse
from fx_lsp.server import supervisor as module
from fx_lsp.server.supervisor import Supervisor, WorkerState
from tests.e2e.processes import children, gone
from tests.policies import unprotected
from tests.worker.conversation import Held

SECONDS = 120.0
MARK = "os.write(1, b'\\0fx-lsp\\0')"
HELLO = f"{MARK}; say('hello', protocol={PROTOCOL}, python='3', torch='2', pid=os.getpid(), levels=[])"
REPLY = '{"kind":"trace_reply","id":1}'

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

    def __init__(self, folder: Path, interpreter: str = sys.executable, limits: Policy | None = None) -> None:
        self.folder = folder
        self.logged: list[str] = []
        self.phases: list[str] = []
        self._change = asyncio.Event()
        self.model = folder / "model.py"
        self.model.write_text(MODEL)
        self.loop = asyncio.Runner()
        limits = limits or unprotected(folder)
        self.supervisor = Supervisor(interpreter, limits, log=self.logged.append, changed=self.changed)

    def changed(self) -> None:
        self.phases.append(self.supervisor.state.phase)
        self._change.set()

    async def until(self, *phases: str) -> None:
        """Wait until these have been the phases of the worker, in this order and as the last ones."""
        while tuple(self.phases[-len(phases) :]) != phases:
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


STUB = """
import json, os, sys, time, threading

def say(kind, payload=b"", **fields):
    body = json.dumps({"kind": kind, **fields}).encode()
    data = memoryview(len(body).to_bytes(4, "big") + body + payload)
    while data:
        data = data[os.write(1, data):]

def answer(body, **fields):
    "To a request: with a reply."
    say("output", len(body).to_bytes(4, "big") + body, replied=True, **fields)

def hear():
    "The next request; says meanwhile that it is there."
    while True:
        size = int.from_bytes(sys.stdin.buffer.read(4), "big") or sys.exit()
        message = json.loads(sys.stdin.buffer.read(size))
        if message["kind"] != "ping":
            return message
        say("pong", id=message["id"])
"""


def stub(folder: Path, source: str, hello: bool = True) -> Desk:
    """A supervisor whose interpreter is a script that behaves as `source` says, mostly after a hello."""
    script = folder / "interpreter"
    script.write_text("\n".join([f"#!{sys.executable}", STUB, HELLO if hello else "", source]))
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
        ("everywhere", "protocol", "the result is larger than 32 MiB"),
        ("lambda: os.kill(os.getpid(), signal.SIGSTOP)", "crash", "the process of the run was stopped"),
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


LOST = ("starting", "ready", "stopped", "starting", "ready")


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (
            "lambda: (os.kill(os.getppid(), signal.SIGKILL), loop())",
            "The worker process ended unexpectedly (signal 9).",
        ),
        ("lambda: (os.kill(os.getppid(), signal.SIGSTOP), loop())", pulse.STOPPED),
    ],
)
def test_worker_ended_by_a_run(own: Desk, harm: str, message: str) -> None:
    async def during() -> tuple[TraceReply, list[int]]:
        await own.supervisor.start()
        processes = [own.pid(), *children(own.pid())]
        reply = await own.supervisor.trace(own.request(harm))
        await own.until(*LOST)
        await gone(processes)
        return reply, processes

    reply, _ = own.run(during())
    assert reply.failure is not None
    assert (reply.failure.stage, reply.failure.message) == ("worker", message)
    own.works()


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGSTOP, signal.SIGSEGV])
def test_worker_that_ends_idle_is_started_again(own: Desk, end: signal.Signals) -> None:
    async def end_it() -> None:
        await own.supervisor.start()
        processes = [own.pid(), *children(own.pid())]
        os.kill(own.pid(), end)
        await own.until(*LOST)
        await gone(processes)

    own.run(end_it())
    own.works()


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("time.sleep(1e6)", pulse.HUNG),
        ("while True: pass", pulse.HUNG),
        ("os.close(1); time.sleep(1e6)", "The worker process ended unexpectedly (signal 9)."),
        ("sys.stdin.close(); os.close(0); time.sleep(1e6)", "The worker process ended unexpectedly (signal 9)."),
        ("os.kill(os.getpid(), 19)", pulse.STOPPED),
    ],
)
@pytest.mark.parametrize("wrapped", [False, True], ids=["direct", "wrapped"])
def test_worker_of_no_use(tmp_path: Path, source: str, message: str, wrapped: bool) -> None:
    """Also where the interpreter is a script that has started the real one."""
    wrapper = "if os.fork(): os.close(0); os.close(1); os.wait(); sys.exit(1)" if wrapped else ""
    desk = stub(tmp_path, f"{wrapper}\n{HELLO}\nhear()\n{source}", hello=False)
    failure = desk.trace().failure
    assert failure is not None
    assert (failure.stage, failure.message) == ("worker", message)
    desk.close()


def test_worker_that_works_for_long_without_an_answer(tmp_path: Path) -> None:
    """Busy, and then asleep for moments: neither is a reason to end it."""
    busy = "end = time.process_time() + 1.5\nwhile time.process_time() < end: pass"
    asleep = "for _ in range(30): time.sleep(0.05); sum(range(200_000))"
    desk = stub(tmp_path, f"n = hear()['id']\n{busy}\n{asleep}\nanswer(b'{REPLY}', id=n)\nhear()")
    assert desk.trace().failure is None
    assert desk.phases == ["starting", "ready"]
    desk.close()


def test_worker_that_ends_again_and_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    starts = tmp_path / "starts"
    monkeypatch.setattr(module, "LONGEST_PAUSE", 0.01)
    desk = stub(tmp_path, f"open({str(starts)!r}, 'a').write('x')\nsys.exit(1)")
    life = ("starting", "ready", "stopped")

    async def until_nobody_tries() -> None:
        await desk.supervisor.start()
        await desk.until(*life * (1 + module.EAGER))

    desk.run(until_nobody_tries())
    assert desk.supervisor.state.message == "The worker process ended unexpectedly (exit status 1)."
    desk.close()
    assert starts.read_text() == "x" * (1 + module.EAGER)


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
    limits = unprotected(tmp_path)
    desk.supervisor = Supervisor(str(tmp_path / "interpreter"), limits, log=desk.logged.append, changed=desk.changed)
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
    desk = stub(tmp_path, f"{MARK}; say('start_failed', {fields}); sys.exit(1)", hello=False)
    assert failed_start(desk) == "There is no torch in it: install it."


def test_death_at_every_start(tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    desk = stub(tmp_path, f"open({str(starts)!r}, 'a').write('x'); sys.exit('no libc here')", hello=False)
    assert failed_start(desk) == f"{tmp_path}/interpreter ended before it was ready: no libc here"
    assert starts.read_text() == "xxx"


def test_another_start_after_a_failure(tmp_path: Path) -> None:
    desk = stub(tmp_path, f"{MARK}; say('start_failed', protocol={PROTOCOL}, message='no'); sys.exit(1)", hello=False)
    desk.run(desk.supervisor.start())
    desk.close()
    desk = stub(tmp_path, "hear()")
    desk.run(desk.supervisor.start())
    assert desk.supervisor.state.phase == "ready"
    desk.close()


def test_other_protocol(tmp_path: Path) -> None:
    hello = HELLO.replace(f"protocol={PROTOCOL}", "protocol=99")
    desk = stub(tmp_path, f"{hello}; hear()", hello=False)
    assert failed_start(desk) == f"The worker speaks protocol 99 and this server {PROTOCOL}: reinstall fx-lsp."


def test_no_hello(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "START_SECONDS", 0.2)
    desk = stub(tmp_path, "hear()", hello=False)
    assert failed_start(desk) == f"{tmp_path}/interpreter did not get ready within 0.2 s."


def test_no_token_reaches_the_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "secret")
    hello = HELLO.replace("'2'", "os.environ.get('HF_TOKEN', 'none')")
    desk = stub(tmp_path, f"{hello}; hear()", hello=False)
    desk.run(desk.supervisor.start())
    assert desk.supervisor.state.torch == "none"
    desk.close()


def test_noise_before_the_hello(tmp_path: Path) -> None:
    desk = stub(tmp_path, f"print('Activating environment', flush=True); {HELLO}; hear()", hello=False)
    desk.run(desk.supervisor.start())
    assert desk.supervisor.state.phase == "ready"
    assert "worker: Activating environment" in desk.logged
    desk.close()


@pytest.mark.parametrize("noise", ["os.write(1, b'x' * (1 << 20))", "os.write(1, b'{}\\n'); sys.exit()"])
def test_noise_without_end(tmp_path: Path, noise: str) -> None:
    desk = stub(tmp_path, noise, hello=False)
    assert failed_start(desk) == f"{tmp_path}/interpreter ended before it was ready: no message"


@pytest.mark.parametrize(
    ("answer", "stage", "message"),
    [
        ("answer(b'{}', id=n)", "protocol", "the run gave an answer that cannot be read"),
        ("answer(b'['*100000, id=n)", "protocol", "the run gave an answer that cannot be read"),
        ("answer(b'', id=n)", "protocol", "the run gave an answer that cannot be read"),
        (
            """answer(b'{"kind":"cancel","id":1}', id=n)""",
            "protocol",
            "the run gave an answer that cannot be read: a c",
        ),
        ("""answer(b'{"kind":"trace_reply","id":1,"ms":"fast"}', id=n)""", "protocol", "the run gave an answer that"),
        ("""answer(b'{"kind":"trace_reply","id":1,"ms":NaN}', id=n)""", "protocol", "the run gave an answer that"),
        ("say('output', id=n, reason='oversized')", "protocol", "the result is larger than 32 MiB"),
        ("say('output', id=n, reason='printed')", "protocol", "the run printed more than 4 MiB"),
        ("say('output', id=n, reason='timeout')", "timeout", "did not finish within 30 s"),
        ("say('output', id=n, reason='stopped')", "crash", "the process of the run was stopped"),
        ("say('output', id=n, status=11)", "crash", "the process of the run was ended by SIGSEGV"),
        ("say('output', id=n, status=64 + 9)", "crash", "the process of the run was ended by signal 73"),
    ],
)
def test_answer_that_is_none(tmp_path: Path, answer: str, stage: str, message: str) -> None:
    desk = stub(tmp_path, f"n = hear()['id']; {answer}; hear()")
    failure = desk.trace().failure
    assert failure is not None
    assert failure.stage == stage
    assert failure.message.startswith(message)
    desk.close()


def test_id_of_an_answer_is_ours(tmp_path: Path) -> None:
    reply = '{"kind":"trace_reply","id":999}'
    desk = stub(tmp_path, f"answer(b'{reply}', id=hear()['id'], log='said'); hear()")
    assert desk.trace() == TraceReply(id=1, log="said")
    desk.close()


def test_answer_to_nothing_that_was_asked(tmp_path: Path) -> None:
    desk = stub(tmp_path, f"n = hear()['id']; say('output', id=77); answer(b'{REPLY}', id=n); hear()")
    assert desk.trace() == TraceReply(id=1)
    desk.close()


def test_large_answer(tmp_path: Path) -> None:
    reply = "json.dumps({'kind': 'trace_reply', 'id': 1, 'log': 'x' * 60_000, 'devices': ['cpu'] * 500_000})"
    desk = stub(tmp_path, f"answer({reply}.encode(), id=hear()['id']); hear()")
    assert len(desk.trace().log) == 60_000
    desk.close()


@pytest.mark.parametrize(
    "words",
    [
        "os.write(1, b'x' * 4096)",
        "os.write(1, b'\\0\\0\\0\\2[]')",
        f"{HELLO}",
        "say('pong', id='x')",
        "say('output', id=1, replied=True); os.write(1, b'\\xff' * 4)",
    ],
)
def test_words_that_are_none_of_ours(tmp_path: Path, words: str) -> None:
    desk = stub(tmp_path, f"hear()\nwhile True: {words}")
    failure = desk.trace().failure
    assert failure is not None
    assert failure.stage == "worker"  # killed, unless it met the closed pipe first
    assert failure.message.startswith("The worker process ended unexpectedly")
    desk.close()


def test_death_tells_the_last_words(tmp_path: Path) -> None:
    desk = stub(tmp_path, "hear(); sys.exit('Fatal Python error')")
    failure = desk.trace().failure
    assert failure is not None
    assert (failure.stage, failure.message) == ("worker", "The worker process ended unexpectedly (exit status 1).")
    assert failure.detail == "Fatal Python error\n"
    assert "worker: Fatal Python error" in desk.logged
    desk.close()
