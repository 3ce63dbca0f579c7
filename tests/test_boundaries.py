"""What must not exist: who may import whom, which syntax runs where, how long a file may be.

`MAY_IMPORT` is the one place to change when a boundary changes.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
PACKAGE = REPOSITORY / "fx_lsp"

MAY_IMPORT = {
    "model": frozenset[str](),
    "worker": frozenset({"torch", "fx_lsp.model"}),
    "analysis": frozenset({"fx_lsp.model", "ruamel"}),
    "server": frozenset(
        {"pygls", "lsprotocol", "platformdirs", "tomlkit", "fx_lsp", "fx_lsp.model", "fx_lsp.analysis"}
    ),
    "cli": frozenset({"rich", "fx_lsp", "fx_lsp.model", "fx_lsp.analysis", "fx_lsp.server"}),
}
"""Besides the standard library and the layer itself.  `worker` is in no list: it is launched."""

IN_THE_USERS_INTERPRETER = {"model": (3, 9), "worker": (3, 9)}
"""Layers that an older Python must be able to read."""

MAX_LINES = 300

FILES = sorted(PACKAGE.rglob("*.py"))
OUTSIDE = sorted(
    [
        *(REPOSITORY / "bench").glob("*.py"),
        *(REPOSITORY / "bench" / "latency").glob("*.py"),
        REPOSITORY / "docs" / "picture.py",
    ]
)
"""Scripts that use the package; neither the type checker nor a test runs through them."""


def layer_of(file: Path) -> str:
    """`model`, `worker`…; empty for the package's own `__init__`."""
    first, *rest = file.relative_to(PACKAGE).parts
    return first if rest else ""


def imports(tree: ast.Module) -> Iterator[str]:
    """Full names of the modules that are imported, wherever in the file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: relative import"
            # `from fx_lsp import worker` is an import of fx_lsp.worker.
            is_package = node.module == "fx_lsp"
            yield from (f"fx_lsp.{alias.name}" for alias in node.names) if is_package else [str(node.module)]


def boundary(module: str) -> str:
    """What a rule speaks of: the first name, of our own modules the first two."""
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] == "fx_lsp" else parts[0]


def named(file: Path) -> str:
    """For test ids."""
    return file.relative_to(REPOSITORY).as_posix()


def test_every_folder_of_the_package_has_a_rule() -> None:
    assert {layer_of(file) for file in FILES} - {""} == set(MAY_IMPORT)


@pytest.mark.parametrize("file", FILES, ids=named)
def test_a_layer_imports_only_what_it_may(file: Path) -> None:
    layer = layer_of(file)
    allowed = {*MAY_IMPORT.get(layer, ()), f"fx_lsp.{layer}", *sys.stdlib_module_names}
    found = {boundary(module) for module in imports(ast.parse(file.read_text("utf-8")))}
    assert found <= allowed, f"{layer} must not import {sorted(found - allowed)}"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import torch.nn as nn", {"torch"}),
        ("def f():\n    from fx_lsp.worker.run import run", {"fx_lsp.worker"}),
        ("from fx_lsp import worker, model", {"fx_lsp.worker", "fx_lsp.model"}),
        ("import fx_lsp", {"fx_lsp"}),
    ],
)
def test_imports_are_seen_however_they_are_written(source: str, found: set[str]) -> None:
    assert {boundary(module) for module in imports(ast.parse(source))} == found


@pytest.mark.parametrize(
    "file",
    [
        file
        for file in sorted((REPOSITORY / "tests").rglob("*.py"))
        if file.relative_to(REPOSITORY / "tests").parts[0] != "worker"
    ],
    ids=named,
)
def test_tests_of_the_other_layers_do_not_import_the_worker(file: Path) -> None:
    assert "fx_lsp.worker" not in {boundary(module) for module in imports(ast.parse(file.read_text("utf-8")))}


def defined(file: Path) -> set[str]:
    """Names that a module may be asked for."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found.update(alias.asname or alias.name for alias in node.names)
    return found


@pytest.mark.parametrize("file", OUTSIDE, ids=named)
def test_what_a_script_imports_of_ours_is_there(file: Path) -> None:
    """Nobody runs those of bench/ every day."""
    missing: list[str] = []
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] == "fx_lsp":
            place = REPOSITORY.joinpath(*str(node.module).split("."))
            module = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
            known = defined(module) | {path.stem for path in place.glob("*")} if module.exists() else set[str]()
            missing += [f"{node.module}.{alias.name}" for alias in node.names if alias.name not in known]
    assert missing == []


@pytest.mark.parametrize("file", [file for file in FILES if layer_of(file) in IN_THE_USERS_INTERPRETER], ids=named)
def test_the_users_interpreter_can_read_it(file: Path) -> None:
    ast.parse(file.read_text("utf-8"), feature_version=IN_THE_USERS_INTERPRETER[layer_of(file)])


@pytest.mark.parametrize("file", FILES, ids=named)
def test_a_file_says_what_it_is_and_is_not_too_long(file: Path) -> None:
    text = file.read_text("utf-8")
    assert ast.get_docstring(ast.parse(text)), "no module docstring"
    assert len(text.splitlines()) <= MAX_LINES
