"""Runs one example as a user would in a plain Python session."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import random
import re
import sys
import traceback
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy
import torch

from fx_lsp.model.example import DTYPES
from tests.reference.batch import INTEGERS
from tests.reference.tracer import Tracer

SEED = 0
_ELSEWHERE = re.compile(r"from the 'CPU' backend|not support backward on CPU")


@dataclass
class Run:
    """What came of one example."""

    bindings: list[dict[str, Any]] = field(default_factory=list)
    """`path` (relative), `line`, `column`, `name`, `shapes`, `forward`."""
    error: str = ""
    """Last lines of the traceback; empty when it ran to the end."""
    exhausted: bool = False
    """It ran out of memory or time, which says nothing about what it would have bound."""
    lacking: bool = False
    """It wants an operation that torch has for other devices alone, or a package, which says nothing either."""
    unreadable: list[str] = field(default_factory=list)


class TensorMaker:
    """`f32[2, 3]` makes a tensor."""

    def __init__(self, dtype: torch.dtype, integers: tuple[int, int] = INTEGERS[0]) -> None:
        self.dtype, self.integers = dtype, integers

    def __getitem__(self, sizes: Any) -> torch.Tensor:
        shape = sizes if isinstance(sizes, tuple) else (sizes,)
        if self.dtype is torch.bool:
            return torch.rand(shape) < 0.5
        if self.dtype.is_floating_point or self.dtype.is_complex:
            wide = self.dtype.itemsize >= 2 and self.dtype is not torch.complex32
            return torch.randn(shape, dtype=self.dtype if wide else None).to(self.dtype)
        return torch.randint(*self.integers, shape).to(self.dtype)


def run(
    root: str,
    scope: str,
    setup: str,
    call: str,
    files: Iterable[str] | None = None,
    integers: tuple[int, int] = INTEGERS[0],
    seed: int = SEED,
) -> Run:
    """Imports `scope` (relative to `root`), runs `setup` and `call`, and returns what was bound on the way.

    With `files` (relative too) only those are watched, which is much faster in a large workspace.
    """
    root = os.path.realpath(root)
    # Compiled code has no frames to watch; eager code binds the same.
    torch.compiler.set_stance("force_eager")
    torch.jit._state.disable()
    result = Run()
    watched = None if files is None else frozenset(os.path.join(root, file) for file in files)
    with Tracer(root, watched) as tracer:
        try:
            evaluate(root, scope, setup, call, integers, seed)
        except BaseException as error:  # user code may raise anything, SystemExit included
            sys.settrace(None)
            result.exhausted = isinstance(error, MemoryError) or "can't allocate memory" in str(error)
            elsewhere = isinstance(error, NotImplementedError) and _ELSEWHERE.search(str(error)) is not None
            result.lacking = elsewhere or isinstance(error, ModuleNotFoundError)
            result.error = "".join(traceback.format_exc().splitlines(keepends=True)[-4:])
    result.bindings = [
        {
            "path": os.path.relpath(place.path, root).replace(os.sep, "/"),
            "line": place.line,
            "column": place.column,
            "name": place.name,
            "shapes": list(shapes),
            "forward": place in tracer.forward,
        }
        for place, shapes in sorted(tracer.bindings.items(), key=lambda item: (item[0].path, item[0].line))
    ]
    result.unreadable = [f"{p.path}:{p.line} {p.name}" for p in tracer.unreadable]
    return result


def evaluate(
    root: str, scope: str, setup: str, call: str, integers: tuple[int, int] = INTEGERS[0], seed: int = SEED
) -> Any:
    """What the example gives; a device that this machine lacks is the CPU."""
    if not torch.cuda.is_available():
        torch.Tensor.cuda = torch.nn.Module.cuda = _unmoved  # type: ignore[method-assign, assignment]
    torch.manual_seed(seed)
    module = import_scope(root, scope)
    dtypes = {short: getattr(torch, name) for short, name in DTYPES.items() if hasattr(torch, name)}
    names = {short: TensorMaker(dtype, integers) for short, dtype in dtypes.items()}
    namespace = {**vars(module), **names, "__evaluated__": _evaluated}
    torch.manual_seed(seed)
    random.seed(seed)
    numpy.random.seed(seed)
    statements, expression = ast.parse(setup), ast.parse(call, mode="eval")
    if "train(" not in setup + call:
        statements, expression = _Evaluate().visit(statements), _Evaluate().visit(expression)
    exec(compile(ast.fix_missing_locations(statements), "<setup>", "exec"), namespace)
    return eval(compile(ast.fix_missing_locations(expression), "<example>", "eval"), namespace)


def _unmoved(item: Any, *args: Any, **kwargs: Any) -> Any:
    return item


def _evaluated(function: Any) -> Any:
    """A module that is called, or whose own method is, runs in `eval()`; `.to()` and the like do nothing."""
    owner = getattr(function, "__self__", function)
    inherited = hasattr(torch.nn.Module, getattr(function, "__name__", "forward"))
    if isinstance(owner, torch.nn.Module) and (function is owner or function == owner.forward or not inherited):
        owner.eval()
    return function


class _Evaluate(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        node.func = ast.Call(ast.Name("__evaluated__", ast.Load()), [node.func], [])
        return node


def import_scope(root: str, scope: str) -> ModuleType:
    """The file as the module that other files of the workspace would import."""
    path = os.path.join(root, scope)
    folder = os.path.dirname(path)
    base = folder
    while os.path.isfile(os.path.join(base, "__init__.py")) and base != root:
        base = os.path.dirname(base)
    if base == folder and base != root:
        base = root  # a folder without `__init__.py`: a namespace package below the root
    sys.path[:0] = list(dict.fromkeys([root, base, folder] if base == root else [base, root]))
    name = os.path.relpath(path, base).removesuffix(".py").removesuffix(os.sep + "__init__").replace(os.sep, ".")
    if all(part.isidentifier() for part in name.split(".")):
        return importlib.import_module(name)
    spec = importlib.util.spec_from_file_location(os.path.basename(path).removesuffix(".py"), path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    spec.loader.exec_module(module)
    return module
