"""Every tensor-valued binding of the demo workspace has the shapes of a real run: none wrong, none missing."""

from __future__ import annotations

from tests.reference.compare import compare
from tests.reference.product import REPOSITORY, check

ROOT = str(REPOSITORY / "examples")


USERS = {"test_models.py", "fx_rewrites.py"}
"""Files that call models or nothing at all, and are no programs."""


def test_every_hint_of_the_demo_workspace_is_exact() -> None:
    report = check(ROOT, ["."])
    hinted = {file["path"] for file in report["files"] if file["hints"]}
    assert hinted == {path.name for path in (REPOSITORY / "examples").glob("*.py")} - USERS
    comparison = compare(report, ROOT)
    print(comparison.table())
    assert [str(row) for row in comparison.rows if row.verdict != "exact"] == []
    assert len(comparison.rows) > 300
    # The one that is broken on purpose fails for real too, and nothing else does.
    assert [error.split(":")[0] for error in comparison.errors] == ["broken_cnn.py"]
