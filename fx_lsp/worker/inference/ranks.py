"""Ranks that a table is for in which that of a tensor was looked up in vain: `self.recipes[x.ndim]`."""

from __future__ import annotations

import re
from typing import List

from fx_lsp.worker.inference.attempts import Attempt

_LOOKED_UP = re.compile(r"\b([A-Za-z_][\w.]*)\[\s*\w+\.(?:ndim|dim\(\))\s*\]")


def known_ranks(attempt: Attempt) -> List[int]:
    """Those; none where something else failed."""
    paths = _LOOKED_UP.findall(attempt.last_text()) if isinstance(attempt.error, KeyError) else []
    tables = (attempt.last_value(path) for path in paths)
    return [key for table in tables if isinstance(table, dict) for key in table if type(key) is int]
