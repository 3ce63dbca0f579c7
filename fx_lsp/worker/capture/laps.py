"""Loops that train end after two rounds: what more of them would show, these have shown.

A script trains for hours; its shapes are those of the first batch.  A loop is one that trains when `backward` ran in
two of its rounds, wherever it is called from; one that a module goes through in its own call is left as it is.
Rounds in which a model is made train another one each, and are some more: `for name in MODELS: train(create(name))`.
"""

from __future__ import annotations

import ast
import builtins
import time
from functools import wraps
from typing import Any, Iterable, Iterator, Optional

import torch
from torch.nn.modules.module import register_module_parameter_registration_hook

from fx_lsp.worker.capture.modules import ModuleStack
from fx_lsp.worker.capture.record import Record
from fx_lsp.worker.capture.targets import at

LAPS = "__fx_laps__"
"""Built-in `(iterable) -> iterator` that probes put around what a loop goes through."""
ROUNDS = 2
MODELS, SECONDS = 8, 4.0
"""Rounds of which each trains a model of its own, and how long all of them may take before no more are gone through."""
MORE_ROUNDS = 5
"""In a second run; far enough from two that halves and the last few of what rounds left behind differ too."""


class Laps:
    """Counts how often gradients were asked for, and ends the loops in which they are."""

    def __init__(self, stack: ModuleStack) -> None:
        self.stack = stack
        self.backwards = self.parameters = 0
        self.rounds = ROUNDS
        self.goes_on = False
        """Whether what comes after such a loop is recorded, apart from what comes before its end."""
        self.before: Optional[Record] = None
        """What was recorded until the end of the first such loop, where it goes on."""
        self.extra = 0.0
        """Seconds that more rounds of the loops that ended would have taken, those of loops in loops included."""

    def install(self) -> None:
        """For the life of the process."""
        setattr(builtins, LAPS, self.of)
        original = torch.autograd.backward

        @wraps(original)
        def backward(*args: Any, **kwargs: Any) -> Any:
            self.backwards += 1
            return original(*args, **kwargs)

        torch.autograd.backward = backward

    def _parameter(self, *_: Any) -> None:
        self.parameters += 1

    def of(self, items: Iterable[Any]) -> Iterator[Any]:
        """The items, until two rounds have trained; what follows may lack what the others would have made."""
        return iter(items) if self.stack.depth else self._counted(items)

    def _counted(self, items: Iterable[Any]) -> Iterator[Any]:
        """With the parameters counted that are made meanwhile; a hook for them keeps layers from being copied."""
        counting = register_module_parameter_registration_hook(self._parameter)
        try:
            yield from self._rounds(items)
        finally:
            counting.remove()

    def _rounds(self, items: Iterable[Any]) -> Iterator[Any]:
        rounds, models, spent, extra, first = 0, 0, 0.0, self.extra, time.perf_counter()
        for item in items:
            before, known, started = self.backwards, self.parameters, time.perf_counter()
            yield item
            another = self.parameters > known and models < MODELS and time.perf_counter() - first < SECONDS
            if self.backwards > before and another:
                models += 1
            elif self.backwards > before:
                rounds, spent = rounds + 1, spent + time.perf_counter() - started
            if rounds >= self.rounds:
                more = (spent + self.extra - extra) * MORE_ROUNDS / ROUNDS
                self.extra = extra + more - spent
                self._end()
                return
        if self.goes_on and rounds >= ROUNDS:  # it ends by itself, and earlier than it may: there it ended before
            self._end()

    def _end(self) -> None:
        """What comes now may be other than what the whole program makes."""
        current = self.stack.current
        if not self.goes_on:
            self.stack.close()
        elif self.before is None:
            self.before, current.record = current.record, Record()


def asks_for_gradients(node: ast.AST) -> bool:
    """Whether `backward` is written in a statement."""
    return any(isinstance(part, ast.Attribute) and part.attr == "backward" for part in ast.walk(node))


def is_repeatable(test: ast.expr) -> bool:
    """Whether the condition of a loop means the same in a function of its own."""
    own = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
    return not any(isinstance(part, own) for part in ast.walk(test))


def counted(items: ast.expr) -> ast.expr:
    """What a loop goes through, with its rounds counted."""
    return at(ast.Call(at(ast.Name(LAPS, ast.Load()), items), [items], []), items)


def as_for(loop: ast.While) -> ast.For:
    """`for … in iter(lambda: not not test, False)`: as many rounds as `while test` has, counted."""
    test = loop.test
    holds = at(ast.UnaryOp(ast.Not(), at(ast.UnaryOp(ast.Not(), test), test)), test)
    none = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    asked, false = at(ast.Lambda(none, holds), test), at(ast.Constant(False), test)
    rounds = at(ast.Call(at(ast.Name("iter", ast.Load()), test), [asked, false], []), test)
    target = at(ast.Name("__fx_round__", ast.Store()), test)
    return at(ast.For(target, counted(rounds), loop.body, loop.orelse), loop)
