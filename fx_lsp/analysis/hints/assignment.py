"""After each name bound by an assignment, a loop, `with`, `:=`, a comprehension or `case`."""

from __future__ import annotations

from collections.abc import Iterable

from fx_lsp.analysis.hints import Hint, HintKind
from fx_lsp.analysis.hints._bindings import bound
from fx_lsp.analysis.snapshot import Snapshot

ROLES = frozenset({"assign", "for", "with", "walrus", "comprehension", "match"})


def find(snapshot: Snapshot) -> Iterable[Hint]:
    """One hint for each place."""
    return bound(snapshot, HINT.id, ROLES)


HINT = HintKind(id="assignment", title="Assigned names", find=find)
