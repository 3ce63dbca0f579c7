"""`fx-lsp check`: what is wrong, for people and for CI."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

from fx_lsp.analysis.coverage import lacking
from fx_lsp.analysis.diagnostics import all_problems
from fx_lsp.analysis.report import file_report, place
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.cli.commands import Command
from fx_lsp.cli.session import Checked, add_interpreter, add_names, check
from fx_lsp.cli.terminal import BOLD, DIM, RESET, SEVERITIES, add_color, coloured, seen_from_here

VERSION = 1
"""Of the JSON; it grows when a reader of the old one would go wrong."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Its arguments."""
    parser.add_argument("paths", metavar="PATH", nargs="+", help="a Python file, or a folder for all in it")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="what is printed (default: text)")
    parser.add_argument("--quiet", action="store_true", help="no progress and no summary, only what is wrong")
    add_color(parser)
    add_interpreter(parser)
    add_names(parser)


def run(options: argparse.Namespace) -> int:
    """Check; 1 when there is an error in the code that was checked."""
    checked = check(options.paths, options, quiet=options.quiet)
    report = _report(checked)
    if options.format == "json":
        print(json.dumps(report, indent=1))
    else:
        colour = coloured(options.color, sys.stdout)
        for snapshot, _ in checked.files:
            for problem in all_problems(snapshot, checked.paths):
                if problem.severity != "hint":
                    print("\n".join(_lines(problem, snapshot, colour)))
        if not options.quiet:
            print(_summary(report, colour))
            _tell_lacking(report)
    diagnostics = (diagnostic for file in report["files"] for diagnostic in file["diagnostics"])
    return int(any(diagnostic["severity"] == "error" for diagnostic in diagnostics))


def _report(checked: Checked) -> dict[str, Any]:
    files = [file_report(snapshot, root, checked.paths) for snapshot, root in checked.files]
    modules = [module for file in files for module in file["modules"]]
    return {
        "version": VERSION,
        "torch": checked.torch or None,
        "files": files,
        "summary": {
            "modules": len(modules),
            "traced": sum(module["status"] == "traced" for module in modules),
            "hints": sum(len(file["hints"]) for file in files),
            "seconds": round(checked.seconds, 1),
        },
    }


def _lines(problem: Problem, snapshot: Snapshot, colour: bool) -> Iterator[str]:
    """`path:line:column: severity[code]: message`, and the places that explain it below."""
    where = ":".join(map(str, (seen_from_here(snapshot.path), *place(problem.span, snapshot.text))))
    first, *rest = problem.message.splitlines() or [""]
    kind = f"{problem.severity}[{problem.code}]"
    if colour:
        where, kind = f"{BOLD}{where}{RESET}", f"{SEVERITIES.get(problem.severity, '')}{kind}{RESET}"
    yield f"{where}: {kind}: {first}"
    yield from (f"    {line}" for line in rest)
    for span, text in problem.related:
        yield f"    {seen_from_here(span.path)}:{span.line}: {text}"


def _summary(report: dict[str, Any], colour: bool) -> str:
    summary, files = report["summary"], report["files"]
    status = Counter(module["status"] for file in files for module in file["modules"])
    kinds = Counter(problem["severity"] for file in files for problem in file["diagnostics"])
    parts = [
        f"{_count(summary['modules'], 'module')} in {_count(len(files), 'file')}",
        *(f"{status[name]} {name}" for name in ("traced", "partial", "failed", "skipped") if status[name]),
        _count(summary["hints"], "hint"),
        *(_count(kinds[kind], kind) for kind in ("error", "warning") if kinds[kind]),
        *([f"torch {report['torch']}"] if report["torch"] else []),
        f"{summary['seconds']} s",
    ]
    text = " · ".join(parts)
    return f"{DIM}{text}{RESET}" if colour else text


def _tell_lacking(report: dict[str, Any]) -> None:
    """What has to be installed: nothing is wrong in the code, and nothing of it was checked."""
    found = Counter(name for file in report["files"] for one in file["modules"] if (name := lacking(one["reason"])))
    for name, number in found.items():
        what = f"{_count(number, 'module')} did not run, since there is no module named {name}"
        print(f"fx-lsp: {what}: install it where the models run, see `fx-lsp doctor`", file=sys.stderr)


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


COMMAND = Command("check", "Run every example and say what is wrong.", configure, run)
