"""Numbers in the place of groups: something was asked of what was nothing, and later it was a size."""

from __future__ import annotations

import re
from typing import Iterator

from fx_lsp.worker.inference.attempts import Attempt
from fx_lsp.worker.inference.corrections import Arguments, Place
from fx_lsp.worker.inference.fields import is_group, named_in, replaced, said_of
from fx_lsp.worker.inference.meaning import argument

MAX_NUMBERS = 2
_NUMBER = re.compile(
    r"(?:operand|non-int|as an integer|not supported between|must be (?:tuple of )?(?:ints?|float|real number)).*"
    r"(?:SimpleNamespace|AttrDict)|(?:SimpleNamespace|AttrDict)' object cannot be interpreted as an integer"
)
"""Of messages: a group was taken for a number."""


def ungrouped(attempt: Attempt, given: Arguments, place: Place) -> Iterator[Arguments]:
    """With a number in the place of a group that was taken for one."""
    for one, path, now in named_in(attempt, given, place, said_of(attempt, place)):
        if _NUMBER.search(attempt.message) and is_group(now):
            usual = [text for text in argument((one, *path)[-1]) if text.isdigit()]
            yield from ({**given, one: replaced(given[one], path, text)} for text in [*usual, "64"][:MAX_NUMBERS])
