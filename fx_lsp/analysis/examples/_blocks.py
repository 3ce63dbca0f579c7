"""Blocks of code in Markdown and reStructuredText."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import dedent

from fx_lsp.analysis.examples._bound import own_statements
from fx_lsp.analysis.source import PYTHON, bound_names, parse_small

_FENCE = re.compile(
    r"^([ \t]*)```[ \t]*\{?(?:python|py|python3|pycon|ipython|jupyter)\b[^\n]*\n(.*?)^[ \t]*```",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
_PROMPT = re.compile(r"^[ \t]*(?:>>>|\.\.\.)(?: (.*))?$")
_DIRECTIVE = re.compile(r"[ \t]*\.\.[ \t]+(?:code-block|code|sourcecode|testcode|ipython)::[ \t]*(\w*)[ \t]*$")
_PYTHON = frozenset(["", "python", "python3", "py", "pycon", "ipython"])


@dataclass(frozen=True)
class Block:
    """Code that stands in a text, and the line (from 1) on which it starts."""

    line: int
    code: str
    head: str = ""
    """A statement to go before it."""


def blocks_of(text: str) -> Iterator[Block]:
    """Fenced blocks, code directives, and everything after prompts as one block."""
    yield from _fenced(text)
    yield from _directives(text)
    if "```" not in text:
        yield from _prompted(text)


def continued(blocks: list[Block]) -> Iterator[Block]:
    """Each block with the earlier ones that bind what it takes for granted."""
    facts = [_facts(block.code) for block in blocks]
    for number, block in enumerate(blocks):
        bound, missing = facts[number]
        parts = [block]
        for earlier in range(number - 1, -1, -1):
            if missing & facts[earlier][0]:
                missing = (missing - facts[earlier][0]) | facts[earlier][1]
                parts.insert(0, blocks[earlier])
        head = "import torch" if "torch" in missing - bound and parts[0].line > 1 else ""
        lines: list[str] = []
        for part in parts:
            lines += [""] * (part.line - parts[0].line - len(lines)) + part.code.rstrip("\n").split("\n")
        yield Block(parts[0].line, "\n".join(lines), head)


def _facts(code: str) -> tuple[set[str], set[str]]:
    """Names that the code binds, and those that it does not bind and reads."""
    tree = parse_small(code).tree
    if tree is None:
        return set(), set()
    bound = {name for statement in own_statements(tree.body) for name in bound_names(statement)}
    read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    inside = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return bound, read - bound - inside - PYTHON


def _fenced(text: str) -> Iterator[Block]:
    line, before = 1, 0
    for match in _FENCE.finditer(text):
        line, before = line + text.count("\n", before, match.start(2)), match.start(2)
        code = dedent(match[2])
        if any(_PROMPT.match(each) for each in code.splitlines()):
            yield from (Block(line + inner.line - 1, inner.code) for inner in _prompted(code))
        else:
            yield Block(line, code)


def _directives(text: str) -> Iterator[Block]:
    """What is indented below `.. code-block:: python`."""
    lines = text.split("\n")
    number = 0
    while number < len(lines):
        match = _DIRECTIVE.match(lines[number])
        number += 1
        if match is None or match[1] not in _PYTHON:
            continue
        margin = _margin(lines[number - 1])
        while number < len(lines) and (lines[number].strip().startswith(":") or not lines[number].strip()):
            number += 1
        first = number
        while number < len(lines) and (not lines[number].strip() or _margin(lines[number]) > margin):
            number += 1
        code = dedent("\n".join(lines[first:number]))
        if ">>>" not in code:
            yield Block(first + 1, code)


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())


def _prompted(text: str) -> Iterator[Block]:
    """The `>>>` lines as one block; what they print is left out."""
    lines = [_PROMPT.match(line) for line in text.split("\n")]
    first = next((number for number, match in enumerate(lines) if match), None)
    if first is not None:
        yield Block(first + 1, "\n".join((match[1] or "") if match else "" for match in lines[first:]))
