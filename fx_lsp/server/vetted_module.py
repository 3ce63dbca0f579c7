"""A module file in an answer that is not to be trusted: somebody will save it, and import it outside of the sandbox.

It may hold layers of torch and what is computed with them, and nothing that reaches a file, a process or other code.
"""

from __future__ import annotations

import ast
import builtins
import math
import re
from collections.abc import Iterator
from dataclasses import replace

from fx_lsp.analysis.visible import visible
from fx_lsp.model import syntax
from fx_lsp.model.graph_rewrite import Rewritten
from fx_lsp.server.vetted_places import Places
from fx_lsp.server.vetted_values import NAME, number, word

MAX_TEXT = 1 << 20
"""Characters of a file: while Python parses it nothing else goes on, and that may take seconds."""
MADE = 2000
SENTENCE = 2000
"""Places that are told, and characters of why there are none."""
UNFIT = "the code that came of it does more than compute, or cannot be read"

_MODULES = frozenset({"math", "operator", "torch"})
_FROM_TORCH = frozenset({"device", "inf", "nan"})
_BUILT_IN = frozenset((
    "abs", "all", "any", "bool", "dict", "divmod", "enumerate", "filter", "float", "getattr", "id", "input", "int",
    "isinstance", "iter", "len", "list", "map", "max", "min", "next", "object", "pow", "range", "repr", "reversed",
    "round", "set", "slice", "sorted", "str", "sum", "super", "tuple", "zip",
))  # fmt: skip
_FORBIDDEN = frozenset(dir(builtins)) - _BUILT_IN
"""Whoever binds one somewhere may mean it where it is not bound."""
_STATEMENTS = (
    ast.AnnAssign, ast.Assert, ast.Assign, ast.AugAssign, ast.ClassDef, ast.Expr, ast.For, ast.FunctionDef, ast.If,
    ast.Import, ast.ImportFrom, ast.Pass, ast.Return,
)  # fmt: skip
_FUNCTIONS = re.compile(
    r"torch\.(_assert|[a-z]\w*|Size|Tensor|nn\.[A-Z]\w*|(nn\.functional|functional|special|linalg|fft|Tensor)\.\w+|"
    r"_C\._(nn|linalg|fft|special)\.\w+|ops\.(aten|prims)\.\w+(\.\w+)?)|(math|operator)\.\w+"
)
"""What may be called by its full name.  Classes of torch itself are not: some compile, and some write files."""
_NOT_CALLED = re.compile(
    r".*(file|import|load|save|compile|storage|caller|attrgetter|hub|jit|classes|library|_docstr)|"
    r"torch\.(autocast|classproperty|fork|get_|init_|merge_|parse_|prepare_|set_|thread_safe_|unify_|use_)"
)
"""What is named like that, and what sets up torch or gives modules: `torch.get_device_module`."""
_VALUES = re.compile(
    r"torch\.(nn\.Module|nn\.Parameter|Tensor|bool|b?float\w*|u?int\w*|complex\w*|half|double|long|short|strided|"
    r"\w+_format|channels_last\w*)|math\.(pi|e|tau|inf|nan)"
)
"""What may stand for itself: types, and no module that something else could be taken from."""
_METHODS = re.compile(
    r"dumps?|from_file|numpy|py_impl|share_memory_|storage|storage_type|tofile|untyped_storage|.*__.*|"
    r"_(C|make.*|reduce.*|.*(call|file|storage|share).*)|"
    r"(ag|cr|gi)_(await|code|frame|origin|yieldfrom)|f_(back|builtins|code|globals|locals)|tb_(frame|next)"
)
"""Members that lead out of tensors, modules and generators."""
_LOADER = "_load_from_state_dict"


