"""`fx-lsp cost`: operations, parameters and memory of a class, as a table, as data, or as a plot against a dim."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from typing import Any

from fx_lsp.analysis.cost_table import Row, as_json, below, line_rows, module_rows, summary, table
from fx_lsp.analysis.costs import operations, size
from fx_lsp.analysis.plot import Line, Panel, plot
from fx_lsp.analysis.report import relative
from fx_lsp.cli.commands import Command, CommandError
from fx_lsp.cli.costing import Asked, Priced, priced
from fx_lsp.cli.session import add_interpreter
from fx_lsp.cli.terminal import BOLD, RESET, add_color, coloured
from fx_lsp.cli.written import create

VERSION = 1
"""Of the JSON; it grows when a reader of the old one would go wrong."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Its arguments."""
    parser.add_argument("target", metavar="FILE[::CLASS]", help="a Python file, and a module class in it")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="what is printed (default: text)")
    parser.add_argument("--by", choices=("module", "line"), default="module", help="rows of the table")
    parser.add_argument("--depth", type=int, default=2, metavar="N", help="of the modules in the table (default: 2)")
    parser.add_argument("--dims", metavar="B=8,T=1024", default={}, type=_dims, help="other sizes of named dims")
    parser.add_argument("--symbolic", action="store_true", help="find formulas of the FLOPs in the dims that vary")
    parser.add_argument(
        "--against", metavar="T[=16,64]", default=("", ()), type=_against, help="the costs at several sizes of a dim"
    )
    parser.add_argument("-o", "--output", metavar="PATH", help="write the plot of --against to this .svg file")
    parser.add_argument("--example", type=int, metavar="N", help="which of the calls that reach the class; from 1")
    add_color(parser)
    add_interpreter(parser)


def _dims(text: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for part in text.split(","):
        name, _, number = part.partition("=")
        if not name.strip().isidentifier() or not number.strip().isdecimal():
            raise argparse.ArgumentTypeError(f"{part!r} is no dim with a size: write B=8,T=1024")
        found[name.strip()] = int(number)
    return found


def _against(text: str) -> tuple[str, tuple[int, ...]]:
    name, _, numbers = text.partition("=")
    sizes = [part.strip() for part in numbers.split(",")] if numbers else []
    if not name.strip().isidentifier() or not all(one.isdecimal() and int(one) > 0 for one in sizes):
        raise argparse.ArgumentTypeError(f"{text!r} is no dim: write T, or T=16,64,256 for its sizes")
    return name.strip(), tuple(sorted(set(map(int, sizes))))


def run(options: argparse.Namespace) -> int:
    """Print or draw what the class costs."""
    dim, at = options.against
    if options.output is not None and not dim:
        raise CommandError("-o writes the plot of --against: say against which dim")
    if options.output is not None and os.path.splitext(options.output)[1] != ".svg":
        raise CommandError(f"{options.output}: a plot is an .svg file")
    path, _, name = options.target.partition("::")
    found = priced(path, name or None, Asked(options.dims, dim, at, options.symbolic), options)
    if options.format == "json":
        print(json.dumps(_json(found, dim), indent=1))
    else:
        print("\n".join(_text(found, dim, options)))
    if options.output is not None:
        create(options.output, _plot(found, dim))
    return 0


def _text(found: Priced, dim: str, options: argparse.Namespace) -> Iterator[str]:
    bold, plain = (BOLD, RESET) if coloured(options.color, sys.stdout) else ("", "")
    yield f"{bold}{found.call}{plain}"
    lines = summary(found.costs)
    if options.symbolic and not found.costs.formula:
        lines.insert(1, ("", "no short formula of the dims gives its FLOPs at every size tried"))
    width = max(len(word) for word, _ in lines)
    yield from (f"{word.ljust(width)}  {text}" for word, text in lines)
    yield ""
    rows = _rows(found, options)
    heading, *rest = table(rows, found.costs.total, options.by)
    yield f"{bold}{heading}{plain}"
    yield from rest
    if found.series:
        yield ""
        yield f"{bold}against {dim}{plain}"
        for number, costs in found.series:
            told = (f"{word} {text}" for word, text in summary(costs) if word not in ("", "parameters"))
            yield f"{dim}={number}: {'; '.join(told)}"


def _rows(found: Priced, options: argparse.Namespace) -> list[Row]:
    if options.by == "line":
        return line_rows(found.costs, found.text_of)
    return module_rows(found.costs, below(found.costs, found.name, found.path), options.depth)


def _json(found: Priced, dim: str) -> dict[str, Any]:
    return {
        "version": VERSION,
        "class": found.name,
        "scope": relative(found.scope, found.root),
        "setup": found.setup,
        "call": found.call,
        "formula": found.costs.formula or None,
        **as_json(found.costs, line_rows(found.costs, found.text_of)),
        "against": [{"dim": dim, "size": number} | as_json(costs, ()) for number, costs in found.series],
    }


def _plot(found: Priced, dim: str) -> str:
    sizes = [number for number, _ in found.series]
    if len(sizes) < 2:
        raise CommandError(f"it ran at fewer than two sizes of {dim}, which makes no plot")
    every = [costs for _, costs in found.series]
    steps = [costs.training for costs in every if costs.training is not None]
    flops, memory = (
        [Line("forward", tuple(costs.total.flops for costs in every))],
        [Line("forward", tuple(costs.peak for costs in every))],
    )
    if len(steps) == len(every):
        flops.append(Line("training step", tuple(step.flops for step in steps)))
        for optimizer, title in (("sgd", "step with SGD"), ("adam", "step with Adam")):
            memory.append(Line(title, tuple(step.with_optimizer(optimizer) for step in steps)))
    panels = (Panel("FLOPs", tuple(flops), operations), Panel("peak memory", tuple(memory), size))
    return plot(f"{found.name}: {found.call}", dim, sizes, panels)


COMMAND = Command("cost", "Print what a module costs: FLOPs, parameters, memory.", configure, run)
"""Found by its folder."""
