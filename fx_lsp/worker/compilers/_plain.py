"""Code as Python compiles it.  Not in the package itself, whose member `compile` hides the built-in."""

from __future__ import annotations

import ast
from types import CodeType
from typing import Sequence, Tuple

from fx_lsp.worker.capture.parts import Part
from fx_lsp.worker.prepared import Prepared


class Plain(Prepared):
    """Workspace files as they are written: no probe stands in the way of a compiler."""

    def parts(self, path: str, source: str) -> Tuple[Part, ...]:
        """In one piece."""
        return (Part(1, source.count("\n") + 1, self.whole(path, source), range(0), range(0)),)

    def _alone(self, body: Sequence[ast.stmt], source: str, path: str, flags: int) -> Tuple[Part, ...]:
        codes = [(node, compile(ast.Module([node], []), path, "exec", flags, dont_inherit=True)) for node in body]
        return tuple(Part(node.lineno, node.end_lineno or 0, code, range(0), range(0)) for node, code in codes)

    def whole(self, path: str, source: str) -> CodeType:
        """As Python compiles it.

        Raises:
            SyntaxError: as `compile` does.
        """
        return compile(source, path, "exec", dont_inherit=True)
