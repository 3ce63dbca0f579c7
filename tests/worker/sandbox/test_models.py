"""What ordinary model files do still works in a child under all layers, as it does without them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fx_lsp.model import wire
from tests.policies import policy, unprotected
from tests.worker.sandbox.confined import needs_linux
from tests.worker.sandbox.test_launcher import OURS

pytestmark = needs_linux

SECONDS = 300

PACKAGES = {
    **{name: f"import {name}" for name in ("numpy", "tqdm", "einops", "torchvision", "timm", "safetensors")},
    "transformers": "from transformers import GPT2Config, GPT2LMHeadModel",
    **{name: f"import {name}" for name in ("requests", "huggingface_hub", "matplotlib.pyplot", "pandas", "sklearn")},
}
"""Packages that model files import; those that are not installed here fail alike with and without layers."""

HABITS = {
    "more threads": "import torch; torch.set_num_threads(8); torch.randn(1500, 1500) @ torch.randn(1500, 1500)",
    "threads between operators": "import torch; torch.set_num_interop_threads(4)",
    "backward": "import torch; m = torch.nn.Linear(3, 3); m(torch.randn(5, 3)).sum().backward()",
    "train": "import torch; m = torch.nn.Linear(3, 3); o = torch.optim.AdamW(m.parameters());"
    "m(torch.randn(5, 3)).sum().backward(); o.step()",
    "meta": "import torch; torch.nn.Linear(3, 3, device='meta')(torch.randn(5, 3, device='meta'))",
    "choose a device": "import torch; assert not torch.cuda.is_available(); torch.backends.mps.is_available()",
    "seed": "import torch, random; torch.manual_seed(0); random.seed(0); torch.seed()",
    "loader": "import torch.utils.data as d; import torch; "
    "next(iter(d.DataLoader(d.TensorDataset(torch.ones(4)), batch_size=2, shuffle=True)))",
    "progress": "import tqdm, sys; list(tqdm.tqdm(range(3), file=sys.stderr))",
    "temporary folder": "import tempfile; assert tempfile.gettempdir()",
    "nothing printed": "import contextlib as c, os\nwith open(os.devnull, 'w') as f, c.redirect_stdout(f): print(1)",
    "make a folder that is there": "import os; os.makedirs(os.path.dirname(FILE), exist_ok=True)",
    "make a folder unless it is there": "import os\ntry: os.mkdir(os.path.dirname(FILE))\nexcept FileExistsError: pass",
    "remove what is not there": "import os\ntry: os.remove(FILE + '.old')\nexcept FileNotFoundError: pass",
    "read a file": "open(FILE).read()",
    "load weights": "import torch; torch.load(FILE + '.pt', mmap=True)",
    "random bytes": "import os, uuid, secrets; os.urandom(8), uuid.uuid4(), uuid.getnode(), secrets.token_hex()",
    "who and where": "import getpass, os, pathlib, platform; getpass.getuser(), os.getcwd(), platform.platform(),"
    "pathlib.Path.home(), os.cpu_count()",
    "terminal size": "import shutil; shutil.get_terminal_size()",
    "memory map": "import mmap; mmap.mmap(-1, 4096)",
    "time": "import time, datetime; time.sleep(0.01), datetime.datetime.now().astimezone()",
    "logging": "import logging; logging.basicConfig(); logging.warning('text')",
    "signals": "import signal; signal.signal(signal.SIGALRM, lambda *_: None); signal.setitimer(signal.ITIMER_REAL, 9)",
    "fonts in the background": "import threading; t = threading.Timer(5, print); t.start(); t.cancel()",
    "mimetypes": "import mimetypes; mimetypes.guess_type('a.png')",
    "secure context": "import ssl; ssl.create_default_context()",
    "lower limits": "import resource as r; r.setrlimit(r.RLIMIT_STACK, r.getrlimit(r.RLIMIT_STACK))",
    "affinity": "import os; os.sched_setaffinity(0, os.sched_getaffinity(0))",
}

WORKER = """
import json, os, select, sys, tempfile, types
package = types.ModuleType("fx_lsp")
package.__path__ = [sys.argv[1]]
sys.modules["fx_lsp"] = package
from fx_lsp.model import wire
from fx_lsp.worker import sandbox
policy = wire.decode(sys.argv[sys.argv.index("--policy") + 1].encode())
import torch
torch.set_num_threads(1)
tempfile.tempdir = policy.home
sandbox.apply("zygote", policy)
for name, code in json.loads(sys.argv[2]).items():
    reader, writer = os.pipe()
    log, log_writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(writer, 203), os.dup2(log_writer, 202)
        os.dup2(203, 3), os.dup2(202, 1), os.dup2(202, 2)
        try:
            sandbox.apply("child", policy)
            exec(code, {"FILE": sys.argv[3]})
            said = ""
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(3, said.encode()[:4000])
        os.write(3, b"|end")
        os._exit(0)
    os.close(writer)
    os.close(log_writer)
    said, printed = "", ""
    while select.select([reader, log], [], []):
        piece = os.read(reader, 4096) if select.select([reader], [], [], 0.01)[0] else None
        if select.select([log], [], [], 0)[0]:
            printed += os.read(log, 4096).decode("utf-8", "replace")
        said += (piece or b"").decode()
        if piece == b"":
            break
    _, status = os.waitpid(pid, 0)
    os.close(reader)
    os.close(log)
    said = said[:-4] if said.endswith("|end") else f"ended with {status}: {printed[-400:]}"
    print(json.dumps([name, said]), flush=True)
"""


def outcomes(folder: Path, protected: bool) -> dict[str, str]:
    """What each snippet raises, empty for nothing."""
    import torch

    file = folder.resolve() / "data" / "file"
    file.parent.mkdir()
    file.write_text("text")
    torch.save({"weight": torch.ones(3)}, f"{file}.pt")
    script = folder.resolve() / "worker.py"
    script.write_text(WORKER)
    given = (policy if protected else unprotected)(folder.resolve())
    package = str(Path(OURS[-1]).parents[1])
    command = [*OURS, wire.encode(given).decode(), "--", sys.executable, str(script)]
    command += [package, json.dumps({**PACKAGES, **HABITS}), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, env=dict(os.environ))
    assert done.returncode == 0, done.stderr
    return dict(json.loads(line) for line in done.stdout.splitlines())


@pytest.fixture(scope="module")
def confined(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return outcomes(tmp_path_factory.mktemp("confined"), True)


@pytest.fixture(scope="module")
def free(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return outcomes(tmp_path_factory.mktemp("free"), False)


@pytest.mark.parametrize("habit", HABITS)
def test_a_habit_works(confined: dict[str, str], habit: str) -> None:
    assert confined[habit] == ""


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_is_imported_as_without_layers(confined: dict[str, str], free: dict[str, str], package: str) -> None:
    assert confined[package] == free[package]
