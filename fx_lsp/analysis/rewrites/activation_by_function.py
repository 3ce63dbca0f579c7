"""An activation by a function, which no hook and no summary of the layers sees.

Before:
    y = F.relu(self.fc(x))
After:
    self.relu = nn.ReLU()
    y = self.relu(self.fc(x))
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Changes
from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._class import made
from fx_lsp.analysis.rewrites._file import File
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._write import Unwritable, indent, inserted, spelled
from fx_lsp.model.span import Span

_LAYERS = {"relu": "ReLU", "gelu": "GELU", "silu": "SiLU", "mish": "Mish", "elu": "ELU", "selu": "SELU",
           "relu6": "ReLU6", "leaky_relu": "LeakyReLU", "hardswish": "Hardswish", "softplus": "Softplus"}  # fmt: skip
_SAYS = "the class has one more layer"


def find(flow: Flow) -> Iterator[Found]:
    """Each call of a function that has a layer of its own, in a method of a class with an `__init__`."""
    owner = flow.owner
    inits = [one for one in owner.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"] if owner else []
    own = flow.function.args.args[0].arg if flow.function.args.args else ""
    if owner is None or len(inits) != 1 or flow.function is inits[0] or flow.function.decorator_list or not own:
        return
    for term, _ in flow.roots:
        call = term.node
        if term.op not in _LAYERS or not isinstance(call, ast.Call) or _settings(flow.file, call) is None:
            continue
        if not flow.file.dotted(call.func).startswith("torch.nn.functional."):
            continue
        try:
            yield Found(call, _as_layer(flow, owner, inits[0], call, term.op, own), _SAYS)
        except Unwritable:
            continue


def _settings(file: File, call: ast.Call) -> list[str] | None:
    """What the layer is given besides, which has the function's names and their order; None where that is not plain."""
    others = [*call.args[1:], *(one.value for one in call.keywords)]
    if not call.args or any(one.arg in (None, "input") for one in call.keywords):
        return None
    plain = all(isinstance(one, ast.Constant) or _is_negative(one) for one in others)
    named = [f"{one.arg}={file.text(one.value)}" for one in call.keywords]
    return [*map(file.text, call.args[1:]), *named] if plain else None


def _is_negative(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant)


def _first(file: File, owner: ast.ClassDef, call: ast.Call) -> list[str] | None:
    """The settings that the class gives this function first: those that the layer of its name has."""
    name = file.dotted(call.func)
    calls = [one for one in ast.walk(owner) if isinstance(one, ast.Call) and file.dotted(one.func) == name]
    return _settings(file, min(calls, key=lambda one: (one.lineno, one.col_offset)))


def _as_layer(flow: Flow, owner: ast.ClassDef, init: ast.FunctionDef, call: ast.Call, name: str, own: str) -> Changes:
    """The layer made last, unless the class has it already, and called.

    Raises:
        Unwritable: the class has something else of that name.
    """
    file = flow.file
    there, wanted = made(file, owner).get(name), _settings(file, call)
    first, whole = file.source.span(call.args[0]), file.source.span(call)
    rest = Span(whole.path, first.end_line, first.end_column, whole.end_line, whole.end_column)
    used = ((file.source.span(call.func), f"{own}.{name}"), *(((rest, ")"),) if wanted else ()))
    if wanted != _first(file, owner, call) or (wanted and "#" in file.text(call)):
        raise Unwritable
    if there is not None and file.dotted(there.value.func) == f"torch.nn.{_LAYERS[name]}":
        given = [file.text(one) for one in there.value.args]
        if [*given, *(f"{one.arg}={file.text(one.value)}" for one in there.value.keywords)] == wanted:
            return used
    if not _is_free(file, owner, name) or not init.args.args:
        raise Unwritable
    nn, imported = spelled(file, "nn")
    last = init.body[-1]
    line = f"{indent(file, last)}{init.args.args[0].arg}.{name} = {nn}.{_LAYERS[name]}({', '.join(wanted or ())})"
    return (inserted(file, (last.end_lineno or last.lineno) + 1, line), *used, *imported)


def _is_free(file: File, owner: ast.ClassDef, name: str) -> bool:
    """Whether nothing but torch has an attribute of that name in the class."""
    first, last = owner.lineno, owner.end_lineno or owner.lineno
    inside = [one for one in file.attributes.get(name, ()) if first <= one.lineno <= last]
    methods = {one.name for one in owner.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}
    return name not in methods and all(file.dotted(one).startswith("torch.") for one in inside)


RULE = Rewrite("activation-by-function", "Make it a layer", find, late=True)
