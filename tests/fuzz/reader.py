"""A worker without torch whose answers follow from the files alone: what it says is true of the texts that it read.

It reads them at some moment of its run, as a process does that imports them.
"""

from __future__ import annotations

import ast
import asyncio
import hashlib
import os
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fx_lsp.model.failure import Failure
from fx_lsp.model.messages import Invented, TraceReply, TraceRequest
from fx_lsp.model.sandbox import Policy
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Binding, ModuleUse, Operation, OperationVariant, Variant
from fx_lsp.model.value import TensorType
from fx_lsp.server.supervisor import WorkerState

BEFORE, AFTER = (0.005, 0.01), (0.0, 0.005)
"""Seconds until it reads, and from then on; files are dated some milliseconds back.  What is asked for afterwards takes
none."""
_DATA = re.compile(r"'(\w+\.json)'")


class Reader:
    """Stands for `Supervisor`; it ends during a run when it is told to."""

    def __init__(self, chance: random.Random) -> None:
        self.state = WorkerState("ready")
        self.to_end = 0
        """So many of the next runs end with the worker."""
        self._chance = chance

    def launch(
        self, interpreter: str, policy: Policy, *, log: Callable[[str], None], changed: Callable[[], None]
    ) -> Reader:
        """There is one for all."""
        return self

    async def start(self) -> None:
        """It is ready as it is."""

    async def close(self) -> None:
        """Nothing is left of it."""

    async def trace(self, request: TraceRequest) -> TraceReply:
        """What a run of the files as they are would find."""
        further = request.costs is not None or request.naming is not None
        before, after = (0.0, 0.0) if further else (self._chance.uniform(*BEFORE), self._chance.uniform(*AFTER))
        await asyncio.sleep(before)
        if self.to_end and request.search is None:
            self.to_end -= 1
            return TraceReply(0, failure=Failure("worker", "it was killed"))
        reply = _Reading(request).reply()
        await asyncio.sleep(after)
        return reply


class _Reading:
    """One run: the scope, what it imports by its text, and the data that are named."""

    def __init__(self, request: TraceRequest) -> None:
        self._request = request
        self._overlays = {overlay.path: overlay.text for overlay in request.overlays}
        self._trees: dict[str, ast.Module] = {}
        self._files: list[str] = []
        self._data: list[str] = []
        self._absent: list[str] = []
        self._meaning = hashlib.sha256(repr((request.setup, request.call)).encode())

    def reply(self) -> TraceReply:
        failure = self._read(self._request.scope)
        found = self._facts if self._request.search is None else self._invented
        facts = found() if failure is None else {}
        return TraceReply(
            0,
            ms=random.random(),
            files=tuple(self._files),
            data=tuple(self._data),
            absent=tuple(self._absent),
            failure=failure,
            **facts,
        )

    def _read(self, path: str) -> Failure | None:
        """Import it; why that is not possible."""
        text = self._text(path)
        if text is None:
            self._absent.append(path.removesuffix(".py"))
            return Failure("import", f"No module named {Path(path).stem}")
        self._files.append(path)
        try:
            tree = ast.parse(text)
        except SyntaxError as error:
            return Failure("import", str(error.msg), Span(path, error.lineno or 1, 0, error.lineno or 1, 0))
        self._trees[path] = tree
        for node in ast.walk(tree):
            if _begins_with_docstring(node):
                del node.body[0]  # type: ignore[attr-defined]
        self._meaning.update(ast.dump(tree).encode())
        for name in _DATA.findall(text):
            data = os.path.join(self._request.root, name)
            self._data.append(data)
            self._meaning.update((self._text(data) or "there is none").encode())
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.module not in (None, "torch"):
                imported = os.path.join(self._request.root, f"{node.module}.py")
                failure = self._read(imported) if imported not in self._files else None
                if failure is not None:
                    return failure
        return None

    def _text(self, path: str) -> str | None:
        if path in self._overlays:
            return self._overlays[path]
        try:
            return Path(path).read_text()
        except OSError:
            return None

    def _invented(self) -> dict[str, Any]:
        """Of each class a call that follows from the parameters of its methods."""
        assert self._request.search is not None
        found: list[Invented] = []
        for node in _classes(self._trees[self._request.scope]):
            if node.name in self._request.search.names:
                methods = [one for one in node.body if isinstance(one, ast.FunctionDef)]
                size = sum(len(ast.unparse(one.args)) for one in methods if one.name in ("__init__", "forward"))
                found.append(Invented(node.name, "", f"{node.name}()(f32[2, {size}])"))
        return {"invented": tuple(found)}

    def _facts(self) -> dict[str, Any]:
        """A value for each parameter, and an operation for each sum and call, that follow from all that was read.

        All classes that were read ran.
        """
        value = TensorType("f32", (int.from_bytes(self._meaning.digest()[:4], "big"),))
        places = [(path, node) for path, tree in self._trees.items() for node in ast.walk(tree)]
        return {
            "bindings": tuple(
                Binding(_span(path, node), node.arg, "parameter", (Variant(value),))
                for path, node in places
                if isinstance(node, ast.arg)
            ),
            "operations": tuple(
                Operation(_span(path, node), "add", "function", (OperationVariant((value,), value),))
                for path, node in places
                if isinstance(node, (ast.BinOp, ast.Call))
            ),
            "modules": tuple(
                ModuleUse(path, node.name, (value,), value, 0)
                for path, tree in self._trees.items()
                for node in _classes(tree)
            ),
        }


def _classes(tree: ast.Module) -> Iterator[ast.ClassDef]:
    return (node for node in tree.body if isinstance(node, ast.ClassDef))


def _begins_with_docstring(node: ast.AST) -> bool:
    return isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node, False) is not None


def _span(path: str, node: ast.expr | ast.arg) -> Span:
    return Span(path, node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0)


def named(text: str) -> Iterator[str]:
    """The data that a text names."""
    yield from _DATA.findall(text)
