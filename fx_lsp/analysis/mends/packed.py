"""Sequences that are packed with the batch in the other dim, or with lengths that are longer than they are."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.source import Source, walk


def propose(broken: Broken) -> Iterator[Edit]:
    """In any order; `batch_first` added, or turned; also where only the layer that is given what is packed fails."""
    call = next((one for one in walk(broken.node) if isinstance(one, ast.Call) and _packs(one)), None)
    if call is None:
        source, made = broken.origin(broken.place(0, "input"))
        if isinstance(made, ast.Call) and _packs(made) and not any(one.arg == "batch_first" for one in made.keywords):
            yield from _passed(source, made, "batch_first=True")
        if isinstance(made, ast.Call) and _packs(made):
            yield from _shorter(source, made)
        return
    lengths, first = broken.call.shape(1, "lengths"), bool(broken.call.plain(2, "batch_first"))
    x = broken.call.shape(0, "input")
    if x and len(x) > 1 and lengths == (x[not first],):
        yield from _passed(broken.source, call, "enforce_sorted=False")
        return
    named = next((one.value for one in call.keywords if one.arg == "batch_first"), None)
    written = named or (call.args[2] if len(call.args) > 2 else None)
    if isinstance(written, ast.Constant):
        yield from broken.instead(written, (str(not written.value),))
    elif written is None:
        yield from _passed(broken.source, call, "batch_first=True")


def _shorter(source: Source, call: ast.Call) -> Iterator[Edit]:
    """No length beyond the end of what is packed, which torch does not look at there."""
    given = [*call.args[:2], *(one.value for one in call.keywords if one.arg in ("input", "lengths"))]
    said = [one.value for one in call.keywords if one.arg == "batch_first"] or call.args[2:3]
    first = said[0].value if said and isinstance(said[0], ast.Constant) else None if said else False
    if len(given) == 2 and isinstance(given[0], ast.Name | ast.Attribute) and isinstance(first, bool):
        text = f"{_text.alone(source, given[1])}.clamp(max={_text.written(source, given[0])}.size({int(first)}))"
        yield Edit(f"Use {_text.title(text)}", source.path, _text.instead(source, given[1], text))


def _passed(source: Source, call: ast.Call, text: str) -> Iterator[Edit]:
    changes = _text.added(source, call, text)
    if changes is not None:
        yield Edit(f"Pass `{text}`", source.path, changes)


def _packs(call: ast.Call) -> bool:
    return ast.unparse(call.func).endswith("pack_padded_sequence")


MEND = Mend(frozenset({"packed-lengths"}), propose)
