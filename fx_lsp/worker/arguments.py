"""The arguments of a program, which nobody gives here: the path of a file or a folder that is required, as it seems, is
its own name, and whatever else is required is None."""

from __future__ import annotations

import argparse
import pathlib
import re
from functools import wraps
from typing import Any, List

_PATHS = re.compile("path|file|dir|root|folder|data|out|save|weights|checkpoint|ckpt|log|input", re.IGNORECASE)
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
                if _is_path(one):
                    setattr(found[0], name, (one.type or str)(name))
        return found

    argparse.ArgumentParser.parse_known_args = parse_known_args  # type: ignore[method-assign, assignment]


def _is_path(one: Any) -> bool:
    """Whether it is one text, by its name that of something on a disk: no size is made of it."""
    stored = type(one).__name__ == "_StoreAction" and one.nargs is None and one.choices is None
    return stored and one.type in (None, str, pathlib.Path) and _PATHS.search(one.dest) is not None
