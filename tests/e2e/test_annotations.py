"""Annotations of jaxtyping: by accepting the hint of a parameter, as a code action, by a command."""

from __future__ import annotations

import pytest
from lsprotocol import types

from tests.e2e.editor import Editor
from tests.e2e.sources import NET

pytestmark = pytest.mark.asyncio(loop_scope="module")

ONE = NET.replace("import torch\n", "import torch\nfrom jaxtyping import Float\n").replace(
    "(self, x)", '(self, x: Float[torch.Tensor, "2 8"])'
)
WHOLE = ONE.replace('"2 8"]):', '"2 8"]) -> Float[torch.Tensor, "2 4"]:')


def edit(editor: Editor, name: str, hint: types.InlayHint) -> types.WorkspaceEdit:
    return types.WorkspaceEdit(changes={editor.uri(name): list(hint.text_edits or ())})


async def test_accepting_the_hint_of_a_parameter_writes_its_annotation(editor: Editor) -> None:
    await editor.open("accept.py", NET)
    parameter, *others = await editor.raw_hints("accept.py")
    assert editor.apply("accept.py", edit(editor, "accept.py", parameter)) == ONE
    assert [hint.text_edits for hint in others] == [None, None]


async def test_what_is_written_is_gone_from_the_hint_and_the_shapes_stay(editor: Editor) -> None:
    await editor.open("accepted.py", NET)
    parameter, *_ = await editor.raw_hints("accepted.py")
    await editor.replace("accepted.py", editor.apply("accepted.py", edit(editor, "accepted.py", parameter)))
    hints = await editor.raw_hints("accepted.py")
    assert [(hint.label, hint.text_edits) for hint in hints] == [
        (": f32[2, 8]", None),
        (": f32[2, 4]", None),
        (": f32[2, 4]", None),
    ]


async def test_a_signature_is_annotated_by_a_code_action(editor: Editor) -> None:
    await editor.open("action.py", NET)
    (action,) = await editor.actions("action.py", "def forward")
    assert (action.title, action.kind) == (
        "Annotate forward with its shapes",
        types.CodeActionKind.RefactorRewrite,
    )
    assert editor.apply("action.py", action.edit) == WHOLE
    assert await editor.actions("action.py", "h = self.fc") == []


async def test_a_signature_is_annotated_by_a_command(editor: Editor) -> None:
    await editor.open("annotate.py", NET)
    place = editor.place("annotate.py", "h = self.fc")
    command = types.ExecuteCommandParams("fx.annotate", [editor.uri("annotate.py"), place.line])
    assert await editor.ask(editor.client.workspace_execute_command_async(command)) is True
    await editor.until(lambda: bool(editor.edits))
    assert editor.apply("annotate.py", editor.edits.pop()) == WHOLE
    nowhere = types.ExecuteCommandParams("fx.annotate", [editor.uri("annotate.py"), 0])
    assert await editor.ask(editor.client.workspace_execute_command_async(nowhere)) is False
