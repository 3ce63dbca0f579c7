"""Records every tensor-valued binding of the code below one folder while it runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

import torch

from tests.reference.targets import CodeMap, Place, Target, source_map
from tests.reference.values import describe

_CALL_MODULE = torch.nn.Module._call_impl.__code__
_FOREIGN = ("site-packages", "dist-packages", ".venv", "venv")


@dataclass
class _Running:
    """A frame on its way."""

    map: CodeMap
    pending: Target | None = None
    """Stored by the instruction before; readable at the next event."""
    statement: Place | None = None
    """The `return` statement last worked on."""


@dataclass
class Tracer:
    """A context manager around the run; `bindings` afterwards."""

    root: str
    files: frozenset[str] | None = None
    """The only files to watch; None: all below `root`."""
    bindings: dict[Place, dict[str, None]] = field(default_factory=dict)
    """Place to its distinct texts, in order of appearance."""
    forward: set[Place] = field(default_factory=set)
    """Places that were bound during the call of a module."""
    unreadable: set[Place] = field(default_factory=set)
    """Attribute targets whose object cannot be read without side effects."""
    _frames: dict[FrameType, _Running] = field(default_factory=dict)
    _maps: dict[CodeType, CodeMap | None] = field(default_factory=dict)
    _depth: int = 0

    def __enter__(self) -> Tracer:
        sys.settrace(self._enter)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)
        self._frames.clear()

    def _enter(self, frame: FrameType, event: str, _: object) -> Callable[..., Any] | None:
        code = frame.f_code
        if code is _CALL_MODULE:
            frame.f_trace_lines = False
            self._depth += 1
            return self._module_call
        key = (code.co_filename, code)  # equal code of two files is equal
        if key not in self._maps:
            self._maps[key] = self._map(code)
        found = self._maps[key]
        if found is None:
            return None
        frame.f_trace_lines = False
        frame.f_trace_opcodes = True
        if frame not in self._frames:  # a generator's frame comes back after each `yield`
            self._frames[frame] = _Running(found)
            for key, place in found.parameters:
                self._record(place, frame.f_locals.get(key))
        return self._step

    def _module_call(self, frame: FrameType, event: str, _: object) -> Callable[..., Any]:
        if event == "return":
            self._depth -= 1
        return self._module_call

    def _step(self, frame: FrameType, event: str, value: object) -> Callable[..., Any]:
        running = self._frames[frame]
        if running.pending is not None:
            if event != "exception":
                self._settle(frame, running.pending)
            running.pending = None
        if event == "opcode":
            offset = frame.f_lasti
            running.pending = running.map.stores.get(offset)
            running.statement = running.map.returns.get(offset, running.statement)
        elif event == "return":
            final = frame.f_lasti in running.map.final
            if final and running.statement is not None:
                self._record(running.statement, value)
            if final or not frame.f_code.co_flags & 0x2A0:  # generators, coroutines: they may come back
                del self._frames[frame]
        return self._step

    def _settle(self, frame: FrameType, target: Target) -> None:
        if not target.is_attribute:
            scope = frame.f_locals if target.key in frame.f_locals else frame.f_globals
            self._record(target.place, scope.get(target.key))
        elif target.owner is None:
            self.unreadable.add(target.place)
        else:
            owner = eval(target.owner, frame.f_globals, frame.f_locals)
            self._record(target.place, getattr(owner, target.key, None))

    def _record(self, place: Place, value: object) -> None:
        text = describe(value)
        if text is not None:
            self.bindings.setdefault(place, {})[text] = None
            if self._depth:
                self.forward.add(place)

    def _map(self, code: CodeType) -> CodeMap | None:
        path = code.co_filename
        if not path.startswith(self.root + os.sep) or not path.endswith(".py"):
            return None
        if self.files is not None and path not in self.files:
            return None
        inside = os.path.relpath(path, self.root).split(os.sep)
        return None if any(part in _FOREIGN for part in inside) else source_map(path).of(code)
