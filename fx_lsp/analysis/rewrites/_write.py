"""Edits of the source: an expression put in place of another, statements that nobody needs any more taken away."""

from __future__ import annotations

import ast
import io
import keyword
import re
import tokenize
from collections.abc import Iterable, Mapping

from fx_lsp.analysis.actions import Changes
from fx_lsp.analysis.columns import columns
from fx_lsp.analysis.rewrites._file import File
from fx_lsp.analysis.rewrites._flow import Definition, Flow
from fx_lsp.analysis.rewrites._match import MODULES
from fx_lsp.analysis.rewrites._terms import Term
from fx_lsp.model import syntax
from fx_lsp.model.span import Span

WIDTH = 100
"""Characters of a line that are never too many."""
_DOTTED = {"F": "torch.nn.functional", "nn": "torch.nn", "torch": "torch", "math": "math"}
_COMMENT = re.compile("#[^\r\n]*")
_NOT_JOINED = ("#", "\\", "'''", '"""')
_CALLED = re.compile(r"""(?:\w+|[)\]}"']) *\Z""")
"""What makes the parenthesis after it one of a call."""
_JOINED = re.compile(r"(?<=[(\[{])\n|\n(?=[)\]}])")
_ATOMS = (ast.Name, ast.Call, ast.Attribute, ast.Subscript, ast.Constant, ast.Tuple, ast.List)


class Unwritable(Exception):
    """It cannot be written so that nothing is lost."""


def replaced(
    flow: Flow, term: Term, statement: ast.stmt, after: str, bound: Mapping[str, Term], gone: Iterable[Definition] = ()
) -> Changes:
    """The edit that puts `after`, with its variables filled in, in place of a term; `gone` is taken away besides.

    Raises:
        Unwritable: a variable has another value by then, or something is not written in one piece.
    """
    if term.node is None:
        raise Unwritable
    for one in bound.values():
        if not flow.same_at(one, statement, gone):
            raise Unwritable
    text, imports = _filled(flow.file, after, bound)
    alone = len(flow.block.get(id(statement), ())) < 2
    if isinstance(statement, ast.Assign) and statement.value is term.node and _is_target(statement, text) and not alone:
        return (removed(flow.file, statement), *imports)
    if _needs_parentheses(text, flow.parents.get(id(term.node)), term.node):
        text = f"({text})"
    kept = _comments_in(flow.file, term.node, statement)
    return (*kept, (place(flow.file, term.node, text), _wrapped(flow.file, text, term.node)), *imports)


def _comments_in(file: File, node: ast.expr, statement: ast.stmt) -> Changes:
    """What puts the comments in an expression before its statement.

    Raises:
        Unwritable: that is not at the beginning of a line.
    """
    whole = ast.get_source_segment(file.source.text, node) or ""
    found = _comments(whole.splitlines()) if "#" in whole and "\n" in whole else []
    if not found:
        return ()
    first = columns(file.source.text).lines[statement.lineno - 1]
    before = first.encode()[: statement.col_offset].decode()
    if before.strip():
        raise Unwritable
    return (inserted(file, statement.lineno, *(f"{before}{comment}" for comment in found)),)


def place(file: File, node: ast.expr, text: str) -> Span:
    """Where an expression stands, with parentheses around it that what is put there does not need."""
    span, places, whole = file.source.span(node), columns(file.source.text), file.source.text
    start, end = places.offsets(span)
    alone = span.line == span.end_line and whole[start - 1 : start] == "(" and whole[end : end + 1] == ")"
    before = _CALLED.search(whole[: max(start - 1, 0)])
    called = before is not None and not keyword.iskeyword(before[0].strip())
    if not alone or called or not isinstance(syntax.expression(text).body, _ATOMS):
        return span
    return Span(span.path, span.line, span.column - 1, span.end_line, span.end_column + 1)


