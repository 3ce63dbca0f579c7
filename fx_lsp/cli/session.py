"""One check from the command line: an engine that runs every example of some files, and leaves no process behind."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.cli.commands import CommandError
from fx_lsp.cli.terminal import Bar
from fx_lsp.server.engine import Engine
from fx_lsp.server.settings import Settings


@dataclass(frozen=True)
class Checked:
    """What is known about every file when all has run."""

    files: tuple[tuple[Snapshot, str], ...]
    """Each with the root that its path is relative to."""
    torch: str
    """Version in the worker; empty when nothing had to be run."""
    seconds: float

    @property
    def paths(self) -> frozenset[str]:
        """Of all the files: what is wrong in one of them is not repeated in those that call it."""
        return frozenset(snapshot.path for snapshot, _ in self.files)


def add_interpreter(parser: argparse.ArgumentParser) -> None:
    """The options of the session itself."""
    parser.add_argument("--interpreter", metavar="PATH", default="", help="the Python that runs the models")
    parser.add_argument("--verbose", action="store_true", help="say on stderr which Python runs the models")


def check(paths: Sequence[str], options: argparse.Namespace, *, quiet: bool = False) -> Checked:
    """Run everything that `paths`, files or folders, ask for.

    Raises:
        CommandError: a path does not exist, or nothing can be run at all.
    """
    for path in paths:
        if not os.path.exists(path):
            raise CommandError(f"{path}: there is no such file or folder")
    return asyncio.run(_check([os.path.realpath(path) for path in paths], options, quiet))


async def _check(paths: Sequence[str], options: argparse.Namespace, quiet: bool) -> Checked:
    started = time.monotonic()
    log = _to_stderr if options.verbose else _nowhere
    with Bar(not quiet and not options.verbose) as bar:
        engine = Engine(bar, settings=Settings(interpreter=options.interpreter), log=log)
        try:
            files = [(snapshot, engine.root(snapshot.path)) async for snapshot in engine.check(paths, bar.advance)]
        finally:
            await engine.stop()
    if bar.messages:
        raise CommandError("\n".join(bar.messages))
    return Checked(tuple(files), engine.torch, time.monotonic() - started)


def _to_stderr(text: str) -> None:
    print(text.rstrip("\n"), file=sys.stderr)


def _nowhere(text: str) -> None:
    """The log is for those who ask for it."""
