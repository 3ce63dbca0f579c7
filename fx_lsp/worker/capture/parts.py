"""A file in parts, each a few statements of its body with probes: after an edit only those it touched are made again.

What lies before the first line that differs is the same code; what lies behind the last one is the same code at other
lines.  Whether the lines between are statements of their own, only parsing them says: an edit that changes what stands
around it (an opened bracket, a line that is no longer inside a class) leaves something that does not parse alone.
"""

from __future__ import annotations
import __future__

import ast
import gc
from contextlib import contextmanager
from dataclasses import replace
from types import CodeType
from typing import Iterable, Iterator, List, NamedTuple, Sequence, Tuple

from fx_lsp.worker.capture.probes import NOTEBOOK, probed
from fx_lsp.worker.capture.sites import Sites


class Part(NamedTuple):
    """Statements that follow each other, and the code of them."""

    line: int
    """Where the first one starts, from 1."""
    end_line: int
    code: CodeType
    bindings: range
    """Numbers of its sites."""
    blocks: range


class Parts(NamedTuple):
    """A whole file."""

    source: str
    flags: int
    """Of `compile`: what it imports from `__future__`."""
    parts: Tuple[Part, ...]
    """To be run one after the other."""


@contextmanager
def _no_garbage() -> Iterator[None]:
    """Trees are many objects, and none is garbage before they are done with: looking for it takes as long again."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@_no_garbage()
def instrument(source: str, path: str, sites: Sites) -> Parts:
    """All of a file.

    Raises:
        SyntaxError: as `compile` does.
    """
    tree = ast.parse(source, path)
    flags = _features(tree.body)
    if _misplaced(tree.body):
        compile(tree, path, "exec", dont_inherit=True)  # says so
    return Parts(source, flags, tuple(_made(_groups(tree.body), source, path, sites, flags, opens=True)))


def whole(source: str, path: str, sites: Sites) -> CodeType:
    """All of a file in one piece.

    Raises:
        SyntaxError: as `compile` does.
    """
    lines = source.encode("utf-8", "surrogatepass").split(b"\n")
    return compile(probed(ast.parse(source, path), path, sites, lines), path, "exec", dont_inherit=True)


def behind(part: Part, line: int, source: str) -> Tuple[ast.stmt, List[ast.stmt], int]:
    """The statement of a part that is at a line, those behind it in the part, and the file's flags of `compile`."""
    body = ast.parse(source).body
    nodes = [node for node in body if part.line <= _start(node) and _end(node) <= part.end_line]
    number = max((number for number, node in enumerate(nodes) if _start(node) <= line), default=0)
    return nodes[number], nodes[number + 1 :], _features(body)


def alone(body: Sequence[ast.stmt], source: str, path: str, sites: Sites, flags: int) -> Tuple[Part, ...]:
    """Each of a few statements of a file by itself."""
    return tuple(_made(([node] for node in body), source, path, sites, flags, opens=False))


@_no_garbage()
def edited(before: Parts, source: str, path: str, sites: Sites) -> Parts:
    """All of a file that is now `source`, with as much as possible of what it was before.

    Raises:
        SyntaxError: as `compile` does.
    """
    old, new = (text.replace("\r\n", "\n").split("\n") for text in (before.source, source))
    shift = len(new) - len(old)
    same = _common(old, new)
    tail = _common(old[same:][::-1], new[same:][::-1]) if shift >= 0 else 0  # no code starts before line 1
    first = [part for part in before.parts if part.end_line <= same]
    last = [part for part in before.parts if part.line > len(old) - tail]
    start = first[-1].end_line if first else 0
    end = last[0].line - 1 + shift if last else len(new)
    text, gone = "\n".join(new[start:end]), "\n".join(old[start : end - shift])
    if not first or "__future__" in text + gone or "\r" in text or path.endswith(NOTEBOOK):
        return instrument(source, path, sites)
    try:
        body = ast.parse("\n" * start + text).body
    except SyntaxError:
        return instrument(source, path, sites)
    between = _made(_groups(body), source, path, sites, before.flags, opens=False)
    return Parts(source, before.flags, (*first, *between, *(_moved(part, shift, sites) for part in last)))


def _made(
    groups: Iterable[List[ast.stmt]], source: str, path: str, sites: Sites, flags: int, *, opens: bool
) -> Iterator[Part]:
    lines = source.encode("utf-8", "surrogatepass").split(b"\n")
    for number, group in enumerate(groups):
        kept = [node for node in group if not _is_text(node) or (opens and number == 0 and node is group[0])]
        bindings, blocks = len(sites.bindings), len(sites.blocks)
        tree = probed(ast.Module(kept, []), path, sites, lines)
        code = compile(tree, path, "exec", flags, dont_inherit=True)
        first, last = range(bindings, len(sites.bindings)), range(blocks, len(sites.blocks))
        yield Part(_start(group[0]), max(map(_end, group)), code, first, last)


def _groups(body: Sequence[ast.stmt]) -> Iterator[List[ast.stmt]]:
    """Each class and each function alone; statements in a row otherwise together."""
    group: List[ast.stmt] = []
    for node in body:
        alone = isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        if group and _start(node) > _end(group[-1]) and (alone or isinstance(group[-1], _DEFINITIONS)):
            yield group
            group = []
        group.append(node)
    if group:
        yield group


_DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def _start(node: ast.stmt) -> int:
    return min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _is_text(node: ast.stmt) -> bool:
    """A text at the head of a part would be taken for the file's docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _features(body: Sequence[ast.stmt]) -> int:
    names = [alias.name for node in body if _is_future(node) for alias in getattr(node, "names", ())]
    features = [getattr(__future__, name, None) for name in names]
    return sum({one.compiler_flag for one in features if one is not None})


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _misplaced(body: Sequence[ast.stmt]) -> bool:
    """Whether something is imported from `__future__` that is not there, or too late."""
    numbers = [number for number, node in enumerate(body) if _is_future(node)]
    named = [alias.name for number in numbers for alias in getattr(body[number], "names", ())]
    head = 1 if body and _is_text(body[0]) else 0
    return numbers != list(range(head, head + len(numbers))) or any(not hasattr(__future__, name) for name in named)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines are equal from the start."""
    return next(
        (number for number, pair in enumerate(zip(one, other)) if pair[0] != pair[1]), min(len(one), len(other))
    )


def _moved(part: Part, shift: int, sites: Sites) -> Part:
    """The part further down; its sites keep their numbers."""
    if not shift:
        return part
    for number in part.bindings:
        site = sites.bindings[number]
        span = replace(site.span, line=site.span.line + shift, end_line=site.span.end_line + shift)
        sites.bindings[number] = replace(site, span=span)
    for number in part.blocks:
        block = sites.blocks[number]
        sites.blocks[number] = replace(block, lines=tuple(line + shift for line in block.lines))
    return part._replace(line=part.line + shift, end_line=part.end_line + shift, code=shifted(part.code, shift))


def shifted(code: CodeType, shift: int) -> CodeType:
    """The same code further down: lines inside it are counted from its first one."""
    constants = tuple(shifted(one, shift) if isinstance(one, CodeType) else one for one in code.co_consts)
    return code.replace(co_firstlineno=code.co_firstlineno + shift, co_consts=constants)
