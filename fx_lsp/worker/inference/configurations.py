"""Instances of classes that configure others: as small as the code works with, and with all that is read of them."""

from __future__ import annotations

import ast
import inspect
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any, Iterator, List, Optional, Tuple

from torch import nn

from fx_lsp.worker.inference.live import attribute, has
from fx_lsp.worker.inference.meaning import argument
from fx_lsp.worker.inference.names import Names, text_of, together
from fx_lsp.worker.inference.signatures import parameters_of

CONFIG = re.compile(r"(.*_)?(config|cfg|conf|args|opts?|hparams|params|configuration|settings)")
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
FEW, EXPERTS = 2, 4
MOST_LAYERS = 9
"""Layers that are built so that one of each kind is among them."""
MAX_DEPTH = 3
"""Configurations within configurations."""
_READERS = 24
"""Classes whose text is read to see what they take from a configuration."""


@dataclass(frozen=True)
class Smaller:
    """How small: few layers, and, where `divisor` is more than one, narrow ones."""

    divisor: int = 1

    def text(self, value: Any, names: Names, depth: int = 0) -> Tuple[str, str]:
        """Setup and a call that gives a smaller one of the kind of `value`; empty where nothing gets smaller."""
        setup, name = names.of(type(value))
        if not name or depth >= MAX_DEPTH:
            return "", ""
        setups, given, changed = [setup], [], False
        parameters, _ = parameters_of(type(value))
        usual = _usual(type(value)) if depth else value
        for parameter in fields(value):
            now = attribute(value, parameter)
            if is_configuration(parameter, now):
                inner, text = self.text(now, names, depth + 1)
                setups.append(inner)
            else:
                text = self._value(parameter, now, value)
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
        if _CHOSEN.fullmatch(name):
            return min(now, FEW)
        if _GROUPS.fullmatch(name):
            return min(now, 1) if self.divisor > 1 else now
        if _EXPERTS.fullmatch(name) and "shared" not in name:
            return min(now, EXPERTS)
        if LAYERS.fullmatch(name):
            return min(now, _of_each_kind(owner, now))
        return self._narrow(name, now)

    def _narrow(self, name: str, now: int) -> int:
        if self.divisor == 1 or _FIXED.fullmatch(name) or not _WIDTHS.fullmatch(name):
            return now
        return now // self.divisor if now % self.divisor == 0 and now // self.divisor >= FEW and now > 16 else now


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


def lacking(cls: type, parameter: str, value: Any) -> int:
    """How many of the attributes that are read of it a configuration has not."""
    return sum(not has(value, name) for name in read_of(cls, parameter))


def extended(text: str, cls: str, name: str, value: str) -> str:
    """The call of a class within a text, with one more argument; the same text when it is not there."""
    match = re.search(rf"(?<![\w.]){cls}\(", text)
    if match is None:
        return text
    before, after = text[: match.end()], text[match.end() :]
    after = re.sub(rf"(?<![\w.]){name}=[^,()\[\]{{}}]+(, |(?=\)))", "", after, count=1)
    return f"{before}{name}={value}{'' if after.startswith(')') else ', '}{after}"


def values_of(name: str, near: Optional[type]) -> List[str]:
    """What an attribute of a configuration usually is: as others of its kind have it, else by its name."""
    base = near.__mro__[-2] if near is not None and len(near.__mro__) > 2 else None
    others = [vars(cls)[name] for cls in _below(base) if name in vars(cls)] if base is not None else []
    common = Counter(text for one in others if (text := literal(one)) and text != "None").most_common(1)
    by_name = argument(name)
    fits = [text for text, _ in common if text[0] not in "([{" or not by_name[0].isdigit()]
    return list(dict.fromkeys([*fits, *by_name]))


def _below(cls: Any) -> List[type]:
    found, waiting = [cls], [cls]
    while waiting and len(found) < 2000:
        below = waiting.pop().__subclasses__()
        found += below
        waiting += below
    return found


def literal(value: Any) -> str:
    """The text of a value, where that text means it again; else empty."""
    text = repr(value) if isinstance(value, (int, float, str, bool, list, tuple, dict, type(None))) else ""
    try:
        return text if text and len(text) < 300 and ast.literal_eval(text) == value else ""
    except (ValueError, SyntaxError):
        return ""


_ABSENT = re.compile(r"'(\w+)' object has no attribute '(\w+)'")
_NOTHING = re.compile(r"NoneType|not None|None is")


def lacks(instance: nn.Module, message: str) -> bool:
    """Whether a failure is about what a configuration of the module has not: no input changes that."""
    match = _ABSENT.search(message)
    held = [value for name, value in vars(instance).items() if is_configuration(name, value)] if match else []
    return match is not None and any(type(part).__name__ == match[1] for one in held for part in tree(one))


def mended(text: str, value: Any, parameter: str, message: str, code: str) -> Iterator[str]:
    """A configuration that was `text` with what a failure shows to be absent, or to be nothing, in it."""
    parts = list(tree(value))
    if match := _ABSENT.search(message):
        owner = next((one for one in parts if type(one).__name__ == match[1]), None)
        if owner is not None:
            for new in values_of(match[2], type(owner))[:3]:
                yield extended(text, match[1], match[2], new)
                if text.startswith(f"{match[1]}("):
                    yield f"types.SimpleNamespace(**vars({text}), {match[2]}={new})"
            return
    quoted = re.findall(r"[`'\"](?:\w+\.)?(\w+)[`'\"]", message)
    for name in dict.fromkeys((*re.findall(rf"\b{parameter}\.(\w+)", code), *quoted)):
        now = attribute(value, name)
        if now is None and has(value, name) and (name in quoted or _NOTHING.search(message)):
            for new in values_of(name, type(value))[:3]:
                yield extended(text, type(value).__name__, name, new)
        elif type(now) is int and re.search("not subscriptable|not iterable|has no len", message):
            yield extended(text, type(value).__name__, name, f"[{now}, {now}]")


def merged(old: str, new: str) -> str:
    """The call `new`, with the arguments that only `old`, a call of the same class, has."""
    one, other = (ast.parse(text, mode="eval").body for text in (old, new))
    return ast.unparse(_merged(one, other))


def _merged(old: ast.expr, new: ast.expr) -> ast.expr:
    if not (isinstance(old, ast.Call) and isinstance(new, ast.Call) and ast.dump(old.func) == ast.dump(new.func)):
        return new
    known = {keyword.arg: keyword for keyword in old.keywords}
    for keyword in new.keywords:
        before = known.get(keyword.arg)
        value = _merged(before.value, keyword.value) if before is not None else keyword.value
        known[keyword.arg] = ast.keyword(keyword.arg, value)
    return ast.Call(old.func, old.args, list(known.values()))
