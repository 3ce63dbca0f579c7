"""The evidence is worth something: without the layers, what is harmful does the harm it is meant to do."""

from __future__ import annotations

import ast

import pytest

from tests.hostile.conftest import HOSTILE, covering
from tests.hostile.runs import Run


@pytest.mark.parametrize("name", covering())
def test_without_layers_there_is_harm(bare: Run, name: str) -> None:
    row = bare.row(name)
    assert set(HOSTILE[name].harm) <= row.harm.keys(), row


def test_every_kind_of_harm_that_a_module_names_is_tried() -> None:
    named = {kind for one in HOSTILE.values() for kind in one.harm}
    assert named == {kind for name in covering() for kind in HOSTILE[name].harm}


def test_there_are_enough_modules() -> None:
    assert len(HOSTILE) >= 55
    assert all("Harm:" in (ast.get_docstring(ast.parse(one.text)) or "") for one in HOSTILE.values())
