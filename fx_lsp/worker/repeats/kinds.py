"""Modules that look alike: of the same class, with the same below them."""

from __future__ import annotations

from collections import Counter
from typing import Any, Dict, List, Tuple

import torch
from torch import nn

from fx_lsp.worker.repeats.state import is_library


def kinds(modules: List[nn.Module]) -> Dict[int, int]:
    """By `id`, the number of the kind of each module that is worth a look and not alone; outer ones come first."""
    numbers: Dict[Tuple[Any, ...], int] = {}
    found: Dict[int, int] = {}
    with torch._C.DisableTorchFunction():
        for module in reversed(modules):
            state = vars(module)
            children = tuple((name, found.get(id(child), -1)) for name, child in (state.get("_modules") or {}).items())
            sizes = tuple(
                None if tensor is None else tuple(tensor.shape)
                for group in ("_parameters", "_buffers")
                for tensor in (state.get(group) or {}).values()
            )
            found[id(module)] = numbers.setdefault((type(module), children, sizes), len(numbers))
    count = Counter(found.values())
    return {
        id(module): found[id(module)]
        for module in modules
        if count[found[id(module)]] > 1 and (not is_library(type(module)) or vars(module).get("_modules"))
    }
