"""Children that are forked ahead: whatever becomes of them while they wait, no request is lost."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from fx_lsp.model import wire
from fx_lsp.model.messages import Cancel, Ping, Pong, Prepare, StartFailed
from fx_lsp.worker.spares import KEPT, MOST
from tests.policies import unprotected

from .conversation import SECONDS, Conversation
from .test_zygote import ROOT, STAND_IN, open_worker, request, run, value


def spares(worker: Conversation) -> frozenset[int]:
    """Processes that the zygote has started, and that have not ended."""
    pid = worker.process.pid
    return frozenset(int(text) for text in Path(f"/proc/{pid}/task/{pid}/children").read_text().split())


def descriptors(worker: Conversation) -> int:
    return len(os.listdir(f"/proc/{worker.process.pid}/fd"))


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def all_wait(worker: Conversation, but: frozenset[int] = frozenset()) -> frozenset[int]:
    """As many as are kept wait, none of them of `but`, and nothing else runs."""
    until(lambda: len(spares(worker)) == KEPT and not spares(worker) & but)
    return spares(worker)


@pytest.mark.parametrize("harm", [signal.SIGKILL, signal.SIGSTOP, signal.SIGSEGV])
def test_a_spare_that_ends_is_replaced(tmp_path: Path, harm: signal.Signals) -> None:
    with open_worker("fork", tmp_path) as worker:
        for _ in range(3):
            before = all_wait(worker)
            for pid in before:
                os.kill(pid, harm)
            all_wait(worker, before)
        assert value(run(worker)) == "2"


@pytest.mark.parametrize("harm", [signal.SIGKILL, signal.SIGSEGV])
def test_a_request_that_was_not_taken_goes_to_another(tmp_path: Path, harm: signal.Signals) -> None:
    """The first children look ready, and will never read a request."""
    blocked = [tmp_path / str(number) for number in range(KEPT)]
    block = f"""
import fx_lsp.worker.answer
def blocked(request, limit, read=fx_lsp.worker.answer.read_frame):
    import signal
    for name in {[str(path) for path in blocked]!r}:
        try:
            with open(name, "x") as file:
                file.write(str(os.getpid()))
        except FileExistsError:
            continue
        signal.pause()
    return read(request, limit)
fx_lsp.worker.answer.read_frame = blocked
"""
    with open_worker("fork", tmp_path, STAND_IN_TOUCH=block) as worker:
        asked = [request() for _ in range(KEPT)]
        until(lambda: all(path.exists() and path.read_text() for path in blocked))
        for one in asked:
            worker.send(one)
        for path in blocked:
            os.kill(int(path.read_text()), harm)
        answers = [worker.answer() for _ in asked]
        assert [value(answer) for answer in answers] == ["2"] * KEPT
        assert {answer.output.id for answer in answers} == {one.id for one in asked}


def test_no_process_and_no_descriptor_is_left(tmp_path: Path) -> None:
    with open_worker("fork", tmp_path) as worker:
        all_wait(worker)
        before = descriptors(worker)
        for code in ("", "1 / 0", "os._exit(1)", "while True: os.write(1, b'x' * 65536)", "os.closerange(0, 256)") * 3:
            run(worker, code)
        all_wait(worker)
        until(lambda: descriptors(worker) == before)


def test_while_two_run_only_one_waits(tmp_path: Path) -> None:
    """Memory is for so many children at once, and not for one more."""
    with open_worker("fork", tmp_path) as worker:
        both, over = all_wait(worker), tmp_path / "over"
        for _ in both:
            worker.send(request(f"import os, time\nwhile not os.path.exists({str(over)!r}): time.sleep(0.01)"))
        until(lambda: len(spares(worker)) == MOST)
        for _ in range(50):
            assert len(spares(worker)) == MOST
            time.sleep(0.01)
        over.touch()
        assert [value(worker.answer()) for _ in both] == ["2"] * len(both)
        all_wait(worker)


def test_spares_are_replaced_when_there_is_new_code(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("x = f()\n")
    with open_worker("fork", tmp_path) as worker:
        before = all_wait(worker)
        worker.send(Prepare(str(tmp_path), (str(file),)))
        after = all_wait(worker, before)
        worker.send(Prepare(str(tmp_path), (str(file),)))  # which is ready
        worker.send(Ping(1))
        assert worker.receive() == Pong(1)
        assert spares(worker) == after
        assert value(run(worker)) == "2"


def test_a_child_that_cannot_be_confined_runs_nothing(tmp_path: Path) -> None:
    limits = wire.encode(unprotected(tmp_path)).decode()
    environment = {"PYTHONPATH": str(ROOT), "STAND_IN_LAYER": "broken"}
    with Conversation((*STAND_IN, "fork", "--policy", limits), environment) as worker:
        message = worker.receive()
        assert worker.wait() == 0
        assert isinstance(message, StartFailed)
        assert message.message.endswith(": fx_lsp.worker.sandbox._layer.SandboxError: it does not hold")


def test_one_that_is_out_of_date_waits_until_the_new_one_is_warm(tmp_path: Path) -> None:
    """It runs what is asked for meanwhile, much sooner than one that is not warm."""
    file, slow = tmp_path / "a.py", tmp_path / "slow"
    file.write_text("x = f()\n")
    touch = f"""
import time
while os.path.exists({str(slow)!r}): time.sleep(0.01)
open(os.path.join({str(tmp_path)!r}, f"{{os.getpid()}}.warm"), "x")
"""
    with open_worker("fork", tmp_path, STAND_IN_TOUCH=touch) as worker:
        before = all_wait(worker)
        until(lambda: len(list(tmp_path.glob("*.warm"))) == KEPT)
        time.sleep(0.1)  # until the zygote has heard of it
        slow.touch()
        worker.send(Prepare(str(tmp_path), (str(file),)))
        until(lambda: len(spares(worker)) == MOST)
        assert before < spares(worker)
        assert int(value(run(worker, call="os.getpid()"))) in before
        slow.unlink()
        all_wait(worker, before)


def test_what_nobody_looks_at_waits_until_what_was_read_is_ready(tmp_path: Path) -> None:
    """It is made ready once, not in each run; and a spare that lacks it is not used."""
    files = [tmp_path / f"{number}.py" for number in range(6)]
    for file in files:
        file.write_text("x = f()\n" * 4000)
    made = "__import__('fx_lsp.worker.prepared').worker.prepared.PREPARED.made"
    with open_worker("fork", tmp_path) as worker:
        all_wait(worker)
        worker.send(Prepare(str(tmp_path), tuple(map(str, files))))
        hurried, unhurried = request(call=made), replace(request(call=made), unhurried=True)
        worker.send(unhurried)
        worker.send(hurried)
        answers = {answer.output.id: answer for answer in (worker.answer(), worker.answer())}
        assert int(value(answers[hurried.id])) < len(files)
        assert value(answers[unhurried.id]) == str(len(files))


def test_what_waits_can_be_cancelled(tmp_path: Path) -> None:
    files = [tmp_path / f"{number}.py" for number in range(6)]
    for file in files:
        file.write_text("x = f()\n" * 4000)
    with open_worker("fork", tmp_path) as worker:
        asked = replace(request(), unhurried=True)
        worker.send(Prepare(str(tmp_path), tuple(map(str, files))))
        worker.send(asked)
        worker.send(Cancel(asked.id))
        answer = worker.answer()
        assert (answer.output.id, answer.output.reason) == (asked.id, "cancelled")
        assert value(run(worker)) == "2"
