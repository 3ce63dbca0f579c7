"""What a file may do when it is run as a program, and what of it is of no use here."""

from __future__ import annotations

import os
from copy import copy
from functools import wraps
from typing import Any, Callable, Dict

import torch
from torch.utils import data

from fx_lsp.worker import alone, stand_ins
from fx_lsp.worker.background import never_in_company
from fx_lsp.worker.engines import finite
from fx_lsp.worker.homes import pretend_everywhere


def without_company(is_ours: Callable[[str], bool]) -> None:
    """Data are loaded in this process, and what is saved stays in it, for the life of the process; what stands in for
    files is there before what knows which of them the program has saved itself."""
    stand_ins.install()
    pretend_everywhere()
    never_in_company(is_ours)
    alone.install(is_ours)
    finite.install()
    data.DataLoader.__init__ = _alone(data.DataLoader.__init__)  # type: ignore[method-assign]
    saved: Dict[str, Any] = {}
    torch.save = _kept(saved)
    torch.load = _from(saved, torch.load)


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


def _kept(saved: Dict[str, Any]) -> Callable[..., None]:
    def save(obj: Any, f: Any, *args: Any, **kwargs: Any) -> None:
        """In place of `torch.save`."""
        if isinstance(f, (str, os.PathLike)):
            saved[os.path.abspath(f)] = _apart(obj)

    return save


def _from(saved: Dict[str, Any], original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def load(f: Any, *args: Any, **kwargs: Any) -> Any:
        """What the program saved under this name itself, else what is there."""
        path = os.path.abspath(f) if isinstance(f, (str, os.PathLike)) else ""
        return _apart(saved[path]) if path in saved else original(f, *args, **kwargs)

    return load


def _apart(item: Any) -> Any:
    """A container of its own, of the same tensors: their sizes are what counts."""
    if isinstance(item, dict):
        made = copy(item)  # an `OrderedDict` of states has attributes
        made.update((key, _apart(value)) for key, value in item.items())
        return made
    if type(item) in (list, tuple):
        return type(item)(map(_apart, item))
    return item.detach() if isinstance(item, torch.Tensor) else item
