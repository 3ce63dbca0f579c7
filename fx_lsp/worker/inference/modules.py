"""Modules for arguments: layers of torch and classes of the workspace that have what is read of them
(`link.in_features`)."""

from __future__ import annotations

import functools
import re
from typing import Dict, List, Tuple

from torch import nn

from fx_lsp.worker.inference.live import has
from fx_lsp.worker.inference.names import Names, text_of

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
MAX_LAYERS = 3
"""Of those that fit."""


def layers(cls: type, name: str) -> List[str]:
    """The layers that have all that a class reads of an argument, where it reads more than any module has."""
    used = _read_of(cls, name)
    return [text for text, layer in _built() if used and all(has(layer, one) for one in used)][:MAX_LAYERS]


@functools.cache
def _built() -> Tuple[Tuple[str, nn.Module], ...]:
    return tuple((text, kind(*sizes, device="meta") if sizes else kind()) for text, kind, sizes in _LAYERS)


def fitting(cls: type, name: str, names: Names) -> List[type]:
    """Classes of the workspace that have what this one reads of the argument, or are called like it."""
    used = _read_of(cls, name)
    ranked: List[Tuple[bool, bool, int, type]] = []
    for number, other in enumerate(dict.fromkeys(names.classes())):
        text = text_of(other)
        fits = bool(used) and all(hasattr(other, a) or re.search(rf"self\.{a}\b", text) for a in used)
        alike = other.__name__.lower() == name.lower().replace("_", "")
        if (fits or alike) and not issubclass(other, cls):
            ranked.append((not fits, not alike, number, other))
    return [other for *_, other in sorted(ranked, key=lambda one: one[:3])[:3]]


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
