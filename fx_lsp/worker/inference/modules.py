"""Modules for arguments: layers of torch and classes of the workspace that have what is read of them
(`link.in_features`)."""

from __future__ import annotations

import ast
import functools
import inspect
import re
import types
from typing import Dict, Iterable, List, Optional, Set, Tuple

import torch
from torch import nn

from fx_lsp.worker.inference.attempts import Attempt
from fx_lsp.worker.inference.corrections import NO_OBJECT, SEQUENCE
from fx_lsp.worker.inference.live import file_of, has, parsed, source, source_text
from fx_lsp.worker.inference.names import Names, is_class, text_of
from fx_lsp.worker.inference.signatures import parameters_of

_LAYERS = (
    ("nn.Linear(64, 64)", nn.Linear, (64, 64)),
    ("nn.Conv2d(64, 64, 3, padding=1)", nn.Conv2d, (64, 64, 3)),
    ("nn.Conv1d(64, 64, 3, padding=1)", nn.Conv1d, (64, 64, 3)),
    ("nn.Embedding(64, 64)", nn.Embedding, (64, 64)),
    ("nn.BatchNorm2d(64)", nn.BatchNorm2d, (64,)),
    ("nn.LSTM(64, 64, batch_first=True)", nn.LSTM, (64, 64)),
    ("nn.GRUCell(64, 64)", nn.GRUCell, (64, 64)),
    ("nn.MultiheadAttention(64, 4, batch_first=True)", nn.MultiheadAttention, (64, 4)),
    ("nn.ModuleList([nn.Identity()])", nn.ModuleList, ()),
)
_KEPT = re.compile(r"(?m)^\s*(self\.\w+(?:, self\.\w+)*) = (\w+(?:, \w+)*)\s*(?:#.*)?$")
_APART = re.compile(r"\bisinstance\(\s*\w+\s*,\s*\(?([\w., ]+)\)?\s*\)")
_OF_IDENTITY = re.compile(r"'Identity' object has no attribute '(\w+)'")
PART = "Part"
"""Class of a module that does nothing and has what is read of it."""
MAX_LAYERS = 3
"""Of those that fit."""
MAX_KINDS = 4
"""Classes that are built in the place of one."""
MAX_BELOW = 40
MAX_ABLE = 2
"""Classes that do what is asked of an argument."""


def layers(cls: type, name: str) -> List[str]:
    """The layers that have all that a class reads of an argument, where it reads more than any module has."""
    used = _read_of(cls, name)
    return [text for text, layer in _built() if used and all(has(layer, one) for one in used)][:MAX_LAYERS]


def instead_of(text: str, message: str) -> List[str]:
    """The layers that have what was asked of an `nn.Identity()`."""
    match = _OF_IDENTITY.search(message) if text.startswith("nn.Identity") else None
    return having(match[1]) if match is not None else []


def having(attribute: str) -> List[str]:
    """The layers of torch that have an attribute."""
    return [text for text, layer in _built() if has(layer, attribute)][:MAX_LAYERS]


@functools.cache
def _built() -> Tuple[Tuple[str, nn.Module], ...]:
    return tuple((text, kind(*sizes, device="meta") if sizes else kind()) for text, kind, sizes in _LAYERS)


def fitting(cls: type, name: str, names: Names) -> List[type]:
    """Classes of the workspace that have what this one reads of the argument, or are called like it."""
    used = _read_of(cls, name)
    ranked: List[Tuple[bool, int, int, type]] = []
    wanted, last_word = name.lower().replace("_", ""), name.lower().rpartition("_")[2]
    for number, other in enumerate(dict.fromkeys(names.classes())):
        fits = bool(used) and all(made_with(other, one) for one in used)
        called = other.__name__.lower()
        alike = (
            3 if called == wanted else 2 if called == last_word else int(len(wanted) > 3 and called.endswith(wanted))
        )
        if (fits or alike) and not issubclass(other, cls):
            ranked.append((not fits, -alike, number, other))
    return [other for *_, other in sorted(ranked, key=lambda one: one[:3])[:3]]


def is_called(cls: type, name: str) -> bool:
    """Whether the argument is kept as it is and called later."""
    text = text_of(cls)
    return any(re.search(rf"\bself\.{kept}\(", text) for kept in kept_as(cls, name))


def callables(cls: type, name: str, usual: Iterable[str]) -> List[str]:
    """What may be given for an argument that is called: what has what is read of it, then some of the `usual`."""
    made = [text for text in usual if re.fullmatch(r"nn\.(?!Identity).*\)", text)]
    return [*layers(cls, name), *made, "nn.Identity()", "lambda *a, **k: a[0]"]


def kept_as(cls: type, name: str) -> List[str]:
    """The attributes that an argument is kept in as it is."""
    pairs = (pair for left, right in _KEPT.findall(text_of(cls)) for pair in zip(left.split(","), right.split(",")))
    return [one.strip()[len("self.") :] for one, value in pairs if value.strip() == name]


