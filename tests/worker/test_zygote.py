"""Whatever a run does to itself, to its descriptors or to other processes: it is answered, and the next one works.

The runs are real processes; torch is not needed for what is tested here, so a stand-in for the worker runs them.  Most
of them run with all layers of the sandbox off: what is tested here holds without them.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fx_lsp.model import wire
from fx_lsp.model.messages import (
    MAX_REPLY,
    MAX_REQUEST,
    Cancel,
    Hello,
    Ping,
    Pong,
    TraceReply,
    TraceRequest,
)
from tests.policies import policy, unprotected

from .conversation import Answer, Conversation, Held, confined

ROOT = Path(__file__).parents[2]
STAND_IN = (sys.executable, str(Path(__file__).with_name("stand_in.py")))
FOREVER = "\nimport threading\nthreading.Event().wait()"

numbers = itertools.count(1)


def open_worker(mode: str, folder: Path, **environment: str) -> Conversation:
    limits = wire.encode(unprotected(folder)).decode()
    worker = Conversation((*STAND_IN, mode, "--policy", limits), {"PYTHONPATH": str(ROOT), **environment})
    assert isinstance(worker.receive(), Hello)
    return worker


@pytest.fixture(scope="module", params=["fork", "spawn"])
def worker(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Conversation]:
    with open_worker(request.param, tmp_path_factory.mktemp("worker")) as worker:
        yield worker
        assert worker.hang_up() == 0


@pytest.fixture
def zygote(tmp_path: Path) -> Iterator[Conversation]:
    with open_worker("fork", tmp_path) as worker:
        yield worker


@pytest.fixture(params=["fork", "spawn"])
def held_to_policy(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Conversation]:
    """With all layers, started as the server does it."""
    command = confined(policy(tmp_path, memory=1 << 30), *STAND_IN, request.param)
    with Conversation(command, {"PYTHONPATH": str(ROOT)}) as worker:
        assert isinstance(worker.receive(), Hello)
        yield worker
        assert worker.hang_up() == 0


def request(setup: str = "", call: str = "1 + 1", seconds: float = 30.0, memory: int = 1 << 30) -> TraceRequest:
    return TraceRequest(next(numbers), str(ROOT), "/no/such/model.py", call, setup, seconds=seconds, memory=memory)


def ask(worker: Conversation, asked: TraceRequest) -> Answer:
    worker.send(asked)
    answer = worker.answer()
    assert answer.output.id == asked.id
    return answer


def run(worker: Conversation, setup: str = "", call: str = "1 + 1", seconds: float = 30.0) -> Answer:
    return ask(worker, request(setup, call, seconds))


def replied(answer: Answer) -> TraceReply:
    assert answer.reply is not None, answer.output
    reply = wire.decode(answer.reply)
    assert isinstance(reply, TraceReply)
    return reply


def value(answer: Answer) -> str:
    reply = replied(answer)
    assert reply.failure is None, reply.failure
    return reply.fallback


def ended(answer: Answer) -> tuple[bytes | None, str]:
    """Its reply, which is none, and why."""
    return answer.reply, answer.output.reason


def test_answer(worker: Conversation) -> None:
    asked = request(call="6 * 7")
    answer = ask(worker, asked)
    assert value(answer) == "42"
    assert replied(answer).id == asked.id
    assert (answer.output.reason, answer.output.log) == ("", "")


def test_prints_go_to_the_log(worker: Conversation) -> None:
    answer = run(worker, "print('py'); os.write(1, b'fd 1\\n'); print('err', file=sys.stderr); os.system('echo shell')")
    assert value(answer) == "2"
    assert answer.output.log.splitlines() == ["py", "fd 1", "err", "shell"]


def test_only_the_end_of_a_long_log_is_kept(worker: Conversation) -> None:
    answer = run(worker, "for i in range(300_000): os.write(1, b'%d\\n' % i)")
    assert value(answer) == "2"
    assert len(answer.output.log) == 64 << 10
    assert answer.output.log.endswith("299998\n299999\n")


def test_a_run_that_prints_without_end(worker: Conversation) -> None:
    assert ended(run(worker, "while True: os.write(1, b'again\\n' * 1000)")) == (None, "printed")
    assert value(run(worker)) == "2"


@pytest.mark.parametrize("code", ["sys.exit(3)", "raise KeyboardInterrupt", "raise MemoryError", "1 / 0"])
def test_exception_is_a_failure(worker: Conversation, code: str) -> None:
    failure = replied(run(worker, code)).failure
    assert failure is not None
    assert failure.stage == "trace"
    assert failure.error in {"SystemExit", "KeyboardInterrupt", "MemoryError", "ZeroDivisionError"}
    assert failure.error in failure.detail


@pytest.mark.parametrize(
    ("code", "ending"),
    [
        ("os._exit(3)", 3),
        ("os.kill(os.getpid(), 9)", -9),
        ("import ctypes; ctypes.string_at(0)", -signal.SIGSEGV),
        ("os.abort()", -signal.SIGABRT),
    ],
)
def test_end_without_an_answer(worker: Conversation, code: str, ending: int) -> None:
    answer = run(worker, f"print('last words')\n{code}")
    assert ended(answer) == (None, "")
    assert os.waitstatus_to_exitcode(answer.output.status) == ending
    assert answer.output.log.startswith("last words\n")
    assert value(run(worker)) == "2"


@pytest.mark.parametrize("code", ["while True: pass", "signal.signal(signal.SIGTERM, signal.SIG_IGN)" + FOREVER])
def test_timeout(worker: Conversation, code: str) -> None:
    answer = run(worker, f"print('so far')\nimport signal\n{code}", seconds=0.5)
    assert ended(answer) == (None, "timeout")
    assert answer.output.log == "so far\n"
    assert value(run(worker)) == "2"


def test_cancel(worker: Conversation, tmp_path: Path) -> None:
    held = Held(tmp_path / "held")
    endless = request(held.hold() + FOREVER)
    worker.send(endless)
    held.wait_until_held()
    worker.send(Cancel(endless.id + 1_000_000))  # unknown, or long over: nothing happens
    assert value(run(worker)) == "2"  # a run that goes on keeps no other waiting
    worker.send(Cancel(endless.id))
    answer = worker.answer()
    assert (answer.output.id, *ended(answer)) == (endless.id, None, "cancelled")
    held.wait_until_free()


def test_closed_descriptors(worker: Conversation) -> None:
    assert ended(run(worker, "os.closerange(0, 256)")) == (None, "")
    assert value(run(worker)) == "2"


@pytest.mark.parametrize("garbage", [b"{garbage\xff}\n", b"\0\0\0\2{}", b"\xff\xff\xff\xff", b"\0\0\0\0"])
def test_garbage_on_every_descriptor(worker: Conversation, garbage: bytes) -> None:
    code = f"""
