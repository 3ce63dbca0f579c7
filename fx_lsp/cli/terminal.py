"""What a terminal gets and a pipe does not: colour, and progress while something takes long."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from fx_lsp.analysis.visible import cut, visible
from fx_lsp.server.listener import Listener
from fx_lsp.server.rounds import Progress as State
from fx_lsp.server.supervisor import WorkerState

MOMENT = 0.5
"""Seconds; what is done sooner shows no progress."""

LONGEST = 60
"""Characters shown of a call."""

RESET = "\x1b[0m"
SEVERITIES = {"error": "\x1b[1;31m", "warning": "\x1b[1;33m", "information": "\x1b[1;34m"}
BOLD, DIM = "\x1b[1m", "\x1b[2m"


def add_color(parser: argparse.ArgumentParser) -> None:
    """The option `--color`."""
    parser.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="auto: when the output is a terminal"
    )


def coloured(choice: str, stream: TextIO) -> bool:
    """Whether to colour; `auto` heeds NO_COLOR and FORCE_COLOR."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


def seen_from_here(path: str) -> str:
    """From where the user stands, as long as the file is below; a stranger may have given it its name."""
    relative = os.path.relpath(path, os.path.realpath(os.curdir))
    return visible(path if relative.startswith(os.pardir) else relative)


class Bar(Listener):
    """A progress bar on stderr.  To be entered inside a running event loop."""

    def __init__(self, shown: bool) -> None:
        """It is never drawn when not `shown` or when stderr is no terminal."""
        self.messages: list[str] = []
        """What the engine had to say to the user."""
        self._shown = shown and sys.stderr.isatty()
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task("Looking for models", total=None)

    def __enter__(self) -> Self:
        if self._shown:
            self._timer = asyncio.get_running_loop().call_later(MOMENT, self._bar.start)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            self._timer.cancel()
            self._bar.stop()

    def advance(self, state: State) -> None:
        """Another example has run."""
        call = escape(cut(state.text, LONGEST))
        self._bar.update(self._task, completed=state.done, total=state.known, description=call)

    def on_worker(self, root: str, state: WorkerState) -> None:
        """Importing torch takes a while."""
        if state.phase == "starting":
            self._bar.update(self._task, description="Starting Python with torch")

    def on_message(self, text: str) -> None:
        """One sentence for the user."""
        self.messages.append(text)