def able(cls: type, name: str, names: Names) -> List[type]:
    """Classes of the workspace that are no modules and have all that this one reads of an argument, which is more than
    a tensor, a text or a table has."""
    read = set(_read_of(cls, name))
    unlike = read - set(dir(torch.Tensor)) - set(dir(dict)) - set(dir(str)) - set(dir(list))
    called = any(re.search(rf"\b(?:{name}|self\.{one})\.\w+\(", text_of(cls)) for one in [name, *kept_as(cls, name)])
    found: List[type] = []
    for other in dict.fromkeys(names.classes(object)) if called and len(unlike) > 1 else ():
        if not issubclass(other, (torch.Tensor, nn.Module)) and all(made_with(other, one) for one in read):
            found.append(other)
    return found[:MAX_ABLE]


def with_attribute(text: str, name: str, value: str) -> str:
    """A module that does nothing, or a layer, with one more attribute; empty for what is none."""
    if layer := re.fullmatch(r"(nn\.[A-Z]\w+)\((.*)\)", text):
        return f"type({PART!r}, ({layer[1]},), {{{name!r}: {value}}})({layer[2]})"
    before, end, sizes = text.rpartition("})(")
    return f"{before}, {name!r}: {value}{end}{sizes}" if end and text.startswith(f"type({PART!r}, ") else ""


def callable_with(text: str) -> str:
    """A module with the fields of a namespace, that gives back what it is given first."""
    keywords = getattr(ast.parse(text, mode="eval").body, "keywords", ())
    each = "".join(f", {one.arg!r}: {ast.unparse(one.value)}" for one in keywords)
    return f"type({PART!r}, (nn.Identity,), {{'forward': lambda self, x, *a, **k: x{each}}})()"


def taking(count: int, cls: type, names: Names) -> List[type]:
    """Other classes of the workspace, those of the same file first, whose `forward` takes so many inputs."""
    found: List[type] = []
    for other in dict.fromkeys(names.classes()):
        code = getattr(getattr(other, "forward", None), "__code__", None)
        if code is not None and code.co_argcount > count and not issubclass(other, cls) and _runs(other):
            found.append(other)
    return found[:MAX_KINDS]


def made_of_argument(cls: type, name: str, names: Names) -> List[type]:
    """Classes of the workspace of which this one can make objects as it does of the argument, `block(width, stride=1)`:
    first those that are called like it."""
    calls = [
        one
        for one in ast.walk(ast.Module(parsed(text_of(cls)), []))
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id == name
    ]
    found = [other for other in dict.fromkeys(names.classes()) if calls and _runs(other) and not issubclass(other, cls)]
    found = [other for other in found if all(_takes(other, call) for call in calls)]
    found.sort(key=lambda other: (name.lower() not in other.__name__.lower(), other.__module__ != cls.__module__))
    return found[:MAX_ABLE]


def _takes(cls: type, call: ast.Call) -> bool:
    """Whether an object of the class can be made by a call."""
    known = {one.arg: None for one in call.keywords if one.arg is not None}
    open_ended = len(known) < len(call.keywords) or any(isinstance(one, ast.Starred) for one in call.args)
    try:
        signature = inspect.signature(cls)
        (signature.bind_partial if open_ended else signature.bind)(*call.args, **known)
    except (TypeError, ValueError):
        return False
    return True


def listed(attempt: Attempt, cls: type, wanted: Iterable[str], names: Names) -> List[type]:
    """Classes of what the `wanted` arguments are lists of, where it failed for want of a list or of such objects: by
    which things are told apart there, else by what is read of each."""
    if not re.search(SEQUENCE, attempt.message) and not NO_OBJECT.search(attempt.message):
        return []
    return told_apart(attempt, cls, names) or gone_through(cls, wanted, names)


def told_apart(attempt: Attempt, cls: type, names: Names) -> List[type]:
    """Classes of the workspace, no modules, by which things are told apart in the functions in which it failed, and in
    those of the class and of the ones above."""
    functions = [one for owner in cls.__mro__ for one in vars(owner).values() if isinstance(one, types.FunctionType)]
    places = [(frame.f_code, frame.f_globals) for frame in reversed(attempt.frames())]
    places += [(one.__code__, one.__globals__) for one in functions if names.is_ours(one.__code__.co_filename)]
    found: List[type] = []
    for code, known in places:
        for listed in _APART.findall(source_text(code)):
            values = (known.get(one.strip()) for one in listed.split(","))
            found += [one for one in values if is_class(one) and names.is_ours(file_of(one))]
    return [one for one in dict.fromkeys(found) if not issubclass(one, nn.Module)][:MAX_KINDS]


