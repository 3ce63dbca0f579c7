"""Hover, code lenses, code actions, commands and `fx/examples`."""

from __future__ import annotations

import ast

import pytest
from lsprotocol import types

from tests.e2e.editor import Editor
from tests.e2e.sources import NET, model

pytestmark = pytest.mark.asyncio(loop_scope="module")

NO_EXAMPLE = """import torch
from torch import nn


@torch.compiler.disable
class Größe(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, 4)

    def forward(self, x):
        return self.fc(x)
"""


async def test_hover_says_what_an_expression_takes_and_gives(editor: Editor) -> None:
    await editor.open("hover.py", model("y = '😀' and self.fc(x).relu()\nreturn y"))
    linear = await editor.hover("hover.py", "self.fc(x).relu", offset=6)
    assert linear is not None
    assert "Linear" in linear
    assert "f32[2, 8] → f32[2, 4]" in linear
    relu = await editor.hover("hover.py", "relu()", offset=1)
    assert relu is not None
    assert "relu" in relu
    assert "f32[2, 4] → f32[2, 4]" in relu
    assert await editor.hover("hover.py", "import torch") is None


async def test_the_range_of_a_hover_is_the_expression(editor: Editor) -> None:
    await editor.open("hover_range.py", model("y = '😀' and self.fc(x).relu()\nreturn y"))
    params = types.HoverParams(editor.document("hover_range.py"), editor.place("hover_range.py", "relu()"))
    found = await editor.ask(editor.client.text_document_hover_async(params))
    assert found is not None
    text = editor.texts["hover_range.py"]
    start, end = editor.offset(text, found.range.start), editor.offset(text, found.range.end)
    assert text[start:end] == "self.fc(x).relu()"


async def test_a_lens_says_what_a_class_takes_and_gives(editor: Editor) -> None:
    await editor.open("lens.py", NET)
    (lens,) = await editor.lenses("lens.py")
    assert lens.startswith("6: f32[2, 8] → f32[2, 4] · 36 params")
    assert "directive" in lens


async def test_a_class_without_an_example_gets_one_by_a_code_action(editor: Editor) -> None:
    await editor.open("action.py", NO_EXAMPLE)
    (action,) = await editor.actions("action.py", "class Größe")
    assert action.kind == types.CodeActionKind.QuickFix
    after = editor.apply("action.py", action.edit)
    ast.parse(after)
    added = [line for line in after.split("\n") if line not in NO_EXAMPLE.split("\n")]
    assert len(added) == 1
    assert added[0].startswith("# fx: Größe(")
    assert await editor.actions("action.py", "import torch") == []


async def test_the_example_that_was_added_and_filled_in_is_run(editor: Editor) -> None:
    await editor.open("filled.py", NO_EXAMPLE)
    (action,) = await editor.actions("filled.py", "class Größe")
    after = editor.apply("filled.py", action.edit)
    line = next(line for line in after.split("\n") if line.startswith("# fx: "))
    await editor.replace("filled.py", after.replace(line, "# fx: Größe(8)(f32[3, 8])"))
    assert "return⟦: f32[3, 4]⟧ self.fc(x)" in await editor.hints("filled.py")


async def test_a_command_adds_an_example(editor: Editor) -> None:
    await editor.open("command.py", NO_EXAMPLE)
    place = editor.place("command.py", "class Größe")
    added = types.ExecuteCommandParams("fx.addExample", [editor.uri("command.py"), place.line])
    await editor.ask(editor.client.workspace_execute_command_async(added))
    await editor.until(lambda: bool(editor.edits))
    after = editor.apply("command.py", editor.edits.pop())
    assert "# fx: Größe(" in after


async def test_examples_says_what_was_run(editor: Editor) -> None:
    await editor.open("examples.py", model("h = self.fc(x)\nreturn h.view(3)", inputs="f32[B:3, 8]"))
    params = {"textDocument": {"uri": editor.uri("examples.py")}}
    found = await editor.ask(editor.client.protocol.send_request_async("fx/examples", params))
    (example,) = found.examples
    assert (example.origin, example.written, example.call) == ("directive", "Net()(f32[B:3, 8])", "Net()(f32[3, 8])")
    assert (example.status, example.engine, example.dims.B) == ("partial", "real", 3)
    assert "invalid for input of size 12" in example.reason
    assert example.location.uri == editor.uri("examples.py")
    assert example.location.range.start.line == editor.place("examples.py", "# fx:").line
    assert (found.pending, found.stale) == (False, False)
    missing = {"textDocument": {"uri": editor.uri("not_open.py")}}
    assert await editor.ask(editor.client.protocol.send_request_async("fx/examples", missing)) is None


async def test_what_comes_from_the_code_is_escaped(editor: Editor) -> None:
    text = model("h = self.fc(x)\nraise ValueError('![x](https://evil.example/) <img src=x>')")
    await editor.open("escaped.py", text)
    for needle in ("self.fc(x)", "h = self.fc", "raise ValueError"):
        said = await editor.hover("escaped.py", needle) or ""
        assert "![x](" not in said
        assert "<img" not in said
    for hint in await editor.raw_hints("escaped.py"):
        assert isinstance(hint.tooltip, types.MarkupContent)
        assert "<img" not in hint.tooltip.value
