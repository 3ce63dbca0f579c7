"""Classes that an argument is asked to be of where it failed: `assert isinstance(net, Net)`, also under another name
there, as one of several, or by a function that the condition calls."""

from __future__ import annotations

import re
from types import FunctionType
from typing import Any, Callable, Iterator

from fx_lsp.worker.inference.attempts import Attempt, reached
from fx_lsp.worker.inference.live import source_text
from fx_lsp.worker.inference.parts import Place
from fx_lsp.worker.inference.variables import variables

_ASKED = re.compile(r"\bisinstance\(\s*([\w.]+)\s*,\s*\(?([\w., ]+)\)?\s*\)")
_CALLED = re.compile(r"([A-Za-z_][\w.]*)\(\s*([A-Za-z_][\w.]*)\s*[,)]")
_PLAIN = (bool, int, float, str, type(None))


def tested(name: str, attempt: Attempt, place: Place) -> Iterator[type]:
    """Those of which what is given under the name is none, best first."""
    if place is None:
        return
    given = variables(place[0]).get(name)
    frame, condition = attempt.condition()
    for where, text in ((place[0], place[2]), (frame or place[0], condition)):
        for path, classes in _ASKED.findall(text):
            same = where is place[0] and path == name
            if same or _holds(given, reached(where, path), name, place):
                yield from _classes(classes, lambda one, where=where: reached(where, one))
    for called, path in _CALLED.findall(condition) if frame is not None else ():
        function = reached(frame, called)
        if isinstance(function, FunctionType) and _holds(given, reached(frame, path), name, place):
            known = function.__globals__
            for _, classes in _ASKED.findall(source_text(function)):
                yield from _classes(classes, lambda one, known=known: reached(known, one))


def _holds(given: Any, value: Any, name: str, place: Place) -> bool:
    """Whether a value is what is given, or one of several that are."""
    if isinstance(given, _PLAIN):  # there are many of the same
        return value is given and place is not None and re.search(rf"\b{name}\b", place[2]) is not None
    return value is given or (isinstance(given, (list, tuple)) and any(one is value for one in given))


def _classes(listed: str, known: Callable[[str], Any]) -> Iterator[type]:
    for value in (known(one.strip()) for one in listed.split(",") if one.strip()):
        if isinstance(value, type) and value.__module__ != "builtins":
            yield value
