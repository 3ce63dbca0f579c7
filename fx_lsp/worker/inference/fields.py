"""Fields of arguments that stand for a configuration that nobody wrote: namespaces and dicts, also within one another.

Such an argument is a text like `types.SimpleNamespace(width=64, head=dict(classes=10))`.  What is in it is what the
code asked it for, and what a failure names of it is given another value as if it were an argument of its own.
"""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import torch
from torch import nn

from fx_lsp.worker.inference.attempts import Attempt, words
from fx_lsp.worker.inference.corrections import NORMAL, NUMBERS, SEQUENCE, Arguments, Place, asked_for, missing
from fx_lsp.worker.inference.fillings import (
    BOTH,
    MAKERS,
    MAX_VALUES,
    NAMESPACE,
    TABLE,
    held_as,
    of_attribute,
    of_none,
    shown,
    values,
)
from fx_lsp.worker.inference.meaning import argument
from fx_lsp.worker.inference.mending import sources
from fx_lsp.worker.inference.modules import PART, callable_with, having, with_attribute
from fx_lsp.worker.inference.told import listed_keys
from fx_lsp.worker.inference.variables import variables

MAX_FIELDS = 6
"""Fields that are altered after one failure."""
_ABSENT = re.compile(r"'([\w.]+)' object has no attribute '(\w+)'")
_NO_KEYS = re.compile(r"'(\w+)' object is not subscriptable|(\w+) indices must be integers")
_NO_TABLE = re.compile(
    r"SimpleNamespace' (object )?(has no attribute '(get|keys|items|values|pop|copy|update|setdefault)'|is not"
    r" subscriptable|does not support item)|of type 'types.SimpleNamespace' is not iterable"
    r"|must be a mapping, not types.SimpleNamespace"
)
_EMPTY = re.compile(r"at least one tensor|non-empty|received zero|is empty|empty (?:list|sequence|iterable)")
_KEY = re.compile(r"[\w\])]\[\s*['\"](\w+)['\"]\s*\]")
_GOT = re.compile(r"\.get\(\s*['\"](\w+)['\"]\s*\)")

_NOT_MADE = frozenset([*dir(builtins), *(maker.split(".")[-1] for maker in MAKERS)])
"""Names of classes of which an object is not made of a namespace or a dict."""

Path = Tuple[str, ...]
_Lacking = Tuple[bool, bool, int, str, Path]


def is_group(text: str) -> bool:
    """Whether an argument is one that fields are added to."""
    return text.startswith(tuple(f"{maker}(" for maker in MAKERS)) and text.endswith(")")


def fields_of(text: str) -> Dict[Path, str]:
    """All within an argument, groups too, by the names that lead there; what is no group has none."""
    found: Dict[Path, str] = {}
    node = ast.parse(text, mode="eval").body if f"{TABLE}(" in text or is_group(text) else None
    waiting: List[Tuple[Path, ast.expr]] = [((), node)] if node is not None and is_group(text) else []
    if isinstance(node, ast.Call) and not waiting and isinstance(node.func, ast.Name):  # an object made of a table
        waiting = [((one.arg,), one.value) for one in node.keywords if one.arg and is_group(ast.unparse(one.value))]
    while waiting:
        path, node = waiting.pop()
        if path:
            found[path] = ast.unparse(node)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in MAKERS:
            waiting += [((*path, one.arg), one.value) for one in reversed(node.keywords) if one.arg is not None]
    return found


def replaced(text: str, path: Path, value: str) -> str:
    """An argument with another value of a field, or with one more field."""
    if not path:
        return value
    node = ast.parse(text, mode="eval").body
    assert isinstance(node, ast.Call), text
    known = {one.arg: one for one in node.keywords}
    now = ast.unparse(known[path[0]].value) if path[0] in known else value
    known[path[0]] = ast.keyword(path[0], ast.parse(replaced(now, path[1:], value), mode="eval").body)
    node.keywords = list(known.values())
    return ast.unparse(node)


