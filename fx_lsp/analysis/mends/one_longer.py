"""A mask, or places along a dim, for one step more than there is: what they are made of is cut at one of its ends.

wanted = target  # meant is `target[:, 1:]`
right = predicted[wanted != pad]
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.index_tensor import ALONG
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._path import Step, path
from fx_lsp.analysis.mends._statements import around

MAX_NAMES = 3
"""That it is made of."""


def propose(broken: Broken) -> Iterator[Edit]:
    """Where it is bound or passed, the nearest place first: then all that is made of it is cut."""
    node = broken.place(1) if broken.cause == "index-mask" else broken.place(2, "index", "indices")
    dim = _longer_in(broken)
    steps = path(replace(broken, written={"0": node})) if node is not None and dim is not None else ()
    names = (step for step in steps if isinstance(step.node, ast.Name) and _is_given(step))
    for step in islice(names, MAX_NAMES):
        for end in ("1:", ":-1"):
            yield _text.suffixed(step.source, step.node, f"[{', '.join([*[':'] * (dim or 0), end])}]")


def _longer_in(broken: Broken) -> int | None:
    """The one dim in which it does not fit, where it is longer by one; of places the dim that they are along may be."""
    mask, along = broken.cause == "index-mask", broken.call.plain(1, "dim")
    own = broken.call.shape(1) if mask else broken.call.shape(2, "index", "indices")
    has = broken.call.shape(0, "input")
    if not own or not has or not (mask or (broken.call.target in ALONG and isinstance(along, int))):
        return None
    free = along % len(has) if not mask and isinstance(along, int) else None
    more = {dim: one - other for dim, (one, other) in enumerate(zip(own, has, strict=False)) if dim != free}
    differ = [dim for dim, size in more.items() if size > 0 or (mask and size < 0)]
    return differ[0] if len(differ) == 1 and more[differ[0]] == 1 else None


def _is_given(step: Step) -> bool:
    """Whether the name is all that something is bound to, or that a parameter is given."""
    whole = around(step.source, step.node)
    return isinstance(whole, ast.Assign) or (isinstance(whole, ast.Call) and step.node is not whole.func)


MEND = Mend(frozenset({"index-mask", "index-tensor"}), propose)
