"""Examples in an answer that is not to be trusted: they end up in files, and are run."""

from __future__ import annotations

import ast

from fx_lsp.analysis.visible import visible
from fx_lsp.model import syntax
from fx_lsp.model.example import ATTRIBUTES, ExampleError
from fx_lsp.model.example import parse as parse_example

MAX_INVENTED = 4000
"""Characters."""


def is_call(text: str) -> bool:
    """Whether it is one visible line that holds the call of a call."""
    if not is_plain(text, MAX_INVENTED) or "\n" in text:
        return False
    try:
        return isinstance(parse_example(text).body, ast.Call)
    except ExampleError:
        return False


def only_imports(text: str) -> bool:
    """Whether the statements do nothing but import, or make the one class that is known here."""
    if not is_plain(text, MAX_INVENTED):
        return False
    try:
        others = "\n".join(line for line in text.split("\n") if line != ATTRIBUTES)
        return all(isinstance(node, (ast.Import, ast.ImportFrom)) for node in syntax.module(others).body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def is_plain(text: str, limit: int) -> bool:
    """Whether it is short, and can be seen as it is; it may have several lines."""
    return len(text) <= limit and visible(text, keep="\n") == text