def completed(attempt: Attempt, given: Arguments, place: Place, code: str) -> Iterator[Arguments]:
    """With a field that was asked for in vain; `code` is the text of the class."""
    if _EMPTY.search(attempt.message):
        yield from _peopled(given, code)
    makers, names = _asked(attempt, code)
    looked_up = [name for name in names if any(repr(name) in text for text in given.values())]  # in a table
    names = [name for name in names if name not in looked_up and not keyword.iskeyword(name)]
    named = words(said_of(attempt, place))
    lacking: List[_Lacking] = []
    for one, text in given.items():
        known = {(): text, **fields_of(text)} if is_group(text) else fields_of(text)
        live = _path_of(attempt, place, one)
        for path in (path for path, field in known.items() if field.startswith(makers)):
            if any((*path, name) not in known for name in names):
                lacking.append((path != live, (one, *path)[-1] not in named, -len(path), one, path))
    if not lacking:
        yield from ({**given, one: text} for one in given for text in _each_with(given[one], names, code))
    certain = [one for one in lacking if not one[0]] or _told(lacking, said_of(attempt, place), names)
    for *_, one, path in certain or sorted(lacking):
        both = any(text.startswith(f"{BOTH}(") for text in given.values())
        seen = f"{code}\n{attempt.last_text()}"
        fillings = {name: values(name, seen) for name in names if (*path, name) not in fields_of(given[one])}
        for number in range(max(map(len, fillings.values()))):
            text = given[one]
            for name, usual in fillings.items():
                new = usual[min(number, len(usual) - 1)]
                text = replaced(text, (*path, name), f"{BOTH}()" if both and is_group(new) else new)
            yield {**given, one: text}


def _told(lacking: List[_Lacking], said: str, names: Sequence[str]) -> List[_Lacking]:
    """Those of the groups of which the text says that they lack these: `head["width"]`, `build(**head)`."""
    asked = re.findall(r"\*\*[\w.\[\]'\"]*?(\w+)['\"\]]*\s*[,)]", said)
    for name in names:
        asked += re.findall(rf"(\w+)(?:['\"]\])?\[['\"]{name}['\"]\]", said)
    return sorted(one for one in lacking if (one[3], *one[4])[-1] in asked)


def _each_with(text: str, names: Sequence[str], code: str) -> Iterator[str]:
    """A list of groups, each with fields that none of them has."""
    if names and text.startswith(tuple(f"[{maker}(" for maker in MAKERS)):
        parts = map(ast.unparse, getattr(ast.parse(text, mode="eval").body, "elts", ()))
        yield f"[{', '.join(replaced(one, (names[0],), values(names[0], code)[0]) for one in parts)}]"


def _peopled(given: Arguments, code: str) -> Iterator[Arguments]:
    """With something in tables that are gone through and had nothing in them: numbers, or what has the attributes that
    are read of each."""
    for name in (name for name, text in given.items() if f"{TABLE}()" in text):
        values = ["64"]
        if loop := re.search(r"\bfor (?:\w+, )?(\w+) in [\w.]+\.(?:items|values)\(\)", code):
            read = dict.fromkeys(re.findall(rf"\b{loop[1]}\.([A-Za-z]\w*)\b(?!\()", code))
            fields = ", ".join(f"{one}={'(64,)' if one == 'shape' else argument(one)[0]}" for one in read)
            values = [f"{NAMESPACE}({fields})", *values] if read else values
        for value in values:
            yield {**given, name: given[name].replace(f"{TABLE}()", f"{TABLE}(a={value}, b={value})")}


