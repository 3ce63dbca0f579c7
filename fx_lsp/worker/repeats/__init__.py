"""Modules that would do what an equal one has done before are not run again: twelve blocks cost as much as one.

A module is left out when one of the same class ran, in this call of the outermost module, that was equal in all that
its code read: attributes of everything below it, arguments, globals, the state of torch; and when nothing that ran
changed anything but what it made itself (`effects`).  Its facts are counted for the other one, and its results are new
tensors with the same metadata and a history.  What cannot be proven runs.
"""

from __future__ import annotations

import re
import sys
import traceback
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Callable, Dict, FrozenSet, Iterator, List, Optional, Tuple, Union

import torch
from torch import nn
from torch.nn.modules import module as _modules

from fx_lsp.worker.capture.record import Current, Event, Use
from fx_lsp.worker.engines.known import Known, collect
from fx_lsp.worker.engines.layers import settings
from fx_lsp.worker.repeats.effects import Seen, Watch
from fx_lsp.worker.repeats.kinds import kinds
from fx_lsp.worker.repeats.results import Results
from fx_lsp.worker.repeats.state import State, States, is_known, is_library, relevant, runs_library
from fx_lsp.worker.repeats.vain import Digests

MAX_KNOWN = 4
"""Different runs that are remembered for one class."""
MAX_TRIES = 2
"""Runs of a class that could not be left out, after which no other one is looked at."""

GRADIENTS = re.compile(r"\b(backward|grad|jacrev|jacfwd|hessian|vjp|jvp)\(")
"""Where these are called every module has to run; those that are called elsewhere are noticed."""
BACKWARD = tuple(
    (place, name) for place in (torch.autograd, torch.autograd.graph)
    for name in ("_engine_run_backward",) if hasattr(place, name)
)  # fmt: skip
"""What every way to gradients calls."""
_HOOKS = (
    _modules._global_backward_pre_hooks,
    _modules._global_backward_hooks,
    _modules._global_forward_pre_hooks,
    _modules._global_forward_hooks,
)
"""Of all modules, which torch keeps in tables that it never replaces."""


class Regret(BaseException):
    """The example is to be run once more, with nothing left out."""


@dataclass
class _Run:
    """What is known of one."""

    given: State
    module: State
    reads: FrozenSet[str]
    read: List[Tuple[Dict[str, Any], Tuple[str, ...]]]
    """Globals."""
    globals: State
    seen: Seen
    path: str
    events: List[Union[Event, Use]]
    results: Results


