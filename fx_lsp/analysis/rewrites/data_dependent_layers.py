"""A branch on what a tensor holds, with layers on its sides: it stops the device, and breaks compilation and export.

Before:
    if x.mean() > 0:
        y = self.large(x)
    else:
        y = self.small(x)
After:
    y = torch.cond(x.mean() > 0, lambda x: self.large(x), lambda x: self.small(x), (x,))
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._branches import Branch, branches, texts
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._write import Unwritable, spelled
from fx_lsp.analysis.rewrites.data_dependent_if import is_cheap

_SAYS = (
    "layers of the side that is not taken get a gradient of 0 in place of none, "
    "and calls outside of torch.compile take longer"
)


def find(flow: Flow) -> Iterator[Found]:
    """Branches of which a side calls something, and no two of which could both be computed."""
    for branch in branches(flow):
        calls = any(isinstance(node, ast.Call) for side in branch.sides for node in ast.walk(side))
        if not calls or is_cheap(flow, branch):
            continue
        try:
            torch, imported = spelled(flow.file, "torch")
            sides = texts(flow.file, branch)
            names = _given(flow, branch)
            one, other = (f"lambda{''.join(f' {name},' for name in names).rstrip(',')}: {_own(side, text)}"
                          for side, text in zip(branch.sides, sides, strict=True))  # fmt: skip
            given = f"({', '.join(names)}{',' * (len(names) == 1)})"
            changes = branch.replaced(flow.file, f"{torch}.cond({branch.condition}, {one}, {other}, {given})")
            yield Found(branch.node, (*changes, *imported), _SAYS, zeros=True)
        except Unwritable:
            continue


def _given(flow: Flow, branch: Branch) -> list[str]:
    """Variables of either side that are tensors."""
    read = [node.id for side in branch.sides for node in ast.walk(side) if isinstance(node, ast.Name)]
    return [name for name in dict.fromkeys(read) if flow.tensor(flow.variable(name, branch.statement)) is not None]


def _own(side: ast.expr, text: str) -> str:
    """A side is not to be what it is given itself."""
    return f"{text}.clone()" if isinstance(side, ast.Name) else text


RULE = Rewrite("data-dependent-layers", "Branch with torch.cond", find)
