"""Commands: one file each, found by folder.

To add one, copy a file: its `COMMAND` says what it is called, what it takes and what it does.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from fx_lsp.model.registry import collect


class CommandError(Exception):
    """A command cannot do what it was asked; the message is one for the user, with what to do."""


@dataclass(frozen=True)
class Command:
    """What the user types after `fx-lsp`."""

    name: str
    help: str
    configure: Callable[[argparse.ArgumentParser], None]
    """Adds its arguments."""
    run: Callable[[argparse.Namespace], int]
    """Does it; the exit status.  May raise CommandError, which is status 2."""


@cache
def commands() -> tuple[Command, ...]:
    """Every command in this folder, by file name."""
    return tuple(collect(sys.modules[__name__], "COMMAND").values())
