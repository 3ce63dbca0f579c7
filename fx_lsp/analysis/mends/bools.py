"""Masks: of bools where they are taken, numbers where those are."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.mask_dtype import place
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._places import number


def propose(broken: Broken) -> Iterator[Edit]:
    """`~mask` for `1 - mask`; else a cast."""
    if broken.cause == "mask-dtype":
        yield from broken.after(broken.place(place(broken.call), "condition", "mask", "attn_mask"), (".bool()",))
        return
    given = [(broken.place(place), one) for place, one in enumerate(broken.call.operands) if one.dtype == "b8"]
    node = broken.node
    for mask, _ in given[:1] if len(given) == 1 else ():
        if mask is not None and isinstance(node, ast.BinOp) and mask is node.right and number(node.left) == 1:
            yield from broken.instead(node, (f"~{broken.alone(mask)}",))
        if mask is not None and isinstance(node, ast.UnaryOp):
            yield from broken.instead(node, (f"~{broken.alone(mask)}",))
        yield from broken.after(mask, (".float()", ".long()"))


MEND = Mend(frozenset({"bool-arithmetic", "mask-dtype"}), propose)
