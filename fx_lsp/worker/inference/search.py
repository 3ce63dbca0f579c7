"""One search: for every class asked for that no better one runs on its way, the call that gets furthest."""

from __future__ import annotations

import itertools
import time
from types import ModuleType
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple

from torch import nn

from fx_lsp.model.example import Search
from fx_lsp.model.messages import Invented
from fx_lsp.worker import example
from fx_lsp.worker.capture.record import Current, Record
from fx_lsp.worker.inference import forwards
from fx_lsp.worker.inference.attempts import Attempt, Watch, run
from fx_lsp.worker.inference.constructors import Built, Constructor
from fx_lsp.worker.inference.corrections import Arguments
from fx_lsp.worker.inference.demands import mismatches
from fx_lsp.worker.inference.names import Names

PER_CLASS = 6.0
"""Seconds for one class, of which a search has many."""
PER_RUN = 3.0
MAX_WAYS = 6
"""Instances of one class that inputs are looked for."""


class Searcher:
    """Looks for examples of the classes of one module.  `engine.run()` is what everything runs in."""

    def __init__(self, module: ModuleType, engine: Any, recorder: Any, current: Current, seconds: float) -> None:
        self.module, self.engine, self.recorder, self.current = module, engine, recorder, current
        self.names = Names(module, recorder.stack.is_ours)
        self.deadline = time.monotonic() + seconds
        self.ran: Set[type] = set()
        """Classes that a run of another came through."""

    def search(self, wanted: Search) -> Iterator[Invented]:
        """What is found, class by class."""
        for number, name in enumerate(wanted.names):
            left = self.deadline - time.monotonic()
            cls = _attribute(self.module, name)
            if not isinstance(cls, type) or not issubclass(cls, nn.Module):
                yield Invented(name, why="the class is not there when its file is imported")
            elif cls in self.ran:
                yield Invented(name, why="the example of another class runs it")
            else:
                share = left / max(len(wanted.names) - number, 1)
                seconds = min(PER_CLASS, max(share * 2, 0.5), left)
                if seconds <= 0:
                    yield Invented(name, why="there was no time left to look for an example")
                else:
                    makers = [(m.setup, m.call) for m in wanted.makers if m.name == name]
                    yield self._one(name, cls, makers, time.monotonic() + seconds)

    def _one(self, name: str, cls: type, makers: List[Tuple[str, str]], deadline: float) -> Invented:
        best: Optional[Tuple[Tuple[bool, bool, int], Built, forwards.Found]] = None
        failed: Optional[Built] = None
        for number, built in enumerate(self._instances(cls, makers, deadline, lambda: best)):
            if built.attempt.error is not None:
                failed = failed or built
                continue
            if not isinstance(built.instance, nn.Module):
                continue
            found = self._inputs(built, deadline)
            if found is not None and (best is None or forwards._rank(found) > best[0]):
                best = forwards._rank(found), built, found
            if (
                (found is not None and found.attempt.error is None)
                or number + 1 >= MAX_WAYS
                or time.monotonic() > deadline
            ):
                break
        if best is not None:
            rank, built, found = best
            if rank[0] or rank[1]:
                self.ran |= set(found.attempt.ran)
            why = "" if rank[0] else self._why_forward(cls, found.attempt)
            return Invented(name, built.setup, f"{built.call}({found.inputs})", rank[2], why)
        return Invented(name, why=self._why_not_built(cls, failed))

    def _instances(
        self, cls: type, makers: List[Tuple[str, str]], deadline: float, best: Callable[[], Any]
    ) -> Iterator[Built]:
        for setup, call in makers:
            yield Built(setup, call, self._evaluate(setup, call))
        constructor = Constructor(cls, self.names, self._evaluate)
        built = constructor.find(deadline)
        if built is None:
            return
        yield built
        known = best()
        if known is None:
            return
        given = dict(built.arguments)
        tried = {tuple(given.items())}
        sizes = (change for pair in mismatches(known[2].attempt) for change in _resized(given, *pair))
        for change in itertools.chain(constructor.variants(built), sizes):
            if tuple(change.items()) not in tried and time.monotonic() < deadline:
                tried.add(tuple(change.items()))
                another = constructor.attempt(change)
                if another.attempt.error is None:
                    yield another

    def _evaluate(self, setup: str, text: str) -> Attempt:
        names = example.namespace(self.module, example.INTEGERS[0])

        def act() -> Any:
            exec(setup, names)
            return eval(text, names)

        return self._watched(act)

    def _inputs(self, built: Built, deadline: float) -> Optional[forwards.Found]:
        instance = built.instance.eval()
        names = example.namespace(self.module, example.INTEGERS[0])

        def call(text: str) -> Attempt:
            self.current.record = Record()
            attempt = self._watched(lambda: eval(f"__model__({text})", {**names, "__model__": instance}))
            attempt.ran = [cls for cls, use in self.current.record.uses.items() if use.output is not None]
            return attempt

        forward = forwards.Forward(instance, dict(built.arguments))
        return forwards.find(forward, call, lambda: bool(self.recorder.limited), deadline - time.monotonic())

    def _watched(self, act: Callable[[], Any]) -> Attempt:
        watch = Watch()
        self.recorder.limited, self.recorder.observer = "", watch
        example.seed(0)

        def inside() -> Any:
            with self.engine.run():
                return act()

        return run(inside, watch, PER_RUN)

    def _why_forward(self, cls: type, attempt: Attempt) -> str:
        place = attempt.frame_of(lambda owner: isinstance(owner, cls), ("forward",))
        return f"forward failed{f' at line {place[1]}' if place else ''} with {_sentence(attempt)}"

    def _why_not_built(self, cls: type, built: Optional[Built]) -> str:
        if built is None:
            return "it cannot be built by a name of its file"
        place = built.attempt.frame_of(lambda owner: isinstance(owner, cls), ("__init__",))
        wanted = ", ".join(name for name, _ in built.arguments)
        needs = f"its constructor needs {wanted}, and " if wanted else "its constructor "
        return f"{needs}failed{f' at line {place[1]}' if place else ''} with {_sentence(built.attempt)}"


def _sentence(attempt: Attempt) -> str:
    text = attempt.message.strip().split("\n")[0][:300]
    name = type(attempt.error).__name__
    return f"{name}: {text}" if text else name


def _resized(given: Arguments, one: int, other: int) -> Iterator[Arguments]:
    """Other sizes of what is built, where two did not go together."""
    for old, new in ((one, other), (other, one)):
        names = [name for name, text in given.items() if text == str(old)]
        for name in names:
            yield {**given, name: str(new)}
        if len(names) > 1:
            yield {**given, **{name: str(new) for name in names}}


def _attribute(module: ModuleType, name: str) -> Any:
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part, None)
    return found
