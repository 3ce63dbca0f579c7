"""Settings as editors send them, right and wrong."""

from __future__ import annotations

from typing import Any

import pytest

from fx_lsp.server.settings import HintSettings, Settings, read_settings


@pytest.mark.parametrize("data", [None, {}, {"unknown": 1}, {"interpreter": None}])
def test_defaults(data: Any) -> None:
    assert read_settings(data) == (Settings(), "")


def test_what_is_given_applies_in_either_spelling() -> None:
    data = {"interpreter": "/py", "codeLens": False, "hints": {"result": False, "parameter": False}}
    settings, wrong = read_settings(data)
    assert settings == Settings("/py", code_lens=False, hints=HintSettings(result=False, parameter=False))
    assert wrong == ""
    assert settings.hints.enabled() == {"assignment"}


def test_what_is_wrong_keeps_its_default_and_is_said_in_one_sentence() -> None:
    settings, wrong = read_settings({"interpreter": 3, "run": "no", "codeLens": False, "hints": {"result": 1}})
    assert settings == Settings(code_lens=False)
    assert wrong == (
        "Ignored in the settings of fx-lsp: interpreter must be a text, not 3; run must be true or false, not 'no'; "
        "hints.result must be true or false, not 1."
    )


@pytest.mark.parametrize("data", [[], "x", 4])
def test_no_object(data: Any) -> None:
    settings, wrong = read_settings(data)
    assert settings == Settings()
    assert wrong.startswith("Ignored in the settings of fx-lsp: fx-lsp must be an object")
