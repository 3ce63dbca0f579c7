"""The custom request `fx/rewriteGraph`: the graph of a class rewritten, as a module file beside the original."""

from __future__ import annotations

from typing import Any

from fx_lsp.server.app import App
from fx_lsp.server.handlers._graph import find, place, plain
from fx_lsp.server.protocol import GraphRuleItem, RewriteGraphReply


def register(app: App) -> None:
    """Answer for a class of an open document, see `RewriteGraphParams`."""

    @app.server.feature("fx/rewriteGraph")
    async def rewrite_graph(params: Any) -> Any:
        rule = getattr(params, "rule", None)
        snapshot, found = await find(app, params, rule if isinstance(rule, str) else "")
        made = found.rewritten
        return plain(
            RewriteGraphReply(
                state=found.state,
                message=found.message,
                uri=app.uri(snapshot.path) if snapshot is not None else "",
                name=found.name,
                rule=GraphRuleItem(found.rule.id, found.rule.title) if found.rule is not None else None,
                rules=tuple(GraphRuleItem(one.id, one.title) for one in found.rules),
                before=made.before if made is not None else "",
                after=made.after if made is not None else "",
                says=found.says,
                place=place(app, made.span) if made is not None else None,
            )
        )
