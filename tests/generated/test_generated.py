"""What is generated from Python is up to date; `pytest tests/generated --regen` makes it so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import fx_lsp
from fx_lsp.server import protocol, protocol_examples
from tests.generated.configuration import properties, restricted
from tests.generated.typescript import typescript

REPOSITORY = Path(__file__).parent.parent.parent
EXTENSION = REPOSITORY / "vscode-extension"
HEADER = """What the server and the extension send one another.

Generated from `fx_lsp/server/protocol.py` and `protocol_examples.py`: do not edit, run
`pytest tests/generated --regen`."""


def check(path: Path, wanted: str, regen: bool) -> None:
    """The file is as it would be generated, or is made so."""
    if regen:
        path.write_text(wanted, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == wanted, f"{path.name} is stale: run pytest tests/generated --regen"


@pytest.fixture
def regen(request: pytest.FixtureRequest) -> bool:
    """Whether to write instead of to complain."""
    return bool(request.config.getoption("--regen"))


def test_protocol(regen: bool) -> None:
    check(EXTENSION / "src" / "protocol.ts", typescript([protocol, protocol_examples], HEADER), regen)


def test_manifest(regen: bool) -> None:
    path = EXTENSION / "package.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["version"] = fx_lsp.__version__
    manifest["contributes"]["configuration"]["properties"] = properties()
    manifest["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"] = restricted()
    check(path, json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", regen)


def test_licence(regen: bool) -> None:
    check(EXTENSION / "LICENSE", (REPOSITORY / "LICENSE").read_text(encoding="utf-8"), regen)
