"""What a failure shows to be absent from a configuration, or to be nothing in it, and what to put there."""

from __future__ import annotations

import ast
import itertools
import re
import typing
from collections import Counter
from typing import Any, Callable, Container, FrozenSet, Iterable, Iterator, List, Mapping, Tuple

from torch import nn

from fx_lsp.worker.inference.attempts import Attempt, words
from fx_lsp.worker.inference.configurations import LAYERS, Smaller, fields, is_configuration, literal, tree
from fx_lsp.worker.inference.corrections import Place
from fx_lsp.worker.inference.live import attribute, has, parsed
from fx_lsp.worker.inference.meaning import argument
from fx_lsp.worker.inference.mismatches import mismatches
from fx_lsp.worker.inference.names import Names, text_of, together
from fx_lsp.worker.inference.options import Option
from fx_lsp.worker.inference.signatures import parameters_of
from fx_lsp.worker.inference.variables import variables

_ABSENT = re.compile(r"'(\w+)' object has no attribute '(\w+)'")
_ABSENT_ANYWHERE = re.compile(r"'(?:\w+\.)*(\w+)' object has no attribute '(\w+)'")
_TOO_MANY = re.compile(r"\bIdentity\.forward\(\) takes")
_NUMBERS = ("int", "float", "bool", "str", "tuple", "list", "NoneType")
_NOTHING = re.compile(r"NoneType|not None|None is|is None|\bare none")
_MADE = re.compile(r"(?m)^\s*\(?((?:self\.)?\w+(?:, (?:self\.)?\w+)*)\)?(?:: [^=\n]+)? = (.*)")
_LOOP = re.compile(r"\bfor (\(?\w+(?:, \w+)*\)?) in ([\w.]+(?:\[[^\]\n]*\])?)")
MAX_PAIRS = 3
"""Of sizes that met and differ."""
MAX_PARTS = 2
"""That are tried in the place of nothing."""
MAX_STEPS = 2
"""From what failed to a field: through so many variables."""


def lacks(instance: nn.Module, attempt: Attempt) -> bool:
    """Whether a failure is about what a configuration of the module has not, or about an attribute that is nothing
    since it was built: no input changes that."""
    match = _ABSENT.search(attempt.message)
    if "is not callable" in attempt.message:  # what the module holds and calls
        owner, text, _ = next(iter(attempt.in_modules()), (instance, "", {}))
        called = [attribute(owner, name, len) for name in re.findall(r"\bself\.(\w+)\(", text)]
        return any(not callable(one) for one in called)
    if _TOO_MANY.search(attempt.message) and "*" not in next((text for _, text, _ in attempt.in_modules()), "*"):
        return True
    if match is None and "NoneType" in attempt.message:
        owner, text, local = next(iter(attempt.in_modules()), (instance, "", {}))
        read = re.findall(r"\bself\.(\w+)\b(?! *\()", text)
        given = any(local.get(name, 0) is None for name in words(text))
        return not given and any(vars(owner).get(name, 0) is None for name in read)
    held = [value for name, value in vars(instance).items() if is_configuration(name, value)] if match else []
    return match is not None and any(type(part).__name__ == match[1] for one in held for part in tree(one))


def asked(attempt: Attempt, before: FrozenSet[Tuple[str, str]], given: Mapping[str, str]) -> FrozenSet[Tuple[str, str]]:
    """With `before`, the attributes that objects of one class were asked for in vain so far, and keys, what this
    failure asks for: one more is one step further.  A key that was given as a value was looked for in a table."""
    match = _ABSENT_ANYWHERE.search(attempt.message)
    if match is not None and match[1] in _NUMBERS:  # what stands where a configuration should
        return before
    now = frozenset([(match[1], match[2])]) if match is not None else frozenset()
    if isinstance(attempt.error, KeyError) and not any(attempt.message in text for text in given.values()):
        now = frozenset([("", attempt.message)])
    now |= {("", key) for key in attempt.sought()[:1]}
    return now | {one for one in before if match is None or one[0] in (match[1], "")}


