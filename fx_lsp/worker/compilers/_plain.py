"""Code as Python compiles it.  Not in the package itself, whose member `compile` hides the built-in."""

from __future__ import annotations

from types import CodeType
from typing import Tuple

from fx_lsp.worker.prepared import Prepared


class Plain(Prepared):
    """Workspace files as they are written: no probe stands in the way of a compiler."""

    def codes(self, path: str, source: str) -> Tuple[CodeType, ...]:
        """In one piece."""
        return (self.whole(path, source),)

    def whole(self, path: str, source: str) -> CodeType:
        """As Python compiles it.

        Raises:
            SyntaxError: as `compile` does.
        """
        return compile(source, path, "exec", dont_inherit=True)
