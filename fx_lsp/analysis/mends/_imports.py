"""What a file calls a module."""

from __future__ import annotations

import ast

from fx_lsp.analysis.source import Source


def imported(source: Source, name: str) -> str:
    """`F` for `torch.nn.functional`; by way of its parent where that is imported; empty where neither is."""
    parent, _, last = name.rpartition(".")
    found: dict[str, str] = {}
    for one in (*source.every(ast.Import), *source.every(ast.ImportFrom)):
        if isinstance(one, ast.Import):
            found.update({alias.name: alias.asname or alias.name for alias in one.names})
        elif not one.level:
            found.update({f"{one.module}.{alias.name}": alias.asname or alias.name for alias in one.names})
    if name in found:
        return found[name]
    above = imported(source, parent) if parent else ""
    return f"{above}.{last}" if above else ""
