"""Arguments for a constructor that hands on what it is given, or looks them up in the rest: `**kwargs`."""

from __future__ import annotations

import re
from typing import Any, Iterator, Mapping

from fx_lsp.worker.inference.attempts import Attempt
from fx_lsp.worker.inference.corrections import Arguments, missing
from fx_lsp.worker.inference.meaning import argument
from fx_lsp.worker.inference.signatures import read_of_rest

_PREFIX = re.compile(r"[\'\"]([A-Za-z]\w*_)[\'\"]")
_REST = re.compile(r"def __init__\([^)]*\*\*(\w+)")
_SOUGHT = re.compile(r"['\"](\w+)['\"] (?:not )?in (\w+)")
MAX_PREFIXES = 4
MAX_LETTERS = 20
"""Of a prefix that is a constant."""


def handed_on(attempt: Attempt, given: Arguments, code: str, names: Mapping[str, Any]) -> Iterator[Arguments]:
    """What is missing within a constructor that hands on what it is given; also with the prefixes by which it sorts
    that, which are written in its `code` or are constants among these names: with all of them, then with one each."""
    absent = missing(attempt)
    rest, sought = _REST.search(code), _SOUGHT.findall(attempt.condition()[1])  # `assert "width" in kwargs`
    absent = [*absent, *(key for key, table in sought if rest is not None and table == rest[1] and key not in given)]
    if absent:
        yield {**given, **{name: argument(name)[0] for name in absent}}
    if isinstance(attempt.error, KeyError):
        absent = [key for key in attempt.error.args if isinstance(key, str) and key.isidentifier()]
    elif (match := re.search(r"has no attribute '(\w+)'", attempt.message)) and read_of_rest(code, match[1]):
        yield {**given, match[1]: argument(match[1])[0]}
    constants = (repr(one) for one in names.values() if type(one) is str and len(one) < MAX_LETTERS)
    prefixes = [one for text in (code, *filter(_PREFIX.fullmatch, constants)) for one in _PREFIX.findall(text)]
    added = [
        {prefix + name: argument(name)[0] for name in absent if prefix + name not in given}
        for prefix in list(dict.fromkeys(prefixes))[:MAX_PREFIXES]
    ]
    added = [each for each in added if each]
    if len(added) > 1:
        yield {**given, **{name: text for each in added for name, text in each.items()}}
    yield from ({**given, **each} for each in added)
    if isinstance(attempt.error, KeyError):
        taken = [name for name in absent if re.search(rf"\*\*(\w+)\b[\s\S]*\b\1(\[|\.pop\()\s*['\"]{name}['\"]", code)]
        yield from ({**given, name: argument(name)[0]} for name in taken if name not in given)
