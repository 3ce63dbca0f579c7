"""Why something could not be run or shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Optional, Tuple

from fx_lsp.model.span import Span


@dataclass(frozen=True)
class Failure:
    """An expected outcome, not an exception."""

    kind: ClassVar[str] = "failure"
    stage: str
    """`start`, `import`, `setup`, `construct`, `trace` (from the worker); `timeout`, `crash`, `cancelled`,
    `protocol`, `worker` (made by the supervisor; the last: not the run but the whole worker ended)."""
    message: str
    """One sentence for the user; the first line of the exception where user code raised."""
    span: Optional[Span] = None
    """The innermost expression of the workspace at which it happened."""
    calls: Tuple[Span, ...] = ()
    """The workspace expressions that led there, outermost first, without `span` itself."""
    error: str = ""
    """Name of the exception's type, e.g. `RuntimeError`."""
    detail: str = ""
    """Whole text for the log: traceback, or the worker's last stderr."""
    proven: bool = True
    """False: we could not run it, which says nothing about the code (`.numpy()` on a fake tensor, out of memory)."""
