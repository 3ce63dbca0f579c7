"""Whether the user wants the code of a workspace to be run: what they typed, what they configured, what they answer."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence

from fx_lsp.analysis.visible import visible
from fx_lsp.cli.commands import CommandError
from fx_lsp.server.layers import lacking, sentence, survey
from fx_lsp.server.roots import root_of
from fx_lsp.server.trust import Standing, Trust


def add_trust(parser: argparse.ArgumentParser) -> None:
    """The option `--trust`."""
    parser.add_argument(
        "--trust",
        action="store_true",
        help="run the workspace's code although the sandbox is not whole, and let it choose its interpreter and limits",
    )


def consent(paths: Sequence[str], trusted: bool) -> Trust:
    """How the roots of the absolute `paths` stand; `trusted`: the user typed so.

    A command that was typed in a terminal is the word of the one who typed it.  Anything else (a pipeline, a hook, a
    job of CI) may run strangers' code as long as the sandbox is whole, and on terms that are not theirs.

    Raises:
        CommandError: nothing may be run; with what to do.
    """
    if trusted:
        return Trust(word=True)
    trust = Trust()
    roots = [root for root in dict.fromkeys(map(root_of, paths)) if not trust.of(root).runs]
    if not roots:
        return trust
    lost = _lost(trust)
    typed = sys.stdin.isatty() and sys.stderr.isatty()
    if lost and not (typed and _agrees(lost, roots[0])):
        raise CommandError(
            f"{lost}\nNothing was run. If you trust {visible(roots[0])}, use --trust, or run `fx-lsp trust "
            f"{visible(roots[0])}` once."
        )
    return Trust(word=True) if typed else Trust(otherwise=Standing.GUARDED)


def _lost(trust: Trust) -> str:
    """What the sandbox lacks here; empty when it is whole."""
    try:
        reports = asyncio.run(survey(trust.user.config))
    except OSError as error:
        return f"It is not known what the sandbox lacks here: {error}."
    return sentence(lacking(reports))


def _agrees(lost: str, root: str) -> bool:
    print(f"{lost}\nRun the code of {visible(root)} all the same? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
