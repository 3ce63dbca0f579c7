"""Formulas in an answer that is not to be trusted."""

from __future__ import annotations

import pytest

from fx_lsp.server.vetted_values import NAME, formula


@pytest.mark.parametrize(
    "text", ["2*B*T*768*2304", "9216*B*(H//16)**2 + 7*B", "B - 2*T", "2*B*((H+1)//2)*((W+1)//2)*3*7*7*64"]
)
def test_a_formula_stays(text: str) -> None:
    assert formula(text) == text


@pytest.mark.parametrize(
    "text", ["B\n", "`B`", "[B](command:x)", "$(trash)", "B; T", "ß*2", "2*" * NAME + "B", "\u202eB"]
)
def test_anything_else_goes(text: str) -> None:
    assert formula(text) == ""
