"""More features than a layer was made for, where several tensors are joined before it: one of them left out.

x = self.merge(torch.cat((att, x, lower), dim=1))  # is made for two of them
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import path
from fx_lsp.analysis.mends.joined import JOINING

MAX_JOINED = 5


def propose(broken: Broken) -> Iterator[Edit]:
    """Of what was joined last, each in turn; the only one that is left is not joined."""
    for step in path(broken):
        joins = isinstance(step.node, ast.Call) and called(step.node) in JOINING
        first = step.node.args[0] if isinstance(step.node, ast.Call) and joins and step.node.args else None
        if isinstance(first, ast.Name):
            for text in (f"{first.id}[1:]", f"{first.id}[:-1]"):
                yield Edit(f"Join {_text.title(text)}", step.source.path, _text.instead(step.source, first, text))
            return
        if not isinstance(first, ast.List | ast.Tuple):
            continue
        texts = [_text.written(step.source, one) for one in first.elts]
        for left in range(len(texts)) if 1 < len(texts) <= MAX_JOINED else ():
            kept = [text for place, text in enumerate(texts) if place != left]
            alone = [one for place, one in enumerate(first.elts) if place != left]
            whole = len(alone) == 1 and not isinstance(alone[0], ast.Starred)
            node, new = (step.node, _text.alone(step.source, alone[0])) if whole else (first, f"[{', '.join(kept)}]")
            yield Edit(f"Leave out {_text.title(texts[left])}", step.source.path, _text.instead(step.source, node, new))
        return


MEND = Mend(frozenset({"conv-channels", "linear-features", "norm-features", "recurrent-features"}), propose, guess=True)
