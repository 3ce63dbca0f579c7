"""A module where a tensor is taken: its weight.

queries = self.table.unsqueeze(0)  # an `nn.Embedding`; its table is meant, `self.table.weight.unsqueeze(0)`
"""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.tensor_expected import kind_of
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._operand import operand
from fx_lsp.model.failure import MODULE


def propose(broken: Broken) -> Iterator[Edit]:
    """Where it is taken."""
    node = operand(broken)
    if broken.call.operands and node is not None and kind_of(broken.call.operands[0]) == MODULE:
        yield from broken.instead(node, (f"{broken.text(node)}.weight",))


MEND = Mend(frozenset({"tensor-expected"}), propose)