for fd in range(256):
    try:
        os.write(fd, {garbage!r})
    except OSError:
        continue
"""
    answer = run(worker, code)
    if answer.reply is None:
        assert answer.output.reason == "oversized"
    else:
        with pytest.raises(wire.WireError):
            wire.decode(answer.reply)
    assert value(run(worker)) == "2"


def test_too_large(worker: Conversation) -> None:
    assert ended(run(worker, call=f"'x' * {MAX_REPLY}")) == (None, "oversized")
    assert value(run(worker)) == "2"


def test_large_enough(worker: Conversation) -> None:
    assert value(run(worker, call="'\"' * (10 << 20)")) == '"' * (10 << 20)


def test_a_large_request(worker: Conversation) -> None:
    assert value(run(worker, call=f"len({'x' * (4 << 20)!r})")) == str(4 << 20)


def test_ping(worker: Conversation) -> None:
    worker.send(Ping(5))
    assert worker.receive() == Pong(5)


@pytest.mark.parametrize("escape", ["pass", "os.setpgid(0, 0)", "os.setsid()"])
def test_process_left_behind(zygote: Conversation, tmp_path: Path, escape: str) -> None:
    held = Held(tmp_path / "held")
    code = f"""
said, say = os.pipe()
if os.fork() == 0:  # it keeps the pipes of the run open
    {escape}
    {held.hold()}
    os.write(say, b"!")
    import threading
    threading.Event().wait()
