"""A new tensor in place of a change of one that the backward pass needs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken

_SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.MatMult: "@", ast.Pow: "**", ast.FloorDiv: "//",
    ast.Mod: "%", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
}  # fmt: skip


def propose(broken: Broken) -> Iterator[Edit]:
    """`x = x + h` for `x += h`, `x = x.add(h)` for `x.add_(h)`."""
    node = broken.node
    if isinstance(node, ast.AugAssign) and (sign := _SIGNS.get(type(node.op))) is not None:
        value = broken.text(node.value) if _is_tight(node.value) else f"({broken.text(node.value)})"
        target = broken.text(node.target)
        yield from broken.instead(node, (f"{target} = {target} {sign} {value}",))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.endswith("_"):
        target, func = broken.text(node.func.value), broken.text(node.func)
        call = broken.text(node).replace(func, func[:-1], 1)
        shown = _text.title(f"{target} = {call}")
        yield Edit(f"Use {shown}", broken.source.path, _text.instead(broken.source, node, f"{target} = {call}"))


def _is_tight(value: ast.expr) -> bool:
    return not isinstance(value, ast.BinOp | ast.BoolOp | ast.Compare | ast.IfExp | ast.Lambda | ast.NamedExpr)


MEND = Mend(frozenset({"in-place-on-saved"}), propose)
