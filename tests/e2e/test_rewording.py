"""Edits that leave a file's meaning alone: hints, lenses, hovers and graphs move at once, and nothing runs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.editor import Editor
from tests.e2e.sources import NET, NET_HINTS
from tests.e2e.test_graph import request

pytestmark = pytest.mark.asyncio(loop_scope="module")

HEAD = "# é\n\nimport torch\n"
BROKEN = "self.fc(  # why\n            x\n        )"


async def test_what_is_shown_moves_at_once(editor: Editor) -> None:
    await editor.open("net.py", NET)
    before = await request(editor, "fx/examples", "net.py")
    for old, new in (("import torch\n", HEAD), ("self.fc(x)", BROKEN)):
        await editor.edit("net.py", old, new, wait=False)
        at_once = await request(editor, "fx/examples", "net.py")
        assert not at_once.stale
        first = new.partition("\n")[0]
        assert await editor.hints("net.py") == [line.replace(old, first) for line in NET_HINTS]
    await editor.settled()
    after: Any = await request(editor, "fx/examples", "net.py")
    assert [one.ms for one in after.examples] == [one.ms for one in before.examples]
    assert (await editor.lenses("net.py"))[0].startswith("8: ")
    hover = await editor.hover("net.py", "self.fc(")
    assert hover is not None
    assert "f32[2, 4]" in hover


async def test_a_graph_moves_too(editor: Editor) -> None:
    await editor.open("graph.py", NET)
    before = await request(editor, "fx/graph", "graph.py")
    await editor.edit("graph.py", "import torch\n", HEAD)
    after = await request(editor, "fx/graph", "graph.py")
    lines = [[place.range.start.line for place in reply.drawing.places] for reply in (before, after)]
    assert [line + 2 for line in lines[0]] == lines[1]
