"""Examples: runnable calls such as `GPT(GPTConfig())(i64[B:4, T:64])`, and how they are read.

A tensor is written as torch writes it in graphs: a dtype with sizes in brackets.  A dim is an integer, a name (`T`),
a name with a size (`T:64`), or any Python expression over names.
"""

from __future__ import annotations

import ast
import io
import tokenize
from dataclasses import dataclass
from typing import ClassVar, Dict, List, Mapping, Optional, Tuple

from fx_lsp.model import syntax
from fx_lsp.model.span import Span

DTYPES = {
    "f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16",
    "c32": "complex32", "c64": "complex64", "c128": "complex128",
    "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "b8": "bool",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2", "f8e4m3fnuz": "float8_e4m3fnuz",
    "f8e5m2fnuz": "float8_e5m2fnuz", "f8e8m0fnu": "float8_e8m0fnu", "f4e2m1fnx2": "float4_e2m1fn_x2",
}  # fmt: skip
"""Short name to attribute of `torch`, as `torch.utils._dtype_abbrs` has them."""

ORIGINS = ("directive", "config", "annotation", "call", "program", "parent", "default", "inferred")
"""Where an example comes from, best first."""

PROGRAM = "__main__"
"""The call that stands for the whole file, run as `python` does."""

OUTSIDE = "__main__.__dict__"
"""The same, where only what it does outside of modules is of interest: these have examples of their own."""

PROGRAMS = (PROGRAM, OUTSIDE)

ATTRIBUTES = (
    "class AttrDict(dict): __getattr__ = lambda self, name: self[name] if name in self"
    " else object.__getattribute__(self, name)"
)
"""The one statement besides imports that an example which was made up may have before it."""

WAY = "::"
"""Between a class and its method, where an example shows only what no other one comes to: `GPT::generate`."""

DEFAULT_SIZES: Mapping[str, int] = {"B": 2, "N": 2, "C": 3, "T": 16, "S": 16, "L": 16, "H": 64, "W": 64}
"""Sizes of dim names that neither the example nor the configuration gives."""

IMPORT_FAILED = "the import failed"
"""How every reason begins that is the import of a file."""
NO_FORWARD = "it has no forward of its own"
"""Why a class is not called, where it has none and inherits none either."""
RUN_BY_ANOTHER = "the example of another class runs it"
"""Why a search did not look for an example of a class."""

MAX_CALL = 20_000
"""Characters of an example."""


MAX_SIZE = (1 << 63) - 1
"""What torch counts with."""


class ExampleError(ValueError):
    """The text is not an example.  `column` is where, in characters of the text given."""

    def __init__(self, message: str, column: int = 0) -> None:
        super().__init__(message)
        self.column = column


@dataclass(frozen=True)
class Maker:
    """A way to build a class that the workspace shows; of a method, a call of its class, or of what contains that."""

    name: str
    setup: str
    call: str


@dataclass(frozen=True)
class Search:
    """Which classes of the scope to find examples for: one whose instance another one runs needs none."""

    kind: ClassVar[str] = "search"
    names: Tuple[str, ...]
    """Also of methods, with `WAY`: what they are called on, and with, stands in their `makers`."""
    makers: Tuple[Maker, ...] = ()

    @property
    def fills(self) -> bool:
        """Whether it is for what no example comes to: then all of its names are of methods."""
        return any(WAY in name for name in self.names)


@dataclass(frozen=True)
class Example:
    """A runnable call and where it came from; or the search for one."""

    scope: str
    """Absolute path of the file in whose namespace it is evaluated."""
    call: str
    """As written, dims not filled in."""
    origin: str
    """One of `ORIGINS`."""
    setup: str = ""
    """Statements to run before the call."""
    target: str = ""
    """Qualified name of the module class it is meant for; empty when not known."""
    span: Optional[Span] = None
    """Where it is written."""
    dims: Tuple[Tuple[str, int], ...] = ()
    """Sizes from the configuration, by dim name."""
    search: Optional[Search] = None
    """What to find examples for; `call` is empty then, and running it shows nothing but what was found."""

    @property
    def fills(self) -> bool:
        """Whether it shows only what no other example comes to; or looks for that."""
        return WAY in self.target or (self.search is not None and self.search.fills)

    @property
    def class_name(self) -> str:
        """Qualified name of the class, also where only a method of it is shown."""
        return self.target.partition(WAY)[0]

    @property
    def is_further(self) -> bool:
        """Whether it is a call that somebody wrote, run for what the best one leaves out."""
        return self.fills and self.origin == "call"