class Repeats:
    """Of one process.  To be used with fake tensors: what real ones hold decides what happens."""

    def __init__(self, current: Current, known: Known) -> None:
        self.left_out = 0
        """Modules that were not run."""
        self.regretted = False
        """Gradients were asked for, which parameters that were left out would have got."""
        self.watch = Watch()
        self._current, self._known = current, known
        self._states = States(known.holds)
        self._paths: Dict[int, str] = {}
        self._alike: Dict[int, int] = {}
        """Number of a kind, for each module that is not the only one of it."""
        self._left: Dict[int, int] = {}
        """How many of a kind have still to be called."""
        self._runs: Dict[int, List[_Run]] = {}
        self._tries: Dict[type, int] = {}
        self.digests = Digests()
        self._given_up = False
        current.record.tape = []
        for place, name in BACKWARD:
            setattr(place, name, self._unless_left_out(getattr(place, name)))

    def _unless_left_out(self, run_backward: Callable[..., Any]) -> Callable[..., Any]:
        def checked(*args: Any, **kwargs: Any) -> Any:
            if self.left_out:
                self.left_out, self.regretted = 0, True
                raise Regret
            return run_backward(*args, **kwargs)

        return checked

    def begin(self, paths: Dict[int, str], modules: List[nn.Module]) -> None:
        """An outermost module is called, with these below it."""
        self._paths = paths
        self._alike = kinds(modules) if not self._given_up else {}
        self._left = Counter(self._alike.values())
        self._runs.clear()

    def call(
        self, run: Callable[..., Any], module: nn.Module, path: str, args: Tuple[Any, ...], kwargs: Dict[str, Any]
    ) -> Any:
        """What `run(module, *args, **kwargs)` gives."""
        cls, kind = type(module), self._alike.get(id(module), -1)
        if kind >= 0 and cls not in self._tries:
            self._look(module)
        if kind < 0 or self._tries[cls] >= MAX_TRIES or self._known.read_draws or _is_special():
            return run(module, *args, **kwargs)
        self._left[kind] -= 1
        if self._left[kind] <= 0 and kind not in self._runs:
            return run(module, *args, **kwargs)
        self.watch.rest()
        last, made, given, before, versions = self._left[kind] <= 0, None, {}, {}, []
        with torch._C.DisableTorchFunction(), self._guarded():
            given = self._states.values((_torch(), args, kwargs))
            made = self._again(kind, given, module, path, args, kwargs)
            before = {} if made or last else self._states.module(module)
            versions = _versions(args, kwargs)
        if made or last:
            self.watch.listen()
            return made[0] if made else run(module, *args, **kwargs)
        events = self._current.record.tape
        start = len(events)
        seen = self.watch.begin()
        try:
            result = run(module, *args, **kwargs)
        finally:
            self.watch.end()
        self.watch.rest()
        with torch._C.DisableTorchFunction(), self._guarded():
            if versions != _versions(args, kwargs) or given != self._states.values((_torch(), args, kwargs)):
                seen.effect = seen.effect or "an argument was written to"
            self._remember(
                kind, module, given, before, seen, path, events[start:], Results(result, args, kwargs, module)
            )
        self.watch.listen()
        return result

    def _look(self, module: nn.Module) -> None:
        """Whether modules of this class are worth watching, as far as earlier runs tell."""
        self.watch.rest()
        self._tries[type(module)] = 0
        with torch._C.DisableTorchFunction(), self._guarded():
            self._tries[type(module)] = MAX_TRIES if self.digests.known(module) else 0
        self.watch.listen()

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """What cannot be described is run, and a defect of ours is no failure of the code."""
        try:
            yield
        except Exception:
            print(f"fx-lsp: nothing is left out any more: {traceback.format_exc()}", file=sys.stderr)
            self._given_up, self._alike = True, {}
            self._runs.clear()

    def _again(
        self, kind: int, given: State, module: nn.Module, path: str, args: Tuple[Any, ...], kwargs: Dict[str, Any]
    ) -> Optional[Tuple[Any]]:
        """What an equal one gave, in a tuple of one."""
        for known in self._runs.get(kind, ()):
            if given == known.given and self._equal(known, module, path):
                made = known.results.again()
                if made is not None:
                    self._count(known, path)
                    self.watch.left_out(known.seen)
                    return made
        return None

    def _remember(
        self, kind: int, module: nn.Module, given: State, before: State, seen: Seen, path: str,
        events: List[Union[Event, Use]],
        results: Results,
    ) -> None:  # fmt: skip
        made = None if seen.effect else self._known_by(module, given, before, seen, path, events, results)
        if made is not None:
            runs = self._runs.setdefault(kind, [])
            runs.append(made)
            del runs[:-MAX_KNOWN]
        else:
            self._tries[type(module)] += 1
            if self._tries[type(module)] == MAX_TRIES:
                self.digests.tell(module, seen.where)

    def _known_by(
        self, module: nn.Module, given: State, before: State, seen: Seen, path: str, events: List[Union[Event, Use]],
        results: Results,
    ) -> Optional[_Run]:  # fmt: skip
        """What another one can be known by that would do the same; None when none may be left out."""
        reads = frozenset(seen.names())
        library = {name for (name, *rest), value in before.items() if not rest and runs_library(value[0])}
        state, read = self._states.module(module, reads), seen.chains()
        globals_ = self._globals(read, reads, before)
        fits = all(_below(event, path) for event in events) and self._current.record.tape is not None
        fits = fits and not self._known.read_draws and results.fit and not _filled_a_cache(read, seen)
        fits = fits and all(state.get(key) == value for key, value in relevant(before, reads, library).items())
        if not fits or not all(map(is_known, (state, globals_, given))):
            return None
        return _Run(given, state, reads, read, globals_, seen, path, events, results)

    def _equal(self, known: _Run, module: nn.Module, path: str) -> bool:
        if any(self._paths.get(id(inner)) != _join(path, name) for name, inner in nn.Module.named_modules(module)):
            return False  # it shares a part with another one
        if self._states.module(module, known.reads) != known.module:
            return False
        return self._globals(known.read, known.reads, known.module) == known.globals

    def _globals(
        self, read: List[Tuple[Dict[str, Any], Tuple[str, ...]]], reads: FrozenSet[str], state: State
    ) -> State:
        """Everything that was read of a global, and of the classes of the workspace."""
        classes = {value[0] for key, value in state.items() if len(key) == 1 and not is_library(value[0])}
        held = [
            vars(base)[name]
            for cls in sorted(classes, key=lambda cls: cls.__qualname__)
            for base in cls.__mro__[:-1] if not is_library(base)
            for name in sorted((reads | {"forward"}) & vars(base).keys())
        ]  # fmt: skip
        return self._states.values([[_resolved(*one) for one in read], *held], reads)

    def _count(self, known: _Run, path: str) -> None:
        """The facts of the one that ran hold for the one at `path`."""
        self.left_out += 1
        record = self._current.record
        for event in known.events:
            if isinstance(event, Use):
                record.used(event)
            else:
                seen, place, value, sequence = event
                record.count(seen, path + place[len(known.path) :], value, sequence)


def _below(event: Union[Event, Use], path: str) -> bool:
    return isinstance(event, Use) or event[1] == path or event[1].startswith(f"{path}.")


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if name else path


def _resolved(namespace: Dict[str, Any], chain: Tuple[str, ...]) -> Any:
    """What the chain leads to, through modules only."""
    builtins: Any = namespace.get("__builtins__")
    builtins = builtins if isinstance(builtins, dict) else vars(builtins)
    item = namespace.get(chain[0], builtins.get(chain[0]))
    for name in chain[1:]:
        if not isinstance(item, ModuleType):
            break
        item = vars(item).get(name)
    return item


def _torch() -> Tuple[Any, ...]:
    """The state of torch that operations depend on."""
    return *settings(), torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")


def _filled_a_cache(read: List[Tuple[Dict[str, Any], Tuple[str, ...]]], seen: Seen) -> bool:
    """Whether a function ran whose answer is kept from now on: next time it does not."""
    ran = {code for code, _ in seen.lines}
    return any(getattr(getattr(_resolved(*one), "__wrapped__", None), "__code__", None) in ran for one in read)


def _is_special() -> bool:
    """Whether more happens at a call than what the module says, or tensors are not what they seem."""
    return any(_HOOKS) or torch._C._functorch.peek_interpreter_stack() is not None


def _versions(args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> List[int]:
    given: List[torch.Tensor] = []
    collect((args, kwargs), given)
    return [one._version for one in given if not one.is_inference()]
