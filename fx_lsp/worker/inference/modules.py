"""Modules for arguments: layers of torch and classes of the workspace that have what is read of them
(`link.in_features`)."""

from __future__ import annotations

import ast
import functools
import re
from typing import Dict, List, Tuple

from torch import nn

from fx_lsp.worker.inference.live import has, source, source_text
from fx_lsp.worker.inference.names import Names, text_of
from fx_lsp.worker.inference.signatures import parameters_of

_LAYERS = (
    ("nn.Linear(64, 64)", nn.Linear, (64, 64)),
    ("nn.Conv2d(64, 64, 3, padding=1)", nn.Conv2d, (64, 64, 3)),
    ("nn.Conv1d(64, 64, 3, padding=1)", nn.Conv1d, (64, 64, 3)),
    ("nn.Embedding(64, 64)", nn.Embedding, (64, 64)),
    ("nn.BatchNorm2d(64)", nn.BatchNorm2d, (64,)),
    ("nn.LSTM(64, 64, batch_first=True)", nn.LSTM, (64, 64)),
    ("nn.MultiheadAttention(64, 4, batch_first=True)", nn.MultiheadAttention, (64, 4)),
    ("nn.ModuleList([nn.Identity()])", nn.ModuleList, ()),
)
_OF_IDENTITY = re.compile(r"'Identity' object has no attribute '(\w+)'")
MAX_LAYERS = 3
"""Of those that fit."""
MAX_KINDS = 4
"""Classes that are built in the place of one."""
MAX_BELOW = 40


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
    wanted = name.lower().replace("_", "")
    for number, other in enumerate(dict.fromkeys(names.classes())):
        text = text_of(other)
        fits = bool(used) and all(hasattr(other, a) or re.search(rf"self\.{a}\b", text) for a in used)
        called = other.__name__.lower()
        alike = 2 if called == wanted else int(len(wanted) > 3 and called.endswith(wanted))
        if (fits or alike) and not issubclass(other, cls):
            ranked.append((not fits, -alike, number, other))
    return [other for *_, other in sorted(ranked, key=lambda one: one[:3])[:3]]


def is_called(cls: type, name: str) -> bool:
    """Whether the argument is kept as it is and called later."""
    text = text_of(cls)
    kept = re.search(rf"\bself\.(\w+) = {name}\s*\n", text)
    return kept is not None and re.search(rf"\bself\.{kept[1]}\(", text) is not None


def kinds(wanted: type, known: List[type]) -> List[type]:
    """A class and those below it, of which some are `known`; of modules those that can be called."""
    below = [cls for cls in known if issubclass(cls, wanted) and cls is not wanted]
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


def _is_base(cls: type) -> bool:
    """Whether some method is left to the classes below."""
    return any("raise NotImplementedError" in source_text(one) for one in vars(cls).values() if callable(one))


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


def _read_of(cls: type, name: str) -> List[str]:
    return sorted(set(re.findall(rf"\b{name}\.(\w+)", text_of(cls))) - set(dir(nn.Module)))
