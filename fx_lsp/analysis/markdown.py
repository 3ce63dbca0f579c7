"""Text of user code where a client shows it: as it is, never interpreted, and nothing in it hides."""

from __future__ import annotations

import re

from fx_lsp.analysis.visible import cut, visible

_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~&:@/^$])")
_ACTIVE = re.compile(r"([$\]])\(")
"""How icons (`$(trash)`) and links (`[text](command:…)`) go on."""


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


def title(text: str, limit: int = 4000) -> str:
    """One line for a lens, a notification or the progress, none of which is Markdown: VS Code finds icons and links in
    them all the same."""
    return _ACTIVE.sub(r"\1 (", flat(text, limit))


def flat(text: str, limit: int = 4000) -> str:
    """The text on one line, cut at `limit` characters."""
    return cut(visible(" ".join(text[: 8 * limit].split())), limit)
