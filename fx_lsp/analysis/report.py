"""What `fx-lsp check --format json` says about a file."""

from __future__ import annotations

import os
from typing import Any

from fx_lsp.analysis.coverage import coverage
from fx_lsp.analysis.diagnostics import all_problems
from fx_lsp.analysis.hints import Hint, all_hints
from fx_lsp.analysis.snapshot import Problem, Snapshot, Trace
from fx_lsp.model.span import Span
from fx_lsp.model.value import concrete

REPORTED_HINTS = frozenset({"parameter", "assignment", "result"})


def file_report(snapshot: Snapshot, root: str) -> dict[str, Any]:
    """One entry of `files`.  Lines count from 1, columns from 0 in characters; paths are relative to `root`."""
    columns = _Columns(snapshot.text)
    return {
        "path": _relative(snapshot.path, root),
        "modules": [
            {
                "name": entry.module.name,
                "line": entry.module.line,
                "status": entry.status,
                "reason": entry.reason,
                "examples": list(entry.examples),
            }
            for entry in coverage(snapshot)
        ],
        "examples": [_example(trace, root) for trace in snapshot.traces],
        "hints": [_hint(hint, columns) for hint in all_hints(snapshot, REPORTED_HINTS)],
        "diagnostics": [_diagnostic(problem, columns) for problem in all_problems(snapshot)],
    }


def _example(trace: Trace, root: str) -> dict[str, Any]:
    reply = trace.reply
    return {
        "scope": _relative(trace.example.scope, root),
        "setup": trace.example.setup,
        "call": trace.call,
        "dims": dict(trace.dims),
        "origin": trace.example.origin,
        "engine": reply.engine,
        "ms": round(reply.ms, 1),
        "failure": None if reply.failure is None else reply.failure.message,
    }


def _hint(hint: Hint, columns: _Columns) -> dict[str, Any]:
    return {
        "line": hint.span.end_line,
        "column": columns.at(hint.span.end_line, hint.span.end_column),
        "name": hint.name,
        "label": hint.label,
        "concrete": list(dict.fromkeys(concrete(variant.value) for variant in hint.variants)),
        "examples": list(hint.examples),
    }


def _diagnostic(problem: Problem, columns: _Columns) -> dict[str, Any]:
    span = problem.span
    return {
        "line": span.line,
        "column": columns.at(span.line, span.column),
        "endLine": span.end_line,
        "endColumn": columns.at(span.end_line, span.end_column),
        "severity": problem.severity,
        "code": problem.code,
        "message": problem.message,
    }


class _Columns:
    """From UTF-8 columns to columns in characters."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")

    def at(self, line: int, column: int) -> int:
        if not 1 <= line <= len(self.lines):
            return column
        return len(self.lines[line - 1].encode()[:column].decode("utf-8", "ignore"))


def _relative(path: str, root: str) -> str:
    return os.path.relpath(path, root).replace(os.sep, "/")


def place(span: Span, text: str) -> tuple[int, int]:
    """Line from 1 and column from 1 in characters, as compilers print them."""
    return span.line, _Columns(text).at(span.line, span.column) + 1
