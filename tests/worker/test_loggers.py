"""Programs that tell others how they get on.  Those others stand in a folder of their own here, as packages do."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import NoReturn

import pytest

from fx_lsp.model.example import PROGRAM
from fx_lsp.model.messages import TraceReply
from tests.worker.tracing import annotated, trace

PACKAGES = {
    "tensorboardX/__init__.py": "from tensorboardX.writer import SummaryWriter\n",
    "tensorboardX/writer.py": """
class SummaryWriter:
    def __init__(self, logdir=None):
        raise AssertionError("a thread is started, and a folder made")
    def __enter__(self):
        return self
    def __exit__(self, *raised):
        self.close()
    def add_histogram(self, tag, values, step):
        raise AssertionError("the values are read")
    def get_logdir(self):
        raise AssertionError("there is none")
    def close(self):
        raise AssertionError("the thread is waited for")
""",
    "sends/__init__.py": """
import queue, threading
class Sender:
    def __init__(self):
        self.queue = queue.Queue(1)
        self.thread = threading.Thread(target=self.send, daemon=True)
        self.thread.start()
    def send(self):
        while True:
            self.queue.get()
    def log(self, what):
        self.queue.put(what)
""",
}


@pytest.fixture(autouse=True)
def packages(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Outside of the workspace, and no thread to be had."""
    folder = tmp_path_factory.mktemp("packages")
    for name, text in PACKAGES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr(threading.Thread, "start", no_thread)


def no_thread(self: threading.Thread) -> NoReturn:
    raise RuntimeError("can't start new thread")


def told(tmp_path: Path, *lines: str) -> TraceReply:
    body = "\n".join(lines)
    return trace(tmp_path, f"import threading\nimport torch\n{body}\nx = torch.randn(4, 5)\ny = x @ x.T\n", PROGRAM)


def test_a_writer_writes_nothing(tmp_path: Path) -> None:
    reply = told(
        tmp_path,
        "from tensorboardX import SummaryWriter",
        "with SummaryWriter(logdir='runs/one') as writer:",
        "    writer.add_histogram('x', torch.randn(3), 1)",
        "    assert writer.get_logdir() == 'runs/one'",
        "writer.close()",
    )
    assert reply.failure is None, reply.failure.detail
    assert "y⟦f32[4, 4]⟧ = " in annotated(reply, tmp_path / "model.py")


def test_what_would_send_it_is_left_out(tmp_path: Path) -> None:
    reply = told(tmp_path, "import sends", "sends.Sender().log('one')")
    assert reply.failure is None, reply.failure.detail


def test_nobody_waits_for_it(tmp_path: Path) -> None:
    reply = told(tmp_path, "import sends", "sender = sends.Sender()", "sender.log('one')", "sender.log('two')")
    assert reply.failure is not None
    assert reply.failure.message.startswith("can't start new thread")
    assert not reply.failure.proven


def test_who_starts_one_itself_is_told(tmp_path: Path) -> None:
    reply = told(tmp_path, "done = []", "threading.Thread(target=lambda: done.append(1)).start()")
    assert reply.failure is not None
    assert reply.failure.message == "can't start new thread"
    assert reply.failure.span is not None
    assert reply.failure.span.line == 4
