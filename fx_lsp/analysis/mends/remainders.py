"""Parts that are not the whole dim together, where one of them is what the others leave of it.

self.kept = int(dim * rate)
self.rest = int(dim * rate)  # meant is `dim - self.kept`
a, b = torch.split(self.conv(x), (self.kept, self.rest), dim=1)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.split_sizes import parts
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import assigned, attribute, last_bound
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source


def propose(broken: Broken) -> Iterator[Edit]:
    """Of each part, the last one first: where it gets its size, then where it is written."""
    found, node = parts(broken.call), broken.place(1, "split_size", "split_sizes")
    written = node.elts if isinstance(node, ast.Tuple | ast.List) else []
    x = broken.place(0, "input", "tensor")
    if found is None or x is None or len(written) != len(found[2]):
        return
    dim, has, sizes = found
    for place in range(len(written) - 1, -1, -1):
        part, others = written[place], [one for one in written if one is not written[place]]
        if has <= sum(sizes) - sizes[place]:
            continue
        for source, value in _made(broken.source, part):
            for whole in _wholes(broken, x, source, value):
                yield _left(source, value, [whole, *(_text.alone(broken.source, one) for one in others)])
        if isinstance(x, ast.Name):
            left = [f"{x.id}.size({dim})", *(_text.alone(broken.source, one) for one in others)]
            yield _left(broken.source, part, left)


def _made(source: Source, part: ast.expr) -> list[tuple[Source, ast.expr]]:
    """Where an attribute or a variable gets its size."""
    name = attribute(part) if isinstance(part, ast.Attribute) else None
    if name is not None:
        return [(source, one) for one in assigned(source, part, name)]
    function = innermost(source, part)
    bound = last_bound(function, part) if function is not None and isinstance(part, ast.Name) else None
    return [(source, bound)] if bound is not None else []


def _wholes(broken: Broken, x: ast.expr, source: Source, value: ast.expr) -> list[str]:
    """What is written in the same function for the size of the dim, where the layer is made that made it."""
    found: list[str] = []
    for origin in broken.origins(x):
        size = broken.making(origin).argument(origin.output(-1))
        if size is not None and origin.source is source and innermost(source, size) is innermost(source, value):
            found.append(_text.alone(source, size))
    return list(dict.fromkeys(found))


def _left(source: Source, node: ast.expr, texts: list[str]) -> Edit:
    text = " - ".join(texts)
    title = f"Use {_text.title(text)} in place of {_text.title(_text.written(source, node))}"
    return Edit(title, source.path, _text.instead(source, node, text))


MEND = Mend(frozenset({"split-sizes"}), propose)