def gone_through(cls: type, wanted: Iterable[str], names: Names) -> List[type]:
    """Classes of the workspace, no modules, that have all that the class reads of each of what the `wanted` arguments
    hold: `sum(one.width for one in fields)`, `fields[0].width`."""
    read: Set[str] = set()
    tree = ast.Module(parsed(text_of(cls)), [])
    for name in wanted:
        held = {name, *kept_as(cls, name)}
        targets = {
            part.id
            for one in ast.walk(tree)
            if isinstance(one, (ast.For, ast.comprehension)) and not held.isdisjoint(_mentioned(one.iter))
            for part in ast.walk(one.target)
            if isinstance(part, ast.Name)
        }
        for one in (part for part in ast.walk(tree) if isinstance(part, ast.Attribute)):
            of_one = isinstance(one.value, ast.Name) and one.value.id in targets
            if of_one or (isinstance(one.value, ast.Subscript) and not held.isdisjoint(_mentioned(one.value.value))):
                read.add(one.attr)
    fits = (other for other in names.classes(object) if all(made_with(other, one) for one in read))
    return [one for one in dict.fromkeys(fits) if not issubclass(one, nn.Module)][:MAX_KINDS] if read else []


def _mentioned(node: ast.expr) -> Set[str]:
    """Names in an expression, and attributes of `self`."""
    parts = list(ast.walk(node))
    return {one.id for one in parts if isinstance(one, ast.Name)} | {
        one.attr for one in parts if isinstance(one, ast.Attribute) and getattr(one.value, "id", "") == "self"
    }


def made_with(cls: type, name: str) -> bool:
    """Whether objects of a class have an attribute."""
    return hasattr(cls, name) or re.search(rf"self\.{name}\b", text_of(cls)) is not None


def kinds(wanted: type, known: List[type]) -> List[type]:
    """A class and those below it, of which some are `known`; of modules those that can be called."""
    below = [cls for cls in known if wanted in cls.__mro__[1:]]  # a protocol does not say who is below it
    if not issubclass(wanted, nn.Module) or not _runs(wanted):
        waiting = [wanted]
        while waiting and len(below) < MAX_BELOW:
            more = waiting.pop(0).__subclasses__()
            below += more
            waiting += more
    found = dict.fromkeys([wanted, *below])
    usable = [cls for cls in found if not issubclass(cls, nn.Module) or _runs(cls)]
    usable.sort(key=lambda cls: _is_base(cls) or (cls is not wanted and _is_empty(cls)))
    return usable[:MAX_KINDS] or [wanted]


def finishing(cls: type, error: Optional[BaseException], names: Names) -> List[type]:
    """Where the error is that some method is left to the classes below: those of the workspace that run the `forward`
    which is defined here."""
    forward = vars(cls).get("forward")
    if forward is None or not (isinstance(error, NotImplementedError) or "abstract class" in str(error)):
        return []
    below = (one for one in kinds(cls, list(names.classes())) if one is not cls and names.is_ours(file_of(one)))
    return [one for one in below if getattr(one, "forward", None) is forward]


def _is_base(cls: type) -> bool:
    """Whether some method is left to the classes below."""
    return any("raise NotImplementedError" in source_text(one) for one in vars(cls).values() if inspect.isfunction(one))


def _is_empty(cls: type) -> bool:
    """Whether it is made of nothing."""
    parameters, _ = parameters_of(cls)
    return all(one.default is not one.empty for one in parameters.values())


def _runs(cls: type) -> bool:
    forward = getattr(cls, "forward", None)
    if forward is nn.Module.forward or getattr(cls, "__abstractmethods__", None):
        return False
    function = source(forward) if forward is not None else None
    return function is None or not isinstance(function.body[-1], ast.Raise)


def called_like(name: str, names: Names) -> List[type]:
    """Other classes of the workspace that are called like the argument."""
    wanted = name.lower().replace("_", "")
    found = (other for other in names.classes(object) if other.__name__.lower() == wanted)
    return [other for other in dict.fromkeys(found) if not issubclass(other, nn.Module)][:2]


def last(cls: type, names: Names) -> List[type]:
    """The last class of other modules: it uses those before it."""
    found: Dict[str, type] = {}
    for other in names.classes():
        found[other.__module__] = other
    return [other for home, other in found.items() if home != cls.__module__][:2]


def attributes_read(cls: type, name: str) -> List[str]:
    """What a class reads of an argument without calling it, and no module has."""
    return _read_of(cls, name, r"\b(?!\()")


def _read_of(cls: type, name: str, behind: str = "") -> List[str]:
    said = "|".join([name, *(rf"self\.{kept}" for kept in kept_as(cls, name))])
    return sorted(set(re.findall(rf"(?<![\w.])(?:{said})\.(\w+){behind}", text_of(cls))) - set(dir(nn.Module)))