def mended(
    text: str, value: Any, attempt: Attempt, code: str, names: Names, instances: Callable[[type], Iterator[Option]]
) -> Iterator[Tuple[str, str]]:
    """Setup and call of a configuration, `value` with the call `text`, with what the failure asks for in it; `code` is
    what failed in the constructor or in the `forward` that had the configuration; `instances` builds some of a class.
    """
    parts, message = list(tree(value)), attempt.message
    if match := _ABSENT.search(message):
        holders = [one for one in parts if hasattr(one, "__dict__") and not isinstance(one, (nn.Module, type))]
        for owner in [one for one in holders if type(one).__name__ == match[1]][:1]:
            values = values_of(match[2], owner)[:3]
            yield from (_with(text, value, owner, match[2], new, names) for new in values)
            for new in values if text.startswith(f"{match[1]}(") else ():  # one that takes no more than it has
                yield "", f"types.SimpleNamespace(**vars({text}), {match[2]}={new})"
            return
    guard, within = attempt.guard(), attempt.in_modules()
    near = "\n".join([attempt.last_text(), code, guard, *(text for _, text, _ in within)])
    quoted = re.findall(r"[`'\"](?:\w+\.)?(\w+)[`'\"]", message)
    keys = attempt.known_keys()
    nothing = bool(_NOTHING.search(f"{message} {guard}"))
    read = list(dict.fromkeys([*quoted, *sources(near, [type(owner) for owner, *_ in within])]))
    if nothing and (longer := _filled(text, [name for name in read if name in words(near)], parts)) != text:
        yield "", longer
    for name in read:
        owner = next((one for one in parts if has(one, name)), None)
        now = attribute(owner, name)
        if owner is None:
            continue
        if now is None and keys and name in words(attempt.last_text()):
            for key in keys:
                yield _with(text, value, owner, name.lstrip("_"), repr(key), names)
        elif now is None and (nothing or name in quoted):
            for setup, new in itertools.islice(_parts(name, owner, instances), MAX_PARTS):
                before, longer = _with(text, value, owner, name, new, names)
                yield together(setup, before), longer
            for new in [*_compared(name, near, owner), *values_of(name, owner)][:3]:
                yield _with(text, value, owner, name, new, names)
        elif type(now) is bool and name in words(guard):
            yield _with(text, value, owner, name, str(not now), names)
        elif type(now) is int and re.search("not subscriptable|not iterable|has no len", message):
            yield _with(text, value, owner, name, f"[{now}, {now}]", names)

    met = (pair for pair in mismatches(attempt) if 0 not in pair)
    for one, other in itertools.islice(met, MAX_PAIRS):
        for owner, name, new in _wholes(parts, {one / other, other / one}):
            yield _with(text, value, owner, name, new, names)


def _filled(text: str, read: List[str], parts: List[Any]) -> str:
    """With something for each of several fields at once that are nothing; the same text where there is one at most."""
    owners = [(name, next((one for one in parts if has(one, name)), None)) for name in read]
    empty = [(name, owner) for name, owner in owners if owner is not None and attribute(owner, name) is None]
    for name, owner in empty if len(empty) > 1 else ():
        text = extended(text, type(owner).__name__, name, next(iter(values_of(name, owner)), "None"))
    return text


def switched(name: str, text: str, attempt: Attempt, place: Place) -> Iterator[str]:
    """What is given for an argument, an object made by the call `text`, with another switch, where the condition that
    failed in that place reads one of it."""
    failed = isinstance(attempt.error, AssertionError) or attempt.guard()
    if place is None or not text.endswith(")") or not failed:
        return
    value = variables(place[0]).get(name)
    for field in dict.fromkeys(re.findall(rf"\b{name}\.(\w+)", f"{place[2]} {attempt.guard()}")):
        if type(now := attribute(value, field)) is bool:
            longer = extended(text, type(value).__name__, field, str(not now))
            yield from [longer] if longer != text else ()


def _wholes(parts: Iterable[Any], shares: Container[float]) -> Iterator[Tuple[Any, str, str]]:
    """Fields that say which share of the features something takes, also in a table, and the text for all of them."""
    for owner in parts:
        for name in fields(owner):
            now = attribute(owner, name)
            if type(now) is float and now in shares:
                yield owner, name, "1.0"
            elif isinstance(now, dict):
                found = [key for key, share in now.items() if type(share) is float and share in shares]
                if found and (new := literal({**now, **dict.fromkeys(found, 1.0)})):
                    yield owner, name, new


