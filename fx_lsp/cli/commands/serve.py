"""`fx-lsp serve`: the language server, what an editor starts."""

from __future__ import annotations

import argparse

from fx_lsp.cli.commands import Command, CommandError
from fx_lsp.server.serve import serve_io, serve_tcp


def configure(parser: argparse.ArgumentParser) -> None:
    """Its arguments."""
    channel = parser.add_mutually_exclusive_group()
    channel.add_argument("--stdio", action="store_true", help="speak on standard input and output (the default)")
    channel.add_argument("--tcp", metavar="HOST:PORT", type=_address, help="wait for one client on a port; 0: any free")


def run(options: argparse.Namespace) -> int:
    """Serve one client until it goes away."""
    if options.tcp is None:
        serve_io()
        return 0
    host, port = options.tcp
    try:
        serve_tcp(host, port)
    except OSError as error:
        raise CommandError(f"cannot wait on {host}:{port}: {error.strerror or error}") from None
    return 0


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT, such as 127.0.0.1:2087")
    return host.strip("[]") or "127.0.0.1", int(port)


COMMAND = Command("serve", "Serve an editor over the Language Server Protocol (the default command).", configure, run)
