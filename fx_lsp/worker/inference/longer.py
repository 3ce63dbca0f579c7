"""Lists that are to be longer, by what an error says of what was looked up in them."""

from __future__ import annotations

import ast
from typing import Any, Iterator

COUNTS = (8, 5, 12, 3)
"""Places in a list that had too few."""
ROWS = (3, 8)
"""Places in each of its lists."""


def with_more(message: str, text: str) -> Iterator[str]:
    """In the place of an argument that was `text`: more of the same, where an index was out of range."""
    if "index out of range" not in message:
        return
    listed = _listed(text)
    if listed is not None and len(listed) > 0:
        if isinstance(listed[0], (list, tuple)) and len(listed[0]) > 0:
            yield from (repr(type(listed)((row * count)[:count] for row in listed)) for count in ROWS)
        yield from (f"{text[0]}{', '.join([repr(listed[0])] * count)}{text[-1]}" for count in COUNTS)
    elif text[:1] in ("(", "[") and text[1:-1]:
        first = text[1:-1].split(",")[0]
        yield from (f"{text[0]}{', '.join([first] * count)}{text[-1]}" for count in COUNTS)
    elif text in ("()", "[]"):
        yield from ("(64, 64, 64, 64)", "(64, 64)")
    elif text.isdigit():  # it chose from a table
        yield from (number for number in ("2", "1", "3", "0") if number != text)


def _listed(text: str) -> Any:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None
    return value if isinstance(value, (list, tuple)) else None
