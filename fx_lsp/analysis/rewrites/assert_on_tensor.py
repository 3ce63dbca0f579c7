"""An assertion on what a tensor holds stops the device, and breaks compilation and export.

Before:
    assert (x >= 0).all(), "x is negative"
After:
    torch._assert_async((x >= 0).all(), "x is negative")
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._conditions import condition
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._write import Unwritable, indent, spelled

_SAYS = "what fails is a RuntimeError, and on an accelerator it comes later"


def find(flow: Flow) -> Iterator[Found]:
    """Assertions on one truth value, with a message that is a plain text or none."""
    for node in ast.walk(flow.function):
        test = condition(flow, node.test, node) if isinstance(node, ast.Assert) else ""
        if not isinstance(node, ast.Assert) or not test:
            continue
        said = node.msg
        if said is None or (isinstance(said, ast.Constant) and isinstance(said.value, str)):
            try:
                indent(flow.file, node)
                torch, imported = spelled(flow.file, "torch")
                texts = [test, *([flow.file.text(said)] if said is not None else [])]
                if any("\n" in text for text in texts) or node.lineno != node.end_lineno:
                    raise Unwritable
                call = f"{torch}._assert_async({', '.join(texts)})"
                yield Found(node, ((flow.file.source.span(node), call), *imported), _SAYS)
            except Unwritable:
                continue


RULE = Rewrite("assert-on-tensor", "Assert on the device", find)
