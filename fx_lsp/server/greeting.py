"""How a worker is started, and what it says first."""

from __future__ import annotations

import asyncio
import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import fx_lsp
from fx_lsp.model import wire
from fx_lsp.model.messages import MAX_MESSAGE, PROTOCOL, Hello, StartFailed
from fx_lsp.model.sandbox import Policy
from fx_lsp.server.frames import read_frame, skip_to_marker

FOLDER = Path(fx_lsp.__file__).parent / "worker"
LAUNCHER, SCRIPT = FOLDER / "launcher.py", FOLDER / "main.py"


def launcher(*arguments: str) -> list[str]:
    """The command that runs our launcher, in our own Python and with nothing of the user's."""
    return [sys.executable, "-I", "-S", str(LAUNCHER), *arguments]


class StartError(Exception):
    """There is no worker.  `final`: another try would fare no better."""

    def __init__(self, message: str, final: bool = False, detail: str = "") -> None:
        super().__init__(message)
        self.final = final
        self.detail = detail


async def started(interpreter: str, policy: Policy) -> asyncio.subprocess.Process:
    """A process of our own Python, which holds itself to the policy and becomes the user's interpreter.

    Raises:
        StartError: there is none, with one sentence for the user.
    """
    why = _not_there(interpreter)
    if why:
        what_to_do = "choose another interpreter with the setting `fx-lsp.interpreter`."
        raise StartError(f"{interpreter} cannot be started ({why}): {what_to_do}", final=True)
    limits = wire.encode(policy).decode("ascii")
    command = launcher(limits, "--", interpreter, str(SCRIPT))
    try:
        return await asyncio.create_subprocess_exec(
            *command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except (OSError, ValueError) as error:
        raise StartError(f"The worker cannot be started ({error}).", final=True) from None


def _not_there(interpreter: str) -> str:
    """Why there is nothing to be executed; the launcher would say it to nobody but the log."""
    if not os.path.exists(interpreter):
        return os.strerror(errno.ENOENT)
    executable = os.path.isfile(interpreter) and os.access(interpreter, os.X_OK)
    return "" if executable else os.strerror(errno.EACCES)


async def greeted(stream: asyncio.StreamReader, log: Callable[[str], None]) -> Hello | None:
    """The worker's hello; None when it ended, or said anything else.

    Raises:
        StartError: it cannot work, with one sentence for the user.
    """
    try:
        noise = await skip_to_marker(stream)
        for line in noise.decode("utf-8", "replace").splitlines():
            log(f"worker: {line[:1000]}")
        body = await read_frame(stream, MAX_MESSAGE)
        message = wire.decode(body) if body is not None else None
    except wire.WireError as error:
        log(f"worker: its first words are none of ours: {error}")
        return None
    if isinstance(message, StartFailed):
        raise StartError(message.message, final=True)
    if not isinstance(message, Hello):
        return None
    if message.protocol != PROTOCOL:
        raise StartError(
            f"The worker speaks protocol {message.protocol} and this server {PROTOCOL}: reinstall fx-lsp.", final=True
        )
    return message
