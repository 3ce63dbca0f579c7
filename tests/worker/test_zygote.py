"""Whatever a run does to itself, to its descriptors or to other processes: it is answered, and the next one works.

The runs are real processes; torch is not needed for what is tested here, so a stand-in for the worker runs them.
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
from fx_lsp.model.messages import MAX_REPLY, MAX_REQUEST, Cancel, Hello, Output, TraceReply, TraceRequest

from .conversation import Conversation, Held

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, str(Path(__file__).with_name("stand_in.py")))
FOREVER = "\nimport threading\nthreading.Event().wait()"

numbers = itertools.count(1)


def open_worker(mode: str) -> Conversation:
    worker = Conversation((*COMMAND, mode), {"PYTHONPATH": str(ROOT)})
    assert isinstance(worker.receive(), Hello)
    return worker


@pytest.fixture(scope="module", params=["fork", "spawn"])
def worker(request: pytest.FixtureRequest) -> Iterator[Conversation]:
    with open_worker(request.param) as worker:
        yield worker
        assert worker.hang_up() == 0


@pytest.fixture
def zygote() -> Iterator[Conversation]:
    with open_worker("fork") as worker:
        yield worker


def request(setup: str = "", call: str = "1 + 1", seconds: float = 30.0, memory: int = 1 << 30) -> TraceRequest:
    return TraceRequest(next(numbers), str(ROOT), "/no/such/model.py", call, setup, seconds=seconds, memory=memory)


def ask(worker: Conversation, asked: TraceRequest) -> Output:
    worker.send(asked)
    output = worker.receive()
    assert isinstance(output, Output)
    assert output.id == asked.id
    return output


def run(worker: Conversation, setup: str = "", call: str = "1 + 1", seconds: float = 30.0) -> Output:
    return ask(worker, request(setup, call, seconds))


def value(output: Output) -> str:
    reply = wire.decode(output.line)
    assert isinstance(reply, TraceReply)
    assert reply.failure is None, reply.failure
    return reply.fallback


def test_answer(worker: Conversation) -> None:
    asked = request(call="6 * 7")
    output = ask(worker, asked)
    assert value(output) == "42"
    assert wire.decode(output.line).id == asked.id
    assert (output.reason, output.log) == ("", "")


def test_prints_go_to_the_log(worker: Conversation) -> None:
    output = run(worker, "print('py'); os.write(1, b'fd 1\\n'); print('err', file=sys.stderr); os.system('echo shell')")
    assert value(output) == "2"
    assert output.log.splitlines() == ["py", "fd 1", "err", "shell"]


def test_only_the_end_of_a_long_log_is_kept(worker: Conversation) -> None:
    output = run(worker, "for i in range(300_000): os.write(1, b'%d\\n' % i)")
    assert value(output) == "2"
    assert len(output.log) == 64 << 10
    assert output.log.endswith("299998\n299999\n")


@pytest.mark.parametrize("code", ["sys.exit(3)", "raise KeyboardInterrupt", "raise MemoryError", "1 / 0"])
def test_exception_is_a_failure(worker: Conversation, code: str) -> None:
    failure = wire.decode(run(worker, code).line).failure
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
    output = run(worker, f"print('last words')\n{code}")
    assert (output.line, output.reason) == ("", "")
    assert os.waitstatus_to_exitcode(output.status) == ending
    assert output.log.startswith("last words\n")
    assert value(run(worker)) == "2"


@pytest.mark.parametrize("code", ["while True: pass", "signal.signal(signal.SIGTERM, signal.SIG_IGN)" + FOREVER])
def test_timeout(worker: Conversation, code: str) -> None:
    output = run(worker, f"print('so far')\nimport signal\n{code}", seconds=0.5)
    assert (output.line, output.reason, output.log) == ("", "timeout", "so far\n")
    assert os.waitstatus_to_exitcode(output.status) == -signal.SIGKILL
    assert value(run(worker)) == "2"


def test_cancel(worker: Conversation, tmp_path: Path) -> None:
    held = Held(tmp_path / "held")
    endless = request(held.hold() + FOREVER)
    worker.send(endless)
    held.wait_until_held()
    worker.send(Cancel(endless.id + 1_000_000))  # unknown, or long over: nothing happens
    assert value(run(worker)) == "2"  # a run that goes on keeps no other waiting
    worker.send(Cancel(endless.id))
    output = worker.receive()
    assert (output.id, output.line, output.reason) == (endless.id, "", "cancelled")
    held.wait_until_free()


def test_closed_descriptors(worker: Conversation) -> None:
    output = run(worker, "os.closerange(0, 256)")
    assert (output.line, output.reason) == ("", "")
    assert value(run(worker)) == "2"


def test_garbage_on_every_descriptor(worker: Conversation) -> None:
    code = """
