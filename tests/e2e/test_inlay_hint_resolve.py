"""The tooltip of an inlay hint and what accepting it writes, for clients that ask when it is needed."""

from __future__ import annotations

import pytest
from lsprotocol import types

from tests.e2e.conftest import Start
from tests.e2e.editor import PUSH
from tests.e2e.sources import NET

pytestmark = pytest.mark.asyncio


async def test_the_tooltip_comes_when_it_is_asked_for(start: Start) -> None:
    properties = types.ClientInlayHintResolveOptions(["tooltip"])
    assert PUSH.text_document is not None
    hints = types.TextDocumentClientCapabilities(
        publish_diagnostics=PUSH.text_document.publish_diagnostics,
        inlay_hint=types.InlayHintClientCapabilities(resolve_support=properties),
    )
    editor = await start(capabilities=types.ClientCapabilities(text_document=hints))
    await editor.open("net.py", NET)
    hint = (await editor.raw_hints("net.py"))[1]
    assert hint.tooltip is None
    full = await editor.resolved_hint("net.py", 1)
    assert isinstance(full.tooltip, types.MarkupContent)
    assert "f32[2, 4]" in full.tooltip.value
    assert "directive" in full.tooltip.value
    await editor.edit("net.py", "nn.Linear(8, 4)", "nn.Linear(8, 16)")
    old = await editor.ask(editor.client.inlay_hint_resolve_async(hint))
    assert old.tooltip is None


async def test_the_annotation_comes_when_it_is_asked_for(start: Start) -> None:
    resolve = types.ClientInlayHintResolveOptions(["tooltip", "textEdits"])
    hints = types.InlayHintClientCapabilities(resolve_support=resolve)
    editor = await start(
        capabilities=types.ClientCapabilities(text_document=types.TextDocumentClientCapabilities(inlay_hint=hints))
    )
    await editor.open("net.py", NET)
    parameter, *_ = await editor.raw_hints("net.py")
    assert parameter.text_edits is None
    full = await editor.resolved_hint("net.py")
    assert full.text_edits is not None
    after = editor.apply("net.py", types.WorkspaceEdit(changes={editor.uri("net.py"): full.text_edits}))
    assert 'def forward(self, x: Float[torch.Tensor, "2 8"]):' in after
    assert "from jaxtyping import Float\n" in after
