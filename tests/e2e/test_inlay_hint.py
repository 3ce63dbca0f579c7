"""Inlay hints: where they stand, what they say, and how they follow the text."""

from __future__ import annotations

import asyncio

import pytest
from lsprotocol import types

from tests.e2e.editor import Editor
from tests.e2e.sources import NET, NET_HINTS, model

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_every_binding_of_a_model_has_its_shape(editor: Editor) -> None:
    await editor.open("net.py", NET)
    assert await editor.hints("net.py") == NET_HINTS


async def test_only_the_lines_asked_for(editor: Editor) -> None:
    await editor.open("range.py", NET)
    found = await editor.raw_hints("range.py", first=12, last=12)
    assert [(hint.position.line, hint.position.character, hint.label) for hint in found] == [(12, 14, ": f32[2, 4]")]


async def test_columns_are_utf_16(editor: Editor) -> None:
    text = model("é = '😀'; größe = self.fc(x); 変数 = größe + 1\nreturn 変数")
    await editor.open("wide.py", text)
    assert await editor.hints("wide.py") == [
        "def forward(self, x⟦: f32[2, 8]⟧):",
        "é = '😀'; größe⟦: f32[2, 4]⟧ = self.fc(x); 変数⟦: f32[2, 4]⟧ = größe + 1",
        "return⟦: f32[2, 4]⟧ 変数",
    ]
    columns = [hint.position.character for hint in await editor.raw_hints("wide.py", 11, 11)]
    assert columns == [8 + len("é = '😀x'; größe"), 8 + len("é = '😀x'; größe = self.fc(x); 変数")]


async def test_an_edit_that_is_not_saved_changes_the_hints(editor: Editor) -> None:
    await editor.open("edit.py", NET)
    await editor.edit("edit.py", "nn.Linear(8, 4)", "nn.Linear(8, 16)")
    assert await editor.hints("edit.py") == [line.replace("2, 4", "2, 16") for line in NET_HINTS]
    assert (editor.root / "edit.py").read_text() == NET


async def test_edits_of_a_file_that_takes_long_to_import(editor: Editor) -> None:
    """The third one fits no process that has imported the text before it."""
    await editor.open(
        "slow.py",
        "import time\nSIZE = 4\n" + NET.replace("nn.Linear(8, 4)", "nn.Linear(8, SIZE)") + "\ntime.sleep(0.4)\n",
    )
    for old, new, size in (
        ("nn.Linear(8, SIZE)", "nn.Linear(8, 2 * SIZE)", 8),
        ("2 * SIZE", "3 * SIZE", 12),
        ("SIZE = 4", "SIZE = 5", 15),
        ("3 * SIZE", "4 * SIZE", 20),
    ):
        await editor.settled()
        await asyncio.sleep(2.0)  # it is imported ahead meanwhile
        await editor.edit("slow.py", old, new)
        hints = [line for line in await editor.hints("slow.py") if "⟦" in line]
        assert hints == [line.replace("2, 4", f"2, {size}").replace("nn.Linear(8, 4)", "") for line in NET_HINTS]


async def test_an_unsaved_helper_is_imported_in_place_of_the_file(editor: Editor) -> None:
    await editor.open("helper.py", "def widen(x):\n    return x.repeat(1, 2)\n")
    await editor.open("uses_helper.py", model("y = widen(x)\nreturn y", head="from helper import widen"))
    assert "y⟦: f32[2, 16]⟧ = widen(x)" in await editor.hints("uses_helper.py")
    await editor.edit("helper.py", "repeat(1, 2)", "repeat(1, 3)")
    assert "y⟦: f32[2, 24]⟧ = widen(x)" in await editor.hints("uses_helper.py")
    assert await editor.hints("helper.py") == ["def widen(x⟦: f32[2, 8]⟧):", "return⟦: f32[2, 24]⟧ x.repeat(1, 3)"]


async def test_hints_move_along_while_the_text_does_not_parse(editor: Editor) -> None:
    await editor.open("typing.py", NET)
    await editor.edit("typing.py", "import torch\n", "import torch\nimport math\nprint((\n")
    assert await editor.hints("typing.py") == NET_HINTS
    assert [hint.position.line for hint in await editor.raw_hints("typing.py")] == [12, 13, 14]
    assert editor.problems("typing.py") == []
    await editor.edit("typing.py", "print((\n", "\n")
    assert await editor.hints("typing.py") == NET_HINTS


async def test_a_client_that_cannot_ask_gets_the_tooltip_at_once(editor: Editor) -> None:
    await editor.open("tooltip.py", NET)
    hint = (await editor.raw_hints("tooltip.py"))[1]
    assert isinstance(hint.tooltip, types.MarkupContent)
    assert "f32[2, 4]" in hint.tooltip.value


async def test_the_client_is_told_to_ask_again(editor: Editor) -> None:
    before = dict(editor.refreshes)
    await editor.open("refresh.py", NET)
    await editor.until(lambda: editor.refreshes["hints"] > before["hints"])
    await editor.until(lambda: editor.refreshes["lenses"] > before["lenses"])
    assert editor.refreshes["diagnostics"] == 0


async def test_a_document_that_is_not_open_has_none(editor: Editor) -> None:
    editor.texts["closed.py"] = NET
    assert await editor.raw_hints("closed.py") == []
