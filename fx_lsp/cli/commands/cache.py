"""`fx-lsp cache`: what is kept of earlier sessions, and how to be rid of it."""

from __future__ import annotations

import argparse
import sys

from fx_lsp.analysis.visible import visible
from fx_lsp.cli.commands import Command, CommandError
from fx_lsp.server.answers import described, own_cache


def configure(parser: argparse.ArgumentParser) -> None:
    """Its arguments."""
    parser.add_argument("action", nargs="?", choices=("show", "clear"), default="show", help="what to do (show)")


def run(options: argparse.Namespace) -> int:
    """Say what there is, or forget it; servers that run meanwhile go on."""
    cache = own_cache(lambda text: print(f"fx-lsp: {text}", file=sys.stderr))
    if cache is None:
        raise CommandError("this Python has no SQLite, so nothing is kept")
    if options.action == "clear" and not cache.clear():
        raise CommandError(f"{visible(cache.path)} cannot be cleared")
    print(f"{visible(cache.path)}: {described(cache)}")
    return 0


COMMAND = Command("cache", "Say what is kept of earlier sessions, or forget it with `clear`.", configure, run)
