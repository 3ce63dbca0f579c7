"""Text of user code inside Markdown: shown as it is, never interpreted."""

from __future__ import annotations

import re

_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~&:@/^$])")


def plain(text: str) -> str:
    """One line of text, with everything escaped that Markdown would read as more than text."""
    return _SPECIAL.sub(r"\\\1", flat(text))


def code(text: str) -> str:
    """One line as a code span; its fence is longer than any run of backticks inside."""
    line = flat(text)
    if not line:
        return ""
    fence = "`" * (1 + max((len(run) for run in re.findall(r"`+", line)), default=0))
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def flat(text: str, limit: int = 4000) -> str:
    """The text on one line, cut at `limit` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
