"""Building an instance of a class whose constructor wants arguments."""

from __future__ import annotations

import collections.abc
import enum
import heapq
import inspect
import itertools
import os
import re
import time
import typing
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from torch import nn

from fx_lsp.worker.inference.attempts import Attempt, words
from fx_lsp.worker.inference.meaning import argument

MAX_BUILDS = 60
"""Tries to build one class."""
MAX_NESTED = 3
"""Classes built for the constructors of others."""
LAYERS = re.compile(r"((n|num)_)?([a-z]+_)*(layers?|blocks?|depth)|(n|num)_?(layers?|blocks?)|[a-z_]*depth")
_CONFIG = re.compile(r"(.*_)?(config|cfg|conf|args|opts?|hparams|params|configuration|settings)")
_PLAIN = re.compile(r"'?(?:types\.)?SimpleNamespace'? object has no attribute '(\w+)'")

Arguments = Dict[str, str]


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


Evaluate = Callable[[str, str], Attempt]
"""Runs statements, then gives the value of an expression."""


class Names:
    """How things are called in the namespace of a module."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module
        self._by_id = {id(value): name for name, value in vars(module).items() if not name.startswith("__")}

    def of(self, value: Any) -> Tuple[str, str]:
        """Setup, and the expression that means the class; both empty when there is none."""
        if (name := self._by_id.get(id(value))) is not None:
            return "", name
        home, qualified = getattr(value, "__module__", None), getattr(value, "__qualname__", "")
        if home == self.module.__name__ and qualified and "<" not in qualified:
            return "", qualified
        if home and qualified.isidentifier() and home != "builtins":
            return f"from {home} import {qualified}", qualified
        return ("", qualified) if home == "builtins" else ("", "")

    def setup(self, text: str) -> str:
        """Imports of what the text uses beyond the namespace."""
        wanted = [("nn", "from torch import nn"), ("torch", "import torch"), ("types", "import types")]
        return "\n".join(
            line for name, line in wanted if re.search(rf"(?<![\w.]){name}\.", text) and name not in vars(self.module)
        )


class Constructor:
    """Ways to build one class."""

    def __init__(self, cls: type, names: Names, evaluate: Evaluate, nested: int = 0) -> None:
        self.cls, self.names, self.evaluate, self.nested = cls, names, evaluate, nested
        self.before, self.name = names.of(cls)
        try:
            self.parameters = list(inspect.signature(cls.__init__).parameters.values())[1:]
        except (TypeError, ValueError):
            self.parameters = []
        self.hints = _hints(cls.__init__)
        self.required = [
            p for p in self.parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        ]
        self._options: Dict[str, List[Tuple[str, str]]] = {}

    def call(self, given: Arguments) -> Tuple[str, str]:
        """Setup and text."""
        setups, parts, by_position = [self.before], [], True
        for parameter in self.parameters:
            if parameter.name not in given:
                by_position = False
                continue
            text = given[parameter.name]
            for setup, option in self.options(parameter):
                if option == text:
                    setups += setup.split("\n")
            by_position = by_position and parameter.kind is parameter.POSITIONAL_ONLY
            parts.append(text if by_position else f"{parameter.name}={text}")
        text = f"{self.name}({', '.join(parts)})"
        return "\n".join(dict.fromkeys(line for line in [*setups, *self.names.setup(text).split("\n")] if line)), text

    def attempt(self, given: Arguments) -> Built:
        """Build it once."""
        setup, text = self.call(given)
        return Built(setup, text, self.evaluate(setup, text), tuple(given.items()))

    def find(self, deadline: float, given: Optional[Arguments] = None) -> Optional[Built]:
        """The first that can be built, else the one that got furthest; None when the class has no name here."""
        if not self.name:
            return None
        start = {**{p.name: self.options(p)[0][1] for p in self.required if self.options(p)}, **(given or {})}
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
            for number, change in enumerate(self._changes(built.attempt, now, place)):
                if tuple(change.items()) not in seen and number < 12:
                    seen.add(tuple(change.items()))
                    heapq.heappush(queue, (-line, depth + 1 + number // 3, next(order), change))
        return best

    def _changes(self, attempt: Attempt, given: Arguments, place: Any) -> Iterator[Arguments]:
        message = attempt.message
        here = [name for name in words(place[2] if place else "") if name in given]
        suspects = here or [name for name in words(message + " " + attempt.last_text()) if name in given] or list(given)
        if (
            match := re.search(r"missing \d+ required (?:positional|keyword-only) arguments?: (.*)", message)
        ) is not None:
            absent = {name: self._named(name)[0] for name in re.findall(r"'(\w+)'", match[1]) if name not in given}
            if absent:
                yield {**given, **absent}
        if (match := _PLAIN.search(message)) is not None:
            for name in (name for name in suspects if "SimpleNamespace(" in given[name]):
                for value in argument(match[1])[:2]:
                    inner = given[name][:-1]
                    comma = "" if inner.endswith("(") else ", "
                    yield {**given, name: f"{inner}{comma}{match[1]}={value})"}
        for name in suspects:
            for text in self._asked(attempt, name, given[name], place):
                yield {**given, name: text}
        for name in suspects:
            parameter = next((p for p in self.parameters if p.name == name), None)
            options = [text for _, text in self.options(parameter)] if parameter is not None else []
            at = options.index(given[name]) + 1 if given[name] in options else 0
            for text in [*options[at:], *options[:at]][:4]:
                yield {**given, name: text}
        numbers = [name for name in suspects if given[name].isdigit()]
        for name in numbers:
            for text in ("64", "4", "8", "1", "2", "16", "128"):
                yield {**given, name: text}

    def _asked(self, attempt: Attempt, name: str, text: str, place: Any) -> Iterator[str]:
        """What the error says that it wants."""
        message = attempt.message
        quoted = re.findall(r"['\"]([\w.-]+)['\"]", message)
        if isinstance(attempt.error, KeyError) or re.search(
            r"must be|one of|should be|support|choose|unknown|invalid|expected", message
        ):
            yield from (repr(word) for word in quoted[:6] if repr(word) != text)
        if match := re.search(r"expected (\d+)(?:, got| values)|len\(.*\) == (\d+)", message):
            count = int(match[1] or match[2])
            if 0 < count <= 8:
                yield f"({', '.join(['64'] * count)},)"
                yield f"({', '.join(['1'] * count)},)"
        if re.search(
            r"not iterable|not subscriptable|has no len|must be an iterable|object is not a sequence|cannot unpack",
            message,
        ):
            base = text if text.isdigit() else "64"
            yield from (f"({base}, {base})", f"[{', '.join([base] * 4)}]", f"({base}, {base}, {base})")
        if "not callable" in message:
            yield from ("nn.LayerNorm", "nn.Identity()", "nn.GELU", "lambda *a, **k: nn.Identity()")
        if re.search(r"is not a Module subclass|has no attribute|Module", message) and not text.startswith("types."):
            yield from ("nn.Identity()", "nn.Linear(64, 64)")
        for test in re.findall(rf"isinstance\(\s*{name}\s*,\s*([\w.]+)\s*\)", place[2] if place else ""):
            wanted = place[0].f_globals.get(test)
            if isinstance(wanted, type):
                yield from (call for _, call in self._instances(wanted))
        if place is not None and isinstance(attempt.error, KeyError):
            for value in place[0].f_globals.values():
                if (
                    isinstance(value, dict)
                    and 0 < len(value) <= 200
                    and all(isinstance(k, str) for k in value)
                    and text.strip("'") not in value
                ):
                    yield from (repr(k) for k in list(value)[:2])

    def _named(self, name: str) -> Tuple[str, ...]:
        return argument(name)

    def options(self, parameter: inspect.Parameter) -> List[Tuple[str, str]]:
        """What may be given for a parameter, best first: setup and text."""
        if parameter.name not in self._options:
            hint = self.hints.get(parameter.name, parameter.annotation)
            found = list(self._annotated(hint, parameter.name)) if hint is not parameter.empty else []
            if _CONFIG.fullmatch(parameter.name.lower()) and not any(text.endswith(")") for _, text in found):
                found = [*self._configurations(), *found, ("", "types.SimpleNamespace()")]
            found += [("", text) for text in argument(parameter.name)]
            self._options[parameter.name] = list(dict.fromkeys(found))
        return self._options[parameter.name]

    def _annotated(self, hint: Any, name: str) -> Iterator[Tuple[str, str]]:
        origin, parts = typing.get_origin(hint), [a for a in typing.get_args(hint) if a is not type(None)]
        by_name = argument(name)
        if isinstance(hint, str):
            plain = {"int": int, "float": float, "bool": bool, "str": str}.get(hint.split("|")[0].strip())
            if plain is not None:
                yield from self._annotated(plain, name)
        elif origin is typing.Union or str(origin) == "<class 'types.UnionType'>":
            for part in parts:
                yield from self._annotated(part, name)
        elif origin is typing.Literal:
            yield from (("", repr(part)) for part in parts)
        elif hint is bool:
            yield from (("", "False"), ("", "True"))
        elif hint is int:
            numbers = [text for text in by_name if text.isdigit()]
            yield from (("", text) for text in numbers or ("64", "4", "2"))
        elif hint is float:
            yield from (("", text) for text in by_name if re.fullmatch(r"[\d.]+(e-?\d+)?", text))
            yield "", "0.1"
        elif hint is str:
            yield from (("", text) for text in by_name if text.startswith("'"))
            yield "", "'default'"
        elif (
            origin is type
            or origin is collections.abc.Callable
            or hint in (type, collections.abc.Callable, typing.Callable)
        ):
            wanted = parts[0] if parts and isinstance(parts[0], type) and origin is type else None
            if wanted is not None and wanted is not nn.Module:
                setup, text = self.names.of(wanted)
                if text:
                    yield setup, text
            yield from (("", text) for text in by_name if text.startswith(("nn.", "lambda")))
            yield from (
                ("", text)
                for text in ("nn.LayerNorm", "nn.BatchNorm2d", "nn.Identity", "lambda *a, **k: nn.Identity()")
            )
        elif origin in (list, tuple, collections.abc.Sequence) or hint in (list, tuple):
            yield from self._sequence(origin or hint, parts, name)
        elif origin is dict or hint is dict:
            yield "", "{}"
        elif isinstance(hint, type) and issubclass(hint, enum.Enum) and len(hint):
            setup, text = self.names.of(hint)
            yield from ((setup, f"{text}.{member.name}") for member in list(hint)[:3] if text)
        elif hint is nn.Module or hint in (nn.ModuleList, nn.Sequential):
            yield "", "nn.Identity()" if hint is nn.Module else f"nn.{hint.__name__}([nn.Identity()])"
        elif isinstance(hint, type) and hint.__module__ not in ("builtins", "typing"):
            yield from self._instances(hint)

    def _sequence(self, origin: Any, parts: List[Any], name: str) -> Iterator[Tuple[str, str]]:
        kept = [part for part in parts if part is not Ellipsis]
        count = len(kept) if origin is tuple and Ellipsis not in parts and kept else 4
        inner = [text for _, text in self._annotated(kept[0], name)] if kept else []
        inner += [text for text in argument(name) if text.isdigit()] + ["64"]
        yield from (("", text) for text in argument(name) if text.startswith(("(", "[")))
        left, right = ("[", "]") if origin is list else ("(", ",)")
        for length in dict.fromkeys((count, 4, 2, 1, 3)):
            yield "", left + ", ".join([inner[0]] * length) + right

    def _instances(self, wanted: type) -> Iterator[Tuple[str, str]]:
        """Instances of a class, or of a class below it that the module knows."""
        if self.nested >= MAX_NESTED:
            return
        below = [
            v
            for v in vars(self.names.module).values()
            if isinstance(v, type) and issubclass(v, wanted) and v is not wanted
        ]
        for cls in [wanted, *dict.fromkeys(below)][:4]:
            maker = Constructor(cls, self.names, self.evaluate, self.nested + 1)
            built = maker.find(time.monotonic() + 1.0, {})
            if built is not None and built.attempt.error is None:
                small = _smaller(maker, built)
                yield (small or built).setup, (small or built).call
                if small is not None:
                    yield built.setup, built.call

    def _configurations(self) -> Iterator[Tuple[str, str]]:
        """Instances of the class that configures this one: named by an attribute, else by a name alike."""
        stated = getattr(self.cls, "config_class", None)
        near = [
            value for name, value in vars(self.names.module).items()
            if isinstance(value, type) and re.search(r"(Config|Configuration|Args|Params|Options|Cfg)$", name)
        ]  # fmt: skip
        near.sort(key=lambda cls: -len(os.path.commonprefix([cls.__name__, self.cls.__name__])))
        for cls in dict.fromkeys([*([stated] if isinstance(stated, type) else []), *near[:3]]):
            yield from self._instances(cls)


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
    text = f"{maker.name}({', '.join([*(f'{k}={v}' for k, v in {**dict(built.arguments), **few}.items())])})"
    attempt = maker.evaluate(built.setup, text)
    return Built(built.setup, text, attempt) if attempt.error is None else None


def _hints(function: Any) -> Dict[str, Any]:
    try:
        return typing.get_type_hints(function)
    except Exception:  # an annotation is any expression, and may name what is not there
        return dict(getattr(function, "__annotations__", {}))
