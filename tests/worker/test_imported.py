"""Installed packages are imported ahead in the zygote; nothing else is, whatever a run says."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fx_lsp.model.messages import Hello, Prepare, TraceRequest
from fx_lsp.worker.spares import MOST
from tests.policies import policy
from tests.worker.sandbox.confined import needs_linux

from .conversation import Conversation, confined

MAIN = Path(__file__).parents[2] / "fx_lsp" / "worker" / "main.py"

SCRIPT = """
import json, os, sys
sys.path.insert(0, sys.argv[1])
from fx_lsp.worker.imported import IMPORTED, installed_since
before = len(sys.modules)
for text in json.loads(sys.argv[2]):
    IMPORTED.want(text)
while IMPORTED.step():
    pass
there = [name for name in json.loads(sys.argv[3]) if name in sys.modules]
print(json.dumps([IMPORTED.made, there, installed_since(before)]))
"""


def run(tmp_path: Path, texts: list[str], names: list[str]) -> tuple[int, list[str], str, str]:
    packages = tmp_path / "lib" / "site-packages"
    for name, text in {"good/__init__.py": "", "good/part.py": "", "broken.py": "raise SystemExit(3)"}.items():
        (packages / name).parent.mkdir(parents=True, exist_ok=True)
        (packages / name).write_text(text)
    (tmp_path / "mine.py").write_text("raise AssertionError('code of the workspace ran')")
    command = [sys.executable, "-c", SCRIPT, str(packages), json.dumps(texts), json.dumps(names)]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={"PYTHONPATH": f"{root}:{tmp_path}"})
    made, there, listed = json.loads(done.stdout)
    return made, there, listed, done.stderr


def test_installed_modules_are_imported_and_listed(tmp_path: Path) -> None:
    made, there, listed, said = run(tmp_path, ["good\ngood.part", "good.part"], ["good", "good.part"])
    assert (made, there, said) == (2, ["good", "good.part"], "")
    assert listed.split("\n") == ["good", "good.part"]


def test_one_that_fails_is_said_and_the_next_one_goes_on(tmp_path: Path) -> None:
    made, there, _, said = run(tmp_path, ["broken\ngood"], ["good"])
    assert (made, there) == (1, ["good"])
    assert "not imported ahead: broken: SystemExit: 3" in said


@pytest.mark.parametrize(
    "name",
    ["mine", "antigravity", "good.missing", "missing", "missing.part", "", "..", "good/part", "a b", "x" * 100_000],
)
def test_nothing_but_what_is_installed(tmp_path: Path, name: str) -> None:
    made, there, _, _ = run(tmp_path, [f"{name}\n"], ["mine", "antigravity", name])
    assert (made, there) == (0, [])


SPOILED = """
import sys
sys.path.insert(0, sys.argv[1])
from fx_lsp.worker.imported import IMPORTED
IMPORTED.want(sys.argv[2])
while IMPORTED.step():
    pass
print(IMPORTED.spoiled())
"""


OF_TORCH = """
import sys, torch
torch.set_num_threads(1)
from fx_lsp.worker.deferred import PACKAGE, defer
from fx_lsp.worker.imported import IMPORTED
defer()
before = len(sys.modules)
IMPORTED.want(PACKAGE)
IMPORTED.step()
print(len(sys.modules) - before, IMPORTED.spoiled())
"""


def test_what_torch_imports_of_its_own_is_as_if_it_had_been_at_the_start() -> None:
    command = [sys.executable, "-c", OF_TORCH]
    environment = {"PYTHONPATH": str(Path(__file__).parents[2]), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    count, why = done.stdout.strip("\n").split(" ", 1)
    assert int(count) > 50
    assert why == ""


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("plain", ""),
        ("threaded", "a package started a thread"),
        ("other", "unasked was imported ahead"),
        ("other\nunasked", ""),
    ],
)
def test_what_must_not_be_forked_any_more(tmp_path: Path, name: str, why: str) -> None:
    packages = tmp_path / "site-packages"
    packages.mkdir()
    texts = {
        "plain": "import json",
        "threaded": "import threading, time; threading.Thread(target=time.sleep, args=(5,), daemon=True).start()",
        "other": "import unasked",
        "unasked": "",
    }
    for module, text in texts.items():
        (packages / f"{module}.py").write_text(text)
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", SPOILED, str(packages), name]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={"PYTHONPATH": str(root)})
    assert done.stdout.strip().startswith(why)
    assert bool(done.stdout.strip()) == bool(why)


THREADED = """
import _thread, contextlib, sys, time
with contextlib.suppress(RuntimeError):  # as a library does that has threads of its own
    _thread.start_new_thread(time.sleep, (60,))
print("imported threaded", file=sys.stderr)
"""
WAITING = """
import sys, threading
threading.Thread(target=threading.Event().wait, daemon=True).start()
print("imported waiting", file=sys.stderr)
"""


@needs_linux
@pytest.mark.parametrize(("name", "text"), [("threaded", THREADED), ("waiting", WAITING)])
def test_what_would_start_a_thread_is_there_without_it(tmp_path: Path, name: str, text: str) -> None:
    """A worker that ended over it would lack all other packages from then on, or make every later one end, too."""
    (tmp_path / "site-packages").mkdir()
    (tmp_path / "site-packages" / f"{name}.py").write_text(text)
    (tmp_path / "model.py").write_text("import sys\n\n\ndef there(name):\n    print(name in sys.modules)\n")
    request = TraceRequest(1, str(tmp_path), str(tmp_path / "model.py"), f"there({name!r})")
    limits, places = policy(tmp_path), {"PYTHONPATH": str(tmp_path / "site-packages")}
    with Conversation(confined(limits, sys.executable, str(MAIN)), places) as worker:
        assert isinstance(worker.receive(), Hello)
        worker.send(Prepare(str(tmp_path), (), imported=name))
        for _ in range(600):
            if f"imported {name}" in worker.said:
                break
            time.sleep(0.05)
        said = set()
        for _ in range(MOST + 1):  # so many children may wait that were forked before, and the slowest comes last
            assert worker.process.poll() is None, worker.said
            worker.send(request)
            said.add(worker.answer().output.log.strip())
        assert "True" in said, worker.said
        assert worker.hang_up() == 0
        assert "worker ends" not in worker.stderr()
        assert "not imported ahead" not in worker.stderr()
