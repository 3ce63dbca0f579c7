"""What a file calls a module."""

from __future__ import annotations

import ast

from fx_lsp.analysis.source import Source


def imported(source: Source, name: str) -> str:
    """`F` for `torch.nn.functional`; by way of its parent where that is imported; empty where neither is."""
    parent, _, last = name.rpartition(".")
    found: dict[str, str] = {}
    for one in ast.walk(source.tree) if source.tree is not None else ():
        if isinstance(one, ast.Import):
            found.update({alias.name: alias.asname or alias.name for alias in one.names})
        elif isinstance(one, ast.ImportFrom) and not one.level:
            found.update({f"{one.module}.{alias.name}": alias.asname or alias.name for alias in one.names})
    if name in found:
        return found[name]
    above = imported(source, parent) if parent else ""
    return f"{above}.{last}" if above else ""
