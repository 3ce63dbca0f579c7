"""Sizes that do not fit, where the first of something are taken into a variable of their own, and stay in it as well.

tokens = x[:, :count]
x.transpose(1, 2).reshape(b, c, h, w)  # meant is `x = x[:, count:]` before
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._statements import following, innermost


def propose(broken: Broken) -> Iterator[Edit]:
    """The others after that, where what fails uses all of them."""
    function = innermost(broken.source, broken.node)
    used = {one.id for one in ast.walk(broken.node) if isinstance(one, ast.Name)}
    inside = ast.walk(function) if function is not None else ()
    for one in (one for one in inside if isinstance(one, ast.Assign)):
        value = one.value if isinstance(one.targets[0], ast.Name) else None
        name = value.value.id if isinstance(value, ast.Subscript) and isinstance(value.value, ast.Name) else ""
        if not isinstance(value, ast.Subscript) or name not in used or ast.unparse(one.targets[0]) == name:
            continue
        parts = value.slice.elts if isinstance(value.slice, ast.Tuple) else [value.slice]
        last = parts[-1]
        after = following(function, one.end_lineno or one.lineno) if function is not None else None
        if (
            isinstance(last, ast.Slice)
            and last.lower is None
            and last.upper is not None
            and last.step is None
            and after
        ):
            before = [_text.written(broken.source, part) for part in parts[:-1]] if len(parts) > 1 else []
            index = ", ".join([*before, f"{_text.written(broken.source, last.upper)}:"])
            if after.lineno <= broken.node.lineno:
                yield broken.inserted(after, f"{name} = {name}[{index}]")


_CAUSES = ("view-elements", "axes-pattern", "broadcast-sizes", "cat-sizes", "unflatten-sizes", "matmul-sizes")
MEND = Mend(frozenset(_CAUSES), propose, sure=True)
