"""`fx-lsp trust`: whose models may be run in an editor, for every editor."""

from __future__ import annotations

import argparse
import os

from fx_lsp.analysis.visible import visible
from fx_lsp.cli.commands import Command, CommandError
from fx_lsp.server.user_config import UserFile, set_trust


def configure(parser: argparse.ArgumentParser) -> None:
    """Its arguments."""
    parser.add_argument("path", metavar="PATH", nargs="?", default=os.curdir, help="a folder (default: this one)")
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--remove", action="store_true", help="trust it no more")
    action.add_argument("--list", action="store_true", help="print the folders that are trusted")


def run(options: argparse.Namespace) -> int:
    """Write it down."""
    file = UserFile()
    if options.list:
        for folder in file.config.trust:
            print(visible(folder))
        return 0
    folder = os.path.realpath(options.path)
    shown = visible(folder)
    if not options.remove and not os.path.isdir(folder):
        raise CommandError(f"{visible(options.path)}: there is no such folder")
    try:
        set_trust(file.path, folder, not options.remove)
    except (OSError, ValueError) as error:
        raise CommandError(f"{file.path} cannot be changed: {error}") from None
    if not options.remove:
        print(f"{shown} is trusted, with everything below it: its models are run, in a sandbox, when it is opened.")
        print(f"That is written in {file.path}; `fx-lsp trust --remove {shown}` takes it back.")
    elif above := next((one for one in file.config.trust if file.config.trusts(folder)), None):
        raise CommandError(f"{shown} is still trusted, because {visible(above)} is: remove that")
    else:
        print(f"{shown} is not trusted: nothing of it is run when it is opened.")
    return 0


COMMAND = Command("trust", "Say whose models may be run when their folder is opened.", configure, run)
