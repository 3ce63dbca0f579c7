"""Evaluating an example: its namespace, its tensors, its modules in `eval()`."""

from __future__ import annotations

import ast
import random
import re
import sys
from types import ModuleType
from typing import Any, Dict, Iterator, List, NamedTuple, Tuple

import torch

from fx_lsp.model.example import DTYPES, trains

PREPARE = "__fx_prepare__"

INTEGERS: Tuple[Tuple[int, int], ...] = ((1, 3), (0, 2), (1, 2), (2, 3))
"""Ranges (end exclusive) that integer tensors are drawn from, tried in turn: token ids and lengths want no zero,
labels of two classes no two, and who looks for the end of a text, usually 2, wants as many in each."""


class Values(NamedTuple):
    """What the tensors of an example are filled with."""

    integers: Tuple[int, int] = INTEGERS[0]
    unit: bool = False
    """Whether numbers lie between 0 and 1, as probabilities and pictures do, else around 0."""


class Tensors:
    """What `f32` and the like stand for in an example: `f32[2, 3]` makes a tensor of that dtype and shape."""

    def __init__(self, dtype: torch.dtype, values: Values) -> None:
        self.dtype, self.values = dtype, values

    def __getitem__(self, sizes: Any) -> torch.Tensor:
        shape = sizes if isinstance(sizes, tuple) else (sizes,)
        for size in shape:
            if type(size) is not int or size < 0:
                raise TypeError(f"a dim of an example is a number of elements, not {size!r}")
        if self.dtype is torch.bool:
            return torch.rand(shape) < 0.5
        if self.dtype.is_floating_point or self.dtype.is_complex:
            draw = torch.rand if self.values.unit else torch.randn
            made = draw(shape, dtype=torch.complex64 if self.dtype.is_complex else torch.float32)
            return made.to(self.dtype)
        return torch.randint(*self.values.integers, shape).to(self.dtype)


def namespace(module: ModuleType, integers: Tuple[int, int], unit: bool = False) -> Dict[str, Any]:
    """Names an example may use: those of its module, and the dtypes."""
    values = Values(integers, unit)
    tensors = {name: Tensors(getattr(torch, full), values) for name, full in DTYPES.items() if hasattr(torch, full)}
    return {**vars(module), **tensors, PREPARE: _prepared}


def draws_integers(text: str) -> bool:
    """Whether an example asks for tensors of integers."""
    return re.search(r"\b[iu](8|16|32|64)\[", text) is not None


def values(text: str) -> Iterator[Values]:
    """What to fill the tensors of an example with, until it runs: some losses want probabilities as targets."""
    yield Values()
    if re.search(r"\bb?f(16|32|64)\[", text):
        yield Values(unit=True)
    if draws_integers(text):
        yield from (Values(integers) for integers in INTEGERS[1:])


def seed(number: int) -> None:
    """Start every generator of random numbers that is around."""
    torch.default_generator.manual_seed(number)  # `torch.manual_seed` asks every accelerator too
    random.seed(number)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(number)
    _seeded[:] = _drawn()


def drew() -> bool:
    """Whether plain numbers were drawn at random since: of those nobody can tell what they decided."""
    return _seeded != _drawn()


def _drawn() -> List[Any]:
    numpy: Any = sys.modules.get("numpy")
    place = numpy.random.get_state()[1:3] if numpy is not None else ()
    return [random.getstate(), *(part.tobytes() if hasattr(part, "tobytes") else part for part in place)]


_seeded: List[Any] = []


def run(setup: str, call: str, names: Dict[str, Any]) -> Any:
    """Execute the setup, then evaluate the call."""
    prepare = not trains(setup, call)
    statements, expression = ast.parse(setup, "<setup>"), ast.parse(call, "<example>", mode="eval")
    if prepare:
        statements, expression = _Preparer().visit(statements), _Preparer().visit(expression)
    exec(compile(ast.fix_missing_locations(statements), "<setup>", "exec", dont_inherit=True), names)
    return eval(compile(ast.fix_missing_locations(expression), "<example>", "eval", dont_inherit=True), names)


class _Preparer(ast.NodeTransformer):
    """`f(x)` becomes `__fx_prepare__(f)(x)`."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        prepare = ast.copy_location(ast.Name(PREPARE, ast.Load()), node.func)
        node.func = ast.copy_location(ast.Call(prepare, [node.func], []), node.func)
        return node


def _prepared(called: Any) -> Any:
    """A module about to be called runs as in use, not as in training; so does one whose own method is called."""
    owner = called if isinstance(called, torch.nn.Module) else getattr(called, "__self__", None)
    if isinstance(owner, torch.nn.Module):
        name = getattr(called, "__name__", "forward")
        if called is owner or name == "forward" or not hasattr(torch.nn.Module, name):
            owner.eval()
    return called
