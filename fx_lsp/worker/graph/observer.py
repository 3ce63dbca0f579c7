"""Finds the call that a graph is wanted of, and tells its recording what runs."""

from __future__ import annotations

import sys
import traceback
from contextlib import contextmanager
from types import FrameType
from typing import Any, Dict, Iterator, Optional, Tuple

import torch
from torch import nn
from torch.overrides import _get_current_function_mode_stack

from fx_lsp.model.graph import Graph
from fx_lsp.model.messages import GraphRequest
from fx_lsp.worker.capture.attempts import source_of
from fx_lsp.worker.capture.frames import Frames
from fx_lsp.worker.capture.modules import ModuleStack
from fx_lsp.worker.capture.record import Current
from fx_lsp.worker.capture.recorder import Recorder
from fx_lsp.worker.graph.facts import graph_of
from fx_lsp.worker.graph.recording import Recording, Site
from fx_lsp.worker.levels import levels


class GraphObserver:
    """Records the first call of an instance of the wanted class; of any class when none is named."""

    def __init__(self, request: GraphRequest, frames: Frames, current: Current) -> None:
        self._request, self._frames, self._current = request, frames, current
        self._level = levels()[request.level]
        self._entered = False
        self.defect = ""
        """Traceback of a mistake of ours."""

    def install(self, recorder: Recorder, stack: ModuleStack) -> None:
        """Be told from now on."""
        recorder.observer, stack.watcher = self, self
        self._recorder = recorder

    def graph(self) -> Optional[Graph]:
        """What was recorded; None when no such module was called, or when it cannot be written as a graph."""
        found: Optional[Graph] = None
        with self._watching():
            recording = self._recording
            found = graph_of(recording, self._frames) if recording is not None else None
        if self.defect:
            print(f"fx-lsp: the graph could not be recorded: {self.defect}", file=sys.stderr)
        return found

    def enter(self, frame: FrameType, module: nn.Module, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> None:
        """As `Watcher.enter`."""
        with self._watching():
            recording = self._recording
            if recording is None and self._is_wanted(type(module)):
                recording = self._current.record.graph = Recording(self._level, module, self._request.counted)
                if self._recorder not in _get_current_function_mode_stack():
                    # A module body calls it while it is imported, when nothing is recorded otherwise.
                    self._recorder.__enter__()
                    self._entered = True
            if recording is not None and not recording.done:
                recording.enter(module, args, kwargs, self._site(frame))

    def leave(self, frame: FrameType, module: nn.Module, result: Any, failed: bool) -> None:
        """As `Watcher.leave`."""
        recording = self._recording
        if recording is not None and not recording.done:
            with self._watching():
                recording.leave(result, self._site(frame), failed)
                if recording.done and self._entered:
                    self._recorder.__exit__(None, None, None)
                    self._entered = False

    def starts(self) -> int:
        """As `Observer.starts`: the floating-point operations counted so far."""
        recording = self._recording
        return recording.counter.flops if recording is not None else 0

    def called(
        self, frame: FrameType, func: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any], result: Any, before: int,
        failed: bool,
    ) -> None:  # fmt: skip
        """As `Observer.called`."""
        recording = self._recording
        if recording is not None and recording.listens:
            with self._watching():
                flops = recording.counter.flops - before
                recording.called(func, args, kwargs, result, self._site(frame), flops, failed)

    @contextmanager
    def _watching(self) -> Iterator[None]:
        """No function of ours is recorded, and a mistake of ours is not one of the code that runs."""
        try:
            with torch._C.DisableTorchFunction():
                yield
        except Exception:
            self.defect = traceback.format_exc()

    @property
    def _recording(self) -> Optional[Recording]:
        return self._current.record.graph if not self.defect else None

    def _site(self, frame: FrameType) -> Optional[Site]:
        inner = self._frames.innermost(frame)
        return (inner.f_code.co_filename, inner.f_code, inner.f_lasti, inner.f_lineno) if inner is not None else None

    def _is_wanted(self, cls: type) -> bool:
        name, path = self._request.name, self._request.path
        return not name or any(base.__qualname__ == name and source_of(base) == path for base in cls.__mro__)
