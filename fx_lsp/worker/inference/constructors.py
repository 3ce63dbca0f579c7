"""Building an instance of a class whose constructor wants arguments."""

from __future__ import annotations

import heapq
import inspect
import itertools
import re
import time
import typing
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from torch import nn

from fx_lsp.worker.inference.attempts import Attempt
from fx_lsp.worker.inference.corrections import NUMBERS, Arguments, Place, asked_for, filled_in, suspects
from fx_lsp.worker.inference.meaning import argument
from fx_lsp.worker.inference.names import Names, text_of
from fx_lsp.worker.inference.options import Option, annotated

MAX_BUILDS = 60
"""Tries to build one class."""
MAX_CHANGES = 14
"""Tries after one failure."""
MAX_NESTED = 3
"""Classes built for the constructors of others."""
LAYERS = re.compile(r"((n|num)_)?([a-z]+_)*(layers?|blocks?|depth)|(n|num)_?(layers?|blocks?)|[a-z_]*depth")
_CONFIG = re.compile(r"(.*_)?(config|cfg|conf|args|opts?|hparams|params|configuration|settings)")

Evaluate = Callable[[str, str], Attempt]
"""Runs statements, then gives the value of an expression."""


@dataclass(frozen=True)
class Built:
    """An instance, and the text that makes it."""

    setup: str
    call: str
    attempt: Attempt
    arguments: Tuple[Tuple[str, str], ...] = ()
    """Those that were invented."""

    @property
    def instance(self) -> Any:
        """None when it could not be built."""
        return self.attempt.value


