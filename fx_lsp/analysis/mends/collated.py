"""Samples of different sizes, that a loader does not stack by itself: the function of the workspace that joins them.

loader = DataLoader(Sentences(), batch_size=4)  # def collate(batch): ...
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._made import Made
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.source import Source

_STACK = "stack"
_OWN = "collate_fn"


def propose(broken: Broken) -> Iterator[Edit]:
    """Of the files that led there; a call of `torch.stack` that somebody wrote is another matter."""
    if broken.call.target != _STACK or (isinstance(broken.node, ast.Call) and called(broken.node) == _STACK):
        return
    for source in {source.path: source for source, _ in broken.places}.values():
        calls = [one for one in source.every(ast.Call) if called(one) == "DataLoader"]
        for call in (one for one in calls if not any(keyword.arg in (_OWN, None) for keyword in one.keywords)):
            for name in _collating(source):
                yield from Made(source, call, (), {}).added(f"{_OWN}={name}")


def _collating(source: Source) -> Iterator[str]:
    """Functions that the file has or imports, and that are called so."""
    own = [
        one.name for one in (source.tree.body if source.tree is not None else ()) if isinstance(one, ast.FunctionDef)
    ]
    aliases = [alias for one in source.every(ast.ImportFrom) for alias in one.names]
    for name in (*own, *(alias.asname or alias.name for alias in aliases)):
        if "collate" in name.lower() and name != "default_collate":
            yield name


MEND = Mend(frozenset({"cat-sizes"}), propose)
