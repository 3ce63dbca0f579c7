"""Several linear layers of the same input are one product with a larger matrix, cut into parts.

Before:
    self.to_q = nn.Linear(dim, inner)
    self.to_k = nn.Linear(dim, inner)
    q = self.to_q(x)
    k = self.to_k(x)
After:
    self.to_qk = nn.Linear(dim, 2 * inner)
    q, k = self.to_qk(x).chunk(2, dim=-1)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from fx_lsp.analysis.actions import Changes
from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._class import Made, is_closed, is_free, made, reads
from fx_lsp.analysis.rewrites._file import File
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._statements import named
from fx_lsp.analysis.rewrites._terms import Term
from fx_lsp.analysis.rewrites._write import Unwritable, atom, indent, inserted, removed, spelled
from fx_lsp.model.span import Span

_SAYS = "the state dict has other entries; older ones still load"
_PARAMETERS = ("in_features", "out_features", "bias", "device", "dtype")
_SIMPLE = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Return | ast.Expr
_PERHAPS = ast.IfExp | ast.BoolOp | ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom


class _Use(NamedTuple):
    """A call of a layer."""

    call: ast.Call
    statement: ast.stmt
    layer: Made
    arguments: dict[str, ast.expr]
    """Of the layer's class, by parameter."""


def find(flow: Flow) -> Iterator[Found]:
    """The first layers of one input that are called next to each other, and nowhere else."""
    layers = made(flow.file, flow.owner) if not flow.function.decorator_list else {}
    groups: dict[Term, list[_Use]] = {}
    for term, statement in flow.roots if len(layers) > 1 else ():
        use = _use(term, statement, layers)
        if use is not None:
            groups.setdefault(term.args[0], []).append(use)
    for uses in groups.values():
        uses.sort(key=lambda use: (use.call.lineno, use.call.col_offset))
        if len(uses) > 1 and flow.owner is not None and _are_alike(flow, uses):
            try:
                yield Found(uses[0].call, _merged(flow, flow.owner, uses), _SAYS)
            except Unwritable:
                continue
            return  # a class has room for one method that loads


def _use(term: Term, statement: ast.stmt, layers: dict[str, Made]) -> _Use | None:
    call = term.node
    if term.op != "nn.Linear" or not isinstance(call, ast.Call) or len(term.args) != 2 or term.args[0].op != "name":
        return None
    layer = layers.get(call.func.attr) if isinstance(call.func, ast.Attribute) else None
    if layer is None or len(call.args) != 1 or not isinstance(statement, _SIMPLE):
        return None
    given = layer.value
    arguments: dict[str, ast.expr] = dict(zip(_PARAMETERS, given.args, strict=False))
    arguments.update({one.arg: one.value for one in given.keywords if one.arg in _PARAMETERS})
    known = len(arguments) == len(given.args) + len(given.keywords) and {"in_features", "out_features"} <= {*arguments}
    odd = any(isinstance(node, _PERHAPS) for node in ast.walk(statement))
    return _Use(call, statement, layer, arguments) if known and not odd else None


def _are_alike(flow: Flow, uses: Sequence[_Use]) -> bool:
    """Whether their statements are neighbours, and the layers the same but for what they give."""
    block = flow.block[id(uses[0].statement)]
    among = [place for place, one in enumerate(block) if any(use.statement is one for use in uses)]
    if {id(flow.block[id(use.statement)]) for use in uses} != {id(block)} or among[-1] - among[0] >= len(among):
        return False
    others = {
        tuple(sorted((key, ast.unparse(node)) for key, node in use.arguments.items() if key != "out_features"))
        for use in uses
    }
    return len(others) == 1 and all(flow.file.output(use.call) is not None for use in uses)


def _merged(flow: Flow, owner: ast.ClassDef, uses: Sequence[_Use]) -> Changes:
    file, own = flow.file, uses[0].layer.init.args.args[0].arg
    name = _joined([use.layer.name for use in uses])
    free = all(is_free(file, owner, one) for one in (name, f"{name}_sizes", "_load_from_state_dict"))
    if not free or not is_closed(file, owner) or any(reads(file, owner, use.layer.name) != 1 for use in uses):
        raise Unwritable
    outs = [file.text(use.arguments["out_features"]) for use in uses]
    split, sizes = _split(outs, own, name)
    receiver, given = file.text(uses[0].call.func).rpartition(".")[0], file.text(uses[0].call.args[0])
    parts = f"{receiver}.{name}({given}){split}"
    if receiver != own or any("\n" in text for text in (parts, *outs)):
        raise Unwritable
    return (*_made_once(uses, file, name, outs, sizes), *_called_once(flow, uses, parts), *_loads(uses, file, name))


def _split(outs: Sequence[str], own: str, name: str) -> tuple[str, str]:
    """How the product is cut, and the attribute that keeps sizes which only `__init__` knows."""
    if len({*outs}) == 1:
        return f".chunk({len(outs)}, dim=-1)", ""
    if all(one.isdecimal() for one in outs):
        return f".split([{', '.join(outs)}], dim=-1)", ""
    return f".split({own}.{name}_sizes, dim=-1)", f"{own}.{name}_sizes = [{', '.join(outs)}]"


