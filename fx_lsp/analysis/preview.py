"""Source with its hints inside, for terminals and tests."""

from __future__ import annotations

from collections.abc import Container

from fx_lsp.analysis.diagnostics import all_problems
from fx_lsp.analysis.hints import all_hints
from fx_lsp.analysis.snapshot import Problem, Snapshot

HINT, RESET = "\x1b[38;5;109m", "\x1b[0m"
SEVERITIES = {"error": "\x1b[31m", "warning": "\x1b[33m", "information": "\x1b[34m", "hint": "\x1b[2m"}


def render(snapshot: Snapshot, colour: bool, enabled: Container[str] | None = None) -> str:
    """The text with `: f32[2, 3]` after each name, problems below the lines they are on.

    Without colour a hint is set apart by brackets: `x⟦f32[2, 3]⟧`.
    """
    left, right = (f"{HINT}: ", RESET) if colour else ("⟦", "⟧")
    lines = [line.encode() for line in snapshot.text.split("\n")]
    below: dict[int, list[str]] = {}
    for problem in all_problems(snapshot):
        if problem.severity != "hint" and problem.span.line <= len(lines):
            below.setdefault(problem.span.line - 1, []).append(_under(problem, lines, colour))
    for hint in reversed(all_hints(snapshot, enabled)):
        row, column = hint.span.end_line - 1, hint.span.end_column
        if row < len(lines):
            text = f"{left}{hint.label}{right}".encode()
            lines[row] = lines[row][:column] + text + lines[row][column:]
    shown = [line.decode("utf-8", "replace") for line in lines]
    return "\n".join(text for row, line in enumerate(shown) for text in [line, *below.get(row, ())])


def _under(problem: Problem, lines: list[bytes], colour: bool) -> str:
    line = lines[problem.span.line - 1]
    end = problem.span.end_column if problem.span.end_line == problem.span.line else len(line)
    start = len(line[: problem.span.column].decode("utf-8", "replace"))
    width = max(len(line[problem.span.column : end].decode("utf-8", "replace")), 1)
    text = f"{' ' * start}{'^' * width} {problem.severity}: {problem.message}"
    return f"{SEVERITIES.get(problem.severity, '')}{text}{RESET}" if colour else text
