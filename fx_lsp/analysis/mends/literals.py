"""Sizes that do not fit, where the one that is wrong is written as a number somewhere that led there.

state = model.init_state(16)  # fails where batches of 8 are read; meant is 8
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes._call import numbers
from fx_lsp.analysis.causes.recurrent_state import expected
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._pairs import pairs
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source, walk
from fx_lsp.model.value import Group, TensorType

LEAST = 3
"""Smaller numbers are written for many things."""
MAX_FOUND = 4
_LAST = ("in_features", "input_size", "embed_dim", "normalized_shape")
_SECOND = ("in_channels", "num_features", "num_channels")


def propose(broken: Broken) -> Iterator[Edit]:
    """The other number in its place: in the functions that led there, the innermost first, then anywhere."""
    found: dict[int, Edit] = {}
    for old, new in dict.fromkeys(_sizes(broken)):
        for source, node in _written(broken, old) if old >= LEAST and new > 0 else ():
            title = f"Change {old} to {_text.title(str(new))}, line {node.lineno}"
            found.setdefault(id(node), Edit(title, source.path, _text.instead(source, node, str(new))))
    yield from islice(found.values(), MAX_FOUND)


def _sizes(broken: Broken) -> Iterator[tuple[int, int]]:
    """What is wrong and what is wanted, either way round."""
    if broken.cause == "recurrent-state":
        wanted, given = expected(broken.call), broken.call.operand(1, "hx")
        value = given.value if given is not None else None
        value = value.items[0] if isinstance(value, Group) and value.items else value
        shape = value.shape if isinstance(value, TensorType) else ()
        same = wanted and shape and len(shape) == len(wanted)
        both = list(zip(shape, wanted, strict=True)) if same and wanted and shape else []
    elif broken.call.settings:
        shape, settings = broken.call.shape(0, "input", "query") or (), broken.call.settings
        last = next((found[-1] for one in _LAST if (found := numbers(settings.get(one)))), 0)
        second = next((found[0] for one in _SECOND if (found := numbers(settings.get(one)))), 0)
        both = [(shape[-1], last)] if shape and last else [(shape[1], second)] if len(shape) > 1 and second else []
    else:
        both = [(shape[dim], other[back]) for (_, shape), (_, other), differ in pairs(broken) for dim, back in differ]
    for one, other in both:
        if one != other:
            yield from ((one, other), (other, one))


def _written(broken: Broken, number: int) -> Iterator[tuple[Source, ast.Constant]]:
    seen: set[int] = set()
    for source, node in ((broken.source, broken.node), *broken.callers):
        function = innermost(source, node)
        for one in walk(function) if function is not None else ():
            if isinstance(one, ast.Constant) and type(one.value) is int and one.value == number:
                seen.add(id(one))
                yield source, one
    for source in broken.files():
        for one in source.every(ast.Constant):
            if type(one.value) is int and one.value == number and id(one) not in seen:
                yield source, one


_CAUSES = ("broadcast-sizes", "cat-sizes", "matmul-sizes", "loss-sizes", "linear-features", "conv-channels",
           "norm-features", "recurrent-features", "recurrent-state", "attention-sizes")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose, last=True)
