"""After `return`: what the function gave back there."""

from __future__ import annotations

from collections.abc import Iterable

from fx_lsp.analysis.hints import Hint, HintKind
from fx_lsp.analysis.hints._bindings import bound
from fx_lsp.analysis.snapshot import Snapshot

ROLES = frozenset({"return"})


def find(snapshot: Snapshot) -> Iterable[Hint]:
    """One hint for each place."""
    return bound(snapshot, HINT.id, ROLES)


HINT = HintKind(id="result", title="Results", find=find)
