"""A module that was not initialised: `super().__init__()` before its first layer."""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._makers import around
from fx_lsp.analysis.mends._statements import is_text


def propose(broken: Broken) -> Iterator[Edit]:
    """As the first statement."""
    _, function = around(broken.source, broken.node)
    body = [one for one in function.body if not is_text(one)] if function is not None else []
    if body and function is not None and function.name == "__init__" and body[0].lineno > function.lineno:
        yield broken.inserted(body[0], "super().__init__()")


MEND = Mend(frozenset({"init-forgotten"}), propose)
