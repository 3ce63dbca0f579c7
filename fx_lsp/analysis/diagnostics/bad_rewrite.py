"""A rewrite of the workspace's own that cannot be used.

    def before(x): return torch.relu(x)

Instead: add what it becomes, `def after(x): return (x > 0) * x`.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.rewrites._own import FILE, own_rewrites
from fx_lsp.analysis.snapshot import Problem, Snapshot


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """In the file in which they are looked for by itself."""
    if os.path.basename(snapshot.path) == FILE:
        for span, message in own_rewrites(snapshot.path, snapshot.text)[1]:
            yield Problem(span, "warning", RULE.id, message)


RULE = Rule(id="bad-rewrite", title="A rewrite that cannot be used", find=find)
