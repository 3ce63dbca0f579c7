"""One search: for every class asked for that no better one runs on its way, the call that gets furthest."""

from __future__ import annotations

import functools
import itertools
import logging
import types
from contextlib import redirect_stderr, redirect_stdout
from types import ModuleType
from typing import Any, Callable, Iterator, List, Optional, Sequence, Set, Tuple

import torch
from torch import nn

from fx_lsp.model.example import NO_FORWARD, RUN_BY_ANOTHER, WAY, Search
from fx_lsp.model.messages import Invented
from fx_lsp.worker import example
from fx_lsp.worker.capture.record import Current, Record
from fx_lsp.worker.inference import conditions, modules
from fx_lsp.worker.inference.attempts import Attempt, Built, Unread, run
from fx_lsp.worker.inference.beforehand import Forward
from fx_lsp.worker.inference.by_default import as_made
from fx_lsp.worker.inference.clock import Clock
from fx_lsp.worker.inference.constructors import Constructor
from fx_lsp.worker.inference.corrections import Arguments
from fx_lsp.worker.inference.engines import Engines
from fx_lsp.worker.inference.forwards import Found, find
from fx_lsp.worker.inference.inputs import Inputs, Way
from fx_lsp.worker.inference.judged import invented, judged
from fx_lsp.worker.inference.kept import Kept
from fx_lsp.worker.inference.later import prepared
from fx_lsp.worker.inference.live import attribute
from fx_lsp.worker.inference.names import Names
from fx_lsp.worker.inference.objects import Objects
from fx_lsp.worker.inference.reasons import PER_RUN, REAL_TENSORS_REFUSE, furthest, why_not_built
from fx_lsp.worker.inference.rebuilt import other_arguments
from fx_lsp.worker.inference.regardless import fails_to_build
from fx_lsp.worker.inference.signatures import factories, without_weights
from fx_lsp.worker.inference.watch import Watch
from fx_lsp.worker.inference.ways import Ways
from fx_lsp.worker.inference.wholes import part_of

PER_CLASS = 6.0
"""Seconds for one class, of which a search has many."""
LEAST_REAL = 1.0
"""Seconds that inputs are looked for on real tensors, where sizes alone did not do."""
MAX_WHOLES = 20
"""Instances that are kept for the parts in them."""
_LEAST = 0.05
"""Seconds of a run when there is no time left."""
LEFT_FOR_OTHERS = 0.4
"""Part of the time that is left when inputs of one instance are looked for, for other instances."""
MAX_WAYS = 8
"""Instances of one class that inputs are looked for."""

FORWARD = Way()


