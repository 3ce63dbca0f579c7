"""The custom requests for graphs, with a real client and a real worker."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from lsprotocol import types

from tests.e2e.editor import Editor
from tests.e2e.sources import FOLDED, NET, model

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def request(editor: Editor, method: str, file: str, /, **params: Any) -> Any:
    """Answer of a custom request about an open file."""
    wanted = {"textDocument": {"uri": editor.uri(file)}, **params}
    return await editor.ask(editor.client.protocol.send_request_async(method, wanted))


async def test_graph_of_a_class(editor: Editor) -> None:
    await editor.open("graph.py", NET)
    reply = await request(editor, "fx/graph", "graph.py")
    assert (reply.state, reply.message, reply.name, reply.names) == ("graph", "", "Net", ["Net"])
    assert [level.id for level in reply.levels] == ["module", "operator"]
    assert (reply.level, reply.example, reply.engine) == ("module", 0, "fake")
    assert [(one.label, one.origin, one.status) for one in reply.examples] == [
        ("Net()(f32[2, 8])", "directive", "traced")
    ]
    drawing = reply.drawing
    linear = next(node for node in drawing.nodes if node.op == "call_module")
    assert (linear.title, linear.target, drawing.values[linear.value].label) == ("Linear", "fc", "f32[2, 4]")
    place = drawing.places[linear.place]
    assert place.uri == editor.uri("graph.py")
    text = editor.texts["graph.py"]
    assert text[editor.offset(text, place.range.start) : editor.offset(text, place.range.end)] == "self.fc(x)"


async def test_level_of_operators(editor: Editor) -> None:
    await editor.open("operators.py", NET)
    reply = await request(editor, "fx/graph", "operators.py", name="Net", level="operator")
    assert reply.level == "operator"
    assert [scope.path for scope in reply.drawing.scopes] == ["", "fc"]


async def test_the_class_around_the_line(editor: Editor) -> None:
    await editor.open("two.py", NET + model("return self.fc(x)", name="Other").split("from torch import nn\n")[1])
    line = editor.place("two.py", "class Other").line
    assert (await request(editor, "fx/graph", "two.py", line=line + 2)).name == "Other"
    assert (await request(editor, "fx/graph", "two.py", line=0)).name == "Net"


async def test_half_a_graph_when_the_model_fails(editor: Editor) -> None:
    await editor.open("half.py", model("y = self.fc(x).relu()\nreturn y @ y"))
    reply = await request(editor, "fx/graph", "half.py")
    assert reply.state == "graph"
    assert reply.failure.message == reply.message != ""
    failed = reply.drawing.nodes[reply.failure.node]
    assert (failed.title, failed.failed) == ("@", True)
    start = reply.failure.place.range.start
    assert editor.texts["half.py"].split("\n")[start.line][start.character :] == "y @ y"


@pytest.mark.parametrize(
    ("name", "source", "state", "message"),
    [
        ("empty.py", model("return x"), "empty", "ran no torch operation"),
        ("unrun.py", model("return x").replace("# fx: Net()(f32[2, 8])", "").replace("(self)", "(self, n)")
         .replace("super()", "raise OSError(n); super()"), "none", "Write a call above the class"),
        ("plain.py", "x = 1\n", "none", "There is no nn.Module class"),
        ("early.py", model("raise ValueError('no')"), "failed", "ValueError: no"),
    ],
)  # fmt: skip
async def test_states_without_a_graph(editor: Editor, name: str, source: str, state: str, message: str) -> None:
    await editor.open(name, source)
    reply = await request(editor, "fx/graph", name)
    assert (reply.state, reply.drawing) == (state, None)
    assert message in reply.message


async def test_files_that_are_none(editor: Editor) -> None:
    reply = await request(editor, "fx/graph", "never_opened.py")
    assert (reply.state, reply.message) == ("none", "The file is not open.")
    params = {"textDocument": {"uri": "untitled:Untitled-1"}}
    reply = await editor.ask(editor.client.protocol.send_request_async("fx/graph", params))
    assert reply.message.startswith("This document is no file: save it first")


async def test_a_graph_follows_an_edit(editor: Editor) -> None:
    await editor.open("edited.py", NET)
    await request(editor, "fx/graph", "edited.py")
    await editor.edit("edited.py", "h.relu()", "h.relu().sigmoid()")
    reply = await request(editor, "fx/graph", "edited.py")
    assert "sigmoid" in [node.title for node in reply.drawing.nodes]


async def test_the_chosen_example_comes_first(editor: Editor) -> None:
    await editor.open(
        "chosen.py", NET.replace("# fx: Net()(f32[2, 8])", "# fx: Net()(f32[2, 8])\n# fx: Net()(f32[5, 8])")
    )
    assert "f32[2|5, 8]" in "".join(await editor.hints("chosen.py"))
    command = types.ExecuteCommandParams("fx.chooseExample", [editor.uri("chosen.py"), 1])
    assert await editor.ask(editor.client.workspace_execute_command_async(command))
    assert "f32[5, 8] +1" in "".join(await editor.hints("chosen.py"))
    listed = await request(editor, "fx/examples", "chosen.py")
    assert [(one.call, one.shown) for one in listed.examples] == [
        ("Net()(f32[2, 8])", False),
        ("Net()(f32[5, 8])", True),
    ]
    assert (await request(editor, "fx/graph", "chosen.py")).example == 1


async def test_doctor(editor: Editor) -> None:
    await editor.open("doctor.py", NET)
    reply = await editor.ask(editor.client.protocol.send_request_async("fx/doctor", {}))
    for part in (str(editor.root), "models run in", "worker: ready, torch 2", "sandbox:"):
        assert part in reply.text


async def test_generated_code_and_where_it_comes_from(editor: Editor) -> None:
    await editor.open("code.py", NET)
    reply = await request(editor, "fx/code", "code.py")
    assert (reply.state, reply.name, reply.level) == ("graph", "Net", "module")
    lines = reply.text.split("\n")
    linked = {lines[link.line].strip(): link.place.range.start.line + 1 for link in reply.links}
    assert linked['fc: "f32[2, 4]" = self.fc(x)'] == 12
    assert linked['relu: "f32[2, 4]" = fc.relu()'] == 13
    compile(reply.text, "code.py", "exec")


@pytest.mark.parametrize(
    ("form", "part"),
    [("dot", "digraph"), ("json", '"version"'), ("py", "class Net(torch.nn.Module):"), ("svg", "<svg")],
)
async def test_export(editor: Editor, form: str, part: str) -> None:
    await editor.open(f"export_{form}.py", NET)
    reply = await request(editor, "fx/export", f"export_{form}.py", format=form)
    assert (reply.state, reply.message, part in reply.text) == ("graph", "", True)


async def test_export_in_a_format_that_there_is_not(editor: Editor) -> None:
    await editor.open("export.py", NET)
    reply = await request(editor, "fx/export", "export.py", format="gif")
    assert (reply.state, reply.text) == ("none", "")
    assert "There is no format 'gif'" in reply.message


async def test_a_graph_is_rewritten(editor: Editor) -> None:
    await editor.open("folded.py", FOLDED)
    reply = await request(editor, "fx/rewriteGraph", "folded.py")
    assert (reply.state, reply.message, reply.name, reply.place) == ("graph", "", "Net", None)
    assert reply.rule.id == "fold-batch-norm"
    assert "fold-batch-norm" in [one.id for one in reply.rules]
    assert reply.says.startswith("conv + norm: ")
    assert "torch.nn.BatchNorm2d" in reply.before
    assert "torch.nn.BatchNorm2d" not in reply.after
    compile(reply.after, "after.py", "exec")
    unknown = await request(editor, "fx/rewriteGraph", "folded.py", rule="magic")
    assert (unknown.state, unknown.after) == ("none", "")
    assert "there is no such rewrite" in unknown.message


async def test_why_a_graph_is_not_rewritten(editor: Editor) -> None:
    await editor.open("odd.py", FOLDED.replace("return self", "x = -x if x.sum() > 0 else x\n        return self"))
    reply = await request(editor, "fx/rewriteGraph", "odd.py")
    assert (reply.state, reply.before, reply.after) == ("none", "", "")
    assert "torch.fx.symbolic_trace cannot go on" in reply.message
    assert (reply.place.range.start.line, reply.place.range.start.character) == (11, 18)


async def test_a_file_that_is_closed_while_its_graph_is_awaited(editor: Editor) -> None:
    wanted = {"textDocument": {"uri": editor.uri("closed.py")}}
    await editor.open("closed.py", NET)
    awaited = asyncio.create_task(editor.client.protocol.send_request_async("fx/graph", wanted))
    await asyncio.sleep(0)  # it is sent
    await editor.close("closed.py")
    reply = await editor.ask(awaited)
    assert reply.state in ("none", "graph")