def regrouped(attempt: Attempt, given: Arguments, place: Place, code: str) -> Iterator[Arguments]:
    """With a group in the place of a number, or of what else has no such attribute and no such key; or with groups that
    have both attributes and keys."""
    match, text = _ABSENT.search(attempt.message), said_of(attempt, place)
    if "SimpleNamespace' object is not callable" in attempt.message:
        for name in (
            one for one in given if {*held_as(one, code)} & {*words(text)} and given[one].startswith(NAMESPACE)
        ):
            yield {**given, name: callable_with(given[name])}
        return
    if _NO_TABLE.search(attempt.message) or (match is not None and match[1] == TABLE and not hasattr(dict, match[2])):
        for name in (name for name in given if is_group(given[name])):
            read = set(re.findall(rf"\b{name}\.([A-Za-z]\w*)", code)) - set(dir(dict))
            maker = BOTH if read or fields_of(given[name]) else TABLE
            yield {**given, name: re.sub(r"(?<![\w.])(types\.SimpleNamespace|dict)\(", f"{maker}(", given[name])}
        return
    read = [one for one in given if match and re.search(rf"\b(?:{'|'.join(held_as(one, code))})\.{match[2]}\b", code)]
    if match is not None and match[1] == "Identity" and having(match[2]):  # a layer is wanted
        yield from ({**given, one: layer} for one in read for layer in having(match[2]))
        return
    if match is not None and (
        match[1] in ("Identity", PART) or hasattr(nn, match[1])
    ):  # called, and asked for something
        value = of_attribute(match[2], code)
        for one in read:
            if text_now := with_attribute(given[one], match[2], value):
                yield {**given, one: text_now}
        return
    a_text = match is not None and match[1] in ("int", "float") and hasattr(str, match[2])
    if match is not None and match[2] not in of_none(match[1]) and match[1] not in MAKERS and not a_text:
        kind, new = match[1], [f"{NAMESPACE}({match[2]}={value})" for value in values(match[2], code)[:2]]
        new = [NORMAL, *new] if hasattr(torch.distributions.Distribution, match[2]) else new
    elif (match := _NO_KEYS.search(attempt.message)) and (keys := _keys(attempt)):
        kind, new = match[1] or match[2], [f"{TABLE}({keys[-1]}={argument(keys[-1])[0]})"]
    else:
        return
    kind = {"string": "str"}.get(kind, kind)
    for one, path, now in named_in(attempt, given, place, text):
        if type_of(now) == kind:
            yield from ({**given, one: replaced(given[one], path, value)} for value in new)
        elif kind == "int" and (listed := re.fullmatch(r"[(\[](\d+, )*\d+,?[)\]]", now)):  # one for each of them
            yield {**given, one: replaced(given[one], path, f"[{re.sub(r'[0-9]+', new[0], listed[0][1:-1])}]")}


def altered(attempt: Attempt, given: Arguments, place: Place) -> Iterator[Arguments]:
    """With other values of the fields that the failure names."""
    said = f"{attempt.message} {attempt.guard()} {said_of(attempt, place)}"
    quoted = re.findall(r"'(\w+)'", attempt.message)
    leaves = [one for one in named_in(attempt, given, place, said) if one[1] and not is_group(one[2])]
    several = re.search(SEQUENCE, attempt.message) is not None
    sought, innermost = isinstance(attempt.error, KeyError), words(attempt.last_text())

    def rank(one: Tuple[str, Path, str]) -> Tuple[bool, bool, bool, bool]:
        kind = type_of(one[2])
        return (
            sought and kind not in attempt.message,
            kind not in quoted,
            one[1][-1] not in innermost,
            several and not one[1][-1].lower().endswith("s"),
        )

    leaves.sort(key=rank)
    for one, path, now in leaves[:MAX_FIELDS]:
        made = [f"lambda *a, **k: {now}"] if "is not callable" in attempt.message and now.isdigit() else []
        by_error = [*made, *shown(attempt, path[-1]), *asked_for(attempt, now, place)]
        usual = [value for value in argument(path[-1]) if value != now][:MAX_VALUES]
        for value in dict.fromkeys([*by_error[:MAX_VALUES], *usual]):
            yield {**given, one: replaced(given[one], path, value)}
    for one, path, now in (one for one in leaves[:MAX_FIELDS] if one[2].isdigit()):
        yield from ({**given, one: replaced(given[one], path, value)} for value in NUMBERS if value != now)


def names_of(given: Arguments) -> List[str]:
    """Of all fields, in lower case."""
    return [path[-1].lower() for text in given.values() for path in fields_of(text)]


