"""What programs write for TensorBoard and to share their weights: nothing.  It is made of values that tensors have not,
and a writer of logs starts a thread."""

from __future__ import annotations

from types import ModuleType
from typing import Any

_WRITER = "SummaryWriter"
MODULES = {
    "torch.utils.tensorboard.writer": _WRITER,
    "tensorboardX.writer": _WRITER,
    "transformers.modeling_utils": "PreTrainedModel",
}
"""The class of each that writes."""
_SAVES = "save_pretrained"


def stand_in(module: ModuleType) -> None:
    """Have the writer of the module take everything, and do nothing with it."""
    cls = getattr(module, MODULES[module.__name__], None)
    if not isinstance(cls, type):
        return
    if hasattr(cls, _SAVES):
        setattr(cls, _SAVES, _nothing)
        return
    for name, member in list(vars(cls).items()):
        if callable(member) and not name.startswith("__"):
            setattr(cls, name, _nothing)
    cls.__init__ = __init__  # type: ignore[misc]
    cls.get_logdir = lambda self: self.log_dir  # type: ignore[attr-defined]


class _Nothing:
    """What a writer is made of: whatever is told to it, nothing comes of it."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self


def _nothing(self: Any, *args: Any, **kwargs: Any) -> Any:
    """In place of a method."""
    return _Nothing()


def __init__(self: Any, log_dir: Any = None, *args: Any, **kwargs: Any) -> None:
    self.file_writer = _Nothing()
    self.log_dir = self.logdir = kwargs.get("logdir") or log_dir or "runs"
