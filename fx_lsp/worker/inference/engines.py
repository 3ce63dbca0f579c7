"""What a search runs in: sizes alone, or real tensors where these do not do."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, ContextManager, Iterator

import torch

from fx_lsp.worker.capture.recorder import Recorder
from fx_lsp.worker.engines.real import Real


class Engines:
    """`fake` unless within `real`."""

    def __init__(self, fake: Any, recorder: Recorder) -> None:
        self.fake, self.recorder = fake, recorder
        self._now = fake
        fake.known.refused = _refuse

    def run(self) -> ContextManager[None]:
        """The body runs in the engine of the moment."""
        running: ContextManager[None] = self._now.run()
        return running

    def leave(self) -> None:
        """After a run that ended anywhere, also between two lines of torch: no mode of it stays on."""
        while torch._C._len_torch_function_stack():
            torch._C._pop_torch_function_stack()
        key = torch._C._TorchDispatchModeKey.FAKE
        if torch._C._get_dispatch_mode(key) is not None:
            torch._C._unset_dispatch_mode(key)
        self.fake.mode.in_kernel_invocation = False  # else each run after it is refused
        torch.set_grad_enabled(True)

    @contextmanager
    def real(self) -> Iterator[None]:
        """Runs within the body are on real tensors, and have no limit that a fake tensor has."""
        call, is_limit = self.recorder.call, self.recorder.is_limit
        self._now, self.recorder.call = Real(self.recorder), getattr(call, "call", call)
        self.recorder.is_limit = lambda error: False
        try:
            yield
        finally:
            self._now, self.recorder.call, self.recorder.is_limit = self.fake, call, is_limit


def _refuse(why: str) -> None:
    """Ends an attempt, and says what else to give."""
    raise RuntimeError(why.partition(": ")[2])
