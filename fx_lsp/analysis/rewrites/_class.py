"""What the `__init__` of a class makes in statements of their own, and where else its attributes are named."""

from __future__ import annotations

import ast
from typing import NamedTuple

from fx_lsp.analysis.rewrites._file import File, Function
from fx_lsp.analysis.rewrites._statements import plain_definition

_BY_NAME = frozenset({"getattr", "setattr", "delattr", "hasattr", "get_submodule", "get_parameter"})


class Made(NamedTuple):
    """A layer or a parameter, and the statement that makes it."""

    name: str
    value: ast.Call
    target: ast.Attribute
    statement: ast.Assign
    init: Function


def made(file: File, owner: ast.ClassDef | None, others: bool = False) -> dict[str, Made]:
    """What `__init__` assigns to `self.name` of `torch.nn`, in no other block than its own; `others`: also modules of
    the file's own classes and functions."""
    found: dict[str, Made] = {}
    inits = [one for one in owner.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"] if owner else []
    for init in inits if len(inits) == 1 and not inits[0].decorator_list and inits[0].args.args else ():
        layers = file.layers(owner)
        for statement in init.body:
            target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
            if not isinstance(statement, ast.Assign) or not isinstance(target, ast.Attribute):
                continue
            own = isinstance(target.value, ast.Name) and target.value.id == init.args.args[0].arg
            if not own or not isinstance(statement.value, ast.Call):
                continue
            is_other = others and len(file.stores(target.attr)) == 1 and module_of(file, statement.value)
            if layers.get(target.attr) is statement.value or is_other:
                found[target.attr] = Made(target.attr, statement.value, target, statement, init)
    return found


def module_of(file: File, call: ast.Call) -> str:
    """The class of the module that it makes: of `torch.nn`, a class of the file right below `nn.Module`, or what a
    function of the file gives in any case; empty where that is not known."""
    if (dotted := file.dotted(call.func)).startswith("torch.nn."):
        return dotted
    found = plain_definition(file.top, call.func.id) if isinstance(call.func, ast.Name) else None
    if found is None or _is_given_modules(call):
        return ""
    if isinstance(found, ast.ClassDef):
        inits = [one for one in found.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
        plain = all(map(_only_makes, inits)) and [file.dotted(base) for base in found.bases] == ["torch.nn.Module"]
        return found.name if plain else ""
    given = [one.value for one in ast.walk(found) if isinstance(one, ast.Return)]
    classes = {file.dotted(one.func) if isinstance(one, ast.Call) else "" for one in given}
    made = classes.pop() if len(classes) == 1 and _only_makes(found) else ""
    return made if made.startswith("torch.nn.") else ""


def _is_given_modules(call: ast.Call) -> bool:
    """Whether what is made may have something to do with what is there already: `Probe(self.fc)`, `group(*parts)`."""
    given = [*call.args, *(one.value for one in call.keywords)]
    return any(isinstance(node, ast.Starred) or (isinstance(node, ast.Name) and node.id == "self")
               for one in given for node in ast.walk(one))  # fmt: skip


def _only_makes(function: ast.FunctionDef) -> bool:
    """Whether it binds variables and attributes of its own, and does nothing else."""
    own = function.args.args[0].arg if function.name == "__init__" and function.args.args else ""
    for node in ast.walk(function):
        called = isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant)
        if called and isinstance(node, ast.Expr) and "__init__" not in ast.unparse(node.value):
            return False
        stored = isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)
        if stored and isinstance(node, ast.Subscript):
            return False
        if stored and isinstance(node, ast.Attribute) and getattr(node.value, "id", "") != own:
            return False
        if isinstance(node, ast.Global | ast.Nonlocal):
            return False
    return True


def reads(file: File, owner: ast.ClassDef, name: str) -> int:
    """How many expressions may read an attribute of the class, its name as a text in the class included: those of the
    file, and one for all other files if only they do."""
    first, last = owner.lineno, owner.end_lineno or owner.lineno
    found = [node for node in file.attributes.get(name, ()) if isinstance(node.ctx, ast.Load)]
    elsewhere = [node for node in found if not first <= node.lineno <= last]
    others = sum(isinstance(node.value, ast.Name) and node.value.id == "self" for node in elsewhere)
    keys = {id(key) for node in ast.walk(owner) for key in _keys(node)}
    texts = (node for node in ast.walk(owner) if id(node) not in keys)
    return len(found) - others + (name in file.for_others) + sum(name in _text(node).split(".") for node in texts)


def _keys(node: ast.AST) -> list[ast.expr | None]:
    """What it asks a variable of the function for, or gives a dict of its own: no attribute."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        return [node.slice]
    return node.keys if isinstance(node, ast.Dict) else []


def is_closed(file: File, owner: ast.ClassDef) -> bool:
    """Whether nothing in the file is made from the class, and the class asks for no attribute by a text."""
    nodes = [*ast.walk(file.source.tree)] if file.source.tree is not None else []
    bases = [base for node in nodes if isinstance(node, ast.ClassDef) for base in node.bases]
    named = {inner.id for base in bases for inner in ast.walk(base) if isinstance(inner, ast.Name)}
    return owner.name not in named and not any(_called(node) in _BY_NAME for node in ast.walk(owner))


def is_free(file: File, owner: ast.ClassDef, name: str) -> bool:
    """Whether the class may have a new attribute or method of that name."""
    own = {one.name for one in owner.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}
    return name.isidentifier() and name not in own and name not in file.attributes


def _text(node: ast.AST) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _called(node: ast.AST) -> str:
    func = node.func if isinstance(node, ast.Call) else None
    return func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""
