"""The sizes that an example's own text gives to its tensors, and the text with others in their place."""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass, field
from typing import Dict, Iterator, List, Mapping, Optional, Tuple

from fx_lsp.model import syntax
from fx_lsp.model.example import DTYPES, parse
from fx_lsp.model.naming import Naming
from fx_lsp.worker.naming import made

ROLES = {
    ("float", 1): "B", ("float", 2): "BC", ("float", 3): "BTC", ("float", 4): "BCHW", ("float", 5): "BCTHW",
    ("whole", 1): "B", ("whole", 2): "BT", ("whole", 3): "BHW", ("whole", 4): "BCHW",
}  # fmt: skip
"""What the dims of an input usually are, by its kind and rank."""
OTHERS = {"B": "BNM", "T": "TSL", "C": "CDE", "H": "HPQ", "W": "WRU"}
"""Names for different sizes of one role."""
LONG = 256
"""Elements from which on the second dim of two is a length, not a width."""
IMAGE = 8
"""Height and width of the smallest image."""
MOST = 12
"""Sizes of one example that are varied."""

_BATCHES = frozenset({"b", "bs", "n", "batch", "batch_size"})
_MAKERS = frozenset({"rand", "randn", "zeros", "ones", "empty", "randint", "full"})
_CASTS = {"long": "whole", "int": "whole", "bool": "whole", "float": "float", "half": "float", "double": "float"}


@dataclass
class Factor:
    """A size that may be another one, wherever it stands in the text."""

    role: str
    size: int
    places: List[made.Place] = field(default_factory=list)
    name: str = ""
    given: bool = False
    """The user named it."""
    tensors: List[int] = field(default_factory=list)
    """Numbers of the tensors it stands in, and the ranks of these."""


class Text:
    """Setup and call of an example."""

    def __init__(self, setup: str, call: str, naming: Naming) -> None:
        """`call` has its sizes filled in; that of `naming` has not.

        Raises:
            ExampleError, SyntaxError, ValueError, RecursionError: this is no example.
        """
        sizes = dict(zip(naming.names, naming.sizes))
        if sizes:
            self._trees: Tuple[ast.AST, ast.AST] = syntax.module(setup), parse(naming.call)
            fill = _Fill(sizes)
            fill.visit(self._trees[1])
            self.factors = [one for one in fill.factors.values() if one.size > 0][:MOST]
        else:
            self._trees = syntax.module(setup), syntax.expression(call)
            found = _grouped([tensor for tree in self._trees for tensor in (*_tensors(tree), *_batches(tree))])
            self.factors = sorted(found, key=lambda one: "BTHWC".index(one.role))[:MOST]
            known = {id(place) for factor in self.factors for place in factor.places}
            names = {factor.name for factor in self.factors}
            self.factors += [
                Factor(made.ROLE, size, places, name) for name, size, places in made.made(self._trees, known, names)
            ]

    def at(self, sizes: Mapping[str, int]) -> Tuple[str, str]:
        """With other sizes, by name; those not named stay."""
        for factor in self.factors:
            for place in factor.places:
                place.value = sizes.get(factor.name, factor.size)
        setup, call = (ast.unparse(ast.fix_missing_locations(copy.deepcopy(tree))) for tree in self._trees)
        return setup, call


class _Fill(ast.NodeTransformer):
    """Numbers in place of the names in tensors, as `model.example.fill` puts them."""

    def __init__(self, sizes: Dict[str, int]) -> None:
        self.factors = {
            name: Factor("B" if name.lower() in _BATCHES else "T", size, name=name, given=True)
            for name, size in sizes.items()
        }
        self._inside = False

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if self._inside or not (isinstance(node.value, ast.Name) and node.value.id in DTYPES):
            return self.generic_visit(node)
        self._inside = True
        node.slice = self.visit(node.slice)
        self._inside = False
        return node

    def visit_Slice(self, node: ast.Slice) -> ast.AST:
        return self.visit(node.lower) if self._inside and node.lower is not None else self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return node if self._inside else self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        return node if self._inside else self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if not self._inside or node.id not in self.factors:
            return node
        made = ast.copy_location(ast.Constant(self.factors[node.id].size), node)
        self.factors[node.id].places.append(made)
        return made


@dataclass
class _Tensor:
    kind: str
    sizes: List[ast.expr]


def _tensors(tree: ast.AST) -> Iterator[_Tensor]:
    """What makes a tensor of sizes that are written there."""
    casts = {
        id(node.func.value): _CASTS[node.func.attr]
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CASTS
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in DTYPES:
            kind = "float" if node.value.id[0] in "fbc" and node.value.id != "b8" else "whole"
            yield _Tensor(kind, list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice])
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is_maker(node.func):
            yield _Tensor(casts.get(id(node)) or _kind(node), _sizes(node, node.func.attr))


def _batches(tree: ast.AST) -> Iterator[_Tensor]:
    """How many tensors there are in `[torch.rand(3, 64, 64) for _ in range(2)]`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ListComp) and next(_tensors(node.elt), None) is not None:
            for one in node.generators:
                many = one.iter
                if isinstance(many, ast.Call) and isinstance(many.func, ast.Name) and many.func.id == "range":
                    yield _Tensor("whole", list(many.args) if len(many.args) == 1 else [])


def _is_maker(node: ast.Attribute) -> bool:
    """Whether it is `torch.randn` or the like."""
    return node.attr in _MAKERS and isinstance(node.value, ast.Name) and node.value.id == "torch"


def _kind(node: ast.Call) -> str:
    dtype = next((ast.unparse(one.value) for one in node.keywords if one.arg == "dtype"), "")
    whole = any(word in dtype for word in ("int", "long", "bool")) or (
        isinstance(node.func, ast.Attribute) and node.func.attr == "randint" and not dtype
    )
    return "whole" if whole else "float"


def _sizes(node: ast.Call, maker: str) -> List[ast.expr]:
    named: List[ast.expr] = [one.value for one in node.keywords if one.arg == "size"]
    groups = [one for one in (*node.args, *named) if isinstance(one, (ast.Tuple, ast.List))]
    if groups:
        return list(groups[0].elts)
    return list(node.args) if maker not in ("randint", "full") else []


def _grouped(tensors: List[_Tensor]) -> List[Factor]:
    """Sizes that are equal and of one role vary together."""
    found: Dict[Tuple[str, int], Factor] = {}
    for number, tensor in enumerate(tensors):
        values = [_value(one) for one in tensor.sizes]
        if any(isinstance(one, ast.Starred) for one in tensor.sizes):
            continue
        for role, size, place in zip(_roles(tensor.kind, values), values, tensor.sizes):
            if size is not None and isinstance(place, ast.Constant):
                factor = found.setdefault((role, size), Factor(role, size))
                factor.places.append(place)
                factor.tensors.append(number)
    for role, names in OTHERS.items():
        of_role = [factor for factor in found.values() if factor.role == role]
        for number, factor in enumerate(of_role):
            factor.name = names[number] if number < len(names) else f"{role}{number}"
    return list(found.values())


def _roles(kind: str, sizes: List[Optional[int]]) -> str:
    known = [size or 0 for size in sizes]
    if kind == "float" and len(known) == 3 and known[0] in (1, 3) and min(known[1:]) >= IMAGE and known[1] % 8 == 0:
        return "CHW"
    if kind == "float" and len(known) == 2 and known[1] >= LONG:
        return "BT"
    return ROLES.get((kind, len(known)), "")


def _value(node: ast.expr) -> Optional[int]:
    """A size that may vary."""
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int and node.value > 0 else None
