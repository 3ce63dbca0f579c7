"""A child that imports a file before it is asked: it gets what fits, moves nothing while it waits, and harms nobody."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from fx_lsp.model.comparison import Overlay
from fx_lsp.model.messages import Ahead, Ping, Pong
from fx_lsp.worker.spares import KEPT

from .conversation import Conversation
from .test_spares import all_wait, spares, until
from .test_zygote import ROOT, open_worker, request, run, value

FILE = "/no/such/model.py"


def state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def resting(worker: Conversation) -> list[int]:
    return [pid for pid in spares(worker) if state(pid) == "T"]


def import_ahead(worker: Conversation, text: str, scope: str = FILE, seconds: float = 30.0) -> None:
    worker.send(Ahead(str(ROOT), scope, (Overlay(scope, text),), seconds))


def imported(worker: Conversation, text: str) -> int:
    """The process that has done it, once others wait beside it."""
    import_ahead(worker, text)
    until(lambda: len(resting(worker)) == 1 and len(spares(worker)) == KEPT + 1)
    return resting(worker)[0]


def test_it_answers_what_fits(tmp_path: Path) -> None:
    with open_worker("fork", tmp_path) as worker:
        pid = imported(worker, "number = 41")
        assert value(run(worker, call="(number + 1, os.getpid())")) == f"ahead: (42, {pid})"
        until(lambda: len(resting(worker)) == 1)  # the next edit finds another
        assert value(run(worker, call="number")) == "ahead: 41"


def test_what_does_not_fit_goes_to_another(tmp_path: Path) -> None:
    with open_worker("fork", tmp_path) as worker:
        imported(worker, "fits = False")
        assert value(run(worker)) == "2"
        assert run(worker).output.reason == ""


def test_another_file_and_what_nobody_looks_at_are_for_others(tmp_path: Path) -> None:
    with open_worker("fork", tmp_path) as worker:
        pid = imported(worker, "")
        for other in (replace(request(), scope="/other.py"), replace(request(), patient=True)):
            worker.send(other)
            assert value(worker.answer()) == "2"
        assert state(pid) == "T"


def test_another_file_takes_its_place(tmp_path: Path) -> None:
    with open_worker("fork", tmp_path) as worker:
        pid = imported(worker, "")
        import_ahead(worker, "", "/other.py")
        until(lambda: resting(worker) not in ([], [pid]) and not state(pid))


def test_what_the_file_started_does_not_go_on_meanwhile(tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    busy = f"""
import threading, time
def count():
    while True:
        with open({str(counter)!r}, "a") as file:
            file.write(".")
        time.sleep(0.005)
threading.Thread(target=count, daemon=True).start()
if os.fork() == 0:
    count()
while not os.path.exists({str(counter)!r}):
    time.sleep(0.01)
"""
    with open_worker("fork", tmp_path) as worker:
        all_wait(worker)
        import_ahead(worker, busy)
        until(lambda: len(resting(worker)) == 1)
        time.sleep(0.05)
        before = counter.read_text()
        time.sleep(0.1)
        assert before == counter.read_text()


@pytest.mark.parametrize(
    "text",
    [
        "raise SystemExit",
        "os._exit(3)",
        "os.kill(os.getpid(), 9)",
        "import signal; signal.pause()",
        "os.write(3, b'nothing that is a frame, or one of immense length' * 10)",
        "import struct; os.write(3, struct.pack('!I', 17) + b'{\"kind\": \"ping\"  }')",
        "import struct; os.write(3, struct.pack('!I', 16) + b'{\"kind\":\"taken\"}' + struct.pack('!I', 2) + b'{}')",
        "os.close(3)",
        "os.close(4)",
        "print('x' * (5 << 20))",
    ],
)
def test_whatever_it_does_the_request_is_answered(tmp_path: Path, text: str) -> None:
    with open_worker("fork", tmp_path) as worker:
        all_wait(worker)
        import_ahead(worker, text, seconds=1.0)
        worker.send(Ping(7))
        assert worker.receive() == Pong(7)
        worker.send(asked := request())
        answer = worker.answer()
        assert answer.output.id == asked.id
        assert answer.reply is not None or answer.output.reason == "oversized"
        assert value(run(worker)) == "2"


def test_what_cannot_be_imported_is_not_tried_again(tmp_path: Path) -> None:
    tries = tmp_path / "tries"
    with open_worker("fork", tmp_path) as worker:
        all_wait(worker)
        import_ahead(worker, f"open({str(tries)!r}, 'a').write('.'); raise SystemExit")
        until(tries.exists)
        before = all_wait(worker)
        import_ahead(worker, f"open({str(tries)!r}, 'a').write('.'); raise SystemExit")
        run(worker)
        all_wait(worker, frozenset(pid for pid in before if not state(pid)))
        assert tries.read_text() == "."


def test_one_that_is_killed_while_it_rests_is_not_missed(tmp_path: Path) -> None:
    with open_worker("fork", tmp_path) as worker:
        os.kill(imported(worker, ""), signal.SIGKILL)
        assert value(run(worker)) == "2"
