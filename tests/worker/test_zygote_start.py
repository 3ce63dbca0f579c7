"""`main.py` starts, or says in one sentence why it cannot."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from fx_lsp.model.messages import PROTOCOL, Hello, StartFailed, TraceRequest
from fx_lsp.model.wire import decode
from tests.policies import policy

from .conversation import Conversation, confined

MAIN = Path(__file__).parents[2] / "fx_lsp" / "worker" / "main.py"


def why_not(interpreter: str, environment: dict[str, str], home: Path) -> str:
    """The sentence of a worker that cannot start; nothing else may be on its stdout."""
    prefix = Path(interpreter).parents[1]
    limits = policy(home, prefix, execute=(interpreter, os.path.realpath(interpreter)))
    with Conversation(confined(limits, interpreter, str(MAIN)), environment) as worker:
        message = worker.receive()
        assert worker.wait() == 1
    assert isinstance(message, StartFailed)
    assert message.protocol in {0, PROTOCOL}
    assert "\n" not in message.message
    return message.message


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An interpreter without torch."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=120)
    return str(folder / "bin" / "python")


def fake_torch(folder: Path, source: str) -> dict[str, str]:
    (folder / "torch").mkdir()
    (folder / "torch" / "__init__.py").write_text(source)
    return {"PYTHONPATH": str(folder)}


def test_no_torch(bare: str, tmp_path: Path) -> None:
    assert why_not(bare, {}, tmp_path) == (
        f"There is no torch in {bare}: run `{bare} -m pip install torch`, "
        "or choose another interpreter with the setting `fx-lsp.interpreter`."
    )


def test_torch_too_old(bare: str, tmp_path: Path) -> None:
    assert why_not(bare, fake_torch(tmp_path, "print('noise')\n__version__ = '1.13.1+cu117'"), tmp_path) == (
        f"{bare} has torch 1.13.1+cu117, and 2.4 or newer is needed: run `{bare} -m pip install --upgrade torch`, "
        "or choose another interpreter with the setting `fx-lsp.interpreter`."
    )


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("raise OSError('libtorch.so: not found\\nmore')", "OSError: libtorch.so: not found"),
        ("import numpy_of_another_time", "ModuleNotFoundError: No module named 'numpy_of_another_time'"),
        ("raise SystemExit(3)", "SystemExit: 3"),
    ],
)
def test_torch_broken(bare: str, tmp_path: Path, source: str, reason: str) -> None:
    assert why_not(bare, fake_torch(tmp_path, source), tmp_path) == (
        f"torch cannot be imported in {bare} ({reason}): reinstall it, "
        "or choose another interpreter with the setting `fx-lsp.interpreter`."
    )


def test_a_folder_called_torch(bare: str, tmp_path: Path) -> None:
    (tmp_path / "torch").mkdir()
    assert why_not(bare, {"PYTHONPATH": str(tmp_path)}, tmp_path).startswith(
        f"What {bare} imports as torch is not torch"
    )


def test_torch_that_does_not_do_what_we_need(bare: str, tmp_path: Path) -> None:
    sentence = why_not(bare, fake_torch(tmp_path, "__version__ = '2.9.0'\nset_num_threads = print"), tmp_path)
    assert sentence.startswith(f"The worker could not start in {bare}: ImportError: cannot import name 'nn'")


def test_python_too_old(bare: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.version_info = (3, 8, 20, 'final', 0)")
    assert why_not(bare, {"PYTHONPATH": str(tmp_path)}, tmp_path) == (
        f"{bare} is Python 3.8.20, and 3.9 or newer is needed: "
        "choose another interpreter with the setting `fx-lsp.interpreter`."
    )


def test_without_a_policy() -> None:
    with Conversation((sys.executable, str(MAIN))) as worker:
        message = worker.receive()
        assert worker.wait() == 1
    assert isinstance(message, StartFailed)
    assert message.message == "The worker was started without --policy: reinstall fx-lsp."


def test_noise_before_the_first_word(bare: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("print('\\0fx-ls\\0 noise')")
    assert why_not(bare, {"PYTHONPATH": str(tmp_path)}, tmp_path).startswith("There is no torch")


@pytest.mark.parametrize("arguments", [(), ("--spawn",)], ids=["fork", "spawn"])
def test_start_and_two_traces(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    model = tmp_path / "model.py"
    model.write_text(
        "import os, sys\n"
        "import einops, numpy, PIL.Image, torch, yaml\n"
        "ours = [name for name in sys.path if 'fx_lsp' in name]\n"
        "def look():\n"
        "    print(ours, os.environ['OMP_NUM_THREADS'], repr(os.environ['CUDA_VISIBLE_DEVICES']))\n"
        "    return torch.nn.Linear(3, 4)(torch.randn(2, 3))\n"
    )
    with Conversation(confined(policy(tmp_path), sys.executable, str(MAIN), *arguments)) as worker:
        hello = worker.receive()
        assert isinstance(hello, Hello)
        assert (hello.protocol, hello.python) == (PROTOCOL, platform.python_version())
        assert hello.torch == torch.__version__
        assert {layer.stage for layer in hello.layers} == {"launcher", "zygote", "child"}
        assert {layer.status for layer in hello.layers} == {"active"}
        for engine in ("fake", "real"):
            worker.send(TraceRequest(7, str(tmp_path), str(model), "look()", engine=engine))
            answer = worker.answer()
            assert answer.reply is not None, answer.output
            assert decode(answer.reply).failure is None
            assert set(answer.output.log.splitlines()) == {"[] 1 ''"}
        assert worker.hang_up() == 0
        assert worker.stderr() == ""  # in particular, the warm-up left one thread, so a fork is safe
    assert os.listdir(tmp_path / ".home") == []
