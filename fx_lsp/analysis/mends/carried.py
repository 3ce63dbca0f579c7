"""Layers made in a loop, each for what the one before it makes: the size of that one carried on.

last = 16
for width in widths:
    blocks.append(Block(last, width))
    last = width  # forgotten
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import bindings
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.source import Source, walk

_TAKEN = ("in_features", "in_channels", "num_features", "normalized_shape")


def propose(broken: Broken) -> Iterator[Edit]:
    """What an attribute carries on; then in each loop where what is bound before it is given beside its variable."""
    for made in broken.made:
        yield from (edit for name in made.parameters if name in _TAKEN for edit in made.carried(name))
    sources = [made.source for made in broken.made] + [source for source, _ in broken.callers] + [broken.source]
    for source in {one.path: one for one in sources}.values():
        for function in source.every(ast.FunctionDef):
            for loop in (one for one in walk(function) if isinstance(one, ast.For)):
                for name, other in _left(function, loop):
                    yield _after(source, loop.body[-1], f"{name} = {other}", "at the end of the loop")
                for text in _grown(function, loop):
                    yield _after(source, loop.body[-1], text, "at the end of the loop")
                for name, other, statement in _in_sums(source, function, loop):
                    yield _after(source, statement, f"{name} = {other}", f"after line {statement.lineno}")


def _left(function: ast.FunctionDef, loop: ast.For) -> Iterator[tuple[str, str]]:
    """Names that a call in the loop is given first, and that the loop never binds, with what is given after them."""
    inside = [one for part in loop.body for one in walk(part)]
    bound = _stored(loop)
    # What is given after them changes in the loop, or stays what it is in the first round of one inside another.
    own = {name for one in (loop, *_outer(function, loop)) for name in _stored(one)}
    given = {one.arg for one in (*function.args.args, *function.args.kwonlyargs)}
    for call in (one for one in inside if isinstance(one, ast.Call) and len(one.args) > 1):
        first, second = call.args[:2]
        if not isinstance(second, ast.Name) or second.id not in own:
            continue
        names = [first] if isinstance(first, ast.Name) else []
        names += [first.body, first.orelse] if isinstance(first, ast.IfExp) else []
        for one in names:
            if not isinstance(one, ast.Name) or one.id in {*bound, second.id}:
                continue
            if one.id in given or any(line < loop.lineno for line, _ in bindings(function, one.id)):
                yield one.id, second.id


def _grown(function: ast.FunctionDef, loop: ast.For) -> Iterator[str]:
    """Names that a call in the loop is given first, and times a number after them: `down(width, width * 2)`."""
    calls = [one for part in loop.body for one in walk(part) if isinstance(one, ast.Call) and len(one.args) > 1]
    given = {one.arg for one in (*function.args.args, *function.args.kwonlyargs)}
    for call in calls:
        first, second = call.args[:2]
        if not isinstance(first, ast.Name) or not isinstance(second, ast.BinOp) or first.id in _stored(loop):
            continue
        factor = second.right.value if isinstance(second.right, ast.Constant) else None
        sign = "*=" if isinstance(second.op, ast.Mult) else "//=" if isinstance(second.op, ast.FloorDiv) else ""
        known = first.id in given or any(line < loop.lineno for line, _ in bindings(function, first.id))
        if known and sign and type(factor) is int and ast.unparse(second.left) == first.id:
            yield f"{first.id} {sign} {factor}"


def _in_sums(source: Source, function: ast.FunctionDef, loop: ast.For) -> Iterator[tuple[str, str, ast.stmt]]:
    """Names in the sum that a call is given first, `Block(width + skip, out)`, that the loop never binds; what changes
    in the loop and is given after it; and the statement with the call."""
    own = {name for one in (loop, *_outer(function, loop)) for name in _stored(one)}
    for statement in loop.body:
        for call in (one for one in walk(statement) if isinstance(one, ast.Call) and len(one.args) > 1):
            first, *rest = call.args
            parts = [first.body, first.orelse] if isinstance(first, ast.IfExp) else [first]
            names = [one.id for part in parts if isinstance(part, ast.BinOp) for one in walk(part)
                     if isinstance(one, ast.Name) and one.id not in own]  # fmt: skip
            carried = [name for name in names if any(line < loop.lineno for line, _ in bindings(function, name))]
            sizes = [one for one in rest if isinstance(one, ast.Name | ast.BinOp) and own & _named(one)]
            for name in dict.fromkeys(carried if sizes else ()):
                yield name, _text.written(source, sizes[0]), statement


def _outer(function: ast.FunctionDef, loop: ast.For) -> list[ast.For]:
    return [one for one in walk(function) if isinstance(one, ast.For) and any(part is loop for part in one.body)]


def _named(node: ast.expr) -> set[str]:
    return {one.id for one in walk(node) if isinstance(one, ast.Name)}


def _stored(loop: ast.For) -> set[str]:
    return {one.id for one in walk(loop) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}


def _after(source: Source, last: ast.stmt, text: str, where: str) -> Edit:
    """A statement after another one of a loop."""
    return Edit(f"Insert {_text.title(text)} {where}", source.path, _text.below(source, last, text))


MEND = Mend(frozenset({"conv-channels", "linear-features", "norm-features", "broadcast-sizes"}), propose)
