"""Sizes that a module says itself: what it holds under a usual name."""

from __future__ import annotations

import inspect
from typing import Dict, Iterable

from torch import nn

from fx_lsp.worker.inference.configurations import tree
from fx_lsp.worker.inference.inputs import SIDE
from fx_lsp.worker.inference.live import attribute


def number(instance: nn.Module, names: Iterable[str]) -> int:
    """A number that the module, or one within it, has under one of these names; 0 where there is none."""
    for module in nn.Module.modules(instance):  # a class may have another meaning for it
        for name in names:
            if type(size := vars(module).get(name)) is int and size > 1:
                return size
    return 0


def side_of(instance: nn.Module, given: Dict[str, str]) -> int:
    """Height and width that an image model was made for, where it says so."""
    try:
        defaults = {p.name: p.default for p in inspect.signature(type(instance).__init__).parameters.values()}
    except (TypeError, ValueError):
        defaults = {}
    stated = {name: int(size) for name, text in given.items() if (size := text.strip("(").split(",")[0]).isdigit()}
    config = attribute(instance, "config")
    within = [vars(part) for part in tree(config) if hasattr(part, "__dict__")] if config is not None else []
    for owner in (stated, vars(instance), *within[:1], defaults, *within[1:]):
        for name in (
            "image_size",
            "img_size",
            "input_size",
            "image_height",
            "resolution",
            "input_shape",
            "spatial_size",
        ):
            value = owner.get(name)
            value = value[0] if isinstance(value, (tuple, list)) and value else value
            if type(value) is int and 0 < value <= 1024:
                return value
    return SIDE
