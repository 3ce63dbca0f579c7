"""Values that go by way of a key of a dict, a field of an object or a loader of data.

return {"mask": lengths > 0}         # batch["mask"]
return Output(logits=x, cache=h)     # out.logits
DataLoader(Words(), collate_fn=pad)  # for batch in loader
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.mends._classes import defined
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._reached import Files
from fx_lsp.analysis.source import Source, walk


def key_of(node: ast.Subscript | ast.Attribute) -> str:
    """The key or the field that is asked for; empty where it is none."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.slice.value if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str) else ""


def under(source: Source, node: ast.expr, key: str, files: Files) -> list[ast.expr]:
    """What a dict or an object that is made here has there; of a dict without such a key all of it."""
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return [value for one, value in pairs if isinstance(one, ast.Constant) and one.value == key] or node.values
    if not isinstance(node, ast.Call) or not key:
        return []
    named = [one.value for one in node.keywords if one.arg == key]
    owner = defined(called(node), source, files) if not named else None
    fields = [one.target.id for one in (owner[1].body if owner is not None else ())
              if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]  # fmt: skip
    return named or (node.args[fields.index(key) :][:1] if key in fields else [])


def set_under(function: ast.AST, name: ast.Name, key: str) -> Iterator[ast.expr]:
    """What is put there before the name is used: `batch["mask"] = mask`."""
    for one in walk(function) if key else ():
        if isinstance(one, ast.Assign) and one.lineno < name.lineno:
            for target in one.targets:
                held = target if isinstance(target, ast.Subscript | ast.Attribute) else None
                if held is not None and key_of(held) == key and getattr(held.value, "id", "") == name.id:
                    yield one.value


def loading(call: ast.Call) -> Iterator[ast.Call]:
    """The calls that make what a loader of data gives: of the function that puts samples together, of the data set."""
    if called(call) != "DataLoader":
        return
    at = {"lineno": call.lineno, "col_offset": call.col_offset}
    for keyword in call.keywords:
        if keyword.arg == "collate_fn":
            yield ast.Call(keyword.value, [], [], **at)
    for data in [*call.args[:1], *(one.value for one in call.keywords if one.arg == "dataset")]:
        yield ast.Call(ast.Attribute(data, "__getitem__", ast.Load(), **at), [], [], **at)