def type_of(text: str) -> str:
    """The name of the type of what a text means, as messages have it."""
    try:
        return type(ast.literal_eval(text)).__name__
    except (ValueError, SyntaxError):
        return re.sub(r"\(.*", "", text, flags=re.DOTALL).split(".")[-1]


def said_of(attempt: Attempt, place: Place) -> str:
    """The expressions that failed, the outermost first."""
    within = reversed([text for _, text, _ in attempt.in_modules()])
    return " ".join(dict.fromkeys([place[2] if place else "", *within, attempt.last_text()]))


def _keys(attempt: Attempt) -> List[str]:
    """Of what is looked into where it failed."""
    return [key for key in _KEY.findall(attempt.last_text()) if not keyword.iskeyword(key)]


def _asked(attempt: Attempt, code: str) -> Tuple[Tuple[str, ...], List[str]]:
    """Which kinds of group were asked, and for what."""
    tables = f"{TABLE}(", f"{BOTH}("
    if match := _ABSENT.search(attempt.message):
        kinds = [maker for maker in (NAMESPACE, BOTH) if match[1].split(".")[-1] == maker.split(".")[-1]]
        if kinds and not hasattr(dict, match[2]):
            return tuple(f"{maker}(" for maker in kinds), [match[2]]
        if match[1].split(".")[-1] not in _NOT_MADE:  # perhaps made of one of them
            holder = getattr(attempt.error, "obj", None)
            if holder is not None and not isinstance(holder, (torch.nn.Module, type, torch.Tensor)):
                return tuple(f"{maker}(" for maker in MAKERS), [match[2]]
    if isinstance(attempt.error, KeyError):
        return tables, [key for key in attempt.error.args[:1] if isinstance(key, str) and key.isidentifier()]
    if keys := attempt.sought()[:1] or listed_keys(attempt):
        return tables, [key for key in keys if key.isidentifier()]
    if "NoneType" in attempt.message:
        return tables, list(dict.fromkeys(_GOT.findall(code)))
    return tables, missing(attempt) if "**" in attempt.last_text() or "**" in code else []


def _path_of(attempt: Attempt, place: Place, name: str) -> Optional[Path]:
    """Where in the argument the object is that has no such attribute; None where that is not known."""
    wanted = getattr(attempt.error, "obj", None)  # since Python 3.10
    known = place is not None and wanted is not None
    waiting: List[Tuple[Path, Any]] = [((), variables(place[0]).get(name))] if place is not None and known else []
    while waiting:
        path, value = waiting.pop()
        if value is wanted or _made_of(value, wanted):
            return path
        plain = type(value).__name__ == "SimpleNamespace"
        held = value if isinstance(value, dict) else vars(value) if plain else {}
        waiting += [((*path, key), inner) for key, inner in held.items()]
    return None


def _made_of(value: Any, wanted: Any) -> bool:
    """Whether an object of another class holds what a namespace or a dict does."""
    if type(value).__name__ not in ("SimpleNamespace", "dict", BOTH) or type(wanted) is type(value):
        return False
    keys = value if isinstance(value, dict) else vars(value)
    held = wanted if isinstance(wanted, dict) else getattr(wanted, "__dict__", {})
    return set(keys) <= set(held)


def named_in(attempt: Attempt, given: Arguments, place: Place, said: str) -> Iterator[Tuple[str, Path, str]]:
    """Arguments and fields that a text names, or what the names in it were made of: the argument, the way to the field
    in it, and its text."""
    named = [name.lower() for name in sources(said, [type(owner) for owner, *_ in attempt.in_modules()])]
    found: List[Tuple[int, str, Path, str]] = []
    for one, text in given.items():
        for path, field in {(): text, **fields_of(text)}.items():
            last = (path[-1] if path else one).lower()
            if last in named:
                found.append((named.index(last), one, path, field))
    yield from ((one, path, field) for _, one, path, field in sorted(found, key=lambda each: each[0]))