def vetted_rewrite(found: Rewritten, places: Places) -> Rewritten:
    """As it may be shown and saved; without texts when one of them is unfit."""
    why = " ".join(visible(found.why[:SENTENCE], keep="\n").split())
    apart = found.difference if math.isfinite(found.difference) and found.difference >= 0 else math.inf
    fit = not why and is_module_file(found.after) and is_module_file(found.before)
    return replace(
        found,
        before=found.before if fit else "",
        after=found.after if fit else "",
        why="" if fit else why or UNFIT,
        span=places.span(found.span) if found.span is not None else None,
        made=tuple(word(one, NAME) for one in found.made[:MADE]),
        checks=number(found.checks),
        difference=apart,
        dtype="f32" if found.dtype == "f32" else "f64",
        rule=word(found.rule),
    )


def is_module_file(text: str) -> bool:
    """Whether it is visible Python that can do nothing but compute with torch."""
    if not text or len(text) > MAX_TEXT or visible(text, keep="\n") != text:
        return False
    try:
        tree = syntax.module(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    bound = frozenset(_defined(tree))
    if not bound.isdisjoint(_MODULES | _FORBIDDEN) or any(name.startswith("__") for name in bound - {"__init__"}):
        return False
    return _fits(tree, _BUILT_IN | bound)


def _defined(tree: ast.Module) -> Iterator[str]:
    """Names that the file binds itself."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.ImportFrom):
            yield from (one.name for one in node.names)


def _fits(tree: ast.AST, defined: frozenset[str]) -> bool:
    """Whether every node does; a name with dots is one."""
    waiting: list[tuple[ast.AST, bool]] = [(tree, False)]
    while waiting:
        node, called = waiting.pop()
        members, start = _chain(node)
        if isinstance(start, ast.Name) and start.id in _MODULES:
            name = ".".join([start.id, *(one.attr for one in members)])
            if not (_is_function(name) if called else _VALUES.fullmatch(name)):
                return False
            continue
        if not all(map(_is_fit_member, members)) or not _is_fit(start, defined):
            return False
        if called and isinstance(start, ast.Name) and start.id == "input" and not members:
            return False
        function = start.func if isinstance(start, ast.Call) else None
        if isinstance(function, ast.Name) and function.id == "getattr":
            if not _takes_member(start):
                return False
            waiting += [(child, False) for child in ast.iter_child_nodes(start) if child is not function]
            continue
        waiting += [(child, child is function) for child in ast.iter_child_nodes(start)]
    return True


def _chain(node: ast.AST) -> tuple[list[ast.Attribute], ast.AST]:
    """The members of a name with dots, the first one first, and what it starts with: the node itself if it is none."""
    members: list[ast.Attribute] = []
    while isinstance(node, ast.Attribute):
        members.append(node)
        node = node.value
    return members[::-1], node


def _is_function(name: str) -> bool:
    inside = name.removeprefix("torch._C.").split(".")
    return bool(_FUNCTIONS.fullmatch(name)) and not _NOT_CALLED.match(name) and all(map(_is_member, inside))


def _is_fit(node: ast.AST, defined: frozenset[str]) -> bool:
    if isinstance(node, ast.stmt) and not isinstance(node, _STATEMENTS):
        return False
    if isinstance(node, ast.Import):
        return all(one.name in _MODULES and one.asname is None for one in node.names)
    if isinstance(node, ast.ImportFrom):
        return node.module == "torch" and all(one.name in _FROM_TORCH and not one.asname for one in node.names)
    if isinstance(node, ast.Name):
        return node.id in defined and node.id != "getattr"
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name not in _BUILT_IN and (node.name in ("__init__", _LOADER) or node.name[0] != "_")
    return not isinstance(node, ast.Await | ast.Yield | ast.YieldFrom)


def _is_fit_member(node: ast.Attribute) -> bool:
    return _is_member(node.attr) or (node.attr == "__init__" and _is_super(node.value))


def _takes_member(call: ast.AST) -> bool:
    """Whether the call of `getattr` says which one."""
    name = call.args[1] if isinstance(call, ast.Call) and len(call.args) == 2 and not call.keywords else None
    return isinstance(name, ast.Constant) and _is_member(name.value)


def _is_member(name: object) -> bool:
    return isinstance(name, str) and not _METHODS.fullmatch(name)


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args
