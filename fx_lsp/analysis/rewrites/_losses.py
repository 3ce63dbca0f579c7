"""Loss layers with settings of their own: another one with the same, given what the input of the old one is made of."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from fx_lsp.analysis.rewrites import Found
from fx_lsp.analysis.rewrites._class import is_closed, made, reads
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._match import Match, matches, pattern
from fx_lsp.analysis.rewrites._statements import often
from fx_lsp.analysis.rewrites._write import Unwritable, replaced, without
from fx_lsp.model.comparison import MODULE
from fx_lsp.model.span import Span


def layered(loss: str, instead: str, inner: str) -> Callable[[Flow], Iterator[Found]]:
    """What finds calls of such a layer, which is called nowhere else, on an `inner` function of `x`."""

    def find(flow: Flow) -> Iterator[Found]:
        for term, statement in flow.roots:
            call = term.node
            layer = _made(flow, call) if term.op == f"nn.{loss}" and isinstance(call, ast.Call) else None
            func = layer.func if layer is not None else None
            if not isinstance(func, ast.Attribute) or not isinstance(call, ast.Call) or len(term.args) < 2:
                continue
            end = flow.file.source.span(func)
            name = Span(end.path, end.end_line, end.end_column - len(loss.encode()), end.end_line, end.end_column)
            for match in matches(pattern(inner), term.args[0], flow, Match(shared=True)):
                try:
                    edit = replaced(flow, term.args[0], statement, "x", match.bound, match.through)
                    gone = without(flow, match.through, statement)
                except Unwritable:
                    continue
                title = f"Use {instead}"
                yield Found(call, ((name, instead), *edit, *gone), _says(flow, call, instead), title)
                break

    return find


def _says(flow: Flow, call: ast.Call, instead: str) -> str:
    """What changes for others who have the layer: a variable of a function nobody has."""
    local = isinstance(call.func, ast.Name) and flow.function.name != MODULE
    return "" if local else f"`{ast.unparse(call.func)}` is {instead} for whoever else calls it, in another file"


def _made(flow: Flow, call: ast.Call) -> ast.Call | None:
    """What makes the layer, in the constructor or in the same function; None where the file calls it elsewhere, too."""
    func = call.func
    if isinstance(func, ast.Name):
        return flow.local.get(func.id) if often(flow.function, func.id) == 2 else None  # bound and called
    found = made(flow.file, flow.owner).get(func.attr) if isinstance(func, ast.Attribute) else None
    if found is None or flow.owner is None or not is_closed(flow.file, flow.owner):
        return None
    everywhere = [one for one in flow.file.attributes.get(found.name, ()) if isinstance(one.ctx, ast.Load)]
    return found.value if len(everywhere) == 1 and reads(flow.file, flow.owner, found.name) == 1 else None
