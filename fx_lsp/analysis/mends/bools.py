"""Masks: of bools where they are taken, numbers where those are."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.mask_dtype import wrong
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._places import number

_LEFT_OUT = "key_padding_mask"


def propose(broken: Broken) -> Iterator[Edit]:
    """`~mask` for `1 - mask`; else a cast."""
    if broken.cause == "mask-dtype":
        for _, (place, names) in wrong(broken.call):
            yield from _of_bools(broken, broken.place(place, *names), names)
        return
    given = [(broken.place(place), one) for place, one in enumerate(broken.call.operands) if one.dtype == "b8"]
    node = broken.node
    for mask, _ in given[:1] if len(given) == 1 else ():
        if mask is not None and isinstance(node, ast.BinOp) and mask is node.right and number(node.left) == 1:
            yield from broken.instead(node, (f"~{broken.alone(mask)}",))
        if mask is not None and isinstance(node, ast.UnaryOp):
            yield from broken.instead(node, (f"~{broken.alone(mask)}",))
        yield from broken.after(mask, (".float()", ".long()"))


def _of_bools(broken: Broken, mask: ast.expr | None, names: tuple[str, ...]) -> Iterator[Edit]:
    """What is left out of an attention is what is True; masks that tokenizers make have ones for what is there."""
    if isinstance(mask, ast.BinOp) and isinstance(mask.op, ast.Sub) and number(mask.left) == 1:
        yield from broken.instead(mask, (f"{broken.alone(mask.right)} == 0",))
    elif mask is not None and names[0].endswith(_LEFT_OUT) and "pad" not in broken.text(mask):
        yield from broken.instead(mask, (f"{broken.alone(mask)} == 0",))
    yield from broken.after(mask, (".bool()",))


MEND = Mend(frozenset({"bool-arithmetic", "mask-dtype"}), propose)