os.read(said, 1)
"""
    assert value(run(zygote, code)) == "2"
    held.wait_until_free()
    assert value(run(zygote)) == "2"


@pytest.mark.parametrize(
    "remains", ["threading.Thread(target=threading.Event().wait).start()", "atexit.register(wait)"]
)
def test_nothing_runs_after_the_reply(worker: Conversation, tmp_path: Path, remains: str) -> None:
    held = Held(tmp_path / "held")
    code = f"import atexit, threading\nwait = threading.Event().wait\n{held.hold()}\n{remains}"
    assert value(run(worker, code)) == "2"
    held.wait_until_free()


def test_a_run_that_stops(zygote: Conversation) -> None:
    answer = run(zygote, "import signal\nprint('so far')\nos.kill(os.getpid(), signal.SIGSTOP)")
    assert ended(answer) == (None, "stopped")
    assert answer.output.log == "so far\n"
    assert value(run(zygote)) == "2"


def test_server_gone(zygote: Conversation, tmp_path: Path) -> None:
    held = Held(tmp_path / "held")
    zygote.send(request(held.hold() + FOREVER))
    held.wait_until_held()
    assert zygote.hang_up() == 0
    held.wait_until_free()


@pytest.mark.parametrize("stop", ["", "os.kill(os.getppid(), signal.SIGSTOP)", "os.kill(os.getpid(), signal.SIGTTIN)"])
def test_zygote_killed(zygote: Conversation, tmp_path: Path, stop: str) -> None:
    held = Held(tmp_path / "held")
    zygote.send(request(f"import signal\n{held.hold()}\n{stop}{FOREVER}"))
    held.wait_until_held()
    zygote.process.kill()
    held.wait_until_free()


def test_surroundings(held_to_policy: Conversation) -> None:
    code = """
import json, resource
def is_open(fd):
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True
limits = [resource.getrlimit(getattr(resource, "RLIMIT_" + name))[0] for name in ("CORE", "FSIZE")]
seen = {
    "descriptors": sum(map(is_open, range(256))),
    "stdin": sys.stdin.read(),
    "session": os.getsid(0) == os.getpid(),
    "limits": limits,
    "argv": sys.argv,
    "folder": os.getcwd(),
}
"""
    assert json.loads(value(run(held_to_policy, code, "json.dumps(seen)"))) == {
        "descriptors": 4,
        "stdin": "",
        "session": True,
        "limits": [0, 0],
        "argv": ["/no/such/model.py"],
        "folder": str(ROOT),
    }


def test_memory_limit(held_to_policy: Conversation) -> None:
    call = "len(bytearray(300 << 20))"
    assert value(ask(held_to_policy, request(call=call, memory=2 << 30))) == str(300 << 20)
    for memory in (200 << 20, 0, -5):
        failure = replied(ask(held_to_policy, request(call=call, memory=memory))).failure
        assert failure is not None
        assert failure.error == "MemoryError"


@pytest.mark.parametrize(
    "code", ["open('/etc/shadow')", "os.fork()", "open('x', 'w')", "__import__('socket').socket()"]
)
def test_a_run_is_held_to_the_policy(held_to_policy: Conversation, code: str) -> None:
    failure = replied(run(held_to_policy, call=code)).failure
    assert failure is not None
    assert failure.error == "PermissionError"


def test_request_that_is_none(worker: Conversation) -> None:
    for body in (b"garbage", b'{"kind":"hello"}', b"[]", b"", wire.encode(Hello(1, "", "", 0))):
        worker.send_bytes(wire.frame(body))
    assert value(run(worker)) == "2"


def test_request_too_long(zygote: Conversation) -> None:
    with contextlib.suppress(BrokenPipeError):
        zygote.send_bytes((MAX_REQUEST + 1).to_bytes(4, "big") + b"x" * (1 << 20))
    assert zygote.wait() == 0
    assert "a frame of" in zygote.stderr()
