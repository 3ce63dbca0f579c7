"""Masks turned round, and masks of True and False in place of numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._statements import around

_OTHER: dict[type[ast.cmpop], str] = {ast.Eq: "!=", ast.NotEq: "=="}


def propose(broken: Broken) -> Iterator[Edit]:
    """By the rule that warns, which stands at the mask."""
    mask = broken.node
    if not isinstance(mask, ast.expr):
        return
    if broken.cause == "mask-inverted":
        yield from broken.instead(mask, (_turned(broken, mask),))
    elif isinstance(around(broken.source, mask), ast.BinOp):
        yield from broken.instead(mask, (f"(1 - {broken.alone(mask)}) * -1e9",))
    else:
        yield from broken.after(mask, (".bool()",))


def _turned(broken: Broken, mask: ast.expr) -> str:
    if isinstance(mask, ast.UnaryOp) and isinstance(mask.op, ast.Invert):
        return broken.alone(mask.operand)
    other = _OTHER.get(type(mask.ops[0])) if isinstance(mask, ast.Compare) and len(mask.ops) == 1 else None
    if other is not None and isinstance(mask, ast.Compare):
        return f"{broken.text(mask.left)} {other} {broken.text(mask.comparators[0])}"
    return f"~{broken.alone(mask)}"


MEND = Mend(frozenset({"mask-inverted", "mask-of-numbers"}), propose)
