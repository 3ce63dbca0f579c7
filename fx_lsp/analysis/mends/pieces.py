"""Parts that are not the whole of the dim that is split, where a sum is written for its size that lacks one of them.

self.proj = nn.Linear(dim, rank + state)  # meant is `rank + state + state`
step, b, c = torch.split(self.proj(x), [rank, state, state], dim=-1)
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken


def propose(broken: Broken) -> Iterator[Edit]:
    """Each sum of the workspace that has one part too few, or too many, of all that are split."""
    written = broken.place(1, "split_size_or_sections", "split_size")
    parts = written.elts if isinstance(written, ast.List | ast.Tuple) else []
    wanted: Counter[str] = Counter()
    for part in parts:
        wanted.update(_terms(part))
    if len(parts) < 2 or not all(wanted):
        return
    text = " + ".join(name if count == 1 else f"{count} * {_alone(name)}" for name, count in wanted.items())
    for source in (broken.source, *(one for one in broken.files() if one is not broken.source)):
        operators = source.every(ast.BinOp)
        inside = {id(side) for one in operators for side in (one.left, one.right)}
        for node in (one for one in operators if id(one) not in inside):
            if _is_near(node, wanted):
                title = f"Use {_text.title(text)} in place of {_text.title(_text.written(source, node))}"
                yield Edit(f"{title}, line {node.lineno}", source.path, _text.instead(source, node, text))


def _is_near(node: ast.BinOp, wanted: Counter[str]) -> bool:
    """Whether it is a sum of the same parts, of which one is there once more or once less."""
    written = _terms(node)
    differ = {name: wanted[name] - written[name] for name in wanted | written if wanted[name] != written[name]}
    return bool(written) and [*map(abs, differ.values())] == [1] and set(written) <= set(wanted)


def _alone(part: str) -> str:
    return part if part.replace(".", "").isidentifier() else f"({part})"


def _terms(node: ast.expr) -> Counter[str]:
    """How often each part is in a sum; an empty key for a plain number."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _terms(node.left) + _terms(node.right)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        for number, part in ((node.left, node.right), (node.right, node.left)):
            if isinstance(number, ast.Constant) and type(number.value) is int:
                return Counter({name: count * number.value for name, count in _terms(part).items()})
    return Counter({"" if isinstance(node, ast.Constant) else ast.unparse(node): 1})


MEND = Mend(frozenset({"split-sizes"}), propose)
