"""Edits that are tried before they are given: what mends an error, what computes the same in another way."""

from __future__ import annotations

import asyncio

import pytest
from lsprotocol import types

from tests.e2e.conftest import Start
from tests.e2e.editor import PUSH, Editor

pytestmark = pytest.mark.asyncio

BROKEN = """import torch
from torch import nn


# fx: Net()(f32[2, 16])
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 4)  # too few

    def forward(self, x):
        return self.fc(x)
"""
ATTENTION = """import torch
import torch.nn.functional as F
from torch import nn


# fx: Net()(f32[2, 5, 8], i64[2, 5, 5])
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x, mask):
        q, k, v = self.q(x), self.k(x), self.v(x)
        scores = q @ k.transpose(-2, -1) / 8**0.5  # as in the paper
        y = scores.softmax(dim=-1) @ v
        hidden = (y @ k.transpose(-2, -1)) * x.mean((0, 2))
        return torch.log(1 + hidden.softmax(-1) @ v)
"""


WARNED = """import torch
import torch.nn.functional as F
from torch import nn


# fx: Net()(f32[4, 8], f32[4])
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 1)

    def forward(self, x, target):
        score = self.fc(x).sigmoid()
        return F.binary_cross_entropy_with_logits(score.squeeze(1), target) + (score * target).mean()
"""


def resolving() -> types.ClientCapabilities:
    assert PUSH.text_document is not None
    edits = types.ClientCodeActionResolveOptions(["edit"])
    actions = types.CodeActionClientCapabilities(resolve_support=edits, data_support=True)
    text = types.TextDocumentClientCapabilities(
        publish_diagnostics=PUSH.text_document.publish_diagnostics, code_action=actions
    )
    return types.ClientCapabilities(text_document=text)


async def resolved(editor: Editor, name: str, needle: str, title: str) -> types.CodeAction:
    (action,) = [one for one in await editor.actions(name, needle) if one.title.startswith(title)]
    assert action.edit is None
    return await editor.ask(editor.client.code_action_resolve_async(action))


async def test_what_mends_an_error_is_run_before_it_is_given(start: Start) -> None:
    editor = await start(capabilities=resolving())
    await editor.open("net.py", BROKEN)
    action = next(one for one in await editor.actions("net.py", "self.fc(x)") if "in_features" in one.title)
    assert action.kind == types.CodeActionKind.QuickFix
    given = await editor.ask(editor.client.code_action_resolve_async(action))
    after = editor.apply("net.py", given.edit)
    assert after == BROKEN.replace("nn.Linear(8, 4)", "nn.Linear(16, 4)")
    await editor.replace("net.py", after)
    assert "return⟦: f32[2, 4]⟧ self.fc(x)" in await editor.hints("net.py")


async def test_what_mends_an_error_is_tried_as_soon_as_somebody_looks_at_it(start: Start) -> None:
    editor = await start(capabilities=resolving())
    await editor.open("net.py", BROKEN.replace("8, 4)", "16, 4)").replace("return", "return x +"))
    (problem, *_) = editor.client.diagnostics[editor.uri("net.py")]

    async def found() -> list[types.CodeAction]:
        context = types.CodeActionContext([problem], only=[types.CodeActionKind.QuickFix])
        params = types.CodeActionParams(editor.document("net.py"), problem.range, context)
        return [*await editor.ask(editor.client.text_document_code_action_async(params))]

    before = await found()
    assert not any(one.is_preferred for one in before)
    assert all(list(one.diagnostics or ()) == [problem] for one in before)
    async with asyncio.timeout(60):
        while len(after := await found()) == len(before) or not after[0].is_preferred:
            await asyncio.sleep(0.05)
    given = await editor.ask(editor.client.code_action_resolve_async(after[0]))
    await editor.replace("net.py", editor.apply("net.py", given.edit))
    assert not editor.client.diagnostics[editor.uri("net.py")]


async def test_what_mends_a_warning_leaves_nothing_to_warn_of(start: Start) -> None:
    editor = await start(capabilities=resolving())
    await editor.open("net.py", WARNED)
    (first, *_) = [one for one in await editor.actions("net.py", "score * target") if "squeeze" in one.title]
    assert first.kind == types.CodeActionKind.QuickFix
    given = await editor.ask(editor.client.code_action_resolve_async(first))
    after = editor.apply("net.py", given.edit)
    assert after == WARNED.replace("score * target", "score.squeeze(-1) * target")
    await editor.replace("net.py", after)
    assert not any("squeeze" in one.title for one in await editor.actions("net.py", "score.squeeze(-1) * target"))


async def test_a_client_that_resolves_nothing_is_given_only_what_was_tried(start: Start) -> None:
    editor = await start()
    await editor.open("net.py", BROKEN)
    actions = await editor.actions("net.py", "self.fc(x)")
    assert actions
    assert all(one.edit is not None for one in actions)
    assert BROKEN.replace("nn.Linear(8, 4)", "nn.Linear(16, 4)") in [
        editor.apply("net.py", one.edit) for one in actions
    ]


OWN = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.first = nn.Linear(dim, 48)
        self.second = nn.Linear(32, dim)

    def forward(self, x):
        return self.second(self.first(x))


class Places(nn.Module):
    def __init__(self, dim: int, places: int = 10):
        super().__init__()
        table = torch.zeros(places, 16)
        table[:, 0::2] = torch.arange(0, 16).sin()
        self.register_buffer("table", table)
        self.out = nn.Linear(16, dim)

    def forward(self, x):
        return self.out(x + self.table)
