"""Masks: of bools where they are taken, numbers where those are."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.mask_dtype import places
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._places import number


def propose(broken: Broken) -> Iterator[Edit]:
    """`~mask` for `1 - mask`; else a cast."""
    if broken.cause == "mask-dtype":
        for place, names in places(broken.call):
            mask, node = broken.call.operand(place, *names), broken.place(place, *names)
            if mask is not None and mask.dtype and mask.dtype != "b8":
                yield from _of_bools(broken, node)
        return
    given = [(broken.place(place), one) for place, one in enumerate(broken.call.operands) if one.dtype == "b8"]
    node = broken.node
    for mask, _ in given[:1] if len(given) == 1 else ():
        if mask is not None and isinstance(node, ast.BinOp) and mask is node.right and number(node.left) == 1:
            yield from broken.instead(node, (f"~{broken.alone(mask)}",))
        if mask is not None and isinstance(node, ast.UnaryOp):
            yield from broken.instead(node, (f"~{broken.alone(mask)}",))
        yield from broken.after(mask, (".float()", ".long()"))


def _of_bools(broken: Broken, mask: ast.expr | None) -> Iterator[Edit]:
    if isinstance(mask, ast.BinOp) and isinstance(mask.op, ast.Sub) and number(mask.left) == 1:
        yield from broken.instead(mask, (f"{broken.alone(mask.right)} == 0",))
    yield from broken.after(mask, (".bool()",))


MEND = Mend(frozenset({"bool-arithmetic", "mask-dtype"}), propose)