def fill(call: str, sizes: Mapping[str, int], wished: Optional[Mapping[str, int]] = None) -> Tuple[str, Dict[str, int]]:
    """The call with every dim a number, and the size used for each name.

    A size that is `wished` for wins over one written in the call, which wins over `sizes`, which wins over
    `DEFAULT_SIZES`; any other name is 8.

    Raises:
        ExampleError: not an expression, or one name with two sizes.
    """
    tree = parse(call)
    dims, wishes = _written_sizes(tree), wished or {}
    dims.update((name, wishes[name]) for name in dims if name in wishes)
    try:
        return ast.unparse(_Filler(dims, {**sizes, **wishes}).visit(tree)), dims
    except RecursionError:
        raise ExampleError("this is nested too deeply") from None
    except ValueError as error:  # a number with more digits than Python writes
        raise ExampleError(f"this cannot be written: {error}") from None


def trains(*code: str) -> bool:
    """Whether the code of an example may switch a model to training; else it is run in `eval()`."""
    return any("train(" in text for text in code)


def parse(call: str) -> ast.Expression:
    """The expression, `i64[]` included.

    Raises:
        ExampleError: it is not one Python expression.
    """
    if len(call) > MAX_CALL:
        raise ExampleError(f"an example has at most {MAX_CALL} characters, this one {len(call)}")
    source = _scalars(call)
    try:
        return syntax.expression(source)
    except (RecursionError, MemoryError):
        raise ExampleError("this is nested too deeply") from None
    except (SyntaxError, ValueError) as error:
        column = (getattr(error, "offset", 1) or 1) - 1
        raise ExampleError(f"not a Python expression: {getattr(error, 'msg', error)}", max(column, 0)) from None


def _scalars(call: str) -> str:
    """`i64[]` is no Python; `i64[()]` is."""
    lines = io.StringIO(call).readlines()
    try:
        tokens = list(tokenize.generate_tokens(iter([*lines, ""]).__next__))
    except (tokenize.TokenError, SyntaxError, ValueError):
        return call
    for name, left, right in reversed(list(zip(tokens, tokens[1:], tokens[2:]))):
        if name.string in DTYPES and left.string == "[" and right.string == "]":
            row, column = left.end
            lines[row - 1] = lines[row - 1][:column] + "()" + lines[row - 1][column:]
    return "".join(lines)


def _is_tensor(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in DTYPES


def _dims(node: ast.Subscript) -> List[ast.expr]:
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def _written_sizes(tree: ast.AST) -> Dict[str, int]:
    sizes: Dict[str, int] = {}
    for node in ast.walk(tree):
        for dim in _dims(node) if isinstance(node, ast.Subscript) and _is_tensor(node) else ():
            if not isinstance(dim, ast.Slice):
                continue
            name, size = dim.lower, dim.upper
            if not isinstance(name, ast.Name) or not isinstance(size, ast.Constant) or type(size.value) is not int:
                raise ExampleError("a dim with a size is written name:number", dim.col_offset)
            if size.value > MAX_SIZE:
                raise ExampleError(f"{name.id} is too large", dim.col_offset)
            if sizes.setdefault(name.id, size.value) != size.value:
                raise ExampleError(f"{name.id} has two sizes, {sizes[name.id]} and {size.value}", dim.col_offset)
    return sizes


class _Filler(ast.NodeTransformer):
    def __init__(self, dims: Dict[str, int], sizes: Mapping[str, int]) -> None:
        self.dims, self.sizes = dims, sizes

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if not _is_tensor(node):
            return self.generic_visit(node)
        parts = [self._dim(part) for part in _dims(node)]
        sizes = parts[0] if len(parts) == 1 else ast.Tuple(elts=parts, ctx=ast.Load())
        filled = ast.Subscript(value=node.value, slice=sizes, ctx=node.ctx)
        return ast.fix_missing_locations(ast.copy_location(filled, node))

    def _dim(self, dim: ast.expr) -> ast.expr:
        source = dim.lower if isinstance(dim, ast.Slice) and dim.lower is not None else dim
        named = _Names(self)
        return named.visit(source)

    def size(self, name: str) -> int:
        if name not in self.dims:
            self.dims[name] = self.sizes.get(name, DEFAULT_SIZES.get(name.upper(), 8))
        return self.dims[name]


class _Names(ast.NodeTransformer):
    def __init__(self, filler: _Filler) -> None:
        self.filler = filler

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return node  # `cfg.width`: a value of the namespace, not a dim

    def visit_Call(self, node: ast.Call) -> ast.AST:
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.copy_location(ast.Constant(self.filler.size(node.id)), node)
