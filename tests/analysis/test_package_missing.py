"""Imports without which a file was run are told where they are."""

from dataclasses import replace

from fx_lsp.analysis.diagnostics import all_problems
from fx_lsp.analysis.diagnostics.package_missing import MORE, WHERE
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.model.failure import Failure
from fx_lsp.model.span import Span
from tests.analysis.facts import PATH, aged, changed, snapshot

OTHER = Span("/w/data.py", 7, 0, 7, 10)
HERE = Span(PATH, 1, 0, 1, 12)
SAYS = "ModuleNotFoundError: No module named 'einops'"
RAN = snapshot("import einops\nclass Net:\n#     ^^^ class f32[2, 3] -> f32[2]\n    pass\n")


def told(made: Snapshot, *shown: str) -> list[tuple[str, int, str]]:
    """Severity, line and message of what is said of packages."""
    return [(p.severity, p.span.line, p.message) for p in all_problems(made, shown) if p.code == "package-missing"]


def without(span: Span | None, *calls: Span, error: str = "ModuleNotFoundError", proven: bool = False) -> Snapshot:
    """A model that ran without a package, or without a name of a file beside it."""
    return changed(RAN, missing=(Failure("import", SAYS, span, calls, error=error, proven=proven),))


def test_an_import_of_the_file() -> None:
    assert told(without(HERE)) == [("warning", 1, f"{SAYS}. {MORE}. {WHERE}")]
    assert told(without(HERE, error="ImportError")) == [("warning", 1, f"{SAYS}. {MORE}")]
    assert told(without(HERE, proven=True)) == [("error", 1, f"{SAYS}. {MORE}")]
    assert told(aged(without(HERE))) == []
    assert told(RAN) == []


def test_several_runs_tell_it_once() -> None:
    made = without(HERE)
    assert len(told(replace(made, traces=(*made.traces, *made.traces)))) == 1


def test_an_import_of_another_file() -> None:
    made = without(OTHER, HERE)
    assert told(made) == [("warning", 1, f"in data.py, line 7: {SAYS}. {MORE}. {WHERE}")]
    assert told(made, OTHER.path) == []
    assert told(without(OTHER)) == []
    assert told(without(None)) == []
