"""`fx-lsp graph`: the FX graph of a class, as Python, picture or data; or rewritten, as a module file."""

from __future__ import annotations

import argparse
import os
import sys

from fx_lsp.analysis.causes import said
from fx_lsp.analysis.graph.export import FORMATS, export
from fx_lsp.analysis.highlight import highlight
from fx_lsp.analysis.preview import RESET, WORDS
from fx_lsp.analysis.report import place, relative
from fx_lsp.analysis.visible import visible
from fx_lsp.cli.commands import Command, CommandError
from fx_lsp.cli.session import Traced, add_interpreter, add_names, graph_of, rewritten_of
from fx_lsp.cli.terminal import add_color, coloured
from fx_lsp.cli.written import create
from fx_lsp.server.graphs import LEVEL

HALF = 1
"""Exit status when the model fails half-way: what ran is written."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Its arguments."""
    parser.add_argument("target", metavar="FILE[::CLASS]", help="a Python file, and a module class in it")
    parser.add_argument("-o", "--output", metavar="PATH", help=f"write to this file: {_suffixes()}; else to stdout")
    parser.add_argument("--format", choices=tuple(FORMATS), help="default: by the suffix of the file, else py")
    parser.add_argument("--level", default=LEVEL, metavar="LEVEL", help="module (default) or operator")
    parser.add_argument("--example", type=int, metavar="N", help="which of the calls that reach the class; from 1")
    what = "write the graph rewritten, such as fold-batch-norm, as a Python file that needs torch alone"
    parser.add_argument("--rewrite", metavar="RULE", help=what)
    add_color(parser)
    add_interpreter(parser)
    add_names(parser)


def run(options: argparse.Namespace) -> int:
    """Write the graph."""
    form = _form(options)
    path, _, name = options.target.partition("::")
    if options.rewrite is not None:
        return _rewrite(options, form, path, name)
    traced = graph_of(path, name or None, options)
    text = export(traced.graph, form, traced.text_of, traced.root)
    _out(options, form, text)
    if traced.found.failure is None:
        return 0
    print(f"fx-lsp: {_failure(traced)}", file=sys.stderr)
    return HALF


def _rewrite(options: argparse.Namespace, form: str, path: str, name: str) -> int:
    """The module file of the rewritten graph; what was measured is told beside it."""
    if form != "py" or options.level != LEVEL:
        raise CommandError("a rewritten graph is a Python file: --format and --level do not go with --rewrite")
    found = rewritten_of(path, name or None, options)
    assert found.rewritten is not None
    _out(options, form, found.rewritten.after)
    print(f"fx-lsp: {found.name}: {visible(found.says)}", file=sys.stderr)
    return 0


def _out(options: argparse.Namespace, form: str, text: str) -> None:
    if options.output is not None:
        create(options.output, text)
        return
    text = visible(text, keep="\n\t")
    print(_painted(text) if form == "py" and coloured(options.color, sys.stdout) else text, end="")


def _form(options: argparse.Namespace) -> str:
    if options.format is not None:
        return options.format
    if options.output is None:
        return "py"
    suffix = os.path.splitext(options.output)[1].removeprefix(".")
    if suffix not in FORMATS:
        raise CommandError(f"{options.output}: no format has this suffix; use {_suffixes()}, or --format")
    return suffix


def _painted(text: str) -> str:
    """Python with the colours of a terminal."""
    styles = highlight(text)
    painted: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        parts, done = [""], 0
        for start, end, kind in styles.get(number, []):
            parts.append(f"{line[done:start]}{WORDS[kind]}{line[start:end]}{RESET}")
            done = end
        painted.append("".join(parts) + line[done:])
    return "\n".join(painted)


def _suffixes() -> str:
    return ", ".join(f".{form}" for form in FORMATS)


def _failure(traced: Traced) -> str:
    """What stopped the model, and where."""
    failure = traced.found.failure
    assert failure is not None
    where = ""
    if failure.span is not None:
        line, column = place(failure.span, traced.text_of(failure.span.path))
        where = f"{relative(failure.span.path, os.path.realpath(os.curdir))}:{line}:{column}: "
    return f"{where}the graph ends here: {said(failure)}"


COMMAND = Command("graph", "Write the FX graph of a module.", configure, run)