"""


@pytest.mark.parametrize(
    ("at", "cause", "wrong", "right"),
    [
        ("self.second(self.first(x))", "linear-features", "nn.Linear(32, dim)", "nn.Linear(48, dim)"),
        ("table[:, 0::2]", "assigned-sizes", "torch.arange(0, 16)", "torch.arange(0, 16, 2)"),
    ],
)
async def test_what_fails_whatever_it_is_given_is_told_in_a_file_that_nothing_calls_and_mended(
    start: Start, at: str, cause: str, wrong: str, right: str
) -> None:
    editor = await start(capabilities=resolving())
    await editor.open("net.py", OWN)
    told = [one for one in editor.client.diagnostics[editor.uri("net.py")] if one.code == cause]
    assert [one.severity for one in told] == [types.DiagnosticSeverity.Information]
    after = list[str]()
    async with asyncio.timeout(90):
        while OWN.replace(wrong, right) not in after:
            for action in [one for one in await editor.actions("net.py", at) if one.title not in after]:
                given = await editor.ask(editor.client.code_action_resolve_async(action))
                after += [action.title, *([editor.apply("net.py", given.edit)] if given.edit else [])]
    await editor.replace("net.py", OWN.replace(wrong, right))
    assert cause not in [one.code for one in editor.client.diagnostics[editor.uri("net.py")]]


TWICE = """import torch
from torch import nn


# fx: Net()(f32[2, 48])
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(96)
        self.head = nn.Linear(96, 10)

    def forward(self, x):
        x = self.norm(x)
        return self.head(x)
"""
MENDED = TWICE.replace("LayerNorm(96)", "LayerNorm(48)").replace("Linear(96, 10)", "Linear(48, 10)")


async def test_a_mistake_that_takes_two_edits_is_mended_by_both_when_each_alone_was_tried(start: Start) -> None:
    editor = await start()
    await editor.open("net.py", TWICE)
    given = {one.title: one for one in await editor.actions("net.py", "self.norm(x)")}
    title = next(one for one in given if editor.apply("net.py", given[one].edit) == MENDED)
    assert title == "Change normalized_shape of `nn.LayerNorm` to `48`, and change in_features of `nn.Linear` to `48`"


async def test_two_edits_are_on_offer_after_one_of_them_was_chosen_in_vain(start: Start) -> None:
    editor = await start(capabilities=resolving())
    await editor.open("net.py", TWICE)
    alone = await editor.actions("net.py", "self.norm(x)")
    assert not any(", and " in one.title for one in alone)
    for action in [one for one in alone if one.kind == types.CodeActionKind.QuickFix]:
        assert (await editor.ask(editor.client.code_action_resolve_async(action))).edit is None
    both = [one for one in await editor.actions("net.py", "self.norm(x)") if ", and " in one.title]
    given = [(await editor.ask(editor.client.code_action_resolve_async(one))).edit for one in both]
    assert MENDED in [editor.apply("net.py", one) for one in given if one is not None]


async def test_a_rewrite_that_computes_the_same_is_given_and_one_that_does_not_is_gone(start: Start) -> None:
    editor = await start(capabilities=resolving())
    await editor.open("net.py", ATTENTION)
    good = await resolved(editor, "net.py", "scores.softmax", "Use scaled_dot_product_attention")
    assert good.kind == types.CodeActionKind.RefactorRewrite
    after = editor.apply("net.py", good.edit)
    assert "        # as in the paper\n        y = F.scaled_dot_product_attention(q, k, v, scale=1 / 8**0.5)\n" in after
    # What scales it is a tensor, and torch wants a number.
    wrong = await resolved(editor, "net.py", "hidden.softmax", "Use scaled_dot_product_attention")
    assert wrong.edit is None
    titles = [one.title for one in await editor.actions("net.py", "hidden.softmax")]
    assert not any(title.startswith("Use scaled") for title in titles)
    assert "Use log1p" in titles


async def test_all_safe_rewrites_of_a_file_are_one_action(start: Start) -> None:
    editor = await start(capabilities=resolving())
    await editor.open("net.py", ATTENTION)
    context = types.CodeActionContext([], only=["source.fixAll"])
    place = editor.place("net.py", "import torch")
    params = types.CodeActionParams(editor.document("net.py"), types.Range(place, place), context)
    found = await editor.ask(editor.client.text_document_code_action_async(params))
    assert found is not None
    (action,) = found
    assert isinstance(action, types.CodeAction)
    after = editor.apply("net.py", (await editor.ask(editor.client.code_action_resolve_async(action))).edit)
    assert after.count("scaled_dot_product_attention") == 1
    assert "torch.log1p(hidden.softmax(-1) @ v)" in after
    await editor.replace("net.py", after)
    assert "return⟦: f32[2, 5, 8]⟧ torch.log1p(hidden.softmax(-1) @ v)" in await editor.hints("net.py")


async def test_saving_with_the_fixes_of_every_tool_does_not_wait_for_rewrites(start: Start) -> None:
    editor = await start(capabilities=resolving())
    await editor.open("net.py", ATTENTION)
    place = editor.place("net.py", "import torch")
    for only, offered in (("source.fixAll", 0), ("source.fixAll.fx", 1)):
        context = types.CodeActionContext([], only=[only], trigger_kind=types.CodeActionTriggerKind.Automatic)
        params = types.CodeActionParams(editor.document("net.py"), types.Range(place, place), context)
        found = await editor.ask(editor.client.text_document_code_action_async(params))
        assert len(found or ()) == offered
