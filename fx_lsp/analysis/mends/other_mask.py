"""Masks that do not fit, of a layer that takes several: each as another one that it is not given.

self.decoder(x, memory, tgt_key_padding_mask=pad)  # meant is `memory_key_padding_mask=pad`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken

_TAKEN = (
    ("memory_key_padding_mask", "tgt_key_padding_mask", "memory_mask", "tgt_mask", "src_key_padding_mask", "src_mask"),
    ("key_padding_mask", "attn_mask"),
    ("src_key_padding_mask", "mask"),
)
"""Masks of a transformer, of attention, of an encoder, those that are mixed up most often first."""
MAX_CALLS = 3
"""From what fails outwards."""


def propose(broken: Broken) -> Iterator[Edit]:
    """Under each other name that the call does not give anything."""
    for source, node in broken.places[:MAX_CALLS]:
        keywords = node.keywords if isinstance(node, ast.Call) else []
        for names in _TAKEN:
            given = {one.arg: one for one in keywords if one.arg in names}
            for name, keyword in given.items():
                for other in (one for one in names if one not in given):
                    text = f"{other}={_text.written(source, keyword.value)}"
                    title = f"Use {_text.title(other)} in place of {_text.title(str(name))}"
                    yield Edit(title, source.path, _text.instead(source, keyword, text))


MEND = Mend(frozenset({"attention-sizes", "broadcast-sizes", "mask-dtype"}), propose)
