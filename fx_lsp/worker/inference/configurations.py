"""Instances of classes that configure others: as small as the code works with, and with all that is read of them."""

from __future__ import annotations

import ast
import inspect
import re
import typing
from collections import Counter
from dataclasses import dataclass
from typing import Any, Callable, Iterator, List, Optional, Tuple

from torch import nn

from fx_lsp.worker.inference.attempts import Built
from fx_lsp.worker.inference.live import attribute, has
from fx_lsp.worker.inference.meaning import OTHERS, argument
from fx_lsp.worker.inference.names import Names, text_of, together
from fx_lsp.worker.inference.signatures import parameters_of

CONFIG = re.compile(
    r"(.*_)?(configs?|cfgs?|conf|args|opts?|options|flags|hps?|hparams|params|parameters|configuration|settings)"
)
LAYERS = re.compile(r"((n|num)_)?([a-z]+_)*(layers?|blocks?|depth)|(n|num)_?(layers?|blocks?)|[a-z_]*depth")
_DEPTHS = re.compile(r"(.*_)?(depths|num_(layers|blocks)|layer_nums?|repeats)|(n_)?(layers|blocks)")
_EXPERTS = re.compile(r"(.*_)?(experts?|num_experts)")
_CHOSEN = re.compile(r".*(experts?_per_tok(en)?|top_?k|experts_per.*|topk_.*)")
_GROUPS = re.compile(r"(n|num|topk)_?(expert_)?groups?")
_WIDTHS = re.compile(
    r"(.*_)?(d|n|dim|rank|width)_?(model|embd|ff|kv|inner|hidden)?|(.*_)?(hidden|intermediate|embed(ding)?|ffn|inner"
    r"|projection|head|state)_?(sizes?|dims?|width)|(.*_)?(dims?|channels|rank|widths?)"
)
_FIXED = re.compile(
    r".*(vocab|image|patch|kernel|window|position|merge|stride|max|in_channels|num_channels|pad|conv).*"
)
_HEADS = re.compile(r"(.*_)?((n|num)_?)?(attention_)?heads?|n_head")
_SECTIONS = re.compile(r".*sections?")
_COMPILED = re.compile(r"cuda|triton|flash|xformers|apex|fused|cutlass|cudnn|gpu")
_SIZE = 8
"""What is less is no size, where a number is -1."""
FEW, EXPERTS = 2, 4
MOST_LAYERS = 9
"""Layers that are built so that one of each kind is among them."""
MAX_DEPTH = 3
"""Configurations within configurations."""
_READERS = 24
"""Classes whose text is read to see what they take from a configuration."""


