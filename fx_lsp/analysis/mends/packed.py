"""Sequences that are packed with the batch in the other dim."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.source import walk


def propose(broken: Broken) -> Iterator[Edit]:
    """In any order; `batch_first` added, or turned."""
    call = next((one for one in walk(broken.node) if isinstance(one, ast.Call) and _packs(one)), None)
    if call is None:
        return
    lengths, first = broken.call.shape(1, "lengths"), bool(broken.call.plain(2, "batch_first"))
    x = broken.call.shape(0, "input")
    if x and len(x) > 1 and lengths == (x[not first],):
        yield from _passed(broken, call, "enforce_sorted=False")
        return
    named = next((one.value for one in call.keywords if one.arg == "batch_first"), None)
    written = named or (call.args[2] if len(call.args) > 2 else None)
    if isinstance(written, ast.Constant):
        yield from broken.instead(written, (str(not written.value),))
    elif written is None:
        yield from _passed(broken, call, "batch_first=True")


def _passed(broken: Broken, call: ast.Call, text: str) -> Iterator[Edit]:
    changes = _text.added(broken.source, call, text)
    if changes is not None:
        yield Edit(f"Pass `{text}`", broken.source.path, changes)


def _packs(call: ast.Call) -> bool:
    return ast.unparse(call.func).endswith("pack_padded_sequence")


MEND = Mend(frozenset({"packed-lengths"}), propose)
