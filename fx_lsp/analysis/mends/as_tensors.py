"""Numbers, a list or an array where a tensor is taken: a tensor of them; one of all tensors of a list.

lengths = [len(one) for one in texts]
mask = steps < lengths.unsqueeze(1)  # meant is `torch.tensor(lengths)`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.tensor_expected import kind_of, several
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import is_copy
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._imports import imported
from fx_lsp.analysis.mends._operand import operand
from fx_lsp.analysis.mends._path import path_of
from fx_lsp.analysis.mends.several import OF_TWO
from fx_lsp.model.failure import MODULE

_NUMBERS = (ast.List, ast.ListComp, ast.Call, ast.Tuple)


def propose(broken: Broken) -> Iterator[Edit]:
    """Where the list is made, so that all that follows has the tensor; then where it is taken."""
    given = broken.call.operands[0] if broken.call.operands else None
    node, torch = operand(broken), imported(broken.source, "torch")
    if given is None or node is None or not torch:
        return
    kind, held = kind_of(given), several(given)
    if held is not None and held.form == "list" and broken.call.target not in OF_TWO:
        names = ("stack", "cat") if len({one for one in held.items}) == 1 else ("cat",)
        yield from broken.instead(node, (f"{torch}.{name}({broken.text(node)})" for name in names))
    elif held is None and kind not in ("", "str", MODULE):
        for step in path_of(broken, node):
            own = imported(step.source, "torch")
            made = (
                own and step.node is not node and (isinstance(step.node, _NUMBERS) or is_copy(step.source, step.node))
            )
            if made and not _is_tensor(step.node, own):
                text = f"{own}.as_tensor({_text.written(step.source, step.node)})"
                yield Edit(f"Use {_text.title(text)}", step.source.path, _text.instead(step.source, step.node, text))
        yield from broken.instead(node, (f"{torch}.as_tensor({broken.text(node)})",))


def _is_tensor(node: ast.expr, torch: str) -> bool:
    """Whether a function of torch makes it."""
    return isinstance(node, ast.Call) and ast.unparse(node.func).startswith(f"{torch}.")


MEND = Mend(frozenset({"tensor-expected"}), propose)