@dataclass(frozen=True)
class Smaller:
    """How small: few layers, and, where `divisor` is more than one, narrow ones; what is left to others to say, like
    a width of -1, is what it usually is."""

    divisor: int = 1
    added: Tuple[int, str, str] = (0, "", "")
    """`id` of the one within it that gets a field, the field, and the text of its value."""

    def text(self, value: Any, names: Names, depth: int = 0) -> Tuple[str, str]:
        """Setup and a call that gives a smaller one of the kind of `value`; empty where nothing gets smaller."""
        setup, name = names.of(type(value))
        if not name or depth >= MAX_DEPTH:
            return "", ""
        setups, given, changed = [setup], [], False
        parameters, _ = parameters_of(type(value))
        usual = _usual(type(value)) if depth else value
        if self.added[0] == id(value):
            given.append("=".join(self.added[1:]))
            changed = True
        for parameter in (one for one in fields(value) if self.added[:2] != (id(value), one)):
            now = attribute(value, parameter)
            if is_configuration(parameter, now):
                inner, text = self.text(now, names, depth + 1)
                setups.append(inner)
            else:
                text = self._value(parameter, now, value) or _plain(value, parameter, now)
            changed |= bool(text)
            if not text and parameter in parameters and parameters[parameter].default is inspect.Parameter.empty:
                text = literal(now)
            if not text and (kept := literal(now)) and kept != literal(attribute(usual, parameter, now)):
                text = kept  # what holds it made it so
            if text:
                public = parameter.lstrip("_")
                given.append(f"{public if hasattr(type(value), public) else parameter}={text}")
        return together(*setups), f"{name}({', '.join(given)})" if changed else ""

    def _value(self, name: str, now: Any, owner: Any) -> str:
        if type(now) is int:
            size = self._number(name, now, owner)
            return str(size) if size != now else ""
        if isinstance(now, (list, tuple)) and now and all(type(one) is int for one in now):
            deep = _DEPTHS.fullmatch(name)
            few = [min(one, 1) if deep else self._narrow(name, one) for one in now]
            return repr(type(now)(few)) if few != list(now) else ""
        if isinstance(now, dict) and self.divisor > 1:
            scaled = {
                key: [one // self.divisor for one in part]
                for key, part in now.items()
                if isinstance(key, str) and _SECTIONS.fullmatch(key) and isinstance(part, (list, tuple))
                and all(type(one) is int and one % self.divisor == 0 for one in part)
            }  # fmt: skip
            return literal({**now, **scaled}) if scaled else ""
        return ""

    def _number(self, name: str, now: int, owner: Any) -> int:
        if now < 0:
            return _said(name, now)
        if _CHOSEN.fullmatch(name):
            return min(now, FEW)
        if _GROUPS.fullmatch(name):
            return min(now, 1) if self.divisor > 1 else now
        if _EXPERTS.fullmatch(name) and "shared" not in name:
            groups = [
                size for one in fields(owner) if _GROUPS.fullmatch(one) and type(size := attribute(owner, one)) is int
            ]
            divided = max(groups, default=1) if self.divisor == 1 else 1
            return min(now, FEW * divided if divided > 1 and now % divided == 0 else EXPERTS)
        if LAYERS.fullmatch(name):
            return min(now, _of_each_kind(owner, now))
        return self._narrow(name, now)

    def _narrow(self, name: str, now: int) -> int:
        if self.divisor == 1 or _FIXED.fullmatch(name) or not _WIDTHS.fullmatch(name):
            return now
        return now // self.divisor if now % self.divisor == 0 and now // self.divisor >= FEW and now > 16 else now


def _said(name: str, now: int) -> int:
    """What a size that is -1 will be once somebody says it; the same for an index, an axis and the like."""
    usual = argument(name)
    size = int(usual[0]) if usual is not OTHERS and usual[0].isdigit() else 0
    return size if (size >= _SIZE or _HEADS.fullmatch(name)) and name not in ("dim", "axis") else now


def _plain(value: Any, name: str, now: Any) -> str:
    """Of the implementations that a field may name, one that runs everywhere, in the place of one that is compiled."""
    hint = parameters_of(type(value))[1].get(name) if isinstance(now, str) and _COMPILED.search(now.lower()) else None
    choices = typing.get_args(hint) if typing.get_origin(hint) is typing.Literal else ()
    return next((repr(one) for one in choices if isinstance(one, str) and not _COMPILED.search(one.lower())), "")


def _usual(cls: type) -> Any:
    """One made without arguments; None when there is none."""
    try:
        return cls()
    except Exception:  # a class of the workspace may raise anything
        return None


def narrowest(value: Any) -> int:
    """The number that all widths of a configuration can be divided by, so that heads keep an even width."""
    found = 32
    for one in tree(value):
        known = {name: size for name in fields(one) if type(size := attribute(one, name)) is int}
        heads = [size for name, size in known.items() if _HEADS.fullmatch(name) and size > 0]
        widths = [known[name] for name in ("hidden_size", "embed_dim", "d_model", "dim", "n_embd") if name in known]
        explicit = [size for name, size in known.items() if re.fullmatch(r"(.*_)?(head_dim|d_kv)", name) and size > 1]
        for size in explicit or [width // number for width in widths for number in heads if width % number == 0]:
            while found > 1 and size % (2 * found):
                found //= 2
    return found


def tree(value: Any, depth: int = 0) -> Iterator[Any]:
    """A configuration and those within it."""
    yield value
    for name in fields(value) if depth < MAX_DEPTH else ():
        if is_configuration(name, part := attribute(value, name)):
            yield from tree(part, depth + 1)


def fields(value: Any) -> List[str]:
    """What can be given when it is made."""
    parameters, _ = parameters_of(type(value))
    return list(parameters) or [name for name in getattr(value, "__dict__", {}) if name.isidentifier()]


def is_configuration(name: str, value: Any) -> bool:
    """Whether an attribute holds a configuration of a part."""
    return (
        hasattr(value, "__dict__")
        and not isinstance(value, (type, nn.Module, dict))
        and not type(value).__module__.startswith(("torch.", "builtins"))
        and bool(CONFIG.fullmatch(name.lower()) or re.search(r"(Config|Configuration|Args|Cfg)$", type(value).__name__))
    )


def _of_each_kind(owner: Any, layers: int) -> int:
    """Few, but one of each kind where a list says of which kind each layer is."""
    few = FEW
    for name in dir(type(owner)) + list(getattr(owner, "__dict__", {})):
        if re.search(r"(layer|block)s?_.*types?|(layer|block)_types?|pattern", name):
            kinds = attribute(owner, name)
            if isinstance(kinds, (list, tuple)) and len(kinds) == layers and all(isinstance(one, str) for one in kinds):
                few = max(few, 1 + max(kinds.index(kind) for kind in set(kinds)))
    return few if few <= MOST_LAYERS else FEW


def read_of(cls: type, parameter: str) -> Counter:
    """Attributes that a class, and those it hands the configuration to, read of it."""
    found: Counter = Counter()
    waiting, seen = [cls], {cls}
    while waiting and len(seen) < _READERS:
        one = waiting.pop(0)
        text = text_of(one)
        found.update(re.findall(rf"\b{parameter}\.([a-z]\w*)\b(?!\()", text))
        for name in re.findall(rf"\b(\w+)\(\s*(?:{parameter}=)?{parameter}\s*[,)]", text):
            inner = _global(one, name)
            if isinstance(inner, type) and issubclass(inner, nn.Module) and inner not in seen:
                seen.add(inner)
                waiting.append(inner)
    return found


def _global(cls: type, name: str) -> Any:
    init = getattr(cls, "__init__", None)
    return getattr(init, "__globals__", {}).get(name)


def configuring(
    cls: type, name: str, hint: Any, names: Names, instance: Callable[[type], Optional[Built]]
) -> List[Built]:
    """What may be given for a parameter that configures a class: of a class that is annotated, named by an attribute,
    or called alike; of these and the configurations within them those first that have all that is read of them."""
    near = [
        value for key, value in vars(names.module).items()
        if isinstance(value, type) and not issubclass(value, nn.Module)
        and re.search(r"(Config|Configuration|Args|Params|Options|Cfg)$", key)
    ]  # fmt: skip
    near.sort(key=lambda one: -alike(one.__name__, cls.__name__))
    stated = [hint, *typing.get_args(hint), getattr(cls, "config_class", None)]
    plain = ("builtins", "typing", "inspect")
    classes = [one for one in stated if isinstance(one, type) and one.__module__ not in plain]
    made = [built for one in dict.fromkeys([*classes, *near[:6]]) if (built := instance(one)) is not None]
    inner = dict.fromkeys(type(part) for built in made for part in tree(built.instance))
    made += [built for one in inner if (built := instance(one)) is not None and built not in made]
    return sorted(made, key=lambda one: lacking(cls, name, one.instance))[:3]


def lacking(cls: type, parameter: str, value: Any) -> int:
    """How many of the attributes that are read of it a configuration has not."""
    return sum(not has(value, name) for name in read_of(cls, parameter))


def literal(value: Any) -> str:
    """The text of a value, where that text means it again; else empty."""
    text = repr(value) if isinstance(value, (int, float, str, bool, list, tuple, dict, type(None))) else ""
    try:
        return text if text and len(text) < 300 and ast.literal_eval(text) == value else ""
    except (ValueError, SyntaxError):
        return ""


def alike(one: str, other: str) -> int:
    """How many letters two names share at their start."""
    return next((at for at, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
