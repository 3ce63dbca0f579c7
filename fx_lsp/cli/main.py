"""`fx-lsp`: reads the command line and runs a command."""

from __future__ import annotations

import argparse
import io
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from types import FrameType

import fx_lsp
from fx_lsp.analysis.visible import visible
from fx_lsp.cli.commands import CommandError, commands

DEFAULT = "serve"
"""The command of an empty command line: that is how editors start a server."""

EPILOG = (
    "check, show, graph, rewrite and cost run the code of the workspace: its models, and what they import. That "
    "happens in a sandbox; "
    "`fx-lsp doctor` says what holds of it on this machine. Where it is not whole they ask first, and want --trust "
    "when nobody is there to be asked. In an editor nothing is run of a folder that is not trusted: see `fx-lsp trust`."
)

ERROR, INTERRUPTED = 2, 128 + signal.SIGINT
"""Exit statuses; 1 is for errors in the code that was checked."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; its exit status.  `argv` is without the program's name.

    Raises:
        SystemExit: the arguments were wrong (2) or asked for help (0).
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments or (arguments[0].startswith("-") and arguments[0] not in ("-h", "--help", "--version")):
        arguments.insert(0, DEFAULT)
    options = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, _interrupt)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        status = options.run(options)
        sys.stdout.flush()
    except CommandError as error:
        print("fx-lsp:", visible(str(error), keep="\n\t"), file=sys.stderr)
        return ERROR
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough; the interpreter must not flush into the void when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except Exception:
        # A defect of ours must not look like an error in the code that was checked, which is status 1.
        traceback.print_exc()
        return ERROR
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="fx-lsp",
        description="Shows what PyTorch models really do: exact tensor shapes, on the line where they are made.",
        epilog=EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"fx-lsp {fx_lsp.__version__}")
    named = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in commands():
        entry = named.add_parser(command.name, help=command.help, description=command.help)
        command.configure(entry)
        entry.set_defaults(run=command.run)
    return parser


def _interrupt(number: int, frame: FrameType | None) -> None:
    """A polite request to end is taken like Ctrl+C, so that the worker is ended too.

    An event loop has its own way with that: it ends what waits before everything else.
    """
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):
        raise KeyboardInterrupt
    handler(signal.SIGINT, frame)


if __name__ == "__main__":
    sys.exit(main())
