"""Sequences that are packed with the batch in the other dim."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken


def propose(broken: Broken) -> Iterator[Edit]:
    """In any order; `batch_first` added, or turned."""
    call = next((one for one in ast.walk(broken.node) if isinstance(one, ast.Call) and _packs(one)), None)
    if call is None:
        return
    lengths, first = broken.call.shape(1, "lengths"), bool(broken.call.plain(2, "batch_first"))
    x = broken.call.shape(0, "input")
    if x and len(x) > 1 and lengths == (x[not first],):
        changes = _text.added(broken.source, call, "enforce_sorted=False")
        yield from [Edit("Pass `enforce_sorted=False`", broken.source.path, changes)] if changes is not None else []
        return
    named = next((one.value for one in call.keywords if one.arg == "batch_first"), None)
    written = named or (call.args[2] if len(call.args) > 2 else None)
    if isinstance(written, ast.Constant):
        yield from broken.instead(written, (str(not written.value),))
    elif written is None:
        last = call.keywords[-1].value if call.keywords else call.args[-1]
        text = f"{broken.text(last)}, batch_first=True"
        yield Edit("Pass `batch_first=True`", broken.source.path, _text.instead(broken.source, last, text))


def _packs(call: ast.Call) -> bool:
    return ast.unparse(call.func).endswith("pack_padded_sequence")


MEND = Mend(frozenset({"packed-lengths"}), propose)
