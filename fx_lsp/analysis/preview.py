"""Source with its hints inside, for terminals and tests."""

from __future__ import annotations

from collections.abc import Container
from itertools import pairwise

from fx_lsp.analysis.columns import columns
from fx_lsp.analysis.diagnostics import all_problems
from fx_lsp.analysis.highlight import highlight
from fx_lsp.analysis.hints import all_hints
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.analysis.visible import visible

RESET = "\x1b[0m"
HINT = "\x1b[3;36m"
PROBLEMS = {"error": "\x1b[1;31m", "warning": "\x1b[33m", "information": "\x1b[34m", "hint": "\x1b[90m"}
WORDS = {
    "keyword": "\x1b[35m",
    "definition": "\x1b[1;34m",
    "string": "\x1b[32m",
    "number": "\x1b[33m",
    "comment": "\x1b[90m",
}


def render(snapshot: Snapshot, colour: bool, enabled: Container[str] | None = None, shown: Container[str] = ()) -> str:
    """The text with `: f32[2, 3]` after each name, problems below the lines they are on; `shown`: see `all_problems`.

    Without colour a hint is set apart by brackets: `x⟦f32[2, 3]⟧`.
    """
    lines = columns(snapshot.text).lines
    below = _below(snapshot, shown, colour)
    hints: dict[int, list[tuple[int, str]]] = {}
    for hint in all_hints(snapshot, enabled):
        place = columns(snapshot.text).character(hint.span.end_line, hint.span.end_column)
        hints.setdefault(hint.span.end_line, []).append((place, _hint(hint.label, colour)))
    styles = highlight(snapshot.text) if colour else {}
    shown_lines: list[str] = []
    for number, line in enumerate(lines, start=1):
        shown_lines.append(_line(visible(line, keep="\t"), hints.get(number, []), styles.get(number, [])))
        shown_lines.extend(below.get(number, ()))
    return "\n".join(shown_lines)


def _hint(label: str, colour: bool) -> str:
    return f"{HINT}: {label}{RESET}" if colour else f"⟦{label}⟧"


def _line(line: str, hints: list[tuple[int, str]], styles: list[tuple[int, int, str]]) -> str:
    """The line cut at every place where something starts or ends, and put together with colours and hints."""
    cuts = {0, len(line), *(place for place, _ in hints)}
    cuts.update(min(place, len(line)) for start, end, _ in styles for place in (start, end))
    drawn: dict[int, str] = {}
    for place, text in hints:
        drawn[place] = drawn.get(place, "") + text
    parts = [drawn.get(0, "")]
    for start, end in pairwise(sorted(cuts)):
        style = next((WORDS[kind] for first, last, kind in styles if first <= start and end <= last), "")
        parts.append(f"{style}{line[start:end]}{RESET}" if style else line[start:end])
        parts.append(drawn.get(end, ""))
    return "".join(parts)


def _below(snapshot: Snapshot, shown: Container[str], colour: bool) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for problem in all_problems(snapshot, shown):
        line = min(max(problem.span.line, 1), len(columns(snapshot.text).lines))
        found.setdefault(line, []).append(_under(problem, line, snapshot.text, colour))
    return found


def _under(problem: Problem, line: int, text: str, colour: bool) -> str:
    """The mark below the problem's place, as far as that is on its first line, and the message."""
    span, places = problem.span, columns(text)
    start = places.character(line, span.column)
    one_line = span.end_line == span.line
    end = places.character(line, span.end_column) if one_line else len(places.lines[line - 1])
    # Tabs stay tabs, so that the mark stands where the terminal draws the text.
    margin = "".join(char if char == "\t" else " " for char in places.lines[line - 1][:start])
    message = visible(problem.message)
    shown = f"{margin}{'^' * max(end - start, 1)} {problem.severity}: {message}"
    return f"{PROBLEMS[problem.severity]}{shown}{RESET}" if colour else shown
