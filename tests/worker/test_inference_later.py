"""Methods that have to be called before `forward` is, as the message of what failed says."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.server.vetted_examples import is_call, only_imports
from tests.worker.test_inference import found, works

CASES = {
    "a module that is handed over": (
        """
        class Bridge(nn.Module):
            def __init__(self, name):
                super().__init__()
                self.name = name
            def wrap_component(self, component: nn.Module) -> None:
                self.add_module("inner", component)
            @property
            def component(self):
                return self._modules.get("inner")

        class Net(Bridge):
            def forward(self, x, *args):
                if self.component is None:
                    raise RuntimeError(f"Nothing to call for {self.name}. Call wrap_component() first.")
                y = self.component(x, *args) * 2
                return y
        """,
        "wrap_component(",
    ),
    "sizes that are set": (
        """
        class Net(nn.Module):
            def __init__(self, width=8):
                super().__init__()
                self.width = width
                self.ready = False
            def freeze(self):
                self.ready = False
            def setup_tables(self, max_len):
                self.register_buffer("table", torch.ones(max_len, self.width))
                self.ready = True
            def forward(self, x):
                assert self.ready, "call setup_tables() before"
                y = x + self.table[: x.shape[1]]
                return y
        """,
        "setup_tables(",
    ),
}


@pytest.mark.parametrize("case", CASES, ids=CASES)
def test_it_is_called(case: str, tmp_path: Path) -> None:
    source, expected = CASES[case]
    one = found(tmp_path, source, "Net")["Net"]
    works(tmp_path, source, one)
    assert expected in one.call, one
    assert only_imports(one.setup), "an example that was made up is one line, with imports before it"
    assert is_call(one.call), one
