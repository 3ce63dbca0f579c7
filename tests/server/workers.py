"""A worker that answers by script, and an engine that tells what it did: scheduling is tested without torch."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from fx_lsp.model.failure import Failure
from fx_lsp.model.messages import Invented, TraceReply, TraceRequest
from fx_lsp.model.sandbox import Policy
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Binding, ModuleUse, Variant
from fx_lsp.model.value import TensorType
from fx_lsp.server.cache import Cache
from fx_lsp.server.engine import Engine
from fx_lsp.server.listener import Listener
from fx_lsp.server.settings import Settings
from fx_lsp.server.supervisor import WorkerState
from fx_lsp.server.trust import Trust

PATIENCE = 10.0
"""Seconds after which a wait has failed."""

TICK = 0.02
"""Seconds that the time of a file may lag behind the clock."""

MODEL = """import torch
from torch import nn

# fx: Net()(f32[2, 3])
class Net(nn.Module):
    def forward(self, x):
        return x
"""


class ScriptedWorker:
    """Notes what it is asked.  A run reads its scope and `reads`, and finds one binding in each of them."""

    def __init__(self) -> None:
        self.state = WorkerState("stopped")
        self.policies: list[Policy] = []
        """One for each start."""
        self.requests: list[TraceRequest] = []
        self.priced: list[str] = []
        """Calls that the costs of were asked for, which the other lists leave out."""
        self.cancelled: list[str] = []
        self.closed = 0
        self.reads: dict[str, Sequence[str]] = {}
        """Per scope the other files that its runs import."""
        self.looks_at: dict[str, Sequence[str]] = {}
        """Per scope the files that its runs open or ask for."""
        self.absent: dict[str, Sequence[str]] = {}
        """Per scope the modules that it would import if they were there, as paths without a suffix."""
        self.invented: dict[str, tuple[Invented, ...]] = {}
        """Per scope what a search finds."""
        self.failures: dict[str, Failure] = {}
        """Per call the failure it is answered with."""
        self.gate: asyncio.Event | None = None
        """Runs end when it is set."""
        self.gates: dict[str, asyncio.Event] = {}
        """Per call the same."""
        self.uses: dict[str, tuple[ModuleUse, ...]] = {}
        """Per call the classes that it goes through."""
        self.widths: dict[str, int] = {}
        """Per call the size of what it binds; else the length of its text."""
        self.started = asyncio.Event()

    def launch(
        self, interpreter: str, policy: Policy, *, log: Callable[[str], None], changed: Callable[[], None]
    ) -> ScriptedWorker:
        """Stands for `Supervisor`."""
        self.policies.append(policy)
        return self

    async def start(self) -> None:
        """It is ready as it is."""

    @property
    def calls(self) -> list[str]:
        """What was run, in order; forgotten when read."""
        calls = [request.call for request in self.requests]
        self.requests.clear()
        return calls

    async def trace(self, request: TraceRequest) -> TraceReply:
        """The scripted answer; of costs and of names of dims, asked for when nothing else is to do, it has none."""
        if request.costs is not None:
            self.priced.append(request.call)
        if request.costs is not None or request.naming is not None:
            return TraceReply(1, files=(request.scope, *self.reads.get(request.scope, ())))
        self.requests.append(request)
        self.started.set()
        try:
            if (gate := self.gates.get(request.call, self.gate)) is not None:
                await gate.wait()
        except asyncio.CancelledError:
            self.cancelled.append(request.call)
            raise
        if request.search is not None:
            return TraceReply(1, files=(request.scope,), invented=self.invented.get(request.scope, ()))
        files = (request.scope, *self.reads.get(request.scope, ()))
        value = TensorType("f32", (self.widths.get(request.call, len(request.call)),))
        bindings = tuple(Binding(Span(path, 1, 0, 1, 1), "x", "assign", (Variant(value),)) for path in files)
        return TraceReply(
            1,
            bindings=bindings,
            files=files,
            modules=self.uses.get(request.call, ()),
            failure=self.failures.get(request.call),
            data=tuple(self.looks_at.get(request.scope, ())),
            absent=tuple(self.absent.get(request.scope, ())),
        )

    async def close(self) -> None:
        """Counted."""
        self.closed += 1


class Bench(Listener):
    """A root with an engine, and everything that the engine told."""

    def __init__(
        self,
        root: Path,
        settings: Settings | None = None,
        trust: Trust | None = None,
        cache: Cache | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        (root / "pyproject.toml").touch()
        self.root = root
        self.worker = ScriptedWorker()
        self.trust = trust or Trust(word=True)
        self.engine = Engine(
            self,
            settings=settings,
            environment=environment or {},
            log=self.logged,
            launch=self.worker.launch,
            trust=self.trust,
            cache=cache,
        )
        self.snapshots: list[str] = []
        self.messages: list[str] = []
        self.log: list[str] = []
        self._idle = asyncio.Event()

    def logged(self, text: str) -> None:
        """The engine's log."""
        self.log.append(text)

    def on_snapshot(self, path: str) -> None:
        """Noted by file name."""
        self.snapshots.append(Path(path).name)

    def on_idle(self) -> None:
        """Ends `idle`."""
        self._idle.set()

    def on_message(self, text: str) -> None:
        """Noted."""
        self.messages.append(text)

    def path(self, name: str, text: str | None = None) -> str:
        """A file of the root, written when a text is given."""
        file = self.root / name
        if text is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return str(file)

    async def idle(self) -> None:
        """Wait until nothing is pending."""
        if self.engine.idle:
            return
        self._idle.clear()
        await asyncio.wait_for(self._idle.wait(), PATIENCE)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until it holds."""
        async with asyncio.timeout(PATIENCE):
            while not condition():
                await asyncio.sleep(0.01)

    async def running(self) -> None:
        """Wait until a run starts."""
        self.worker.started.clear()
        await asyncio.wait_for(self.worker.started.wait(), PATIENCE)
