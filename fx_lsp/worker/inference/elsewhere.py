"""What a parameter is by default in other constructors of the workspace that have one of the same name:
`act_cfg=dict(type="ReLU")`, `pool="mean"`."""

from __future__ import annotations

import inspect
import types
from collections import Counter
from typing import Any, Dict, Iterator, List, Tuple

from fx_lsp.worker.inference.configurations import literal
from fx_lsp.worker.inference.corrections import value_of
from fx_lsp.worker.inference.names import Names

MAX_TEXT = 80
"""Characters of a value."""
MAX_SIZE = 256
"""A number that is larger counts steps, or bounds something."""
MAX_DEFAULTS = 2
Defaults = Dict[str, Counter[Tuple[bool, str]]]
"""By the name, whether it is one of the same file, and the text."""


def elsewhere(name: str, hint: Any, names: Names) -> List[str]:
    """Values of this kind, those of the same file first, then the usual ones."""
    if names.defaults is None:
        names.defaults = _defaults(names)
    found = names.defaults.get(name, Counter())
    ranked = sorted(found, key=lambda one: (not one[0], -found[one]))
    texts = [text for _, text in ranked if hint is inspect.Parameter.empty or type(value_of(text)) is hint]
    return list(dict.fromkeys(texts))[:MAX_DEFAULTS]


def _defaults(names: Names) -> Defaults:
    found: Defaults = {}
    for cls in dict.fromkeys(names.classes(object)):
        init = vars(cls).get("__init__")
        for name, value in _given_by(init) if isinstance(init, types.FunctionType) else ():
            if text := _text(value):
                found.setdefault(name, Counter())[cls.__module__ == names.module.__name__, text] += 1
    return found


def _given_by(function: types.FunctionType) -> Iterator[Tuple[str, Any]]:
    places = function.__code__.co_varnames[: function.__code__.co_argcount]
    values = function.__defaults__ or ()
    yield from zip(places[len(places) - len(values) :], values)
    yield from (function.__kwdefaults__ or {}).items()


def _text(value: Any) -> str:
    """Of what says something; empty for anything else."""
    if type(value) not in (bool, int, float, str, tuple, list, dict) or not value:
        return ""
    if type(value) is int and value > MAX_SIZE:
        return ""
    text = literal(value)
    return text if len(text) <= MAX_TEXT else ""
