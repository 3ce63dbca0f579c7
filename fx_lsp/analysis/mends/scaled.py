"""Maps that do not fit, where one is resized by a factor: to the size of what it meets.

torch.cat([x, F.interpolate(low, scale_factor=4)], dim=1)  # meant is `size=x.shape[2:]`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import path
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import walk


def propose(broken: Broken) -> Iterator[Edit]:
    """Of each that is resized in the function that fails, as large as a variable that it is joined with or added to."""
    inside = [one for one in walk(broken.node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)]
    function, steps = innermost(broken.source, broken.node), path(broken)
    resized = [one.node for one in steps if isinstance(one.node, ast.Call) and called(one.node) == "interpolate"
               and innermost(one.source, one.node) is function]  # fmt: skip
    starred = {one.value.id for one in walk(broken.node)
               if isinstance(one, ast.Starred) and isinstance(one.value, ast.Name)}  # fmt: skip
    plain = [one.id for one in inside if one.id not in {*starred, "torch", "F", "nn", "self"}]
    for call in resized:
        factor = next((one for one in call.keywords if one.arg == "scale_factor"), None)
        own = {one.id for one in walk(call) if isinstance(one, ast.Name)}
        for name in dict.fromkeys(name for name in plain if name not in own) if factor is not None else ():
            text = f"size={name}.shape[2:]"
            yield Edit(f"Resize to {_text.title(text)}", broken.source.path,
                       _text.instead(broken.source, factor, text) if factor is not None else ())  # fmt: skip


MEND = Mend(frozenset({"cat-sizes", "broadcast-sizes"}), propose)
