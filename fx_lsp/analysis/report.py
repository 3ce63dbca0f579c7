"""What `fx-lsp check --format json` says about a file."""

from __future__ import annotations

import os
from collections.abc import Container
from typing import Any

from fx_lsp.analysis.columns import Columns, columns
from fx_lsp.analysis.coverage import Coverage, coverage
from fx_lsp.analysis.diagnostics import all_problems
from fx_lsp.analysis.hints import Hint, all_hints
from fx_lsp.analysis.snapshot import Problem, Snapshot, Trace
from fx_lsp.model.span import Span
from fx_lsp.model.value import concrete


def file_report(snapshot: Snapshot, root: str, shown: Container[str] = ()) -> dict[str, Any]:
    """One entry of `files`.  Lines count from 1, columns from 0 in characters; paths are relative to `root`.

    `shown` are the other files of the report, see `all_problems`.
    """
    places = columns(snapshot.text)
    return {
        "path": relative(snapshot.path, root),
        "modules": [_module(entry) for entry in coverage(snapshot)],
        "examples": [_example(trace, root) for trace in snapshot.traces],
        "hints": [_hint(hint, places) for hint in all_hints(snapshot)],
        "diagnostics": [_diagnostic(problem, places) for problem in all_problems(snapshot, shown)],
    }


def place(span: Span, text: str) -> tuple[int, int]:
    """Line and column from 1, in characters, as compilers print them."""
    return span.line, columns(text).character(span.line, span.column) + 1


def relative(path: str, root: str) -> str:
    """The path below the root with forward slashes; the path itself when it lies on another drive."""
    try:
        return os.path.relpath(path, root).replace(os.sep, "/")
    except ValueError:
        return path.replace(os.sep, "/")


def _module(entry: Coverage) -> dict[str, Any]:
    return {
        "name": entry.module.name,
        "line": entry.module.line,
        "status": entry.status,
        "reason": entry.reason,
        "examples": list(entry.examples),
    }


def _example(trace: Trace, root: str) -> dict[str, Any]:
    return {
        "scope": relative(trace.example.scope, root),
        "setup": trace.example.setup,
        "call": trace.call,
        "dims": dict(trace.dims),
        "origin": trace.example.origin,
        "fills": trace.example.fills,
        "engine": trace.reply.engine,
        "ms": round(trace.reply.ms, 1),
    }


def _hint(hint: Hint, places: Columns) -> dict[str, Any]:
    return {
        "line": hint.span.end_line,
        "column": places.character(hint.span.end_line, hint.span.end_column),
        "name": hint.name,
        "label": hint.label,
        "concrete": list(dict.fromkeys(concrete(variant.value) for variant in hint.variants)),
        "examples": list(hint.examples),
    }


def _diagnostic(problem: Problem, places: Columns) -> dict[str, Any]:
    span = problem.span
    return {
        "line": span.line,
        "column": places.character(span.line, span.column),
        "endLine": span.end_line,
        "endColumn": places.character(span.end_line, span.end_column),
        "severity": problem.severity,
        "code": problem.code,
        "message": problem.message,
    }
