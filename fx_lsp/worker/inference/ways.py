"""Ways through a class that its example does not take: what `forward` does with optional inputs and in training, and
other methods.  They go on from a call that ran: what that was given stays."""

from __future__ import annotations

import ast
import inspect
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple, Type

import torch
from torch import nn

from fx_lsp.model.example import WAY
from fx_lsp.model.messages import Invented
from fx_lsp.worker.inference.attempts import Attempt, Built
from fx_lsp.worker.inference.forwards import Found
from fx_lsp.worker.inference.inputs import Plain, Way
from fx_lsp.worker.inference.live import parameters_of_call, source
from fx_lsp.worker.inference.names import Names, together
from fx_lsp.worker.inference.wholes import part_of

NO_WAY = "it runs with nothing that was tried"
MAX_ALONE = 3
"""Optional inputs that are tried one at a time, where all of them are too many."""

Evaluate = Callable[[str, str], Attempt]
Inputs = Callable[[Built, float, Way], Optional[Found]]


class Ways:
    """Finds calls of methods; `inputs` finds what a way takes, in training or not."""

    def __init__(self, evaluate: Evaluate, inputs: Inputs, names: Names) -> None:
        self.evaluate, self.inputs, self.names = evaluate, inputs, names

    def find(self, name: str, cls: Type[nn.Module], makers: List[Tuple[str, str]], deadline: float) -> Invented:
        """The first call of `GPT::generate`, on what the makers call, that comes to its end."""
        method = name.partition(WAY)[2]
        code = getattr(cls, method, None)
        static = isinstance(inspect.getattr_static(cls, method, None), staticmethod)
        if not inspect.isfunction(code) or (method != "forward" and (static or hasattr(nn.Module, method))):
            return Invented(name, why=NO_WAY)
        for setup, text in makers:
            called = self._called(cls, setup, text)
            if called is None:
                continue
            built, given = called
            for way in _ways(cls, method, given, self._size(setup, given)):
                found = self.inputs(built, deadline, way)
                if (
                    found is not None
                    and found.attempt.watch.operations
                    and (found.attempt.error is None or found.limited)
                ):
                    made = f"{built.call}{'.train()' if way.training else ''}"
                    call = f"{made}({found.inputs})" if method == "forward" else f"{made}.{method}({found.inputs})"
                    setup = together(setup, self.names.setup(found.inputs))
                    return Invented(name, setup, call, found.attempt.watch.operations)
        return Invented(name, why=NO_WAY)

    def _called(self, cls: Type[nn.Module], setup: str, text: str) -> Optional[Tuple[Built, Dict[str, Plain]]]:
        """The instance that the text calls, or one within it, and what `forward` is given there, by its parameters."""
        call = ast.parse(text, mode="eval").body
        if not isinstance(call, ast.Call) or any(isinstance(one, ast.Starred) for one in call.args):
            return None
        made = ast.unparse(call.func)
        whole = Built(setup, made, self.evaluate(setup, made))
        if not isinstance(whole.instance, nn.Module):
            return None
        built = whole if isinstance(whole.instance, cls) else part_of(whole, cls)
        if built is None:
            return None
        parameters = parameters_of_call(cls, "forward")
        given = dict(zip((one.name for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD), call.args))
        given.update((one.arg, one.value) for one in call.keywords if one.arg is not None)
        return built, {name: Plain(ast.unparse(value)) for name, value in given.items()}

    def _size(self, setup: str, given: Dict[str, Plain]) -> Tuple[int, ...]:
        values = self.evaluate(setup, f"[{', '.join(one.text for one in given.values())}]").value or []
        return next((tuple(value.shape) for value in values if isinstance(value, torch.Tensor)), ())


def _ways(cls: Type[nn.Module], method: str, given: Dict[str, Plain], like: Tuple[int, ...]) -> Iterator[Way]:
    """What to give besides, most first."""
    parameters = {p.name: p for p in parameters_of_call(cls, method)}
    kept = {name: value for name, value in given.items() if name in parameters}
    asked = _asked(getattr(cls, method))
    left = [one for name, one in parameters.items() if name in asked and name not in kept]
    flags = {p.name: Plain(repr(not p.default)) for p in left if isinstance(p.default, bool)}
    absent = tuple(p.name for p in left if p.default is None)
    if "training" in asked:
        yield Way(method, {**kept, **flags}, like, absent, training=True)
    if flags or absent:
        yield Way(method, {**kept, **flags}, like, absent)
    if flags and absent:
        yield from (Way(method, kept, like, absent), Way(method, {**kept, **flags}, like))
    for name in absent[:MAX_ALONE] if len(absent) > 1 else ():
        yield Way(method, kept, like, (name,))
    if method != "forward":
        yield Way(method, kept, like)


def _asked(function: Callable[..., Any]) -> Set[str]:
    """Names that its conditions hold."""
    node = source(function)
    tests = (one.test for one in ast.walk(node) if isinstance(one, (ast.If, ast.IfExp, ast.While))) if node else ()
    names = (one for test in tests for one in ast.walk(test) if isinstance(one, (ast.Name, ast.Attribute)))
    return {one.id if isinstance(one, ast.Name) else one.attr for one in names}
