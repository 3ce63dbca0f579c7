"""Building an instance of a class whose constructor wants arguments."""

from __future__ import annotations

import inspect
import itertools
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple

from torch import nn

from fx_lsp.worker.inference import modules
from fx_lsp.worker.inference.attempts import Attempt, Built, TooLong, words
from fx_lsp.worker.inference.clock import Clock
from fx_lsp.worker.inference.configurations import CONFIG, Smaller, configuring, narrowest
from fx_lsp.worker.inference.corrections import (
    LEFT_OUT,
    NUMBERS,
    Arguments,
    Place,
    asked_for,
    at_present,
    enlarged,
    filled_in,
    is_of_class,
    is_plain,
    is_whole,
    narrowed,
    value_of,
)
from fx_lsp.worker.inference.descent import nearest
from fx_lsp.worker.inference.described import by_text
from fx_lsp.worker.inference.donors import donors
from fx_lsp.worker.inference.fields import altered, completed, fields_of, is_group, names_of
from fx_lsp.worker.inference.handed import handed_on
from fx_lsp.worker.inference.meaning import OTHERS, argument, is_flag
from fx_lsp.worker.inference.mending import asked, mended, merged, sources, switched
from fx_lsp.worker.inference.names import Names, is_class, text_of, together
from fx_lsp.worker.inference.options import Option, annotated, fits, setup_of
from fx_lsp.worker.inference.parsers import namespaces
from fx_lsp.worker.inference.registries import registered
from fx_lsp.worker.inference.signatures import hands_on, parameters_of, parameters_of_method
from fx_lsp.worker.inference.stand_ins import MAX_FITTING, in_its_place, with_stand_in
from fx_lsp.worker.inference.tables import looked_up
from fx_lsp.worker.inference.told import of_kinds
from fx_lsp.worker.inference.ungrouped import ungrouped
from fx_lsp.worker.inference.variables import variables
from fx_lsp.worker.inference.waiting import Waiting
from fx_lsp.worker.inference.wanting import wanting
from fx_lsp.worker.inference.written import of_picture, written

MAX_BUILDS = 60
"""Tries to build one class."""
MAX_ABSENT = 60
"""Attributes that a configuration is given one by one."""
MAX_CHANGES = 14
"""Tries after one failure."""
MAX_NESTED = 3
"""Classes built for the constructors of others."""

Evaluate = Callable[[str, str], Attempt]
"""Runs statements, then gives the value of an expression."""


