"""What may stand before an example that was made up."""

from __future__ import annotations

import pytest

from fx_lsp.model.example import ATTRIBUTES
from fx_lsp.server.vetted_examples import only_imports

BEFORE = {
    "import types": True,
    ATTRIBUTES: True,
    f"import types\n{ATTRIBUTES}": True,
    f"{ATTRIBUTES}; import os": False,
    ATTRIBUTES.replace("self[name] if", "print(name) if"): False,
    f"if True:\n  {ATTRIBUTES}": False,
    "import os; os.system('x')": False,
}


@pytest.mark.parametrize("text", BEFORE)
def test_statements(text: str) -> None:
    assert only_imports(text) == BEFORE[text]
