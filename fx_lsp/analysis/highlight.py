"""Which parts of a Python text are keywords, strings, numbers and comments."""

from __future__ import annotations

import io
import keyword
import tokenize

from fx_lsp.analysis.columns import columns

Styles = dict[int, list[tuple[int, int, str]]]
"""Per line, from 1: start and end column in characters, and `keyword`, `definition`, `string`, `number`, `comment`."""

_TOKENS = {
    "STRING": "string",
    "FSTRING_START": "string",
    "FSTRING_MIDDLE": "string",
    "FSTRING_END": "string",
    "NUMBER": "number",
    "COMMENT": "comment",
}


def highlight(text: str) -> Styles:
    """As far as the text is Python; what comes after a mistake has no styles."""
    styles: Styles = {}
    lines = columns(text).lines
    before = ""
    try:
        for token in tokenize.generate_tokens(io.StringIO(text, newline=None).readline):
            kind = _kind(token, before)
            before = token.string if token.type == tokenize.NAME else ""
            if not kind:
                continue
            for line in range(token.start[0], min(token.end[0], len(lines)) + 1):
                start = token.start[1] if line == token.start[0] else 0
                end = token.end[1] if line == token.end[0] else len(lines[line - 1])
                styles.setdefault(line, []).append((start, end, kind))
    except (tokenize.TokenError, SyntaxError, UnicodeError):
        return styles  # what is known so far
    return styles


def _kind(token: tokenize.TokenInfo, before: str) -> str:
    if token.type == tokenize.NAME:
        return "keyword" if keyword.iskeyword(token.string) else "definition" if before in ("def", "class") else ""
    return _TOKENS.get(tokenize.tok_name[token.type], "")
