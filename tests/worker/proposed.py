"""What a file would be with each of the proposals for its failure."""

from __future__ import annotations

from pathlib import Path

from fx_lsp.analysis.actions import applied
from fx_lsp.analysis.mends import proposals
from fx_lsp.model.failure import Failure


def proposed(folder: Path, source: str, failure: Failure) -> list[str]:
    """The most likely first, of a model that `trace` has run below `folder`."""
    edits = proposals(failure, {str(folder / "model.py"): source}.get)
    return [applied(source, edit.changes) for edit in edits]
