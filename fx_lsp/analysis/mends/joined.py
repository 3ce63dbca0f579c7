"""A layer gets what was joined along another dim: joined along that of its features."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes._spatial import dims_of
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called

JOINING = ("cat", "concat", "concatenate")


def propose(broken: Broken) -> Iterator[Edit]:
    """Where the layer's input is `torch.cat`, itself or by its name; along dim 0 most of all."""
    source, node = broken.origin(broken.place(0, "input"))
    if not isinstance(node, ast.Call) or called(node) not in JOINING or not node.args:
        return
    wanted = "1" if dims_of(broken.call.target) else "-1"
    named = next((one.value for one in node.keywords if one.arg in ("dim", "axis")), None)
    written = named or (node.args[1] if len(node.args) > 1 else None)
    if written is None:
        text = f"{_text.written(source, node.args[0])}, dim={wanted}"
        yield Edit(f"Use {_text.title(text)}", source.path, _text.instead(source, node.args[0], text))
    elif isinstance(written, ast.Constant) and str(written.value) != wanted:
        yield Edit(f"Join along dim {wanted}", source.path, _text.instead(source, written, wanted))


MEND = Mend(frozenset({"linear-features", "conv-channels", "norm-features"}), propose)
