"""Tensors of sizes that are given to a library instead of an input."""

from __future__ import annotations

import ast

from fx_lsp.analysis.examples._bound import Place
from fx_lsp.analysis.examples._instances import Instances
from fx_lsp.analysis.names import External, dotted
from fx_lsp.model.example import DTYPES

_SHORT = {**{full: short for short, full in DTYPES.items()}, "float": "f32", "long": "i64", "int": "i32"}
MAX_DIMS = 8


def tensors(
    instances: Instances, place: Place, size: ast.expr, dtypes: ast.expr | None, batch: int
) -> list[ast.expr] | None:
    """One tensor for each size: `(3, 224, 224)`, `[(3, 8), (3, 9)]`; `batch` goes in front unless it is 0."""
    whole = instances.value(place, size)
    several = isinstance(whole, (ast.Tuple, ast.List)) and any(
        isinstance(instances.value(place, part), (ast.Tuple, ast.List)) for part in whole.elts
    )
    sizes = whole.elts if several and isinstance(whole, (ast.Tuple, ast.List)) else [size]
    kinds = _dtypes(dtypes, len(sizes))
    made = [_tensor(instances, place, each, kind, batch) for each, kind in zip(sizes, kinds, strict=True)]
    return [each for each in made if each is not None] if None not in made else None


def _dtypes(dtypes: ast.expr | None, count: int) -> list[str]:
    names = [dotted(part) or "" for part in dtypes.elts] if isinstance(dtypes, (ast.Tuple, ast.List)) else []
    known = [_SHORT.get(name.rpartition(".")[2], "f32") for name in names]
    return [*known, *["f32"] * count][:count]


def _tensor(instances: Instances, place: Place, size: ast.expr, dtype: str, batch: int) -> ast.expr | None:
    value = instances.value(place, size)
    parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value]
    numbers = [whole_number(instances, place, part) for part in parts]
    front = [batch] if batch else []
    if None not in numbers and len(numbers) <= MAX_DIMS:
        elements: list[ast.expr] = [ast.Constant(number) for number in (*front, *numbers)]
        sizes = elements[0] if len(elements) == 1 else ast.Tuple(elements, ast.Load())
        return ast.Subscript(ast.Name(dtype, ast.Load()), sizes, ast.Load())
    if any(isinstance(part, ast.Constant) and type(part.value) is not int for part in parts):
        return None
    torch = instances.meaning(place, "torch")
    if dtype != "f32" or not isinstance(torch, External) or torch.name != "torch":
        return None
    make = ast.Attribute(ast.Name("torch", ast.Load()), "rand", ast.Load())
    starred = ast.Starred(size, ast.Load())
    return ast.Call(make, [*(ast.Constant(number) for number in front), starred], [])


def whole_number(instances: Instances, place: Place, node: ast.expr) -> int | None:
    """The number that is written there, or that a name stands for."""
    value = instances.value(place, node)
    found = value.value if isinstance(value, ast.Constant) else None
    return found if type(found) is int and found > 0 else None