def _wrapped(file: File, text: str, node: ast.expr) -> str:
    """A call with its arguments on lines of their own, where its line would be longer than any other of the file."""
    lines = columns(file.source.text).lines
    first, rest = lines[node.lineno - 1], lines[(node.end_lineno or node.lineno) - 1].encode()[node.end_col_offset :]
    width = max(WIDTH, *map(len, lines))
    call, tail = syntax.expression(text).body, ""
    if len(first.encode()[: node.col_offset].decode()) + len(text) + len(rest) <= width:
        return text
    while isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call):
        tail, call = text.encode()[call.func.value.end_col_offset or 0 :].decode(), call.func.value
    if not isinstance(call, ast.Call):
        return text
    text = text.encode()[: call.end_col_offset].decode()
    end, start = newline(file), first[: len(first) - len(first.lstrip())]
    inner = text.encode()[(call.func.end_col_offset or 0) + 1 : -1].decode().strip()
    if len(start) + 4 + len(inner) > width:
        parts = [ast.get_source_segment(text, one) or "" for one in call.args]
        parts += [f"{one.arg}={ast.get_source_segment(text, one.value)}" for one in call.keywords]
        inner = f",{end}{start}    ".join(parts) + ","
    return f"{ast.get_source_segment(text, call.func)}({end}{start}    {inner}{end}{start}){tail}"


def _is_target(statement: ast.Assign, text: str) -> bool:
    """Whether it would be bound to itself."""
    return len(statement.targets) == 1 and isinstance(one := statement.targets[0], ast.Name) and one.id == text


def without(flow: Flow, through: Iterable[Definition], statement: ast.stmt) -> Changes:
    """The edit that takes away statements; comments in them stay.

    Raises:
        Unwritable: one shares a line with something else, or does not stand among those around `statement`.
    """
    among, gone = flow.block[id(statement)], [*through]
    blocks = [flow.block[id(one.statement)] for one in gone]
    for block in blocks:
        inside = any(isinstance(one, ast.If) and one.body is block for one in among)
        asked = any(one.term.op == "optional" and one.statement is block[-1] for one in gone)
        if block is not among and not (inside and asked and sum(one is block for one in blocks) < len(block)):
            raise Unwritable
    return tuple(removed(flow.file, one.statement) for one in gone)


def removed(file: File, statement: ast.stmt) -> tuple[Span, str]:
    """The lines of a statement without it.

    Raises:
        Unwritable: it shares a line with something else.
    """
    before = indent(file, statement)
    first, last = statement.lineno, statement.end_lineno or statement.lineno
    lines = columns(file.source.text).lines[first - 1 : last]
    kept = "".join(f"{before}{comment}{newline(file)}" for comment in _comments(lines))
    return Span(file.source.path, first, 0, last + 1, 0), kept


def indent(file: File, statement: ast.stmt) -> str:
    """What stands before a statement that has its lines for itself.

    Raises:
        Unwritable: it shares a line with something else.
    """
    lines = columns(file.source.text).lines
    first, last = statement.lineno, statement.end_lineno or statement.lineno
    head = lines[first - 1].encode()[: statement.col_offset].decode()
    tail = lines[last - 1].encode()[statement.end_col_offset or 0 :].strip()
    continues = first > 1 and lines[first - 2].endswith("\\")
    if head.strip() or (tail and not tail.startswith(b"#")) or last >= len(lines) or continues:
        raise Unwritable
    return head


def end_of_arguments(file: File, call: ast.Call) -> Span:
    """The place after the last argument: what follows may be a comma.

    Raises:
        Unwritable: there is none, or it is in parentheses of its own.
    """
    given = [*call.args, *(one.value for one in call.keywords)]
    last = max(map(file.source.span, given), key=lambda span: (span.end_line, span.end_column), default=None)
    if last is None:
        raise Unwritable
    places, whole = columns(file.source.text), file.source.span(call)
    start, end = (places.offset(one.end_line, one.end_column) for one in (last, whole))
    if _COMMENT.sub("", file.source.text[start : end - 1]).strip() not in ("", ","):
        raise Unwritable
    return Span(last.path, last.end_line, last.end_column, last.end_line, last.end_column)


