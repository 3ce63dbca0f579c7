"""What packages find in place of files that are not on this disk."""

from __future__ import annotations

import sys
from importlib.machinery import SourceFileLoader
from types import ModuleType
from typing import Callable, Dict

from fx_lsp.worker import datasets, loggers, weights

MODULES: Dict[str, Callable[[ModuleType], None]] = {
    datasets.MODULE: datasets.stand_in,
    **dict.fromkeys(weights.MODULES, weights.stand_in),
    **dict.fromkeys(loggers.MODULES, loggers.stand_in),
}
"""What is done to a module of a package once it is imported."""


def install() -> None:
    """From now on, in this process."""
    datasets.install()
    weights.install()
    for name in MODULES:
        if name in sys.modules:
            MODULES[name](sys.modules[name])


class Loader(SourceFileLoader):
    """Loads one of them."""

    def exec_module(self, module: ModuleType) -> None:
        """Run its body, and change it."""
        super().exec_module(module)
        MODULES[module.__name__](module)
