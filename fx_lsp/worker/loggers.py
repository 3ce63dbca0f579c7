"""What programs write for TensorBoard: nothing.  Its writer starts a thread, and reads values that tensors have not."""

from __future__ import annotations

from types import ModuleType
from typing import Any

MODULES = ("torch.utils.tensorboard.writer", "tensorboardX.writer")
_WRITER = "SummaryWriter"


def stand_in(module: ModuleType) -> None:
    """Have the writer of the module take everything, and do nothing with it."""
    cls = getattr(module, _WRITER, None)
    if not isinstance(cls, type):
        return
    for name, member in list(vars(cls).items()):
        if callable(member) and not name.startswith("__"):
            setattr(cls, name, _nothing)
    cls.__init__ = __init__  # type: ignore[misc]
    cls.get_logdir = lambda self: self.log_dir  # type: ignore[attr-defined]


def _nothing(self: Any, *args: Any, **kwargs: Any) -> None:
    """In place of a method."""


def __init__(self: Any, log_dir: Any = None, *args: Any, **kwargs: Any) -> None:
    self.log_dir = self.logdir = kwargs.get("logdir") or log_dir or "runs"
