"""What dataclasses become in TypeScript."""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.generated.typescript import type_name, typescript

SOURCE = '''
from __future__ import annotations
from dataclasses import dataclass

LIMIT = 3
"""A constant."""
_HIDDEN = 4

@dataclass(frozen=True)
class AskParams:
    """Asked."""
    uri: str
    line: int | None = None
    """As LSP counts."""

@dataclass(frozen=True)
class MoreParams(AskParams):
    format: str = "json"

@dataclass(frozen=True)
class Reply:
    """Two

    paragraphs, and */ inside."""
    places: tuple[Place | None, ...]
    omitted: int = 0

@dataclass(frozen=True)
class Place:
    uri: str
'''

EXPECTED = """\
/** Header. */

/** A constant. */
export const LIMIT = 3;

/** Asked. */
export interface AskParams {
  readonly uri: string;
  /** As LSP counts. */
  readonly line?: number | null | undefined;
}

export interface MoreParams extends AskParams {
  readonly format?: string | undefined;
}

/**
 * Two
 *
 * paragraphs, and *\\/ inside.
 */
export interface Reply {
  readonly places: readonly (Place | null)[];
  readonly omitted: number;
}

export interface Place {
  readonly uri: string;
}
"""


def test_a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wire_for_test.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("wire_for_test")
    monkeypatch.delitem(sys.modules, "wire_for_test")
    monkeypatch.setitem(sys.modules, "wire_for_test", module)  # for the test alone
    assert typescript([module], "Header.") == EXPECTED


@dataclass(frozen=True)
class Inner:
    """Stands for a class of the wire."""

    x: int


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        (bool, "boolean"),
        (float, "number"),
        (Any, "unknown"),
        (str | None, "string | null"),
        (tuple[int, str], "readonly [number, string]"),
        (tuple[int, ...], "readonly number[]"),
        (list[Inner], "readonly Inner[]"),
        (dict[str, int], "Readonly<Record<string, number>>"),
        (Literal["dot", "svg"], '"dot" | "svg"'),
    ],
)
def test_types(hint: object, expected: str) -> None:
    assert type_name(hint) == expected


def test_what_json_cannot_hold_is_an_error() -> None:
    with pytest.raises(TypeError, match="no TypeScript"):
        type_name(set[int])
