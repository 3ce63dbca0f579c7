"""One trace: import the workspace, build and call the example, bring the facts home."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from functools import partial
from types import ModuleType
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple, Union

from fx_lsp.model.costs import Costs
from fx_lsp.model.example import OUTSIDE, PROGRAMS, Search
from fx_lsp.model.failure import Failure
from fx_lsp.model.messages import Invented, TraceReply, TraceRequest
from fx_lsp.worker import depends, example, processes
from fx_lsp.worker.alarm import FURTHER_SHARE, SEARCH_SHARE, SHARE, limited
from fx_lsp.worker.capture.bindings import Bindings
from fx_lsp.worker.capture.compilers import without_compilers
from fx_lsp.worker.capture.devices import Devices, without_accelerator
from fx_lsp.worker.capture.frames import Frames
from fx_lsp.worker.capture.laps import Laps
from fx_lsp.worker.capture.later import Later, Once
from fx_lsp.worker.capture.modules import ModuleStack
from fx_lsp.worker.capture.record import Current, Record
from fx_lsp.worker.capture.recorder import Recorder
from fx_lsp.worker.compilers._plain import Plain
from fx_lsp.worker.costs.study import CostStudy
from fx_lsp.worker.engines import fake
from fx_lsp.worker.engines.fake import Fake
from fx_lsp.worker.engines.real import Real
from fx_lsp.worker.facts import facts_in, failure_in
from fx_lsp.worker.failures import Deadline, sentence
from fx_lsp.worker.graph.observer import GraphObserver
from fx_lsp.worker.imported import installed_since
from fx_lsp.worker.importing import loaded
from fx_lsp.worker.inference.search import Searcher
from fx_lsp.worker.naming import Naming
from fx_lsp.worker.overlay import Workspace
from fx_lsp.worker.prepared import PREPARED, Prepared
from fx_lsp.worker.program import without_company
from fx_lsp.worker.questions import answer, is_plain
from fx_lsp.worker.repeats import GRADIENTS, Repeats

Engine = Union[Fake, Real]


def run(request: TraceRequest, prepared: Prepared = PREPARED) -> TraceReply:
    """Run one example and return what was seen; whatever user code raises becomes a `Failure`.

    For a process of its own: it patches torch, the import system and the built-ins, and undoes nothing.
    """
    return Run(request, Plain() if is_plain(request) else prepared).reply()


class Run:
    """One request, from its beginning to its end."""

    def __init__(self, request: TraceRequest, prepared: Prepared) -> None:
        self.request = request
        self.started = self.began = time.perf_counter()
        self.sites = prepared.sites
        self.current = Current()
        overlays = {overlay.path: overlay.text for overlay in request.overlays}
        self.workspace = Workspace(request.root, overlays, prepared, fake.real_tensors)
        self.frames = Frames(self.sites.sources)
        self.stack = ModuleStack(self.workspace.is_ours, self.current)
        self.devices = Devices()
        self.later = Later(Laps(self.stack), self.current, self._left, self.workspace.leave_out)
        self.recorder = Recorder(self.frames, self.stack, self.devices, self.current)
        self.on_data = request.engine == "real"
        self.graph = GraphObserver(request.graph, self.frames, self.current) if request.graph is not None else None
        self.stage, self.import_ms, self.modules = "import", 0.0, len(sys.modules)
        self.program = request.call in PROGRAMS
        self.made_up: Callable[[], bool] = lambda: False
        """Whether a number was none where real tensors would have given one."""
        self.module: Optional[ModuleType] = None
        """The file, once it is imported."""

    def reply(self) -> TraceReply:
        """Everything, in order; a failure ends it and keeps what was there."""
        self._begin()
        if is_plain(self.request):
            return self._answer()
        probes = self._patch_torch()
        if self.program:
            without_company(self.workspace.is_ours)
        if self.request.comparison is not None:
            probes.mute()
            return self._answer()
        self._install(probes)
        if self.program:
            self.stack.chosen = self.stack.outside = self.request.call == OUTSIDE
        if self.request.search is not None or self.request.costs is not None:
            probes.mute()
            return self._search(self.request.search) if self.request.search is not None else self._costs()
        if self.graph is not None:
            self.graph.install(self.recorder, self.stack)
        try:
            self.module = self._import() if not self.program else None
        except BaseException as error:  # user code may raise anything, SystemExit and KeyboardInterrupt included
            return replace(self._facts(failure_in(self, error), {}), imported=self._installed())
        return self._seen()

    def stand(self) -> None:
        """Import the file, and no more.

        Raises:
            BaseException: whatever user code raises.
        """
        self._begin()
        self._install(self._patch_torch())
        self.module = self._import()

    def go_on(self, request: TraceRequest) -> TraceReply:
        """Everything that follows the import, for a request for the same file."""
        self.request, self.on_data = request, request.engine == "real"
        self.started = self.began = time.perf_counter()
        return self._seen()

    def _begin(self) -> None:
        sys.setrecursionlimit(2 * sys.getrecursionlimit())  # our frames are not to count against the code
        without_accelerator(self.devices)

    def _patch_torch(self) -> Bindings:
        """The other end of the probes, not installed yet."""
        without_compilers()
        self.later.laps.install()
        return Bindings(self.stack, self.current)

    def _install(self, probes: Bindings) -> None:
        self.workspace.install()
        self.stack.install()
        probes.install()

    def _seen(self) -> TraceReply:
        """What is seen of the example, once its file is imported."""
        engine: Engine = Real(self.recorder) if self.on_data else Fake(self.recorder)
        if isinstance(engine, Fake) and self.program:
            engine.known.stands_in = True
            self.made_up = lambda: engine.known.stood_in
        imported, module = self.current.record, self.module
        repeats: Optional[Repeats] = None
        texts = (*self.sites.sources.values(), self.request.setup, self.request.call)
        if isinstance(engine, Fake) and self.graph is None and not any(map(GRADIENTS.search, texts)):
            self.stack.repeats = repeats = Repeats(self.current, engine.known)
            self.recorder.watch = repeats.watch
        if self.request.naming is not None:
            return self._named(module, engine, imported)
        first = self._example(module, engine, imported)
        further = tuple(self._further(module, engine, imported))
        vain = repeats.digests.text() if repeats is not None else ""
        return replace(first, further=further, dispatched=engine.new_to_it, imported=self._installed(), vain=vain)

    def _import(self) -> ModuleType:
        try:
            with limited(self._left(), Deadline):
                return loaded(self.workspace, self.request.scope, self.recorder, self.devices)
        finally:
            self.import_ms = (time.perf_counter() - self.started) * 1e3

    def _example(self, module: Optional[ModuleType], engine: Engine, imported: Record) -> TraceReply:
        """Run what the request names."""
        self.stage = "construct"
        symbols: depends.Symbols = {}
        straight = partial(self._once, module, engine, imported)
        once = straight if module is not None else partial(self.later.run, straight)
        failure = self._limited(lambda: symbols.update(self._compared(once, engine)))
        return self._facts(failure, symbols)

    def _named(self, module: Optional[ModuleType], engine: Engine, imported: Record) -> TraceReply:
        """Run at other sizes too."""
        self.stage, imported.tape = "construct", []

        def once(setup: str, call: str) -> None:
            self.request = replace(self.request, setup=setup, call=call)
            self._once(module, engine, imported, 0, example.INTEGERS[0])

        naming = Naming(self.request, once, self.current, self.recorder, partial(failure_in, self))
        failure = self._limited(naming.find)
        return replace(self._facts(failure, {}), constraints=naming.constraints)

    def _further(self, module: Optional[ModuleType], engine: Engine, imported: Record) -> Iterator[TraceReply]:
        """The other examples of the request, as many as there is time for."""
        for one in self.request.further:
            self.began = time.perf_counter()
            if self.began - self.started > self.request.seconds * FURTHER_SHARE:
                return
            self.request = replace(self.request, setup=one.setup, call=one.call)
            self.recorder.limited = ""
            self.devices.asked.clear()
            yield replace(self._example(module, engine, imported), files=())

    def _installed(self) -> str:
        """What was imported; nothing if perhaps a package started a thread: who has several must not fork."""
        return installed_since(self.modules) if processes.threads() == 1 else ""

    def _left(self) -> float:
        """Seconds that user code may still take, more than none."""
        return max(self.request.seconds * SHARE - (time.perf_counter() - self.started), 0.01)

    def _answer(self) -> TraceReply:
        """What is asked for in place of facts."""
        found: Dict[str, Any] = {}
        failure = self._limited(lambda: answer(self.request, self.workspace, found))
        return replace(self._facts(failure, {}), **found)

    def _costs(self) -> TraceReply:
        """What the example costs, as far as there is time."""
        found: List[Costs] = []
        self.stage = "construct"
        engine: Engine = Real(self.recorder) if self.on_data else Fake(self.recorder)
        study = CostStudy(self.request, engine, self.stack)
        failure = self._limited(lambda: study.find(self.workspace.load(self.request.scope), found))
        return replace(self._facts(failure, {}), costs=found[-1] if found else None)

    def _limited(self, work: Callable[[], object]) -> Optional[Failure]:
        """What ends the work before its end."""
        try:
            with limited(self._left(), Deadline):
                work()
        except BaseException as error:  # user code may raise anything
            return failure_in(self, error)
        return None

    def _search(self, wanted: Search) -> TraceReply:
        """Examples for the classes asked for, as many as there is time for."""
        found: Dict[str, Invented] = {}
        failure: Optional[Failure] = None
        try:
            module = self._import()
            left = self.request.seconds * SEARCH_SHARE - (time.perf_counter() - self.started)
            gone = self.workspace.gone
            for one in Searcher(module, Fake(self.recorder), self.recorder, self.current, left, gone).search(wanted):
                found[one.name] = one
        except BaseException as error:  # user code may raise anything, also while its alarm is being taken away
            failure = failure_in(self, error)
        self.current.record = Record()
        return replace(self._facts(failure, {}), invented=tuple(found.values()), imported=self._installed())

    def _compared(self, once: Once, engine: Engine) -> depends.Symbols:
        """Run; where values decide, run again on others while there is time, and compare."""
        started = time.perf_counter()
        integers = self._first_that_runs(once)
        first, spent, drew = self.current.record, time.perf_counter() - started, example.drew()
        orders = [first.order]
        try:
            while (engine.varies or drew) and not depends.enough(orders, spent, self.request.seconds):
                once(len(orders), integers)
                orders.append(self.current.record.order)
        except BaseException as error:  # even `Deadline`: the run that counts is the first, and it is over
            print(f"fx-lsp: another run on other values failed: {sentence(error, 0)}", file=sys.stderr)
        finally:
            self.current.record = first
        return depends.dependent(orders)

    def _first_that_runs(self, once: Once) -> Tuple[int, int]:
        """Run once per range of integers until one works; leaves the record of that run, else of the first.

        Raises:
            Exception: that of the first run.
        """
        failures: List[Tuple[Exception, Record]] = []
        matter = self.on_data and example.draws_integers(self.request.setup + self.request.call)
        for integers in example.INTEGERS if matter else example.INTEGERS[:1]:
            try:
                once(0, integers)
                return integers
            except Exception as error:
                failures.append((error, self.current.record))
        error, self.current.record = failures[0]
        raise error

    def _once(
        self, module: Optional[ModuleType], engine: Engine, imported: Record, seed: int, integers: Tuple[int, int]
    ) -> None:
        while True:
            self.current.record, self.later.laps.before = imported.copy(), None
            example.seed(seed)
            if self.stack.repeats is not None:
                self.stack.repeats.left_out = 0
            try:
                with engine.run():
                    if module is None:
                        self.workspace.run(self.request.scope)
                    else:
                        example.run(self.request.setup, self.request.call, example.namespace(module, integers))
            except BaseException:
                if not self._regrets():
                    raise
            if not self._regrets():
                return
            self.stack.repeats = None

    def _regrets(self) -> bool:
        """Whether something was left out that turned out to matter."""
        return self.stack.repeats is not None and self.stack.repeats.regretted

    def _facts(self, failure: Optional[Failure], symbols: depends.Symbols) -> TraceReply:
        return facts_in(self, failure, symbols)
