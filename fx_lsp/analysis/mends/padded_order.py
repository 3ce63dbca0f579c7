"""Sizes that do not fit, of what was padded by other numbers in each dim: in the order in which these are given.

x = F.pad(x, (top, bottom, left, right))  # the last dim comes first: `(left, right, top, bottom)`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import path


def propose(broken: Broken) -> Iterator[Edit]:
    """The numbers of each dim together, the dims the other way round."""
    for step in path(broken):
        call = step.node if isinstance(step.node, ast.Call) and called(step.node) == "pad" else None
        for given in (*call.args[1:2], *(one.value for one in call.keywords if one.arg == "pad")) if call else ():
            texts = (
                [_text.written(step.source, one) for one in given.elts]
                if isinstance(given, ast.List | ast.Tuple)
                else []
            )
            pairs = [", ".join(texts[place : place + 2]) for place in range(0, len(texts), 2)]
            if len({*pairs}) > 1 and len(texts) % 2 == 0:
                ends = ("[", "]") if isinstance(given, ast.List) else ("(", ")")
                text = f"{ends[0]}{', '.join(reversed(pairs))}{ends[1]}"
                title = f"Pad by {_text.title(text)}, line {given.lineno}"
                yield Edit(title, step.source.path, _text.instead(step.source, given, text))


MEND = Mend(frozenset({"broadcast-sizes", "cat-sizes", "linear-features", "conv-channels"}), propose, beside=True)
