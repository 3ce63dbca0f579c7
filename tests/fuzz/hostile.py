"""What a stranger writes: texts, numbers and whole messages that nobody means well with."""

from __future__ import annotations

import dataclasses
import sys
import types
from typing import Any, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from fx_lsp.model import value
from fx_lsp.model.span import Span

NASTY = (
    "",
    "\0",
    "\x1b[2J\x1b]52;c;aGk=\x07",
    "a\u202eb\u2066c\u2069",
    "\u200b\u200e\ufeff\xad",
    "\ud800",
    "\r\n\u2028\u2029\x85",
    "![x](http://h/i.png)",
    "[x](command:workbench.action.quit)",
    "<img src=x onerror=alert(1)>",
    "$(trash) $(sync~spin)",
    "`" * 5 + "x",
    "https://evil.example/a?b=c#d www.evil.example me@evil.example",
    "../../../../etc/passwd",
    "x" * 5000,
    "\u0130\u0131\u017f",
)
"""Texts that something somewhere reads as more than text."""

NUMBERS = (-1, 0, 1, 2**31, 2**53 + 1, 2**63, 2**64, -(2**63) - 1, 10**400)

texts = st.one_of(st.sampled_from(NASTY), st.text(max_size=20), st.text("`$([]){}<>!*_~|\\&#:/.@-ab \n", max_size=30))
numbers = st.one_of(st.sampled_from(NUMBERS), st.integers(-3, 40))
floats = st.one_of(st.floats(allow_nan=True, allow_infinity=True), st.sampled_from([1e308, -0.0]))


def of(cls: Any, **known: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Instances of a message class with anything that its types allow; `known` are the fields named."""
    hints = get_type_hints(cls, {**vars(value), **vars(sys.modules[cls.__module__])})
    if cls.__name__ not in known:  # of one inside another of its kind only what has no default
        bare = {
            f.name: _field(hints[f.name], known) for f in dataclasses.fields(cls) if f.default is dataclasses.MISSING
        }
        known = {**known, cls.__name__: st.builds(cls, **bare)}
    fields = {
        field.name: known[field.name] if field.name in known else _field(hints[field.name], known)
        for field in dataclasses.fields(cls)
    }
    return st.builds(cls, **fields)


def _field(hint: Any, known: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[Any]:
    origin, arguments = get_origin(hint), get_args(hint)
    if hint == value.Value:
        return values
    if origin in (Union, types.UnionType):
        return st.one_of(*(st.none() if one is type(None) else _field(one, known) for one in arguments))
    if origin is tuple:
        return st.lists(_field(arguments[0], known), max_size=4).map(tuple)
    if dataclasses.is_dataclass(hint):
        return known[hint.__name__] if hint.__name__ in known else of(hint, **known)
    return {str: texts, int: numbers, float: floats, bool: st.booleans()}[hint]


_tensor = st.builds(
    value.TensorType,
    dtype=texts,
    shape=st.lists(numbers, max_size=4).map(tuple),
    names=st.lists(st.one_of(st.none(), texts), max_size=4).map(tuple),
    device=texts,
    stride=st.lists(numbers, max_size=3).map(tuple),
)


def _group(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(
        value.Group,
        form=st.one_of(st.sampled_from(["tuple", "list", "set", "dict", "object"]), texts),
        items=st.lists(inner, max_size=3).map(tuple),
        keys=st.lists(texts, max_size=3).map(tuple),
        name=texts,
        omitted=numbers,
    )


values: st.SearchStrategy[Any] = st.recursive(st.one_of(_tensor, st.builds(value.Opaque, texts)), _group, max_leaves=6)


def spans(*paths: str) -> st.SearchStrategy[Span]:
    """Places in these files and in any other."""
    places = st.one_of(numbers, st.integers(1, 8))
    return st.builds(Span, st.one_of(st.sampled_from(paths), texts) if paths else texts, places, places, places, places)