def newline(file: File) -> str:
    """How its lines end."""
    return columns(file.source.text).newline


def inserted(file: File, line: int, *texts: str) -> tuple[Span, str]:
    """New lines before one."""
    return Span(file.source.path, line, 0, line, 0), "".join(f"{text}{newline(file)}" for text in texts)


def text_of(file: File, term: Term) -> str:
    """As it is written, on one line.

    Raises:
        Unwritable: it is written nowhere, or with a comment in it.
    """
    if term.op == "written":
        text = term.value
    elif term.node is not None:
        text = file.text(term.node)
    elif term.op == "transpose":
        inner, *dims = term.args
        text = f"{atom(text_of(file, inner))}.transpose({', '.join(str(one.value[1]) for one in dims)})"
    else:
        raise Unwritable
    if not text or ("\n" in text and any(one in text for one in _NOT_JOINED)):
        raise Unwritable
    joined = "\n".join(line.strip() for line in text.splitlines())
    return _JOINED.sub("", joined).replace("\n", " ")


def atom(text: str) -> str:
    """In parentheses where `text.method()` would else mean something else."""
    return text if isinstance(syntax.expression(text).body, _ATOMS) else f"({text})"


def spelled(file: File, name: str) -> tuple[str, Changes]:
    """How the file writes `torch`, `F`, `nn` or `math`, and the import that it lacks."""
    wanted = _DOTTED[name]
    for own, dotted in file.imports.items():
        if dotted == wanted:
            return own, ()
    for own, dotted in sorted(file.imports.items(), key=lambda one: -len(one[1])):
        if wanted.startswith(f"{dotted}."):
            return f"{own}{wanted[len(dotted) :]}", ()
    if name in file.imports or any(isinstance(node, ast.Name) and node.id == name for node in _names(file)):
        raise Unwritable
    statement = f"import {wanted} as {name}" if name in ("F", "nn") and wanted != name else f"import {wanted}"
    tree = file.source.tree
    top = [one for one in (tree.body if tree is not None else []) if isinstance(one, ast.Import | ast.ImportFrom)]
    if not top:
        raise Unwritable
    return name, (inserted(file, (top[-1].end_lineno or top[-1].lineno) + 1, statement),)


def _names(file: File) -> Iterable[ast.AST]:
    return ast.walk(file.source.tree) if file.source.tree is not None else ()


def _filled(file: File, after: str, bound: Mapping[str, Term]) -> tuple[str, Changes]:
    tree = syntax.expression(after)
    parents = {id(child): node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    imports: list[tuple[Span, str]] = []
    for node in sorted(names, key=lambda node: -node.col_offset):
        if node.id in MODULES:
            text, needed = spelled(file, node.id)
            imports += [one for one in needed if one not in imports]
        elif node.id in bound:
            text = text_of(file, bound[node.id])
            inside = parents.get(id(node))
            if not isinstance(inside, ast.Call | ast.keyword | ast.Expression) or getattr(inside, "func", None) is node:
                text = atom(text)
        else:
            continue
        after = after[: node.col_offset] + text + after[node.end_col_offset :]
    return after, tuple(imports)


def _needs_parentheses(text: str, parent: ast.AST | None, node: ast.expr) -> bool:
    if isinstance(syntax.expression(text).body, _ATOMS):
        return False
    operator = isinstance(parent, ast.BinOp | ast.UnaryOp | ast.Compare | ast.Attribute | ast.Subscript | ast.Starred)
    return operator and getattr(parent, "slice", None) is not node


def _comments(lines: list[str]) -> list[str]:
    """Those in some lines of code."""
    found: list[str] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO("\n".join(line.strip() for line in lines)).readline):
            if token.type == tokenize.COMMENT:
                found.append(token.string)
    except (tokenize.TokenError, IndentationError):
        raise Unwritable from None
    return found
