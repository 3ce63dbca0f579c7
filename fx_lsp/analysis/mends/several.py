"""Several tensors where one is taken: the first of them, by name or by number; the last of a list; a field."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.tensor_expected import fielded, several
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._bound import unbound
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import walk
from fx_lsp.model.value import TensorType

_NAMED = 3
"""Of more tensors the others get one star."""
_PAIR = 2
OF_TWO = ("min", "max")
"""Functions of one tensor or of two."""


def propose(broken: Broken) -> Iterator[Edit]:
    """Where the name is bound first: what uses it once may use it again."""
    for number, given in enumerate(broken.call.operands):
        held, node = several(given), broken.place(number)
        yield from _fields(broken, number)
        if held is None or node is None:
            continue
        if broken.call.target in OF_TWO and len(held.items) == 2:
            yield from broken.instead(node, (f"*{broken.alone(node)}",))
        bound = _bound(broken, node) if isinstance(node, ast.Name) else None
        if bound is not None and len(held.items) > 1 and isinstance(bound.value, ast.Call):
            blanks = ["_"] * (len(held.items) - 1) if len(held.items) <= _NAMED else ["*_"]
            missing = unbound(broken.source, bound)
            if 0 < len(missing) < len(held.items):
                both = [broken.text(bound.targets[0]), *missing, *blanks[len(missing) :]]
                yield from broken.instead(bound.targets[0], (", ".join(both),))
            yield from broken.instead(bound.targets[0], (", ".join([broken.text(bound.targets[0]), *blanks]),))
        first = [*range(min(len(held.items), _NAMED))]
        # A list holds one for each step, and the last is what the steps came to.
        for item in [-1, *first] if held.form == "list" and len(held.items) > _PAIR else first:
            yield from broken.after(bound.value if bound is not None else node, (f"[{item}]",))
        yield from broken.after(node if bound is not None else None, ("[0]",))


def _fields(broken: Broken, number: int) -> Iterator[Edit]:
    """Those with the sizes of what it meets first, then the other tensors."""
    held, shapes = fielded(broken.call.operands[number]), [one.shape for one in broken.call.operands]
    tensors = (
        [(key, one) for key, one in zip(held.keys, held.items, strict=True) if isinstance(one, TensorType)]
        if held
        else []
    )
    for key, _ in sorted(tensors, key=lambda pair: pair[1].shape not in shapes)[:_NAMED]:
        suffix = f"[{key}]" if held is not None and held.form == "dict" else f".{key}"
        yield from broken.after(broken.place(number), (suffix,))


def _bound(broken: Broken, name: ast.Name) -> ast.Assign | None:
    """The last assignment of the name alone before its use, in the same function."""
    function = innermost(broken.source, name)
    found = [
        one
        for one in (walk(function) if function is not None else ())
        if isinstance(one, ast.Assign) and (one.end_lineno or 0) < name.lineno and len(one.targets) == 1
    ]
    own = [one for one in found if any(isinstance(part, ast.Name) and part.id == name.id
                                       for part in walk(one.targets[0]))]  # fmt: skip
    last = max(own, key=lambda one: one.lineno, default=None)
    return last if last is not None and isinstance(last.targets[0], ast.Name) else None


MEND = Mend(frozenset({"tensor-expected"}), propose)
