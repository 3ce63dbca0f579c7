"""Trees are made one at a time."""

from __future__ import annotations

import ast
import gc
import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import fx_lsp
from fx_lsp.model import syntax

TEXT = "x = [" + ", ".join(f"f({number}, (a, b), c={{'d': [e]}})" for number in range(400)) + "]\n"


class Slow:
    """In a cycle, so that a collection deletes it: then other threads may run."""

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        time.sleep(0.0001)


def parsed(number: int) -> int:
    for _ in range(20):
        Slow()
    return len(syntax.module(TEXT).body) + len(syntax.expression("[1, (2, 3)]").body._fields)


def test_in_many_threads() -> None:
    threshold = gc.get_threshold()
    gc.set_threshold(100, 2, 2)
    try:
        with ThreadPoolExecutor(4) as pool:
            assert set(pool.map(parsed, range(60))) == {1 + len(ast.List._fields)}
    finally:
        gc.set_threshold(*threshold)


def test_nothing_else_in_the_server_parses() -> None:
    root = Path(fx_lsp.__file__).parent
    found = [
        path.relative_to(root).as_posix()
        for folder in ("analysis", "server", "model", "cli")
        for path in (root / folder).rglob("*.py")
        if re.search(r"\bast\.parse\(|PyCF_ONLY_AST", path.read_text())
    ]
    assert found == ["model/syntax.py"]