class Constructor:
    """Ways to build one class."""

    def __init__(self, cls: type, names: Names, evaluate: Evaluate, nested: int = 0) -> None:
        self.cls, self.names, self.evaluate, self.nested = cls, names, evaluate, nested
        self.before, self.name = names.of(cls)
        self.parameters, self.hints = parameters_of(cls)
        self._options: Dict[str, List[Option]] = {}

    def call(self, given: Arguments) -> Tuple[str, str]:
        """Setup and text."""
        setups, parts = [self.before], []
        for name, parameter in self.parameters.items():
            if name in given:
                setups += [setup for setup, option in self.options(name) if option == given[name]][:1]
                positional = parameter.kind is parameter.POSITIONAL_ONLY
                parts.append(given[name] if positional else f"{name}={given[name]}")
        text = f"{self.name}({', '.join(parts)})"
        lines = "\n".join([*setups, self.names.setup(text)]).split("\n")
        return "\n".join(dict.fromkeys(line for line in lines if line)), text

    def attempt(self, given: Arguments) -> Built:
        """Build it once."""
        setup, text = self.call(given)
        return Built(setup, text, self.evaluate(setup, text), tuple(given.items()))

    def find(self, deadline: float) -> Optional[Built]:
        """The first that can be built, else the one that got furthest; None when the class has no name here."""
        if not self.name:
            return None
        needed = [name for name, parameter in self.parameters.items() if parameter.default is parameter.empty]
        start = {name: self.options(name)[0][1] for name in needed}
        order = itertools.count()
        queue: List[Tuple[int, int, int, Arguments]] = [(0, 0, next(order), start)]
        seen = {tuple(start.items())}
        best: Optional[Built] = None
        furthest = -1
        for _ in range(MAX_BUILDS):
            if not queue or (best is not None and time.monotonic() > deadline):
                break
            _, depth, _, now = heapq.heappop(queue)
            built = self.attempt(now)
            if built.attempt.error is None:
                return built
            place = built.attempt.frame_of(lambda owner: isinstance(owner, self.cls), ("__init__", "__post_init__"))
            line = place[1] if place is not None else 0
            if line > furthest or best is None:
                best, furthest = built, line
            for number, change in enumerate(itertools.islice(self._changes(built.attempt, now, place), MAX_CHANGES)):
                if tuple(change.items()) not in seen:
                    seen.add(tuple(change.items()))
                    heapq.heappush(queue, (-line, depth + 1 + number // 3, next(order), change))
        return best

    def _changes(self, attempt: Attempt, given: Arguments, place: Place) -> Iterator[Arguments]:
        yield from filled_in(attempt, list(self.parameters), given)
        named = suspects(attempt, place, list(self.parameters), given)
        for name in (name for name in named if name in given):
            yield from ({**given, name: text} for text in asked_for(attempt, given[name], place))
            for setup, text in self._modules(attempt, name, given[name], place):
                if (setup, text) not in self.options(name):
                    self.options(name).append((setup, text))  # where `call` finds the setup again
                yield {**given, name: text}
        for name in named:
            now = given.get(name, repr(self.parameters[name].default))
            options = [text for _, text in self.options(name)]
            at = options.index(now) + 1 if now in options else 0
            yield from ({**given, name: text} for text in [*options[at:], *options[:at]][:4] if text != now)
        for name in (name for name in named if given.get(name, "").isdigit()):
            yield from ({**given, name: text} for text in NUMBERS)

    def options(self, name: str) -> List[Option]:
        """What may be given for a parameter, best first."""
        if name not in self._options:
            parameter = self.parameters[name]
            hint = self.hints.get(name, parameter.annotation)
            found = [] if hint is parameter.empty else list(annotated(hint, name, self.names, self._instances))
            if _CONFIG.fullmatch(name.lower()) and not any(text.endswith(")") for _, text in found):
                found = [*self._configurations(), *found, ("", "types.SimpleNamespace()")]
            found += [("", text) for text in argument(name)]
            self._options[name] = list(dict.fromkeys(found))
        return self._options[name]

    def _instances(self, wanted: type) -> Iterator[Option]:
        """Instances of a class, or of a class below it that the module knows."""
        if self.nested >= MAX_NESTED:
            return
        known = [value for value in vars(self.names.module).values() if isinstance(value, type)]
        for cls in [wanted, *dict.fromkeys(c for c in known if issubclass(c, wanted) and c is not wanted)][:4]:
            maker = Constructor(cls, self.names, self.evaluate, self.nested + 1)
            built = maker.find(time.monotonic() + 1.0)
            if built is not None and built.attempt.error is None:
                if (small := _smaller(maker, built)) is not None:
                    yield small.setup, small.call
                yield built.setup, built.call

    def _configurations(self) -> Iterator[Option]:
        """Instances of the class that configures this one: named by an attribute, else by a name alike."""
        stated = getattr(self.cls, "config_class", None)
        near = [
            value for name, value in vars(self.names.module).items()
            if isinstance(value, type) and re.search(r"(Config|Configuration|Args|Params|Options|Cfg)$", name)
        ]  # fmt: skip
        near.sort(key=lambda cls: -_alike(cls.__name__, self.cls.__name__))
        for cls in dict.fromkeys([*([stated] if isinstance(stated, type) else []), *near[:3]]):
            yield from self._instances(cls)

    def _modules(self, attempt: Attempt, name: str, text: str, place: Place) -> Iterator[Option]:
        """Modules of the workspace that do what is asked of an argument."""
        if self.nested >= MAX_NESTED - 1:
            return
        for test in re.findall(rf"isinstance\(\s*{name}\s*,\s*\(?([\w., ]+)\)?\s*\)", place[2] if place else ""):
            for wanted in (place[0].f_globals.get(one.strip()) for one in test.split(",")) if place else ():
                if isinstance(wanted, type) and wanted.__module__ != "builtins":
                    yield from self._instances(wanted)
        if text.startswith(("nn.Identity", "lambda")) or "has no attribute" in attempt.message:
            for cls in [*self._fitting(name), *self._models()]:
                yield from self._instances(cls)

    def variants(self, built: Built) -> Iterator[Arguments]:
        """With modules of the workspace in the place of those that do nothing."""
        given = dict(built.arguments)
        for name, text in built.arguments:
            if text in ("nn.LayerNorm", "nn.BatchNorm2d"):
                yield {**given, name: "nn.BatchNorm2d" if text == "nn.LayerNorm" else "nn.LayerNorm"}
            if text.startswith(("nn.Identity", "lambda")):
                for cls in [*self._fitting(name), *self._models()]:
                    for setup, made in self._instances(cls):
                        self.options(name).append((setup, made))
                        yield {**given, name: made}

    def _models(self) -> List[type]:
        """The last class of other modules: it uses those before it."""
        last: Dict[str, type] = {}
        for cls in self.names.classes():
            last[cls.__module__] = cls
        return [cls for home, cls in last.items() if home != self.cls.__module__][:2]

    def _fitting(self, name: str) -> List[type]:
        """Classes of the workspace that have what this one reads of the argument, or are called like it."""
        used = set(re.findall(rf"\b{name}\.(\w+)", text_of(self.cls))) - set(dir(nn.Module))
        ranked: List[Tuple[bool, bool, int, type]] = []
        for number, cls in enumerate(dict.fromkeys(self.names.classes())):
            text = text_of(cls)
            fits = bool(used) and all(hasattr(cls, a) or re.search(rf"self\.{a}\b", text) for a in used)
            alike = cls.__name__.lower() == name.lower().replace("_", "")
            if (fits or alike) and not issubclass(cls, self.cls):
                ranked.append((not fits, not alike, number, cls))
        return [cls for *_, cls in sorted(ranked, key=lambda one: one[:3])[:3]]


def _alike(one: str, other: str) -> int:
    """How many letters two names share at their start."""
    return next((at for at, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))


def _smaller(maker: Constructor, built: Built) -> Optional[Built]:
    """With fewer layers, where the instance says how many there are: the blocks are alike."""
    value = built.instance
    if isinstance(value, nn.Module):
        return None
    few = {
        name: "2" for name, number in list(getattr(value, "__dict__", {}).items())
        if type(number) is int and number > 2 and LAYERS.fullmatch(name)
    }  # fmt: skip
    if not few:
        return None
    text = f"{maker.name}({', '.join(f'{k}={v}' for k, v in {**dict(built.arguments), **few}.items())})"
    attempt = maker.evaluate(built.setup, text)
    return Built(built.setup, text, attempt) if attempt.error is None else None


def parameters_of(cls: type) -> Tuple[Dict[str, inspect.Parameter], Dict[str, Any]]:
    """What the constructor takes, through `**kwargs` also of the classes above, and the annotations."""
    found: Dict[str, inspect.Parameter] = {}
    hints: Dict[str, Any] = {}
    for owner in cls.__mro__:
        init = vars(owner).get("__init__")
        if init is None or owner in (nn.Module, object):
            continue
        try:
            parameters = list(inspect.signature(init).parameters.values())[1:]
        except (TypeError, ValueError):
            break
        for parameter in parameters:
            if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                found.setdefault(parameter.name, parameter)
        hints = {**hints_of(init), **hints}
        if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
            break
    return found, hints


def hints_of(function: Any) -> Dict[str, Any]:
    """The annotations of a function, as far as they mean something."""
    try:
        return typing.get_type_hints(function)
    except Exception:  # an annotation is any expression, and may name what is not there
        return dict(getattr(function, "__annotations__", {}))
