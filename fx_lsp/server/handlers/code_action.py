"""Code actions: edits on offer at a place.  Rewrites are tried when one is chosen, and what mends a problem as soon as
somebody looks at it: what is good comes first then, and what is not is gone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lsprotocol import types

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.proposals import Proposal
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.model.span import Span
from fx_lsp.server.app import App
from fx_lsp.server.edits import all_actions, workspace_edit
from fx_lsp.server.handlers._graph import ContentModified
from fx_lsp.server.offers import Offers
from fx_lsp.server.ran import Cancelled
from fx_lsp.server.trials import Verdict
from fx_lsp.server.view import View

FIX_ALL = "source.fixAll.fx"
_KINDS = {True: types.CodeActionKind.QuickFix, False: types.CodeActionKind.RefactorRewrite}
OPTIONS = types.CodeActionOptions(code_action_kinds=[*_KINDS.values(), FIX_ALL], resolve_provider=True)


def register(app: App) -> None:
    """Answer with what is on offer in the range; an edit that is tried comes when it is asked for."""
    offers = Offers(app.engine)

    @app.server.feature(types.TEXT_DOCUMENT_CODE_ACTION, OPTIONS)
    async def code_action(params: types.CodeActionParams) -> list[types.CodeAction] | None:
        view = app.view(params.text_document.uri)
        if view is None:
            return None
        first, last = view.position_in(params.range.start), view.position_in(params.range.end)
        found: list[types.CodeAction] = []
        for action in all_actions().values():
            edit = action.find(view.snapshot, *first) if _wanted(action.kind, params.context.only) else None
            if edit is not None:
                found.append(types.CodeAction(edit.title, action.kind, edit=workspace_edit(app, edit)))
        lines = range(first[0], last[0] + 1)
        found += _on_offer(offers, view, lines, params.context)
        if _asked(FIX_ALL, params.context.only) and _meant(params.context):
            found.append(types.CodeAction("Apply all safe rewrites", FIX_ALL, data={"uri": view.uri, "all": True}))
        if app.client.resolves_edits:
            if any(action.kind == _KINDS[True] for action in found):
                offers.search(view.snapshot, lines)
            return found
        await _try_all(app, offers, found)
        tried = [action for action in found if action.data is not None]
        if tried and all(action.edit is None for action in tried):
            await offers.searched(view.snapshot, lines)  # what lies further away, and two edits each
            found += (more := [*_on_offer(offers, view, lines, params.context)])
            await _try_all(app, offers, more)
        return [action for action in found if action.edit is not None]

    @app.server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(action: types.CodeAction) -> types.CodeAction:
        action.edit, why_not = await _edit(app, offers, action.data)
        if why_not:
            app.on_message(f"“{action.title}” is not done: {why_not}.")
        return action


def _on_offer(offers: Offers, view: View, lines: range, context: types.CodeActionContext) -> Iterator[types.CodeAction]:
    """What is to be tried, of the kinds that the client wants; preferred is the first that is known to mend."""
    preferred = set[tuple[str, Span]]()
    for one in offers.of(view.snapshot, lines):
        if view.holds(one.span) and _wanted(_KINDS[one.mends], context.only):
            action, place = _tried(view, one), (one.rule, one.span)
            if one.mends:
                action.diagnostics = [told for told in context.diagnostics if _is(told, view, one)] or None
                if place not in preferred and offers.known(view.snapshot, one) is not None:
                    action.is_preferred = True
                    preferred.add(place)
            yield action


def _is(told: types.Diagnostic, view: View, proposal: Proposal) -> bool:
    """Whether it is what the proposal mends."""
    return told.code == proposal.rule and told.range == view.range_out(proposal.span)


async def _try_all(app: App, offers: Offers, actions: list[types.CodeAction]) -> None:
    for action in actions:
        if action.data is not None:
            action.edit, _ = await _edit(app, offers, action.data)


async def _edit(app: App, offers: Offers, data: Any) -> tuple[types.WorkspaceEdit | None, str]:
    """The edit that `data` stands for, tried; or why there is none.

    Raises:
        ContentModified: the text is another one by now.
    """
    snapshot = app.snapshot(data["uri"]) if isinstance(data, dict) and isinstance(data.get("uri"), str) else None
    if snapshot is None:
        return None, "its file is not open any more"
    try:
        edit, why_not = await (_all if data.get("all") is True else _one)(app, offers, snapshot, data)
    except Cancelled:
        raise ContentModified from None
    return (workspace_edit(app, edit) if edit is not None else None), why_not


async def _all(app: App, offers: Offers, snapshot: Snapshot, data: dict[str, Any]) -> tuple[Edit | None, str]:
    """Every safe rewrite of the file."""
    found = await offers.together(snapshot, lambda one: not one.unsafe)
    for one, said in (*found.done, *found.refused):
        app.log(_told(snapshot, one, said))
    return (found.edit, "") if found.done else (None, "there is no safe rewrite here")


async def _one(app: App, offers: Offers, snapshot: Snapshot, data: dict[str, Any]) -> tuple[Edit | None, str]:
    """The proposal that `data` names, if it does what it says."""
    wanted = data.get("rule"), data.get("title"), data.get("line"), data.get("column")
    line = wanted[2] if isinstance(wanted[2], int) else 0
    found = next((one for one in offers.every(snapshot, range(line, line + 1)) if _name(one) == wanted), None)
    if found is None:
        return None, "the text is another one by now"
    verdict = await offers.verdict(snapshot, found)
    app.log(_told(snapshot, found, verdict))
    return (found.edit, "") if verdict.good else (None, verdict.says)


def _told(snapshot: Snapshot, proposal: Proposal, said: Verdict) -> str:
    what = "done" if said.good else "not done"
    return f"{snapshot.path}:{proposal.span.line}: {proposal.rule}: {what}: {said.says}"


def _tried(view: View, proposal: Proposal) -> types.CodeAction:
    rule, title, line, column = _name(proposal)
    shown = f"{title} ({proposal.unsafe})" if proposal.unsafe else title
    data = {"uri": view.uri, "rule": rule, "title": title, "line": line, "column": column}
    return types.CodeAction(shown, _KINDS[proposal.mends], data=data)


def _name(proposal: Proposal) -> tuple[str, str, int, int]:
    return proposal.rule, proposal.title, proposal.span.line, proposal.span.column


def _wanted(kind: str, only: object) -> bool:
    """Whether the kinds that the client restricts itself to include this one; an empty kind includes all."""
    return not isinstance(only, list | tuple) or _asked(kind, only) or any(_text(one) == "" for one in only)


def _asked(kind: str, only: object) -> bool:
    """Whether one of the kinds is this one, or a family that it belongs to."""
    names = [_text(one) for one in only] if isinstance(only, list | tuple) else []
    kind = _text(kind)
    return any(name and (kind == name or kind.startswith(f"{name}.")) for name in names)


def _meant(context: types.CodeActionContext) -> bool:
    """Whether somebody wants our fixes: who lets every tool fix what it can on saving is not made to wait for ours."""
    by_itself = context.trigger_kind == types.CodeActionTriggerKind.Automatic
    return not by_itself or FIX_ALL in map(_text, context.only or ())


def _text(kind: object) -> str:
    return str(getattr(kind, "value", kind))
