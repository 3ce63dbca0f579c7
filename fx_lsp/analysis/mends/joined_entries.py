"""Among what is joined a list, a tuple or nothing at all: spread out, one of them taken, left out."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.cat_sizes import TARGETS
from fx_lsp.analysis.causes.tensor_expected import NOTHING
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._bound import listed
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.model.failure import JOINED
from fx_lsp.model.value import Group, TensorType, Value

_CHOSEN = 3
"""Of several tensors, so many from the first one on."""


def propose(broken: Broken) -> Iterator[Edit]:
    """In the list as it is written; else where entries are added to it, or where it is given."""
    written = broken.node.args[0] if isinstance(broken.node, ast.Call) and broken.node.args else None
    given = [one.value for one in broken.call.operands]
    if broken.call.target == JOINED and isinstance(written, ast.List | ast.Tuple):
        for node, one in zip(written.elts, given, strict=False):
            yield from broken.instead(node, (f"*{broken.alone(node)}",) if _tensors(one) else ())
        kept = [broken.text(node) for node, one in zip(written.elts, given, strict=False) if one != NOTHING]
        left_out = 0 < len(kept) < len(written.elts) == len(given)
        yield from broken.instead(written, (f"[{', '.join(kept)}]",) if left_out else ())
        held = given
    elif broken.call.target in TARGETS and given and isinstance(given[0], Group):
        held = [*given[0].items]
        yield from _each(broken, written, held)
    else:
        return
    if written is not None and any(one == NOTHING for one in held):
        yield from broken.instead(written, (f"[one for one in {broken.text(written)} if one is not None]",))


def _each(broken: Broken, written: ast.expr | None, held: list[Value]) -> Iterator[Edit]:
    """One of several where they are added; all of them where they are given."""
    several = next((one for one in held if _tensors(one)), None)
    if written is None or not isinstance(several, Group):
        return
    for _, node in listed(broken.source, written) if isinstance(written, ast.Name) else ():
        entry = node.elt if isinstance(node, ast.ListComp) else node
        if isinstance(entry, ast.Call | ast.Name | ast.Attribute):
            yield from broken.after(entry, (f"[{number}]" for number in range(min(len(several.items), _CHOSEN))))
    if all(_tensors(one) for one in held):
        each = broken.alone(written)
        yield from broken.instead(written, (f"[one[0] for one in {each}]", f"[one for some in {each} for one in some]"))


def _tensors(value: Value) -> bool:
    """Whether it is a list or a tuple of tensors."""
    if not isinstance(value, Group) or value.form not in ("tuple", "list"):
        return False
    return bool(value.items) and all(isinstance(one, TensorType) for one in value.items)


MEND = Mend(frozenset({"none-given", "tensor-expected"}), propose)