def _joined(names: Sequence[str]) -> str:
    """`to_qkv` of `to_q`, `to_k` and `to_v`, `gate_up_proj` of `gate_proj` and `up_proj`."""
    head = _beginning(names)
    tail = _beginning([one[len(head) :][::-1] for one in names])[::-1]
    inner = [one[len(head) : len(one) - len(tail)] for one in names]
    if all(len(one) == 1 and one.isalpha() for one in inner):
        return f"{head}{''.join(inner)}{tail}"
    head, tail = head[: head.rfind("_") + 1], tail[tail.find("_") :] if "_" in tail else ""
    return f"{head}{'_'.join(one[len(head) : len(one) - len(tail)] for one in names)}{tail}"


def _beginning(texts: Sequence[str]) -> str:
    """What all of them begin with."""
    return "".join(one[0] for one in takewhile(lambda one: len({*one}) == 1, zip(*texts, strict=False)))


def _made_once(uses: Sequence[_Use], file: File, name: str, outs: Sequence[str], sizes: str) -> Changes:
    """The last layer made for all of them."""
    *others, last = sorted(uses, key=lambda use: use.layer.statement.lineno)
    if len({*outs}) == 1:
        total = str(len(outs) * int(outs[0])) if outs[0].isdecimal() else f"{len(outs)} * {atom(outs[0])}"
    else:
        total = str(sum(map(int, outs))) if not sizes else " + ".join(map(atom, outs))
    before, target = indent(file, last.layer.statement), last.layer.target
    width = file.source.span(last.arguments["out_features"])
    end = target.end_lineno or target.lineno, target.end_col_offset or 0
    attribute = Span(width.path, end[0], end[1] - len(last.layer.name.encode()), *end)
    return (
        *(removed(file, use.layer.statement) for use in others),
        (attribute, name),
        (width, total),
        *((inserted(file, last.layer.statement.lineno, before + sizes),) if sizes else ()),
    )


def _called_once(flow: Flow, uses: Sequence[_Use], parts: str) -> Changes:
    file, span = flow.file, flow.file.source.span
    values = [_value(use.statement) for use in uses]
    bound = [one[0] for use in uses if (one := named(use.statement)) is not None]
    before = indent(file, uses[0].statement)
    if len(bound) == len(uses) == len({*bound}) and all(
        value is use.call for value, use in zip(values, uses, strict=True)
    ):
        first, *others = uses
        gone = tuple(removed(file, use.statement) for use in others)
        return (span(first.statement), f"{', '.join(bound)} = {parts}"), *gone
    group = values[0]
    if isinstance(group, ast.Tuple) and [*map(id, group.elts)] == [id(use.call) for use in uses]:
        return ((span(group), parts),)
    names = [use.layer.name for use in uses]
    if any(_is_taken(flow, use) for use in uses):
        raise Unwritable
    for use in uses:
        indent(file, use.statement)
    line = inserted(file, uses[0].statement.lineno, f"{before}{', '.join(names)} = {parts}")
    bare = [use for use in uses if named(use.statement) == (use.layer.name, use.call)]
    gone = (removed(file, use.statement) for use in bare)
    return line, *gone, *((span(use.call), use.layer.name) for use in uses if use not in bare)


def _is_taken(flow: Flow, use: _Use) -> bool:
    """Whether its name is used for something else, unless its own statement binds it first."""
    places = [node for node in ast.walk(flow.function) if isinstance(node, ast.Name) and node.id == use.layer.name]
    early = any(node.lineno < use.statement.lineno for node in places)
    bound = named(use.statement)
    first = bound is not None and bound[0] == use.layer.name and flow.block[id(use.statement)] is flow.function.body
    return use.layer.name in flow.file.imports or (bool(places) and (early or not first))


def _value(statement: ast.stmt) -> ast.expr | None:
    return statement.value if isinstance(statement, _SIMPLE) else None


def _loads(uses: Sequence[_Use], file: File, name: str) -> Changes:
    """The method that joins the entries of older state dicts."""
    init = uses[0].layer.init
    torch, imported = spelled(file, "torch")
    outer = indent(file, init)
    step = indent(file, init.body[0]).removeprefix(outer)
    names = ", ".join(f'"{use.layer.name}"' for use in uses)
    lines = (
        "def _load_from_state_dict(self, state_dict, prefix, *args):",
        f'{step}"""Older state dicts have an entry for each part of `{name}`."""',
        f'{step}for kind in ("weight", "bias"):',
        f'{step * 2}parts = [f"{{prefix}}{{name}}.{{kind}}" for name in ({names})]',
        f"{step * 2}if all(part in state_dict for part in parts):",
        f"{step * 3}joined = {torch}.cat([state_dict.pop(part) for part in parts])",
        f'{step * 3}state_dict[f"{{prefix}}{name}.{{kind}}"] = joined',
        f"{step}super()._load_from_state_dict(state_dict, prefix, *args)",
    )
    return inserted(file, (init.end_lineno or 0) + 1, "", *(outer + line for line in lines)), *imported


RULE = Rewrite("merged-projections", "Make them one layer", find)
