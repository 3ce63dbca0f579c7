"""Parts that get shorter and shorter, since a slice ends at a length in place of that far from where it starts.

cos[start : ids.size(1)]  # meant is `start : start + ids.size(1)`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._path import path
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.mends._statements import statement_of


def propose(broken: Broken) -> Iterator[Edit]:
    """Slices that are written alike in one statement together, since they are of tensors that are used together."""
    for step in path(broken):
        inside = ast.walk(step.node.slice) if isinstance(step.node, ast.Subscript) else ()
        for part in (one for one in inside if isinstance(one, ast.Slice)):
            lower, upper = part.lower, part.upper
            if not isinstance(lower, ast.Name | ast.Attribute) or upper is None or number(upper) is not None:
                continue
            start, end = _text.written(step.source, lower), _text.written(step.source, upper)
            if start not in end:
                text, statement = f"{start}:{start} + {end}", statement_of(step.source, step.node) or step.node
                alike = [one for one in ast.walk(statement) if isinstance(one, ast.Slice)]
                spans = [step.source.span(one) for one in alike if ast.dump(one) == ast.dump(part)]
                title = f"Use {_text.title(f'[{text}]')}, line {part.lineno}"
                yield Edit(title, step.source.path, tuple((span, text) for span in spans))


_CAUSES = ("assigned-sizes", "broadcast-sizes", "cat-sizes", "view-elements", "matmul-sizes", "einsum-sizes",
           "index-range", "linear-features", "loss-sizes", "attention-sizes", "unpack-dims")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose, beside=True)
