"""Where an example comes from and how it was run, in words for the user."""

from __future__ import annotations

import ast
import os

from fx_lsp.analysis.notebook import SUFFIX
from fx_lsp.analysis.snapshot import Trace
from fx_lsp.analysis.source import parsed
from fx_lsp.model import syntax
from fx_lsp.model.example import Example, ExampleError, parse

STATED = ("directive", "config")
"""Origins of examples that the user wrote as such."""

_WORDS = {
    "directive": "from directive",
    "config": "from pyproject.toml",
    "annotation": "from annotations",
    "call": "from call",
    "program": "from a run",
    "parent": "from the module around it",
    "default": "from defaults",
    "inferred": "inferred",
}


def came_from(trace: Trace, path: str) -> str:
    """`from call in train.py`, seen from the file at `path`."""
    example = trace.example
    words = _WORDS.get(example.origin, example.origin)
    span = example.span
    if example.origin == "program":
        return f"{words} of {os.path.basename(example.scope)}"
    if span is None or example.origin == "config":
        return words
    if span.path != path:
        return f"{words} in {os.path.basename(span.path)}"
    numbered = example.origin in ("call", "directive") and not path.endswith(".ipynb")  # where cells have lines
    return f"{words} on line {span.line}" if numbered else words


def engine_notes(trace: Trace) -> tuple[str, ...]:
    """How it was run, when not on fake tensors with the devices that the code asked for."""
    notes: list[str] = []
    if trace.reply.engine == "real":
        why = f", fake ones could not go on: {trace.reply.fallback}" if trace.reply.fallback else ""
        notes.append(f"run on small real tensors{why}")
    if trace.reply.devices:
        notes.append(f"asks for {' and '.join(trace.reply.devices)}, run on the CPU")
    return tuple(notes)


def way(example: Example) -> tuple[str, int, frozenset[str | None]] | None:
    """What an example calls of its model, and which arguments it gives."""
    call = _call_of(example)
    if call is None:
        return None
    return getattr(call.func, "attr", ""), len(call.args), frozenset(one.arg for one in call.keywords)


def documented(example: Example, path: str, text: str) -> bool:
    """Whether the call stands in documentation, which may be of another version: in a document, or in a docstring of
    the file with this text."""
    written = example.span
    if example.origin != "call" or written is None:
        return False
    if written.path != path:
        return not written.path.endswith((".py", SUFFIX))
    return all(call.lineno != written.line for call in parsed(path, text).every(ast.Call))


def stands_alone(example: Example) -> bool:
    """Whether it is a class made of plain numbers and called with tensors that torch makes of such: at once, or as a
    variable that is set before."""
    call = _call_of(example)
    model, made = _model(example, call) if call is not None else (None, None)
    if call is None or model is None:
        return False
    parts = [call] if made is None else [call, made]
    names = {one.id for part in parts for one in ast.walk(part) if isinstance(one, ast.Name)}
    return names <= {model.id, "torch", *([ast.unparse(call.func)] if made is not None else [])}


def _model(example: Example, call: ast.Call) -> tuple[ast.Name | None, ast.Call | None]:
    """The name of the class, and what is assigned before where it is called as a variable."""
    if not example.setup:
        inner = call.func.func if isinstance(call.func, ast.Call) else None
        return inner if isinstance(inner, ast.Name) else None, None
    try:
        body = syntax.module(example.setup).body
    except SyntaxError:
        return None, None
    first = body[0] if len(body) == 1 else None
    made = first.value if isinstance(first, ast.Assign) else None
    names = [getattr(one, "id", "") for one in first.targets] if isinstance(first, ast.Assign) else []
    alone = isinstance(call.func, ast.Name) and names == [call.func.id]
    if not alone or not isinstance(made, ast.Call) or not isinstance(made.func, ast.Name):
        return None, None
    return made.func, made


def _call_of(example: Example) -> ast.Call | None:
    try:
        call = parse(example.call).body
    except ExampleError:
        return None
    return call if isinstance(call, ast.Call) else None