class Constructor:
    """Ways to build one class: by its constructor, or by a class method that is a `factory`."""

    def __init__(
        self, cls: type, names: Names, evaluate: Evaluate, clock: Clock, nested: int = 0, factory: str = ""
    ) -> None:
        self.cls, self.names, self.evaluate, self.clock, self.nested = cls, names, evaluate, clock, nested
        self.before, self.name = names.of(cls)
        self.parameters, self.hints = parameters_of(cls)
        if factory and self.name:
            self.name = f"{self.name}.{factory}"
            self.parameters, self.hints = parameters_of_method(cls, factory)
        self._options: Dict[str, List[Option]] = {}

    def of_method(self, text: str, name: str, before: str) -> Constructor:
        """Ways to call a method of the class, by this text, after what comes before it."""
        other = Constructor(self.cls, self.names, self.evaluate, self.clock, self.nested)
        parameters, other.hints = parameters_of_method(self.cls, name)
        other.before, other.name, other.parameters = before, text, dict(list(parameters.items())[1:])
        return other

    def call(self, given: Arguments) -> Tuple[str, str]:
        """Setup and text."""
        setups, parts = [self.before], []
        for name, parameter in self.parameters.items():
            if name in given:
                setups.append(setup_of(self.options(name), given[name]))
                positional = parameter.kind is parameter.POSITIONAL_ONLY
                parts.append(given[name] if positional else f"{name}={given[name]}")
        text = f"{self.name}({', '.join(parts)})"
        return together(*setups, self.names.setup(text)), text

    def attempt(self, given: Arguments) -> Built:
        """Build it once."""
        setup, text = self.call(given)
        return Built(setup, text, self.evaluate(setup, text), tuple(given.items()))

    def find(self, deadline: float) -> Optional[Built]:
        """The first that can be built, else the one that got furthest; None when the class has no name here."""
        if not self.name:
            return None
        needed = [name for name, parameter in self.parameters.items() if parameter.default is parameter.empty]
        start: Arguments = {name: self.options(name)[0][1] for name in needed}
        waiting = Waiting()
        waiting.add((0,), 0, iter([start]), frozenset())
        best: Optional[Built] = None
        furthest, left = (0,), MAX_BUILDS
        while left and (best is None or self.clock.now() < deadline):
            if (turn := waiting.next()) is None:
                break
            built, now = self.attempt(turn.given), turn.given
            if built.attempt.error is None:
                larger = (self.attempt(change) for change in enlarged(built.attempt, now, self.parameters))
                return next((one for one in larger if is_whole(one.attempt)), built)
            frames = (lambda owner: isinstance(owner, self.cls)), ("__init__", "__post_init__")
            place, reached = built.attempt.frame_of(*frames), built.attempt.reached(*frames)
            if reached < furthest or best is None:
                best, furthest = built, reached
            known, absent = len(turn.absent), asked(built.attempt, turn.absent, now)
            left -= len(absent) <= known or len(absent) > MAX_ABSENT  # what is asked for is no wrong turn
            changes = itertools.islice(self._changes(built.attempt, now, place), MAX_CHANGES)
            waiting.add(reached, turn.depth + 1, changes, absent)
        return best

    def _changes(self, attempt: Attempt, given: Arguments, place: Place) -> Iterator[Arguments]:
        if hands_on(self.cls):
            for change in handed_on(attempt, given, text_of(self.cls), vars(self.names.module)):
                for name in change:
                    self.parameters.setdefault(name, inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY))
                yield change
        if isinstance(attempt.error, TooLong):
            yield self.narrow(Built(self.call(given)[0], "", attempt, tuple(given.items())))
        yield from itertools.chain(narrowed(attempt, given), looked_up(attempt, given, self.hints))
        yield from filled_in(attempt, list(self.parameters), given)
        yield from itertools.chain(enlarged(attempt, given, self.parameters), self.completed(attempt, given, place))
        yield from wanting(attempt, given, place, text_of(self.cls))
        yield from self._listed(attempt, given, place)
        if place is not None:
            yield from self.mended(attempt, given, variables(place[0]), place[2])
        for more in (registered, ungrouped, altered):
            yield from more(attempt, given, place)
        named = nearest(attempt, self.cls, place, given, self.parameters)
        named = [name for name in named if not fields_of(given.get(name, ""))]
        for name in (name for name in given if is_of_class(given[name], attempt.message)):
            yield from ({**given, name: text} for _, text in self.options(name) if text != given[name])
        present = at_present(attempt, named, given, self.parameters)
        for name, now in present.items():
            for text in switched(name, now, attempt, place) if name in given else ():
                yield self._instead(given, name, "", text)
            texts = (text for text in asked_for(attempt, now, place) if fits(text, self.hints.get(name)))
            by_error = (self._like(given, name, text) for text in texts)
            fitting = self._modules(attempt, name, now, place) if name in given else iter(())
            made = (self._offered(given, name, setup, text) for setup, text in fitting)
            yield from itertools.islice(made, MAX_FITTING if now.startswith("nn.Identity") else 0)
            yield from itertools.chain(by_error, made)
        for name, now in present.items():
            options = [text for _, text in self.options(name)]
            at = options.index(now) + 1 if name in given and now in options else 0
            yield from ({**given, name: text} for text in [*options[at:], *options[:at]][:4] if text != now)
        yield from ({**given, name: text} for name in named if given.get(name, "").isdigit() for text in NUMBERS)

    def _listed(self, attempt: Attempt, given: Arguments, place: Place) -> Iterator[Arguments]:
        """With lists of such objects as are told apart where it failed, or as are read of what is gone through, in the
        place of what is no list."""
        named = [name for name in nearest(attempt, self.cls, place, given, self.parameters) if name in given]
        kinds = modules.listed(attempt, self.cls, named, self.names)
        for setup, text in (one for cls in kinds for one in self.instances(cls)):
            change = given
            for name in (one for one in named if is_plain(given[one], attempt.message)):
                change = self._offered(change, name, setup, f"[{text}]")
            yield change

    def values(self, given: Arguments) -> Dict[str, Any]:
        """What the parameters are, where that can be said without running anything; else nothing."""
        return {name: value_of(given[name]) if name in given else one.default for name, one in self.parameters.items()}

    def options(self, name: str) -> List[Option]:
        """What may be given for a parameter, best first."""
        if name not in self._options:  # what is handed on was perhaps thought of by another
            parameter = self.parameters.setdefault(name, inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY))
            hint = self.hints.get(name, parameter.annotation)
            if CONFIG.fullmatch(name.lower()) and (
                made := configuring(self.cls, name, hint, self.names, self._instance)
            ):
                found = [one for built in made for one in self._sizes(built)]
            else:
                found = [] if hint is parameter.empty else list(annotated(hint, name, self.names, self.instances))
            if CONFIG.fullmatch(name.lower()) and not found:
                found += namespaces(self.cls, self.names, self.evaluate)
            if CONFIG.fullmatch(name.lower()) and not any(text.endswith(")") for _, text in found):
                found.append(("", "types.SimpleNamespace()"))
            usual = () if argument(name) is OTHERS else argument(name)
            if (not found or found[0][1].startswith("nn.")) and not any(one[:3] == "nn." for one in usual):
                made = map(self.names.of, modules.made_of_argument(self.cls, name, self.names))
                found = [*(one for one in made if one[1]), *found]
            if hint is parameter.empty and modules.is_called(self.cls, name):
                found += [("", text) for text in modules.callables(self.cls, name, argument(name))]
            elif hint is parameter.empty and not found:
                able = [*donors(self.cls, name, self.names), *modules.able(self.cls, name, self.names)]
                found += [one for cls in able for one in self.instances(cls)]
            if hint is parameter.empty and not usual and is_flag(rf"(?<=[\w(] ){name}", text_of(self.cls)):
                found.append(("", "False"))
            found += [("", text) for text in argument(name)]
            found = [*by_text(self.cls, name, hint, self.names, self.instances), *found]
            self._options[name] = list(dict.fromkeys(with_stand_in(self.cls, name, found, self._fitting)))
        return self._options[name]

    def mended(self, attempt: Attempt, given: Arguments, live: Mapping[str, Any], code: str) -> Iterator[Arguments]:
        """With other configurations, where the failure is about what is in one; `live` has their values."""
        for name in (name for name in given if CONFIG.fullmatch(name.lower()) and not is_group(given[name])):
            value = live[name] if name in live else self.evaluate(self.call(given)[0], given[name]).value
            for setup, new in mended(given[name], value, attempt, code, self.names, self.instances):
                yield self._instead(given, name, setup, new)

    def completed(self, attempt: Attempt, given: Arguments, place: Place = None) -> Iterator[Arguments]:
        """With a field of a namespace or a dict that was asked for in vain."""
        yield from completed(attempt, given, place, text_of(self.cls))

    def asked_for(self, attempt: Attempt, given: Arguments, instance: Any) -> Iterator[Arguments]:
        """With other values of the arguments that a `forward` that failed names."""
        place = attempt.frame_of(lambda owner: owner is instance, ("forward",))
        said = f"{attempt.message} {attempt.guard()} {place[2] if place else ''}"
        held = list(map(str.lower, given)) if isinstance(attempt.error, (TypeError, AttributeError)) else []
        within = {*names_of(given), *held} & {name.lower() for name in sources(said, [self.cls])}
        if LEFT_OUT.search(attempt.message):
            optional = {one.name for one in self.parameters.values() if one.default is None}
            within |= set(words(attempt.message)) & optional - set(given)
        named = any(is_of_class(text, attempt.message) for text in given.values())
        known = set(given) if isinstance(attempt.error, RuntimeError) else set(self.parameters)
        if place is not None and (within or named or set(words(said)) & known):
            yield from itertools.islice(self._changes(attempt, given, place), MAX_CHANGES // 2)

    def _instead(self, given: Arguments, name: str, setup: str, text: str) -> Arguments:
        """Another text for an argument, which also needs what the one before it needed."""
        before = setup_of(self.options(name), given[name])
        return self._offered(given, name, together(before, setup), text)

    def _like(self, given: Arguments, name: str, text: str) -> Arguments:
        """Another text for an argument, made of the one before it, with what that needed if it needed something."""
        before = setup_of(self.options(name), given.get(name, ""))
        return self._offered(given, name, before, text) if before else {**given, name: text}

    def _offered(self, given: Arguments, name: str, setup: str, text: str) -> Arguments:
        """An argument that is one of the options from now on, where `call` finds its setup again."""
        self.options(name).extend({(setup, text)} - {*self.options(name)})
        return {**given, name: text}

    def narrow(self, built: Built) -> Arguments:
        """The same with configurations whose widths are as small as they can be."""
        given = dict(built.arguments)
        for name in given:  # another constructor may have thought of it
            self._offered(given, name, built.setup, given[name])
        for name in (name for name in given if CONFIG.fullmatch(name.lower())):
            setup, text = next(one for one in self.options(name) if one[1] == given[name])
            value = self.evaluate(together(setup, self.names.setup(text)), text).value
            if value is not None and text.endswith(")"):
                more, smaller = Smaller(narrowest(value)).text(value, self.names)
                if smaller:
                    given = self._offered(given, name, together(setup, more), merged(text, smaller))
        return given

    def instances(self, wanted: type) -> Iterator[Option]:
        """Instances of a class, or of a class below it that the module knows."""
        if self.nested >= MAX_NESTED:
            return
        yield from written(wanted, self.names, self.evaluate)
        for cls in modules.kinds(wanted, [one for one in vars(self.names.module).values() if is_class(one)]):
            if (built := self._instance(cls)) is not None:
                yield from self._sizes(built)

    def _instance(self, cls: type) -> Optional[Built]:
        """Built once for all that want it."""
        if cls not in self.names.built:
            inner = Constructor(cls, self.names, self.evaluate, self.clock, self.nested + 1)
            built = inner.find(self.clock.now() + 1.0)
            self.names.built[cls] = built if built is not None and built.attempt.error is None else None
        return self.names.built[cls]

    def _sizes(self, built: Built) -> Iterator[Option]:
        """A small one where it says how large it is, then the usual one."""
        if not isinstance(built.instance, nn.Module):
            setup, text = Smaller().text(built.instance, self.names)
            setup = together(built.setup, setup)
            if text and self.evaluate(setup, text).error is None:
                yield setup, text
        yield built.setup, built.call
        yield from of_picture(built, self.evaluate)

    def _fitting(self, name: str) -> Iterator[Option]:
        """The module of the workspace that fits best."""
        for cls in modules.fitting(self.cls, name, self.names)[:1] if self.nested < MAX_NESTED - 1 else ():
            yield from self.instances(cls)

    def _modules(self, attempt: Attempt, name: str, text: str, place: Place) -> Iterator[Option]:
        """Modules of the workspace that do what is asked of an argument."""
        if self.nested < MAX_NESTED - 1 and not any(one[:3] == "nn." for one in of_kinds(attempt, text)):
            yield from in_its_place(self.cls, self.names, self.instances, attempt, (name, text), place)
