"""What a file may do when it is run as a program, and what of it is of no use here."""

from __future__ import annotations

from functools import wraps
from typing import Any, Callable

import torch
from torch.utils import data

from fx_lsp.worker.homes import pretend_everywhere


def without_company() -> None:
    """Data are loaded in this process, and nothing is saved, for the life of the process."""
    pretend_everywhere()
    data.DataLoader.__init__ = _alone(data.DataLoader.__init__)  # type: ignore[method-assign]
    torch.save = _unsaved  # type: ignore[assignment]


def _alone(original: Callable[..., None]) -> Callable[..., None]:
    @wraps(original)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        for name in ("prefetch_factor", "persistent_workers", "multiprocessing_context", "timeout"):
            kwargs.pop(name, None)
        if len(args) > WORKERS:
            args = (*args[:WORKERS], 0, *args[WORKERS + 1 :])
        else:
            kwargs["num_workers"] = 0
        original(self, *args, **kwargs)

    return __init__


WORKERS = 5
"""Place of `num_workers` among the arguments of a `DataLoader`, behind the data."""


def _unsaved(*args: Any, **kwargs: Any) -> None:
    """In place of `torch.save`."""
