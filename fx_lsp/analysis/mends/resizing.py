"""Resized or padded in other dims: the mode, or as many numbers as there are dims."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes._call import numbers
from fx_lsp.analysis.causes.resize_sizes import MODES, length
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._places import number as written_number


def propose(broken: Broken) -> Iterator[Edit]:
    """The mode for these dims; without the sizes of batch and channels; padding for each dim alike."""
    shape, call = broken.call.shape(0, "input"), broken.call
    if not shape:
        return
    if call.target == "pad":
        yield from _padded(broken, len(shape))
        return
    fitting = [name for name, rank in MODES.items() if rank == len(shape)]
    mode = broken.place(3, "mode")
    if isinstance(mode, ast.Constant) and mode.value in MODES and mode.value not in fitting:
        quote = broken.text(mode)[-1:]
        yield from broken.instead(mode, (f"{quote}{name}{quote}" for name in fitting))
    for made in broken.made:
        written = made.argument("mode")
        if isinstance(written, ast.Constant) and written.value in MODES and written.value not in fitting:
            yield from (edit for name in fitting for edit in made.changed("mode", {"mode": f'"{name}"'}))
    for number, name in ((1, "size"), (2, "scale_factor")):
        node = broken.place(number, name)
        count = length(call.plain(number, name)) or 0
        if node is None or count <= len(shape) - 2:
            continue
        masks = count == len(shape) - 1  # a batch of them, without channels
        cut = node.slice if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice) else None
        if masks and (count == 2 or cut is None or written_number(cut.lower) == 2):
            yield from broken.after(broken.place(0, "input"), (".unsqueeze(1)", ".unsqueeze(0)"))
        if cut is not None:
            yield from broken.instead(cut, (f"-{len(shape) - 2}:",))
        elif not isinstance(node, ast.Tuple | ast.List):
            yield from broken.after(node, (f"[{count - len(shape) + 2}:]",))


def _padded(broken: Broken, rank: int) -> Iterator[Edit]:
    node, given = broken.place(1, "pad"), numbers(broken.call.plain(1, "pad"))
    parts = node.elts if isinstance(node, ast.Tuple | ast.List) else []
    if node is None or not given or len(parts) != len(given):
        return
    texts = [broken.text(one) for one in parts]
    opening, closing = broken.text(node)[:1], broken.text(node)[-1:]
    if opening not in "([":
        opening = closing = ""
    pairs = [texts[place : place + 2] for place in range(0, len(texts), 2)]
    # Of more dims than there are those that are padded, the last ones.
    kept = [pair for pair, sizes in zip(pairs, zip(given[::2], given[1::2], strict=False), strict=False) if any(sizes)]
    for some in (kept[-rank:], pairs[:rank]) if len(pairs) > rank else ():
        yield from broken.instead(node, (f"{opening}{', '.join(text for pair in some for text in pair)}{closing}",))
    wanted = [2 * dims for dims in (rank - 2, rank - 1) if dims > 0]
    for count in wanted:
        if len(set(texts)) == 1 and count != len(texts):
            yield from broken.instead(node, (f"{opening}{', '.join(texts[:1] * count)}{closing}",))
        elif count > len(texts) and not len(texts) % 2:
            yield from broken.instead(
                node, (f"{opening}{', '.join([*texts, *['0'] * (count - len(texts))])}{closing}",)
            )


MEND = Mend(frozenset({"resize-sizes"}), propose)
