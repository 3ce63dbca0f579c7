"""Names followed through imports."""

from __future__ import annotations

import pytest

from fx_lsp.analysis.names import Definition, External, ModuleFile, imported_files, resolve, run_name
from tests.analysis.workspaces import workspace

FILES = {
    "pkg/__init__.py": "from .nets import Net, make\nfrom . import deep\n",
    "pkg/nets.py": "import torch.nn as nn\nclass Net:\n    class Part: pass\ndef make(): pass\nBase = nn.Module\n",
    "pkg/deep/__init__.py": "",
    "pkg/deep/more.py": "from ..nets import Net as N\nfrom pkg import make\n",
    "scripts/train.py": "import pkg\nfrom pkg.deep import more\nfrom pkg.nets import *\nimport helper\nimport torch\n",
    "scripts/helper.py": "from loop import x\n",
    "loop.py": "from loop2 import x\n",
    "loop2.py": "from loop import x\n",
    "pkg/loose/inner/__init__.py": "",
    "pkg/loose/inner/one.py": "from ...nets import Net\nfrom inner import one\n",
    "src/lib/core.py": "class Core: pass\n",
    "use.py": "try:\n    from fast import Net\nexcept ImportError:\n    from pkg.nets import Net\n"
    "from lib.core import Core\n",
}


@pytest.mark.parametrize(
    ("file", "name", "path", "target"),
    [
        ("pkg/__init__.py", "Net", "pkg/nets.py", "Net"),
        ("pkg/__init__.py", "Net.Part", "pkg/nets.py", "Net.Part"),
        ("pkg/deep/more.py", "N", "pkg/nets.py", "Net"),
        ("pkg/deep/more.py", "make", "pkg/nets.py", "make"),
        ("scripts/train.py", "pkg.Net", "pkg/nets.py", "Net"),
        ("scripts/train.py", "pkg.nets.Net", "pkg/nets.py", "Net"),
        ("scripts/train.py", "more.N", "pkg/nets.py", "Net"),
        ("scripts/train.py", "make", "pkg/nets.py", "make"),
        ("use.py", "Net", "pkg/nets.py", "Net"),
        ("use.py", "Core", "src/lib/core.py", "Core"),
    ],
)
def test_definition(file, name, path, target):
    meaning = resolve(workspace(FILES), f"/w/{file}", name)
    assert isinstance(meaning, Definition)
    assert (meaning.path, meaning.name) == (f"/w/{path}", target)


def test_outside_and_modules():
    space = workspace(FILES)
    assert resolve(space, "/w/pkg/nets.py", "nn.Module") == External("torch.nn.Module")
    assert resolve(space, "/w/pkg/nets.py", "Base") == External("torch.nn.Module")
    assert resolve(space, "/w/scripts/train.py", "helper") == ModuleFile("/w/scripts/helper.py")
    assert resolve(space, "/w/scripts/train.py", "nothing.there") is None


def test_cycles_end():
    assert resolve(workspace(FILES), "/w/scripts/helper.py", "x") is None


def test_a_package_in_the_environment_is_outside():
    space = workspace({"a.py": "import lib\n", ".venv/lib/site-packages/lib.py": "", "build/lib.py": ""})
    assert resolve(space, "/w/a.py", "lib") == External("lib")


def test_imported_files():
    found = imported_files(workspace(FILES), "/w/pkg/deep/more.py", 100)
    assert found == {f"/w/pkg/{name}" for name in ("deep/more.py", "nets.py", "__init__.py", "deep/__init__.py")}


@pytest.mark.parametrize(
    ("scope", "file", "written", "name"),
    [
        ("pkg/nets.py", "pkg/deep/more.py", "", "pkg.deep.more"),
        ("pkg/nets.py", "pkg/__init__.py", "", "pkg"),
        ("pkg/loose/inner/one.py", "pkg/loose/inner/one.py", "", "pkg.loose.inner.one"),
        ("loop.py", "scripts/helper.py", "helper", "scripts.helper"),
        ("scripts/train.py", "scripts/helper.py", "helper", "helper"),
        ("src/lib/core.py", "src/lib/core.py", "lib.core", "lib.core"),
    ],
)
def test_run_name(scope, file, written, name):
    assert run_name(workspace(FILES), f"/w/{scope}", f"/w/{file}", written) == name


@pytest.mark.parametrize(
    ("written", "name"), [("from ...layers import helper\n", "w.plain.sub.model"), ("import layers\n", "sub.model")]
)
def test_a_folder_that_is_no_package_in_a_root_that_is_one(written, name):
    files = {"__init__.py": "", "layers.py": "helper = 1\n", "plain/sub/__init__.py": ""}
    space = workspace({**files, "plain/sub/model.py": "", "plain/sub/beside.py": written})
    assert run_name(space, "/w/plain/sub/model.py", "/w/plain/sub/model.py") == name
