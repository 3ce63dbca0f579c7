"""Programs that are one of many processes run as the first of them, by itself, or as the only one where nobody says how
many there are.

Torch's own process group for tests stands for theirs.  It knows tensors; what reads their bytes is done without it.
"""

from __future__ import annotations

import linecache
import os
import sys
from types import FrameType
from typing import Any, Callable, List, Sequence

import torch.distributed as dist
import torch.multiprocessing
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from fx_lsp.worker.indentation import depth

_LAUNCHED = {"RANK": "0", "LOCAL_RANK": "0", "GROUP_RANK": "0", "WORLD_SIZE": "1", "LOCAL_WORLD_SIZE": "1"}
"""What a launcher such as `torchrun` tells its processes."""


def install(is_ours: Callable[[str], bool]) -> None:
    """For the life of the process.  Code for which `is_ours` holds reads what a launcher would have told it."""
    environ: Any = type(os.environ)
    environ.__getitem__ = _told(environ.__getitem__, is_ours)
    torch.multiprocessing.spawn = _spawn
    if not dist.is_available():
        return
    dist.init_process_group = _joined(dist.init_process_group)
    dist.all_gather_object = _gathered
    dist.broadcast_object_list = lambda *args, **kwargs: None
    for method in ("__getstate__", "__setstate__"):  # which leave a process group out that there is not
        if method in vars(DistributedDataParallel):
            delattr(DistributedDataParallel, method)
    DistributedDataParallel.__init__ = _wrap  # type: ignore[method-assign]
    DistributedDataParallel.forward = lambda self, *args, **kwargs: self.module(*args, **kwargs)  # type: ignore[method-assign]


def _told(original: Callable[[Any, str], str], is_ours: Callable[[str], bool]) -> Callable[[Any, str], str]:
    def __getitem__(self: Any, key: str) -> str:
        try:
            return original(self, key)
        except KeyError:
            # Who asks with a default, whether it is there, or in a `try`, can do without.
            asking = sys._getframe(1)
            if key not in _LAUNCHED or not is_ours(asking.f_code.co_filename) or is_tried(asking):
                raise
            return _LAUNCHED[key]

    return __getitem__


def is_tried(frame: FrameType) -> bool:
    """Whether the line that a frame is at stands in a `try`."""
    lines = linecache.getlines(frame.f_code.co_filename)[: frame.f_lineno]
    margin = depth(lines[-1]) + 1 if lines else 0
    for line in reversed(lines):
        if line.strip() and depth(line) < margin:
            margin = depth(line)
            if line.split("#")[0].replace(" ", "").startswith("try:"):
                return True
    return False


def _joined(original: Callable[..., None]) -> Callable[..., None]:
    def init_process_group(*args: Any, **kwargs: Any) -> None:
        """In place of that of torch, whatever group is asked for."""
        from torch.testing._internal.distributed.fake_pg import FakeStore  # it registers the group, which takes a while

        if not dist.is_initialized():
            given = {**dict(zip(_GROUP, args)), **kwargs}
            size = max(1, given.get("world_size") or 1)
            original("fake", store=FakeStore(), rank=min(max(0, given.get("rank") or 0), size - 1), world_size=size)

    return init_process_group


_GROUP = ("backend", "init_method", "timeout", "world_size", "rank")


class _Ended:
    """Processes that have done what they had to do."""

    def join(self, *args: Any, **kwargs: Any) -> bool:
        """They are waited for no longer."""
        return True


def _spawn(fn: Callable[..., Any], args: Sequence[Any] = (), nprocs: int = 1, *others: Any, **named: Any) -> _Ended:
    # One for each accelerator, of which there is none: they are told their number.
    fn(0, *(1 if nprocs == 0 and type(one) is int and one == 0 else one for one in args))
    return _Ended()


def _gathered(object_list: List[Any], obj: Any, *others: Any, **named: Any) -> None:
    object_list[:] = [obj] * len(object_list)


def _wrap(self: Any, module: nn.Module, *args: Any, **kwargs: Any) -> None:
    nn.Module.__init__(self)
    self.module = module
    self.require_backward_grad_sync = True  # of `no_sync`
    self.device_ids = args[0] if args else kwargs.get("device_ids")
