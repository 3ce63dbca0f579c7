"""The arguments of a program, which nobody gives here: a text that is required, the path of a file or a folder as it
seems, is its own name, and whatever else is required is None."""

from __future__ import annotations

import argparse
import pathlib
from functools import wraps
from typing import Any, List

not_given: List[str] = []
"""Those that were required, of this process: what fails afterwards may fail for want of them."""


def install() -> None:
    """From now on, in this process."""
    parse = argparse.ArgumentParser.parse_known_args
    if hasattr(parse, "__wrapped__"):
        return

    @wraps(parse)
    def parse_known_args(self: Any, *args: Any, **kwargs: Any) -> Any:
        required = [one for one in (*self._actions, *self._mutually_exclusive_groups) if one.required]
        for one in required:
            one.required = False
        found = parse(self, *args, **kwargs)
        for one in required:
            name = getattr(one, "dest", "")
            if getattr(found[0], name, None) is None:
                not_given.append(name or "a choice")
                if _is_text(one):
                    setattr(found[0], name, (one.type or str)(name))
        return found

    argparse.ArgumentParser.parse_known_args = parse_known_args  # type: ignore[method-assign, assignment]


def _is_text(one: Any) -> bool:
    """Whether it may be any text, and no number of them."""
    free = isinstance(one, argparse.Action) and one.nargs is None and one.choices is None
    return free and one.type in (None, str, pathlib.Path)
