"""What torch's compilers say, after everything else is known."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import Start
from tests.e2e.sources import model

pytestmark = pytest.mark.asyncio

ASKED = '[tool.fx-lsp]\ncompilers = ["symbolic_trace"]\n'
BRANCH = model("h = self.fc(x)\nif h.sum() > 0:\n    h = -h\nreturn h")
PROBLEM = "13:11-13:22 information symbolic-trace: torch.fx.symbolic_trace cannot go on here: "


async def test_it_comes_later_and_holds_for_one_text(start: Start) -> None:
    editor = await start()
    editor.write("pyproject.toml", ASKED)
    await editor.open("branch.py", BRANCH)
    await editor.until(lambda: len(editor.problems("branch.py")) == 1)
    assert editor.problems("branch.py")[0].startswith(PROBLEM)
    await editor.edit("branch.py", "import torch\n", "import torch  # 2.x\n# and no more\n")
    await editor.until(lambda: any(one.startswith("14:11-14:22") for one in editor.problems("branch.py")))
    await editor.edit("branch.py", "if h.sum() > 0:", "if len(h) > 0:")
    await editor.until(lambda: any("'len' is not supported" in one for one in editor.problems("branch.py")))
    assert len(editor.problems("branch.py")) == 1
    await editor.open("pyproject.toml")
    await editor.edit("pyproject.toml", ASKED, "")
    await editor.until(lambda: editor.problems("branch.py") == [])
