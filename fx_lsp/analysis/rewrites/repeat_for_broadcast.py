"""`repeat` copies what `expand` only looks at again and again.

Before:
    y = x + bias.repeat(64, 1, 1)
After:
    y = x + bias.expand(64, -1, -1)
"""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._terms import Term, plain
from fx_lsp.analysis.rewrites._write import Unwritable, atom, replaced, text_of
from fx_lsp.model.value import TensorType


def find(flow: Flow) -> Iterator[Found]:
    """Where only dims of size one, or new ones, are repeated."""
    for term, statement in flow.roots if flow.function.name != "__init__" else ():  # what is kept is written to
        operation = flow.file.ran(term.node) if term.op == "repeat" and term.node is not None else None
        inputs = [*dict.fromkeys(one.inputs[:1] for one in operation.variants)] if operation is not None else []
        given = inputs[0][0] if len(inputs) == 1 and inputs[0] else None
        if not isinstance(given, TensorType) or len(term.args) != 2:
            continue
        times = term.args[1].args if term.args[1].op == "tuple" else term.args[1:]
        try:
            sizes = _sizes(flow, times, given.shape)
            x = atom(text_of(flow.file, term.args[0]))
            if sizes and term.node is not None:
                bound = {f"s{number}": one for number, one in enumerate(times)}
                yield Found(term.node, replaced(flow, term, statement, f"{x}.expand({', '.join(sizes)})", bound))
        except Unwritable:
            continue


def _sizes(flow: Flow, times: tuple[Term, ...], shape: tuple[int, ...]) -> list[str]:
    """What `expand` is to be given; nothing where it cannot do it."""
    new = len(times) - len(shape)
    if new < 0:
        return []
    sizes: list[str] = []
    for place, count in enumerate(times):
        if place >= new and plain(count) == 1:
            sizes.append("-1")
        elif place < new or shape[place - new] == 1:
            sizes.append(text_of(flow.file, count))
        else:
            return []
    return sizes if any(size != "-1" for size in sizes) else []


RULE = Rewrite("repeat-for-broadcast", "Use expand", find)
