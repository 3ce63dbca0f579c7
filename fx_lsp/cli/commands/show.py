"""`fx-lsp show`: source with its hints inside."""

from __future__ import annotations

import argparse
import os
import sys

from fx_lsp.analysis.preview import render
from fx_lsp.analysis.visible import visible
from fx_lsp.cli.commands import Command
from fx_lsp.cli.session import add_interpreter, add_names, check
from fx_lsp.cli.terminal import BOLD, RESET, add_color, coloured


def configure(parser: argparse.ArgumentParser) -> None:
    """Its arguments."""
    parser.add_argument("files", metavar="FILE", nargs="+", help="a Python file, or a folder for all in it")
    add_color(parser)
    add_interpreter(parser)
    add_names(parser)


def run(options: argparse.Namespace) -> int:
    """Print the files; a wrong model is shown, and is no failure of this command."""
    colour = coloured(options.color, sys.stdout)
    checked = check(options.files, options)
    for number, (snapshot, _) in enumerate(checked.files):
        if len(checked.files) > 1:
            title = visible(os.path.relpath(snapshot.path, os.path.realpath(os.curdir)))
            print("\n" * bool(number) + (f"{BOLD}{title}{RESET}" if colour else title))
        text = render(snapshot, colour, shown=checked.paths)
        print(text, end="" if text.endswith("\n") else "\n")
    return 0


COMMAND = Command("show", "Print source with its shapes inside.", configure, run)
