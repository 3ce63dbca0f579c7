"""New bodies for functions that are there already: an edited file needs no new import where only those differ.

Whatever an import does with a file it does with all of it but the bodies of functions that it does not call.  Where the
two texts differ in nothing else, the functions that the import made are as good as new ones once they have the code of
the new text, wherever they have got to meanwhile: into classes, registries, other modules.
"""

from __future__ import annotations

import ast
import gc
import inspect
from types import CodeType, FunctionType
from typing import Callable, List, Optional, Sequence, Set, Tuple

from fx_lsp.worker.capture.compiled import is_compiled
from fx_lsp.worker.capture.parts import Part, Parts, shifted

Codes = List[Tuple[CodeType, CodeType]]
"""What functions have, and what they are to have."""


def revised(before: Parts, after: Parts, ran: Callable[[Part], bool]) -> Optional[Codes]:
    """The code of each function of a file before and after an edit; None where more than bodies differ, or where
    something of a part that differs `ran` when it was imported.
    """
    old, new = list(before.parts), list(after.parts)
    while old and new and old[0] is new[0]:
        old, new = old[1:], new[1:]
    moved: List[Tuple[Part, Part]] = []
    while old and new and _is_moved(old[-1], new[-1]):
        moved.append((old.pop(), new.pop()))
    if len(old) != len(new):
        return None
    codes: Codes = []
    for one, other in zip(old, new):
        same = not ran(one) and _signature(one, before.source) == _signature(other, after.source) is not None
        if not same or not _pair(one.code, other.code, codes, deep=False):
            return None
    return codes if all(_pair(one.code, other.code, codes, deep=True) for one, other in moved) else None


def revise(files: Sequence[Tuple[Parts, Codes]]) -> bool:
    """Give all functions of this process their new code; False where one may have been made of an old one's code."""
    wanted = {id(old): new for _, codes in files for old, new in codes}
    known: Set[int] = set(wanted)
    for parts, _ in files:
        for part in parts.parts:
            _note(part.code, known)
    paths = {part.code.co_filename for parts, _ in files for part in parts.parts}
    functions = [one for one in gc.get_objects() if type(one) is FunctionType and one.__code__.co_filename in paths]
    if any(id(one.__code__) not in known for one in functions):
        return False
    for one in functions:
        code = wanted.get(id(one.__code__))
        if code is not None:
            one.__code__ = code
    return True


def _is_moved(one: Part, other: Part) -> bool:
    """Whether it is the same part at other lines."""
    return other.line >= one.line and shifted(one.code, other.line - one.line) == other.code


def _signature(part: Part, source: str) -> Optional[str]:
    """All of a part but the bodies of its functions; None for what is not written as it is read here."""
    lines = source.replace("\r\n", "\n").split("\n")
    tree = ast.parse("\n".join(lines[part.line - 1 : part.end_line]))
    if any(getattr(node, "type_params", None) for node in ast.walk(tree)):  # they have a function of their own
        return None
    return ast.dump(_Bodiless().visit(tree))


class _Bodiless(ast.NodeTransformer):
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if is_compiled(node):
            return node
        node.body = node.body[:1] if ast.get_docstring(node, clean=False) is not None else [ast.Pass()]
        return node

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node if is_compiled(node) else self.generic_visit(node)


def _pair(old: CodeType, new: CodeType, codes: Codes, *, deep: bool) -> bool:
    """Add the functions that the code makes; `deep`: those too that they make.  False where they do not correspond."""
    ones, others = _inside(old), _inside(new)
    if len(ones) != len(others):
        return False
    for one, other in zip(ones, others):
        function = bool(one.co_flags & inspect.CO_OPTIMIZED)
        alike = (one.co_name, one.co_flags, one.co_freevars) == (other.co_name, other.co_flags, other.co_freevars)
        if not alike or ((deep or not function) and not _pair(one, other, codes, deep=deep)):
            return False
        if function:
            codes.append((one, other))
    return True


def _inside(code: CodeType) -> List[CodeType]:
    return [one for one in code.co_consts if isinstance(one, CodeType)]


def _note(code: CodeType, known: Set[int]) -> None:
    known.add(id(code))
    for one in _inside(code):
        _note(one, known)
