"""What things cost comes after everything else: in hovers, in lenses, and at the ends of lines where that is wanted."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import Start
from tests.e2e.editor import Editor
from tests.e2e.sources import NET, NET_HINTS

pytestmark = pytest.mark.asyncio


async def eventually(editor: Editor, name: str, words: str) -> str:
    """The first lens, once it has these words."""
    while True:
        seen = editor.refreshes["lenses"]
        titles = await editor.lenses(name)
        if titles and words in titles[0]:
            return titles[0]
        await editor.until(lambda seen=seen: editor.refreshes["lenses"] > seen)


async def test_costs_come_later_and_hold_for_one_text(start: Start) -> None:
    editor = await start()
    await editor.open("net.py", NET)
    await editor.settled()
    title = await eventually(editor, "net.py", "128 FLOPs")
    assert "· 36 params · 128 FLOPs · 32 B activations · 840 B to train with Adam · from directive on line 5" in title
    hover = await editor.hover("net.py", "self.fc(x)", offset=6)
    assert hover is not None
    assert "128 FLOPs, 100 % of the example · 128 FLOPs backward · 0.5 FLOPs per byte" in hover
    assert await editor.hints("net.py") == NET_HINTS
    await editor.edit("net.py", "nn.Linear(8, 4)", "nn.Linear(8, 5)")
    await editor.settled()
    await eventually(editor, "net.py", "160 FLOPs")
    await editor.edit("net.py", "import torch\n", "import torch  # 2\n# and a line\n")
    await eventually(editor, "net.py", "160 FLOPs")


async def test_formulas_come_last(start: Start) -> None:
    editor = await start()
    await editor.open("net.py", NET.replace("f32[2, 8]", "f32[B:2, 8]"))
    await editor.settled()
    assert " · 128 FLOPs = 2*B*4*8 · " in await eventually(editor, "net.py", "2*B*4*8")
    hover = await editor.hover("net.py", "self.fc(x)", offset=6)
    assert hover is not None
    assert "128 FLOPs = `2*B*4*8`, 100 % of the example" in hover
    hover = await editor.hover("net.py", "class Net", offset=7)
    assert hover is not None
    assert "`f32[B, 8] → f32[B, 4]` · `f32[2, 4]` in this run · 36 params" in hover


async def test_hints_at_the_ends_of_lines(start: Start) -> None:
    editor = await start(options={"hints": {"cost": True, "result": False, "parameter": False}})
    await editor.open("net.py", NET)
    await editor.settled()
    await eventually(editor, "net.py", "128 FLOPs")
    assert await editor.hints("net.py") == ["h⟦: f32[2, 4]⟧ = self.fc(x)⟦128 FLOPs · 100 %⟧"]
