"""Modules that are finished by a method, which has to be called before `forward` is: `build`, `setup`, `reset`."""

from __future__ import annotations

import re
import types
from typing import Any, Dict, Iterator, List

from fx_lsp.worker.inference.attempts import Attempt, Built
from fx_lsp.worker.inference.conditions import absent
from fx_lsp.worker.inference.constructors import Constructor
from fx_lsp.worker.inference.live import source_text
from fx_lsp.worker.inference.names import together

HELD = "model"
"""What it is called while it is finished."""
MAX_METHODS = 2
_READ = re.compile(r"\bself\.(\w+)")
_CALLED = re.compile(r"\b(\w+)\(\)")


def prepared(built: Built, attempt: Attempt, constructor: Constructor) -> Iterator[Built]:
    """The same after a call of a method that makes what the `forward` that failed read in vain."""
    name = _nothing(built, attempt) or absent(attempt)
    makers = _makers(constructor, name) if name else []
    for method in list(dict.fromkeys([*_told(constructor, attempt), *makers]))[:MAX_METHODS]:
        before = f"{HELD} = {built.call}"
        made = constructor.of_method(f"{HELD}.{method}", method, together(built.setup, before)).find(
            constructor.clock.now() + 1.0
        )
        if made is not None and made.attempt.error is None:
            setup = together(*(line for line in made.setup.split("\n") if line != before))
            call = f"({HELD} := {built.call}, {made.call})[0]"  # an example is one line, with imports before it
            yield Built(setup, call, constructor.evaluate(setup, call))


def _nothing(built: Built, attempt: Attempt) -> str:
    """The attribute that is nothing so far, where that is what failed, also as a condition; empty where it is not."""
    text = next((text for owner, text, _ in attempt.in_modules() if owner is built.instance), "")
    condition = attempt.condition()[1]
    if "NoneType" not in attempt.message:
        text = condition if re.search(r"\bself\.\w+ is (not )?None\b|\bnot self\.\w+\s*:", condition) else ""
    return next((name for name in _READ.findall(text) if vars(built.instance).get(name, 0) is None), "")


def _told(constructor: Constructor, attempt: Attempt) -> List[str]:
    """Methods that a message says are to be called: `call fit() first`."""
    found = {one: getattr(constructor.cls, one, None) for one in _CALLED.findall(attempt.message)}
    return [*_written(constructor, found)]


def _makers(constructor: Constructor, name: str) -> List[str]:
    """Methods that give the attribute a value, none of which `forward` calls by itself."""
    found = {one: code for owner in reversed(constructor.cls.__mro__) for one, code in vars(owner).items()}
    stored = re.compile(rf"\bself\.{name}\b(?:, self\.\w+)*(?:: [^=\n]+)? = (?!None\b)")
    return [one for one, code in _written(constructor, found).items() if stored.search(source_text(code))]


def _written(constructor: Constructor, found: Dict[str, Any]) -> Dict[str, Any]:
    """Of attributes of a class, the methods of the workspace that are to be called by name."""
    return {
        one: code
        for one, code in found.items()
        if isinstance(code, types.FunctionType)
        and one not in ("__init__", "forward")
        and constructor.names.is_ours(code.__code__.co_filename)
    }
