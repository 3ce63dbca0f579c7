"""Loops that train end after two rounds: what the later ones would show, these have shown.

A script trains for hours; its shapes are those of the first batch.  A loop is one that trains when `backward` ran in
two of its rounds, wherever it is called from.
"""

from __future__ import annotations

import builtins
from functools import wraps
from typing import Any, Callable, Iterable, Iterator

import torch

LAPS = "__fx_laps__"
"""Built-in `(iterable) -> iterator` that probes put around what a loop goes through."""
ROUNDS = 2


class Laps:
    """Counts how often gradients were asked for, and ends the loops in which they are."""

    def __init__(self) -> None:
        self.backwards = 0
        self.ended: Callable[[], object] = lambda: None
        """Called when a loop was ended early: what follows may lack what its later rounds would have made."""

    def install(self) -> None:
        """For the life of the process."""
        setattr(builtins, LAPS, self.of)
        original = torch.autograd.backward

        @wraps(original)
        def backward(*args: Any, **kwargs: Any) -> Any:
            self.backwards += 1
            return original(*args, **kwargs)

        torch.autograd.backward = backward

    def of(self, items: Iterable[Any]) -> Iterator[Any]:
        """The items, until two rounds have trained."""
        rounds = 0
        for item in items:
            before = self.backwards
            yield item
            rounds += self.backwards > before
            if rounds >= ROUNDS:
                self.ended()
                return
