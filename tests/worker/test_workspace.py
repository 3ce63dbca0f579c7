"""Files of a workspace: how they are found, named, and replaced by unsaved buffers."""

from pathlib import Path

import pytest

from tests.worker.tracing import annotated, trace

HEAD = "import torch\nfrom torch import nn\n"
USES = HEAD + "from {module} import helper\ndef f(x):\n    y = helper(x)\n    return y\n"
HELPER = "def helper(x):\n    return x[0]\n"


@pytest.mark.parametrize(
    ("scope", "module", "helper"),
    [
        ("model.py", "helper_module", "helper_module.py"),
        ("pkg/model.py", ".layers", "pkg/layers.py"),
        ("pkg/sub/model.py", "..layers", "pkg/layers.py"),
        ("src/pkg/model.py", "pkg.layers", "src/pkg/layers.py"),
        ("pkg/models/sub/model.py", "...layers", "pkg/layers.py"),
        ("pkg/models/sub/model.py", "pkg.layers", "pkg/layers.py"),
        ("pkg/models/sub/model.py", "sub.layers", "pkg/models/sub/layers.py"),
        ("pkg/models/sub/plain/deep/model.py", ".....layers", "pkg/layers.py"),
        ("pkg/models/sub/plain/model.py", "....layers", "pkg/layers.py"),
        ("folder/model.py", "sibling", "folder/sibling.py"),
        ("folder/model.py", "folder.sibling", "folder/sibling.py"),
        ("odd-folder/model.py", "sibling", "odd-folder/sibling.py"),
        ("src/model.py", "sibling", "src/sibling.py"),
    ],
)
def test_imports_across_files(scope: str, module: str, helper: str, tmp_path: Path) -> None:
    files = {helper: HELPER}
    if "pkg" in scope:
        top = scope.partition("pkg")[0] + "pkg/"
        files |= {top + "__init__.py": "", top + "sub/__init__.py": "", top + "models/sub/__init__.py": ""}
        files |= {top + "models/sub/plain/deep/__init__.py": ""}
    reply = trace(tmp_path, USES.format(module=module), "f(f32[2, 3])", scope=scope, files=files)
    assert reply.failure is None, reply.failure.detail
    assert "y⟦f32[3]⟧" in annotated(reply, tmp_path / scope)
    assert "return⟦f32[3]⟧ x[0]" in annotated(reply, tmp_path / helper)
    assert {str(tmp_path / scope), str(tmp_path / helper)} <= set(reply.files)


