"""`fx-lsp rewrite`: code that computes the same in a better way, tried before it is written."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Iterable, Sequence

from fx_lsp.analysis.rewrites import rewrites
from fx_lsp.analysis.rewrites._own import FILE
from fx_lsp.analysis.visible import visible
from fx_lsp.cli.commands import Command, CommandError
from fx_lsp.cli.rewriting import Rewritten, rewrite
from fx_lsp.cli.session import add_interpreter
from fx_lsp.cli.terminal import seen_from_here
from fx_lsp.cli.written import write


def configure(parser: argparse.ArgumentParser) -> None:
    """Its arguments."""
    parser.add_argument("paths", metavar="PATH", nargs="+", help="a Python file, or a folder for all in it")
    known = ", ".join(rule.id for rule in rewrites())
    how = f"only this one, may be given again: {known}, and own:… of {FILE}"
    parser.add_argument("--rule", metavar="RULE", action="append", default=[], type=_rule, help=how)
    parser.add_argument("--unsafe", action="store_true", help="also what changes more than the way it computes")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--diff", action="store_true", help="print what would change")
    what.add_argument("--write", action="store_true", help="change the files")
    parser.add_argument("--quiet", action="store_true", help="no progress, and nothing of what was tried in vain")
    add_interpreter(parser)


def _rule(name: str) -> str:
    if not name.startswith("own:") and name not in {rule.id for rule in rewrites()}:
        raise argparse.ArgumentTypeError(f"there is no rule {name}")
    return name


def run(options: argparse.Namespace) -> int:
    """Try, then print or write; 1 when there is something that was not written."""
    left, failed = 0, list[str]()

    def done(one: Rewritten) -> None:
        nonlocal left
        _print(one, options)
        if one.after != one.before and options.write:
            failed.extend(filter(None, [write(one.path, one.before, one.after)]))
        elif one.after != one.before:
            left += 1

    rewrite(options.paths, options, done)
    if failed:
        raise CommandError("\n".join(failed))
    return int(left > 0)


def _print(one: Rewritten, options: argparse.Namespace) -> None:
    shown = seen_from_here(one.path)
    if options.diff:
        diff = "".join(_diff(shown, one.before, one.after))
        sys.stdout.write(visible(diff, keep="\n\t") if sys.stdout.isatty() else diff)
    for line, rule, title, says in one.done:
        told = sys.stderr if options.diff else sys.stdout
        print(f"{shown}:{line}: {rule}: {title}: {visible(says)}", file=told, flush=True)
    if one.untried and not options.quiet:
        print(f"{shown}: nothing was tried: {visible(one.untried)}", file=sys.stderr)
    for line, rule, _, says in () if options.quiet else one.refused:
        print(f"{shown}:{line}: {rule}: not done, {visible(says)}", file=sys.stderr)


def _diff(shown: str, before: str, after: str) -> Iterable[str]:
    for line in difflib.unified_diff(_lines(before), _lines(after), f"a/{shown}", f"b/{shown}"):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(text: str) -> Sequence[str]:
    """As `patch` and git count them: a form feed ends none."""
    *lines, last = text.split("\n")
    return [*(f"{line}\n" for line in lines), *([last] if last else [])]


COMMAND = Command("rewrite", "Find what could be computed in a better way, try it, and write it.", configure, run)
