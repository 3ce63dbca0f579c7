"""Whether other versions of Python and torch show the same, as their users install them.

    python bench/versions.py                     the oldest torch that is let in, some between, the newest
    python bench/versions.py 2.6.0 2.13.0        these versions
    python bench/versions.py --python python3.13 2.13.0

Installs each torch into an environment of its own in `.bench/versions/`, from the default index: on Linux that is the
one for CUDA, of several gigabytes.  Runs `fx-lsp check` over `examples/` and a training script, with the sandbox, and
prints what is shown: classes, hints, errors and warnings, and each line that the newest one lacks or has besides.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from accuracy import CACHE

from tests.reference.product import check

VERSIONS = ("2.4.1", "2.6.0", "2.8.0", "2.13.0")
SCRIPT = """import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 4)

    def forward(self, x):
        h = self.fc(x)
        return h.relu()


net = Net().to(device)
optimizer = torch.optim.AdamW(net.parameters())
for step in range(100):
    optimizer.zero_grad()
    loss = net(torch.randn(2, 8, device=device)).sum()
    loss.backward()
    optimizer.step()
with torch.no_grad():
    scores = net(torch.randn(5, 8, device=device))
side = torch.cuda.Stream() if torch.cuda.is_available() else None
"""


def interpreter(version: str, python: str) -> str:
    """An environment with this torch, made the first time."""
    folder = CACHE / "versions" / f"{Path(python).name}-{version}"
    found = folder / "bin" / "python"
    if not (folder / "done").exists():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([python, "-m", "venv", str(folder)], check=True)
        numpy = "numpy<2" if tuple(map(int, version.split(".")[:2])) < (2, 5) else "numpy"
        subprocess.run(
            [str(found), "-m", "pip", "install", "--quiet", f"torch=={version}", numpy, "einops"], check=True
        )
        (folder / "done").touch()
    return str(found)


def shown(python: str) -> tuple[str, set[str]]:
    """The sums, and a line for each thing that is shown."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(HERE.parent / "examples", folder, dirs_exist_ok=True)
        (Path(folder) / "training.py").write_text(SCRIPT, encoding="utf-8")
        (Path(folder) / ".git").mkdir()
        report = check(folder, ["."], python)
    lines = set[str]()
    classes: list[dict[str, Any]] = []
    for file in report["files"]:
        classes += file["modules"]
        lines |= {f"{file['path']}:{hint['line']}: {hint['name']} {hint['label']}" for hint in file["hints"]}
        lines |= {f"{file['path']}:{one['line']}: {one['code']}: {one['message']}" for one in file["diagnostics"]}
    traced = sum(one["status"] == "traced" for one in classes)
    return f"{traced} of {len(classes)} classes traced, {len(lines)} hints, errors and warnings", lines


def main() -> int:
    """Exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("versions", nargs="*", default=VERSIONS, help="of torch, the newest last")
    parser.add_argument("--python", default=sys.executable, help="makes the environments (%(default)s)")
    options = parser.parse_args()
    found = {version: shown(interpreter(version, options.python)) for version in options.versions}
    newest = found[options.versions[-1]][1]
    for version, (sums, lines) in found.items():
        print(f"torch {version}: {sums}; {len(newest - lines)} are missing, {len(lines - newest)} are besides")
        for sign, group in (("-", newest - lines), ("+", lines - newest)):
            for line in sorted(group)[:20]:
                print(f"  {sign} {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
