"""A layer or a parameter that the class makes and never uses: it is saved, moved and decayed for nothing, and training
on several devices waits for its gradient.

Before:
    self.proj = nn.Linear(512, 512)
    self.scale = nn.Parameter(torch.ones(512))
After:
    (nothing)
"""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._class import is_closed, made, reads
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._write import Unwritable, removed

_SAYS = "its entries are gone from the state dict"


def find(flow: Flow) -> Iterator[Found]:
    """Statements of `__init__` that make what no other line of the file names."""
    file, owner = flow.file, flow.owner
    if flow.function.name != "__init__" or owner is None or len(flow.function.body) < 3:
        return
    for one in made(file, owner, others=True).values():
        if reads(file, owner, one.name) or not is_closed(file, owner):
            continue
        is_parameter = file.dotted(one.value.func).endswith(".Parameter")
        try:
            title = "Take the parameter away" if is_parameter else ""
            yield Found(one.statement, (removed(file, one.statement),), _SAYS, title)
        except Unwritable:
            continue


RULE = Rewrite("layer-unused", "Take the layer away", find)
