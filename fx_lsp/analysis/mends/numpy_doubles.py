"""Doubles that numpy makes where a layer has floats: numbers of float32 where they are made.

return self.rng.normal(size=8)  # meant is `.astype(np.float32)`: `torch.from_numpy` keeps f64
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import dropwhile, islice

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._imports import imported
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import path
from fx_lsp.analysis.source import Source, walk

MAX_FOUND = 4
_TAKING = ("from_numpy", "as_tensor", "tensor")
"""Functions of torch that keep the type of an array."""
_CASTS = ("float", "long", "to", "half", "bool")

_DRAWING = ("normal", "standard_normal", "uniform", "rand", "randn", "random", "exponential", "gamma", "laplace")
"""Methods of the generators of numpy, which draw doubles."""
_MAKING = ("stack", "concatenate", "array", "linspace", "zeros", "ones", "sin", "cos", "column_stack", "hstack")
"""Functions of numpy that make doubles where nothing else is said."""
_TYPED = ("astype", "from_numpy", "as_tensor", "tensor")


def propose(broken: Broken) -> Iterator[Edit]:
    """What is called on the way to the array, the nearest call first; then all arrays of a file at once."""
    yield from islice(_arrays(broken), MAX_FOUND)
    if any(one.dtype == "f64" for one in (*broken.call.operands, *broken.call.named.values())):
        for source in {source.path: source for source, _ in broken.places}.values():
            yield from _together(source)
        files = [*(source for source, _ in broken.places), *broken.files()]
        for wanted in (_draws, _makes):
            yield from islice(_drawn(files, wanted), MAX_FOUND)


def _together(source: Source) -> Iterator[Edit]:
    """What is stored and taken out again comes from several arrays."""
    cast = {id(one.value) for one in source.every(ast.Attribute) if one.attr in _CASTS}
    calls = [one for one in source.every(ast.Call) if called(one) == "from_numpy" and id(one) not in cast]
    changes = [change for one in calls for change in _text.after(source, one, ".float()")]
    if len(calls) > 1:
        yield Edit("Make floats of all that `from_numpy` gives", source.path, tuple(changes))


def _drawn(sources: Iterable[Source], wanted: Callable[[ast.Call, str], bool]) -> Iterator[Edit]:
    """Where an array of random or other numbers is bound: a data set keeps it, and a loader makes tensors of it."""
    for source in {source.path: source for source in sources}.values():
        numpy = imported(source, "numpy")
        for one in source.every(ast.Assign) if numpy else ():
            inside = [part for part in walk(one.value) if isinstance(part, ast.Call)]
            if any(wanted(part, numpy) for part in inside) and not any(called(part) in _TYPED for part in inside):
                yield _text.suffixed(source, one.value, f".astype({numpy}.float32)")


def _makes(call: ast.Call, numpy: str) -> bool:
    """`np.stack(…)`, `np.linspace(…)`, without a type."""
    typed = any(one.arg == "dtype" for one in call.keywords)
    return called(call) in _MAKING and ast.unparse(call.func).partition(".")[0] == numpy and not typed


def _draws(call: ast.Call, numpy: str) -> bool:
    """`rng.normal(size=8)`, `np.random.rand(8)`; not of torch, which draws floats."""
    root = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    return called(call) in _DRAWING and bool(root) and root.partition(".")[0] != "torch"


def _arrays(broken: Broken) -> Iterator[Edit]:
    given = [(str(key), one) for key, one in (*enumerate(broken.call.operands), *broken.call.named.items())]
    written = {key: broken.written[key] for key, one in given if one.dtype == "f64" and key in broken.written}
    steps = dropwhile(lambda step: not _takes(step.node), path(replace(broken, written=written)))
    for step in steps:
        numpy = imported(step.source, "numpy")
        if numpy and isinstance(step.node, ast.Call) and not _takes(step.node):
            yield _text.suffixed(step.source, step.node, f".astype({numpy}.float32)")


def _takes(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and called(node) in _TAKING


MEND = Mend(frozenset({"mixed-dtypes"}), propose)