for fd in range(256):
    try:
        os.write(fd, b"{garbage\\xff}\\n")
    except OSError:
        continue
"""
    output = run(worker, code)
    with pytest.raises(wire.WireError):
        wire.decode(output.line)
    assert value(run(worker)) == "2"


def test_too_large(worker: Conversation) -> None:
    output = run(worker, call=f"'x' * {MAX_REPLY}")
    assert (output.line, output.reason) == ("", "oversized")
    assert value(run(worker)) == "2"


def test_large_enough(worker: Conversation) -> None:
    assert value(run(worker, call="'\"' * (10 << 20)")) == '"' * (10 << 20)


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


def test_server_gone(zygote: Conversation, tmp_path: Path) -> None:
    held = Held(tmp_path / "held")
    zygote.send(request(held.hold() + FOREVER))
    held.wait_until_held()
    assert zygote.hang_up() == 0
    held.wait_until_free()


def test_zygote_killed(zygote: Conversation, tmp_path: Path) -> None:
    held = Held(tmp_path / "held")
    zygote.send(request(held.hold() + FOREVER))
    held.wait_until_held()
    zygote.process.kill()
    held.wait_until_free()


def test_surroundings(zygote: Conversation) -> None:
    code = """
import json, resource
limits = [resource.getrlimit(getattr(resource, "RLIMIT_" + name))[0] for name in ("CORE", "FSIZE")]
seen = {
    "descriptors": [fd for fd in range(256) if os.path.exists(f"/proc/self/fd/{fd}")],
    "stdin": sys.stdin.read(),
    "session": os.getsid(0) == os.getpid(),
    "limits": limits,
    "argv": sys.argv,
    "folder": os.getcwd(),
}
"""
    assert json.loads(value(run(zygote, code, "json.dumps(seen)"))) == {
        "descriptors": [0, 1, 2, 3],
        "stdin": "",
        "session": True,
        "limits": [0, 0],
        "argv": ["/no/such/model.py"],
        "folder": str(ROOT),
    }


def test_memory_limit(zygote: Conversation) -> None:
    call = "len(bytearray(300 << 20))"
    assert value(ask(zygote, request(call=call, memory=1 << 30))) == str(300 << 20)
    reply = wire.decode(ask(zygote, request(call=call, memory=200 << 20)).line)
    assert reply.failure.error == "MemoryError"


def test_request_that_is_none(zygote: Conversation) -> None:
    zygote.send_bytes(b'garbage\n{"kind":"hello"}\n[]\n\n')
    zygote.send(Hello(1, "", "", 0))
    assert value(run(zygote)) == "2"
    assert zygote.hang_up() == 0
    assert "a request that is none" in zygote.stderr()


def test_request_too_long(zygote: Conversation) -> None:
    with contextlib.suppress(BrokenPipeError):
        zygote.send_bytes(b"x" * (MAX_REQUEST + (1 << 20)))
    assert zygote.wait() == 0
    assert "a line of more than" in zygote.stderr()
