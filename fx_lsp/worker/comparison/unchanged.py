"""What a model notes in its modules while it runs, such as a table that it computes once, is not there in the next run:
it may have a graph that is used up, and be of other weights or of another type."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Dict, Iterator, Tuple

import torch
from torch import nn

_STATE = frozenset({"_parameters", "_buffers", "_modules", "training"})
"""Of the attributes what the comparison itself sets and reads."""


def without_tables(model: nn.Module) -> None:
    """Take out of its dicts what it has computed from its weights."""
    for module in model.modules():
        for name, value in vars(module).items():
            if type(value) is dict and name not in _STATE:
                for key in [key for key, one in value.items() if isinstance(one, torch.Tensor) and not one.is_leaf]:
                    del value[key]


@contextmanager
def unchanged(model: nn.Module) -> Iterator[None]:
    """While it runs its attributes may change, and what its lists, dicts and sets hold; not its state, which stays as
    the run left it."""
    before = [(vars(module), _held(vars(module))) for module in model.modules()]
    try:
        yield
    finally:
        for attributes, held in before:
            for name in [one for one in attributes if one not in held and one not in _STATE]:
                del attributes[name]
            for name, (value, content) in held.items():
                attributes[name] = value
                if content is not None:
                    value.clear()
                    (value.extend if type(value) is list else value.update)(content)


def _held(attributes: Dict[str, Any]) -> Dict[str, Tuple[Any, Any]]:
    return {name: (value, _content(value)) for name, value in attributes.items() if name not in _STATE}


def _content(value: Any) -> Any:
    """What a container holds; None of what is none."""
    return value.copy() if type(value) in (list, dict, set) else None
