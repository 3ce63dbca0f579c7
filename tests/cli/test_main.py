"""What holds for every command."""

from __future__ import annotations

import errno
import os
import pty
import select
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fx_lsp.cli.commands import Command, commands
from tests.cli.command import GOOD, PATIENCE, arguments, configure, environment, fx_lsp, workspace

WAITS = """        with open({gate!r}, 'w') as stream:
            stream.write(str(os.getpid()))
        while not os.path.exists({release!r}):
            pass
        return h
"""


WRITES = '[sandbox]\noff = ["landlock-base", "landlock-child", "seccomp-base", "seccomp-child"]\n'
"""The configuration of a user whose models may write to a pipe."""


def waiting(root: Path) -> str:
    """A model that writes its process id to `gate`, and goes on when there is `release`."""
    waits = WAITS.format(gate=str(root / "gate"), release=str(root / "release"))
    return "import os\n" + GOOD.replace("        return h\n", waits)


@pytest.mark.parametrize("command", commands(), ids=lambda command: command.name)
def test_a_command_explains_itself(tmp_path: Path, command: Command) -> None:
    answer = fx_lsp(tmp_path, command.name, "--help")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert answer.stdout.startswith(f"usage: fx-lsp {command.name}")
    assert command.help in fx_lsp(tmp_path, "--help").stdout.replace("\n" + " " * 14, " ")


def test_without_a_command_it_serves(tmp_path: Path) -> None:
    for given in ((), ("--stdio",), ("serve",)):
        answer = fx_lsp(tmp_path, *given)
        assert (answer.returncode, answer.stdout) == (0, "")


@pytest.mark.parametrize("address", ["2087", "here:port", "127.0.0.1:70000"])
def test_an_address_that_is_none(tmp_path: Path, address: str) -> None:
    answer = fx_lsp(tmp_path, "serve", "--tcp", address)
    assert answer.returncode == 2
    assert f"{address!r} is not HOST:PORT" in answer.stderr


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        answer = fx_lsp(tmp_path, "serve", "--tcp", address)
    assert answer.returncode == 2
    assert answer.stderr.startswith(f"fx-lsp: cannot wait on {address}: ")


@contextmanager
def gate(root: Path) -> Iterator[int]:
    """A pipe that a model writes to when it runs: the end to read."""
    path = root / "gate"
    os.mkfifo(path)
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    yield descriptor
    os.close(descriptor)


def read(descriptor: int) -> bytes:
    """What comes next, within PATIENCE."""
    ready, _, _ = select.select([descriptor], [], [], PATIENCE)
    assert ready, "nothing came"
    return os.read(descriptor, 1 << 16)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_leaves_no_process_behind(tmp_path: Path, number: signal.Signals) -> None:
    root = workspace(tmp_path, loop=waiting(tmp_path))
    with gate(root) as descriptor:
        process = subprocess.Popen(
            arguments("check", "--trust", "loop.py"),
            cwd=root,
            env=environment(XDG_CONFIG_HOME=configure(tmp_path, WRITES)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # A shell's background job ignores Ctrl+C, and its children with it.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        model = os.pidfd_open(int(read(descriptor)))
        process.send_signal(number)
        output = process.communicate(timeout=PATIENCE)
        ended, _, _ = select.select([model], [], [], PATIENCE)
        os.close(model)
    assert (process.returncode, output) == (130, (b"", b""))
    assert ended, "the model still runs"


def test_a_terminal_sees_progress_and_the_output_stays_clean(tmp_path: Path) -> None:
    """The model waits until the bar has been seen."""
    root = workspace(tmp_path, slow=waiting(tmp_path))
    terminal, end = pty.openpty()
    with gate(root):
        process = subprocess.Popen(
            arguments("check", "--trust", "slow.py", "--format", "json"),
            cwd=root,
            env=environment(TERM="xterm", COLUMNS="100", XDG_CONFIG_HOME=configure(tmp_path, WRITES)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=end,
        )
        os.close(end)
        seen = b""
        while b"Starting Python with torch" not in seen:
            seen += read(terminal)
        (root / "release").touch()
        while more := until_closed(terminal):
            seen += more
        output, _ = process.communicate(timeout=PATIENCE)
    os.close(terminal)
    assert process.returncode == 0
    assert output.startswith(b"{")
    assert output.endswith(b"}\n")


def until_closed(terminal: int) -> bytes:
    """What comes next; empty when the last process that could write has gone, which Linux calls an error."""
    try:
        return read(terminal)
    except OSError as error:
        if error.errno != errno.EIO:
            raise
        return b""
