"""Attributes that something was asked for in vain: by a condition before an error, or by the code itself."""

from __future__ import annotations

import re
from typing import Iterator

from fx_lsp.worker.inference.attempts import Attempt
from fx_lsp.worker.inference.corrections import Arguments, Place
from fx_lsp.worker.inference.fields import regrouped
from fx_lsp.worker.inference.fillings import held_as, of_attribute
from fx_lsp.worker.inference.modules import with_attribute

_TESTED = re.compile(r"\b(?:getattr|hasattr)\(\s*(?:self\.)?(\w+),\s*['\"](\w+)['\"]")


def wanting(attempt: Attempt, given: Arguments, place: Place, code: str) -> Iterator[Arguments]:
    """With what has the attribute; `code` is the text of the class."""
    for held, attribute in _TESTED.findall(attempt.condition()[1]):
        for name in (one for one in given if held in held_as(one, code)):
            if text := with_attribute(given[name], attribute, of_attribute(attribute, code)):
                yield {**given, name: text}
    yield from regrouped(attempt, given, place, code)