class Searcher:
    """Looks for examples of the classes of one module.  `engine.run()` is what everything runs in; `gone` says why a
    class may not be there."""

    def __init__(
        self, module: ModuleType, engine: Any, recorder: Any, current: Current, seconds: float, gone: str
    ) -> None:
        self.module, self.recorder, self.current, self.gone = module, recorder, current, gone
        self.engines = Engines(engine, recorder)
        self.names = Names(module, recorder.stack.is_ours)
        logging.disable()  # torch writes a traceback for whatever fake kernels refuse
        self.clock, self.seconds = Clock(seconds), seconds
        self.ran: Set[type] = set()
        """Classes that a run of another came through."""
        self.unsettled: List[Tuple[str, type, Tuple[Built, Found], Tuple[Built, Found]]] = []
        """Classes that nothing was found for: the first that was built, and what got furthest."""
        self.wholes: List[Built] = []
        """What was built of other classes."""

    def search(self, wanted: Search) -> Iterator[Invented]:
        """What is found, class by class, until time is over; of each that was looked at something is said, or more."""
        for number, name in enumerate(wanted.names):
            left = self.clock.left()
            cls = functools.reduce(attribute, name.partition(WAY)[0].split("."), self.module)
            share = left / max(len(wanted.names) - number, 1)
            seconds = min(PER_CLASS, max(share * 2, 0.5), left)
            makers = [(m.setup, m.call) for m in wanted.makers if m.name == name]
            if not isinstance(cls, type) or not issubclass(cls, nn.Module):
                yield Invented(name, why=self.gone)
            elif cls.forward is nn.Module.forward and cls.__call__ is nn.Module.__call__:
                yield Invented(name, why=NO_FORWARD)
            elif cls in self.ran and WAY not in name:
                yield Invented(name, why=RUN_BY_ANOTHER)
            elif seconds <= 0:
                break  # who asked knows by what was not answered
            else:
                yield self._attempted(name, cls, makers, self.clock.now() + seconds)
        yield from judged(self)

    def _attempted(self, name: str, cls: type, makers: List[Tuple[str, str]], deadline: float) -> Invented:
        try:
            if WAY in name:
                return Ways(self.evaluate, self._inputs, self.names).find(name, cls, makers, deadline)
            return self._one(name, cls, makers, deadline)
        except Exception as error:  # code of the workspace, asked about itself: no reason to leave out other classes
            return Invented(name, why=f"the search ended with {type(error).__name__}: {error}"[:300])

    def _one(self, name: str, cls: type, makers: List[Tuple[str, str]], deadline: float) -> Invented:
        """Of all ways to build the class, the one whose `forward` gets furthest."""
        tried: List[Tuple[Built, Found]] = []
        failed: List[Built] = []
        for built in itertools.islice(self._instances(cls, makers, deadline, tried), MAX_WAYS):
            if not isinstance(built.instance, nn.Module):
                failed.append(built)
                continue
            if built.arguments and len(self.wholes) < MAX_WHOLES:
                self.wholes.append(built)
            found = self._inputs(built, deadline - (deadline - self.clock.now()) * LEFT_FOR_OTHERS)
            if found is not None:
                tried.append((built, found))
                if found.attempt.error is None:
                    break
            if self.clock.now() >= deadline:
                break
        if not tried:
            error = failed[0].attempt.error if failed else None
            if error is not None and (self.recorder.is_limit(error) or failed[0].attempt.limited):
                with self.engines.real():
                    return self._one(name, cls, makers, max(deadline, self.clock.now() + LEAST_REAL))
            return self._never_built(name, cls, failed)
        built, found = max(tried, key=lambda one: one[1].rank)
        unsure = found if found.attempt.watch.by_values else None
        if found.limited or unsure is not None:
            built, found = self._on_real_tensors(cls, built, found, deadline)
        if found is unsure and found.attempt.watch.by_values and found.attempt.error is None:
            return Invented(name, why=REAL_TENSORS_REFUSE)
        if found.attempt.error is None and (own := as_made(self, name, cls, tried[0], (built, found))) is not None:
            return own
        self.ran |= set(found.attempt.ran) if found.attempt.error is None else set()
        if (stuck := found if found.attempt.error is not None else found.strided) is not None:
            self.unsettled.append((name, cls, tried[0] if stuck is found else (built, stuck), (built, stuck)))
        return invented(self.names, name, cls, built, found.inputs, found.attempt)

    def _never_built(self, name: str, cls: type, failed: List[Built]) -> Invented:
        """Of what cannot be built, the constructor that got furthest, where that fails with any arguments."""
        why, built = why_not_built(cls, failed), furthest(cls, failed)
        constructor = Constructor(cls, self.names, self.evaluate, self.clock)
        if built is None or not fails_to_build(cls, built, constructor):
            return Invented(name, why=why)
        return Invented(name, built.setup, f"{built.call}()", 0, why, True)

    def _on_real_tensors(self, cls: type, built: Built, found: Found, deadline: float) -> Tuple[Built, Found]:
        """What goes on where sizes alone do not, if it does: with widths that can be computed with."""
        constructor = Constructor(cls, self.names, self.evaluate, self.clock)
        made = built if built.arguments else constructor.find(self.clock.now() + LEAST_REAL)
        small = constructor.narrow(made) if made is not None else {}
        failed: List[Tuple[Built, Attempt]] = []
        before = [found.given]
        with self.engines.real():
            for again in self._anew(constructor, built, small, failed):
                ranges = example.INTEGERS if example.draws_integers(found.inputs) else ()
                for integers in (*ranges, None):  # each of them once, then other inputs
                    until = 0.0 if integers else max(deadline, self.clock.now() + LEAST_REAL)
                    there = self._inputs(
                        again, until, FORWARD, integers or example.INTEGERS[0], before if integers is None else ()
                    )
                    if there is None:
                        continue
                    if there.attempt.error is None:
                        return again, there
                    if integers is None:
                        failed.append((again, there.attempt))
                        # A kernel that is for another device says nothing of what it would take.
                        if isinstance(there.attempt.error, NotImplementedError):
                            found.attempt.watch.by_values = False
        return built, found

    def _anew(
        self, constructor: Constructor, built: Built, small: Arguments, failed: List[Tuple[Built, Attempt]]
    ) -> Iterator[Built]:
        """A small one of what was invented, then others by what `failed`; of what the workspace says, the same and then
        a small one."""
        if built.arguments and isinstance((one := constructor.attempt(small)).instance, nn.Module):
            yield one
            changes = (change for one, why in failed[:1] for change in other_arguments(constructor, one, why))
            others = (constructor.attempt(change) for change in itertools.islice(changes, MAX_WAYS // 2))
            yield from (one for one in others if isinstance(one.instance, nn.Module))
            return
        same = Built(built.setup, built.call, self.evaluate(built.setup, built.call), built.arguments)
        others = (constructor.attempt(small),) if small and not built.arguments else ()
        yield from (one for one in (same, *others) if isinstance(one.instance, nn.Module))

    def _instances(
        self, cls: type, makers: List[Tuple[str, str]], deadline: float, tried: List[Tuple[Built, Found]]
    ) -> Iterator[Built]:
        for setup, call in makers:
            built = Built(setup, call, self.evaluate(setup, call))
            yield built
            if isinstance(built.attempt.error, OSError) and (call := without_weights(self.module, call)):
                yield Built(setup, call, self.evaluate(setup, call))
        constructor = Constructor(cls, self.names, self.evaluate, self.clock)
        built = constructor.find((deadline + self.clock.now()) / 2)
        for factory in factories(cls) if built is None or built.instance is None else ():
            other = Constructor(cls, self.names, self.evaluate, self.clock, factory=factory)
            made = other.find(deadline)
            if made is not None and isinstance(made.instance, cls):
                constructor, built = other, made
                break
        if built is not None:
            yield built
        part = next((part for whole in self.wholes if (part := part_of(whole, cls)) is not None), None)
        if part is not None:
            yield part
        last = tried[-1][1].attempt if tried else built.attempt if built is not None else None
        for below in modules.finishing(cls, last.error, self.names) if last is not None else ():
            for setup, call in constructor.instances(below):
                yield Built(setup, call, self.evaluate(setup, call))
        if built is None or not isinstance(built.instance, nn.Module) or not tried:
            return
        yield from prepared(built, tried[-1][1].attempt, constructor)
        seen = {built.arguments}
        waiting = [built]
        while waiting and self.clock.now() < deadline:
            built = waiting.pop(0)
            last = tried[-1][1].attempt
            for change in other_arguments(constructor, built, last):
                if tuple(change.items()) not in seen and self.clock.now() < deadline:
                    seen.add(tuple(change.items()))
                    another = constructor.attempt(change)
                    if another.attempt.error is None:
                        yield another
                        before, now = conditions.absent(last), conditions.absent(tried[-1][1].attempt)
                        other = now not in ("", before)
                        if other or tried[-1][1].rank > max(found.rank for _, found in tried[:-1]):
                            waiting.insert(0, another)  # further than any before: what that asks for comes first
                            break

    def evaluate(self, setup: str, text: str) -> Attempt:
        names = example.namespace(self.module, example.INTEGERS[0])

        def act() -> Any:
            exec(setup, names)
            return eval(text, names)

        return self._watched(act, Watch())

    def _inputs(
        self, built: Built, deadline: float, way: Way = FORWARD, integers: Tuple[int, int] = example.INTEGERS[0],
        before: Sequence[Inputs] = (),
    ) -> Optional[Found]:  # fmt: skip
        return find(*self.called(built, way, integers), self.clock, deadline, before)

    def called(
        self, built: Built, way: Way = FORWARD, integers: Tuple[int, int] = example.INTEGERS[0]
    ) -> Tuple[Forward, Callable[[Inputs], Attempt]]:
        """What may be given to an instance, and how that is tried."""
        instance = built.instance
        (instance.train if way.training else instance.eval)()  # which may give nothing
        names = example.namespace(self.module, integers)
        if way.given:
            names.update(self.evaluate(built.setup, "locals()").value or {})
        kept = Kept(instance)
        called = instance if way.method == "forward" else getattr(instance, way.method)

        def call(inputs: Inputs) -> Attempt:
            text = forward.text(inputs)
            self.current.record = Record()
            kept.restore()
            watch = Watch()

            def model(*args: Any, **kwargs: Any) -> Any:
                watch.operations = 0  # what it took to make the inputs is no merit of theirs
                watch.given = {**dict(zip(forward.positional, args)), **kwargs}
                return called(*args, **kwargs)

            known = {"torch": torch, "types": types, **names, "__model__": model}

            def act() -> Any:
                exec(self.names.setup(text), known)
                return eval(f"__model__({text})", known)

            attempt = self._watched(act, watch)
            attempt.ran = [cls for cls, use in self.current.record.uses.items() if use.output is not None]
            return attempt

        objects = Objects(self.names, Constructor(type(instance), self.names, self.evaluate, self.clock).instances)
        forward = Forward(instance, dict(built.arguments), objects, way)
        return forward, call

    def _watched(self, act: Callable[[], Any], watch: Watch) -> Attempt:
        self.recorder.limited, self.recorder.observer = "", watch
        example.seed(0)

        def inside() -> Any:  # what is tried and given up prints things that mislead, and much of it
            with redirect_stdout(Unread()), redirect_stderr(Unread()), self.engines.run():
                return act()

        attempt = run(inside, watch, self.clock.limit(PER_RUN, _LEAST))
        attempt.limited = attempt.error is not None and bool(self.recorder.limited)
        self.engines.leave()
        return attempt