def sources(near: str, classes: Iterable[type]) -> List[str]:
    """Names in a piece of code, and in what the attributes and local variables were made of that it reads of modules
    of these classes."""
    found, looked = words(near), 0
    codes = [_lines(cls) for cls in dict.fromkeys(classes)]
    made = [pair for code in codes for one in _MADE.findall(code) for pair in _each(*one)]
    made += [pair for code in codes for pair in _LOOP.findall(code)]
    for _ in range(MAX_STEPS):
        fresh, looked = set(found[looked:]), len(found)
        reached = [value for names, value in made if not fresh.isdisjoint(words(names))]
        found += [word for value in reached for word in words(value) if word not in found]
    return list(dict.fromkeys(found))


def _each(names: str, value: str) -> List[Tuple[str, str]]:
    """Names, and what each was made of."""
    parts, values = names.split(", "), value.strip("()").split(", ")
    return list(zip(parts, values)) if len(parts) == len(values) else [(names, value)]


def _lines(cls: type) -> str:
    """The source of a class, each statement on one line; empty where it cannot be had."""
    return ast.unparse(ast.Module(parsed(text_of(cls)), []))


def _parts(name: str, owner: Any, instances: Callable[[type], Iterator[Option]]) -> Iterator[Option]:
    """Configurations of a part, of the class that the annotation of a field names."""
    hint = parameters_of(type(owner))[1].get(name)
    for cls in (hint, *typing.get_args(hint)):
        if isinstance(cls, type) and cls.__module__ not in ("builtins", "typing"):
            yield from instances(cls)


def _compared(name: str, near: str, owner: Any) -> List[str]:
    """A list of texts, one a layer, that are what each of them is compared with."""
    texts = re.findall(rf"\b{name}\[[^\]]*\]\s*==\s*(['\"][\w-]+['\"])", near)
    sizes = [attribute(owner, field) for field in fields(owner) if LAYERS.fullmatch(field)]
    layers = next((size for size in sizes if type(size) is int and 0 < size < 100), 0)
    return [f"[{text}] * {layers}" for text in texts] if layers else []


def _with(text: str, value: Any, owner: Any, name: str, new: str, names: Names) -> Tuple[str, str]:
    """Setup and call of the configuration, with one more argument for it or for the one within it that is `owner`."""
    if (longer := extended(text, type(owner).__name__, name, new)) != text:
        return "", longer
    setup, made = Smaller(added=(id(owner), name, new)).text(value, names)
    return (setup, merged(text, made)) if made else ("", text)


def extended(text: str, cls: str, name: str, value: str) -> str:
    """The first call of a class within a text, with one more argument; the same text when it is not there."""
    parsed = ast.parse(text, mode="eval").body
    for node in ast.walk(parsed):
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == cls:
            kept = [keyword for keyword in node.keywords if keyword.arg != name]
            node.keywords = [ast.keyword(name, ast.parse(value, mode="eval").body), *kept]
            return ast.unparse(parsed)
    return text


def values_of(name: str, owner: Any) -> List[str]:
    """What a field of a configuration usually is: one of those that it lists, as others of its kind have it, what its
    annotation says, else by its name."""
    cls = type(owner)
    base = cls.__mro__[-2] if len(cls.__mro__) > 2 else None
    others = [vars(one)[name] for one in _below(base) if name in vars(one)] if base is not None else []
    common = Counter(text for one in others if (text := literal(one)) and text != "None").most_common(1)
    by_name = argument(name)
    fits = [text for text, _ in common if text[0] not in "([{" or not by_name[0].isdigit()]
    hint = str(parameters_of(cls)[1].get(name, ""))
    table = ["{}"] if re.match(r"(typing\.)?(Optional\[)?(typing\.)?[dD]ict\b", hint) else []
    return list(dict.fromkeys([*_listed(name, owner), *table, *fits, *by_name]))


def _listed(name: str, owner: Any) -> List[str]:
    """The first of `languages` for `default_language`."""
    for field in fields(owner):
        choices = attribute(owner, field)
        listed = isinstance(choices, (list, tuple)) and choices and isinstance(choices[0], str)
        if listed and field.endswith("s") and name.endswith(f"_{field[:-1]}"):
            return [repr(choices[0])]
    return []


def _below(cls: Any) -> List[type]:
    found, waiting = [cls], [cls]
    while waiting and len(found) < 2000:
        below = waiting.pop().__subclasses__()
        found += below
        waiting += below
    return found


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
