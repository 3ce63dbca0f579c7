"""Text of a stranger made harmless to look at: nothing in it moves the cursor, hides, or turns the line around."""

from __future__ import annotations

import re

_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ud800-\udfff\ufeff\uffa0\ufff0-\uffff\U000e0000-\U000e0fff]"
)
"""Control characters, those that say in which direction is read, those without a width, halves of surrogate pairs."""

MISSING = "\ufffd"


def visible(text: str, keep: str = "") -> str:
    """The text with a character that can be seen for each that cannot, but those of `keep`; it stays as long as it was.

    Control characters become their pictures (`␛`), everything else `\N{REPLACEMENT CHARACTER}`.
    """
    return _UNSEEN.sub(lambda match: match[0] if match[0] in keep else _picture(match[0]), text)


def cut(text: str, limit: int) -> str:
    """At most `limit` characters, the last one `…` when there are more."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _picture(char: str) -> str:
    number = ord(char)
    return chr(0x2400 + number) if number < 0x20 else "\u2421" if number == 0x7F else MISSING
