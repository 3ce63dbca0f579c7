"""Training scripts as people write them, which lack something here: weights, data, a launcher, a network, threads.

    python bench/programs.py --python PYTHON [WORDS]

Each script of bench/programs/ is checked by itself, with no configuration, in a Python that has the packages
(torchvision, timm, transformers, accelerate, datasets, hydra, gymnasium, tensorboard, wandb, matplotlib, tqdm, scipy).
Printed are its hints, and where it ends, if it does.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
PROGRAMS = REPOSITORY / "bench" / "programs"
sys.path.insert(0, str(REPOSITORY))


def checked(program: Path, python: str, root: Path) -> tuple[int, str]:
    """Number of hints, and what is said of where it ends."""
    command = [sys.executable, "-m", "fx_lsp.cli", "check", "--format", "json", "--interpreter", python, program.name]
    paths = [str(REPOSITORY / "bench" / "site"), str(REPOSITORY)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "XDG_CACHE_HOME": str(root.parent)}
    answer = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    if not answer.stdout:
        raise SystemExit(answer.stderr)
    (file,) = json.loads(answer.stdout)["files"]
    ends = [one for one in file["diagnostics"] if one["code"] in ("program-ended", "trace-failure")]
    return len(file["hints"]), "; ".join(f"line {one['line']}: {one['message'][:100]}" for one in ends)


def main() -> None:
    """Print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("words", nargs="*", help="only programs whose names hold one of these")
    options = parser.parse_args()
    programs = [
        path
        for path in sorted(PROGRAMS.glob("*.py"))
        if not options.words or any(word in path.stem for word in options.words)
    ]
    hinted = 0
    with tempfile.TemporaryDirectory() as folder:
        root = Path(shutil.copytree(PROGRAMS, Path(folder) / "programs"))
        for program in programs:
            hints, ends = checked(program, options.python, root)
            hinted += hints > 0
            print(f"| {program.stem} | {hints} | {ends} |", flush=True)
    print(f"{hinted} of {len(programs)} programs with hints")


if __name__ == "__main__":
    main()
