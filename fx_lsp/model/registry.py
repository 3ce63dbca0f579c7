"""Features found by folder: one module, one value, no list to edit."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType
from typing import Any, Dict


def collect(package: ModuleType, name: str) -> Dict[str, Any]:
    """The value called `name` of every module in `package`, by module name, sorted.

    Raises:
        AttributeError: a module of the folder lacks it; names that start with `_` are helpers and skipped.
    """
    found = sorted(info.name for info in pkgutil.iter_modules(package.__path__) if not info.name.startswith("_"))
    return {short: getattr(importlib.import_module(f"{package.__name__}.{short}"), name) for short in found}
