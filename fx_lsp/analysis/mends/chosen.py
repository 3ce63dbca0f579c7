"""A sequence of layers made by a function from a list of sizes: another size in the list that it is given.

self.points = mlp([x_dim, hidden, hidden])  # is given x and y joined; meant is `x_dim + y_dim`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._makers import makers_for
from fx_lsp.analysis.mends._sizes import likely, possible, terms
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source

MAX_CALLS = 2
_SIZES = ("in_features", "in_channels", "num_features")


def propose(broken: Broken) -> Iterator[Edit]:
    """Of the list that the function was called with for the attribute that is called: its first size, then others."""
    shape, settings = broken.call.shape(0, "input"), broken.call.settings
    name = next((one for one in _SIZES if isinstance(settings.get(one), int)), None)
    if not shape or len(shape) < 2 or name is None:
        return
    size = shape[-1] if name == "in_features" else shape[1]
    for made in broken.made[:1]:
        function = innermost(made.source, made.node)
        for source, caller in broken.places if function is not None else ():
            calls = makers_for(source, caller, function.name) if function and isinstance(caller, ast.expr) else []
            if calls:
                for call in calls[:MAX_CALLS]:
                    yield from _listed(source, call, settings[name], size)
                return


def _listed(source: Source, call: ast.Call, old: int, size: int) -> Iterator[Edit]:
    lists = [one for one in call.args if isinstance(one, ast.List | ast.Tuple)]
    for node in (part for one in lists for part in one.elts[:2]):
        known = {ast.unparse(node): old}
        texts = [*likely(source, call, node, size, known)]
        texts += terms(source, call, node, size - old, known) if old < size else ()
        texts += [*possible(source, call, node, known), str(size)]
        for text in dict.fromkeys(texts):
            title = f"Change {_text.title(_text.written(source, node))} to {_text.title(text)}"
            yield Edit(f"{title}, line {node.lineno}", source.path, _text.instead(source, node, text))


MEND = Mend(frozenset({"linear-features", "conv-channels", "norm-features"}), propose)
