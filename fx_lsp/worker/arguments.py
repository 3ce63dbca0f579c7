"""The arguments of a program, which nobody gives here: those that are required are None too."""

from __future__ import annotations

import argparse
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
        names = [one for one in required if getattr(found[0], getattr(one, "dest", ""), None) is None]
        not_given.extend(getattr(one, "dest", "a choice") for one in names)
        return found

    argparse.ArgumentParser.parse_known_args = parse_known_args  # type: ignore[method-assign, assignment]
