"""Parts of what was built for another class: made as their whole makes them."""

from __future__ import annotations

from typing import Optional

from torch import nn

from fx_lsp.worker.inference.attempts import Attempt, Built

LONGEST = 300
"""Characters of a whole that a part is taken of."""


def part_of(whole: Built, cls: type) -> Optional[Built]:
    """The first instance of the class within the whole, and how it is reached."""
    if len(whole.call) > LONGEST:
        return None
    for path, module in whole.instance.named_modules():
        if type(module) is cls and path:
            text = whole.call + _steps(whole.instance, path)
            return Built(whole.setup, text, Attempt(module, None, whole.attempt.watch), whole.arguments)
    return None


def _steps(module: nn.Module, path: str) -> str:
    """`layers.0.mlp` as it is written: `.layers[0].mlp`."""
    text = ""
    for name in path.split("."):
        plain = name.isidentifier() and not isinstance(module, nn.ModuleDict)
        text += f".{name}" if plain else f"[{name if name.isdigit() else repr(name)}]"
        module = module.get_submodule(name)
    return text