@pytest.mark.parametrize(
    ("scope", "module", "files"),
    [
        ("model.py", ".layers", {"layers.py": HELPER}),
        ("model.py", "root.layers", {"layers.py": HELPER, "root.py": "raise ImportError\n"}),
        ("sub/model.py", "..layers", {"layers.py": HELPER, "sub/__init__.py": ""}),
        ("root/model.py", "root.layers", {"root/layers.py": HELPER, "root/__init__.py": ""}),
        ("model.py", "root.layers", {"root/layers.py": HELPER, "root/__init__.py": ""}),
        ("model.py", "layers", {"layers.py": HELPER}),
        ("plain/model.py", "..layers", {"layers.py": HELPER}),
        ("plain/sub/model.py", "...layers", {"layers.py": HELPER, "plain/sub/__init__.py": ""}),
        ("plain/sub/model.py", "sub.layers", {"plain/sub/layers.py": HELPER, "plain/sub/__init__.py": ""}),
    ],
)
def test_a_root_that_is_a_package(scope: str, module: str, files: dict[str, str], tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    reply = trace(root, USES.format(module=module), "f(f32[2, 3])", scope=scope, files={"__init__.py": "", **files})
    assert reply.failure is None, reply.failure.detail
    assert "y⟦f32[3]⟧" in annotated(reply, root / scope)


@pytest.mark.parametrize("module", ["...layers", "package.layers"])
def test_a_package_that_the_root_is_only_a_part_of(module: str, tmp_path: Path) -> None:
    root = tmp_path / "package" / "plain" / "sub"
    root.mkdir(parents=True)
    (tmp_path / "package" / "__init__.py").touch()
    (tmp_path / "package" / "layers.py").write_text(HELPER)
    beside = {"__init__.py": "", "beside.py": "from ...layers import helper\n"}
    reply = trace(root, USES.format(module=module), "f(f32[2, 3])", files=beside)
    assert reply.failure is None, reply.failure.detail
    assert "y⟦f32[3]⟧" in annotated(reply, root / "model.py")


def test_a_file_named_like_a_known_module(tmp_path: Path) -> None:
    reply = trace(tmp_path, HEAD + "def f(x):\n    return x\n", "f(f32[2])", scope="json.py")
    assert reply.failure is None
    assert "return⟦f32[2]⟧" in annotated(reply, tmp_path / "json.py")


def test_unsaved_buffers(tmp_path: Path) -> None:
    reply = trace(
        tmp_path,
        USES.format(module="other"),
        "f(f32[2, 3])",
        files={"other.py": HELPER},
        overlays={"other.py": "def helper(x):\n    return x[0, 0]\n", "fresh.py": "N = 3\n"},
    )
    assert reply.failure is None
    assert "y⟦f32[]⟧" in annotated(reply, tmp_path / "model.py")


def test_a_file_that_exists_only_in_the_editor(tmp_path: Path) -> None:
    reply = trace(tmp_path, USES.format(module="fresh"), "f(f32[2, 3])", overlays={"fresh.py": HELPER})
    assert reply.failure is None, reply.failure.detail
    assert str(tmp_path / "fresh.py") in reply.files


def test_inspect_reads_the_unsaved_text(tmp_path: Path) -> None:
    source = (
        "import inspect\ndef f(x):\n    assert 'marker' in inspect.getsource(f), inspect.getsource(f)\n    return x\n"
    )
    edited = "\n" + source.replace("return x\n", "return x  # marker\n")
    reply = trace(tmp_path, source, "f(f32[2])", overlays={"model.py": edited})
    assert reply.failure is None, reply.failure.detail


def test_inheritance_across_files(tmp_path: Path) -> None:
    base = HEAD + "class Base(nn.Module):\n    def forward(self, x):\n        h = self.inner(x)\n        return h\n"
    source = "from base import Base\nclass Net(Base):\n    def inner(self, x):\n        return x[0]\n"
    reply = trace(tmp_path, source, "Net()(f32[2, 3])", files={"base.py": base})
    assert "h⟦f32[3]⟧" in annotated(reply, tmp_path / "base.py")
    assert [(use.name, use.path) for use in reply.modules] == [("Net", str(tmp_path / "model.py"))]


def test_code_of_other_people_is_not_shown(tmp_path: Path) -> None:
    site = ".venv/lib/python3.11/site-packages/lib_for_test.py"
    source = (
        HEAD + f"import sys\nsys.path.append({str(tmp_path / site)!r}[:-15])\n" + USES.format(module="lib_for_test")
    )
    reply = trace(tmp_path, source, "f(f32[2, 3])", files={site: HELPER})
    assert reply.failure is None, reply.failure.detail
    assert reply.files == (str(tmp_path / "model.py"),)
    assert {binding.span.path for binding in reply.bindings} == {str(tmp_path / "model.py")}


def test_future_imports_docstrings_and_encodings(tmp_path: Path) -> None:
    source = '# -*- coding: utf-8 -*-\n"""Doc."""\nfrom __future__ import annotations\nNAME = "é"\n\n\n'
    source += "def f(x):\n    return x\n"
    reply = trace(tmp_path, source, "f(f32[2])", setup="assert __doc__ == 'Doc.', __doc__")
    assert reply.failure is None, reply.failure.detail


@pytest.mark.parametrize("hiding", ["tools/net.py", "tools.py"])
def test_a_file_that_another_of_its_folders_name_hides(hiding: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    files = {hiding: "x = 1\n"}
    reply = trace(
        tmp_path,
        HEAD + "def f(x):\n    y = x[0]\n    return y\n",
        "f(f32[2, 3])",
        scope="tools/net/model.py",
        files=files,
    )
    assert reply.failure is None, reply.failure.detail
    assert "y⟦f32[3]⟧" in annotated(reply, tmp_path / "tools/net/model.py")
