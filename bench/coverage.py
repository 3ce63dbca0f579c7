"""How much of real packages is shown with no word from anybody, and whether it is true.

    python bench/coverage.py                          every package of bench/packages/
    python bench/coverage.py vit_pytorch              one package
    python bench/coverage.py transformers --draw 100  so many model folders of it, drawn with a fixed seed
    python bench/coverage.py --python P pkg --draw 8  a package that no file names, as P has it: so many of its files
    python bench/coverage.py timm --fast --jobs 16    so many checks at a time, where there are cores for them

Installs the packages, pinned, into `.bench/venv` (or uses the interpreter given with `--python` as it is), copies the
source into `.bench/bare/` as a workspace without any configuration, and runs `fx-lsp check` on it, so many files at a
time.  Prints the module classes by what became of them, the reasons why not, what is warned of, and the share of
bindings in bodies of `forward` that have a hint.  Then every example that was chosen is run for real in a plain Python
session under the tracer of tests/reference/, and each binding is compared.  `--fast` leaves that out.
"""

from __future__ import annotations

import argparse
import ast
import random
import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, TypeVar

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from accuracy import CACHE, Package, _site_packages, interpreter, read, set_up

from tests.reference.compare import VERDICTS, Comparison, compare
from tests.reference.product import check

T = TypeVar("T")
U = TypeVar("U")
SEED = 2026
BATCH = 10
"""Files of one check: what is found is kept in memory until its end."""
NOTHING = "it has no forward of its own"
"""Why there is nothing to run of a class."""


def workspace(package: Package, python: str) -> Path:
    """A folder with nothing but the package's source."""
    root = CACHE / "bare" / package.name
    if not root.exists():
        ignored = shutil.ignore_patterns("__pycache__", "tests")
        shutil.copytree(_site_packages(python) / package.source, root / package.source, ignore=ignored)
        (root / ".git").mkdir()
    return root


def files(root: Path, package: Package, draw: int, seed: int) -> list[str]:
    """Files with a `forward`, relative to the root; so many folders of models, or files of what nothing names."""
    models = root / package.source / "models"
    folders = sorted(path for path in models.iterdir() if path.is_dir()) if models.is_dir() and package.requires else []
    chosen = drawn(folders, draw, seed) if 0 < draw < len(folders) else [root / package.source]
    found = [path for folder in chosen for path in sorted(folder.rglob("*.py"))]
    found = [path for path in found if "def forward(" in path.read_text("utf-8", "replace")]
    return [str(path.relative_to(root)) for path in (found if package.requires else drawn(found, draw, seed))]


def drawn(paths: list[Path], draw: int, seed: int) -> list[Path]:
    """So many of them, in order; all where there are not more, or none is said."""
    return sorted(random.Random(seed).sample(paths, draw)) if 0 < draw < len(paths) else paths


def named(name: str) -> Package:
    """What bench/packages/ says of it; where it says nothing, the package as the interpreter has it."""
    return read(name) if (HERE / "packages" / f"{name}.toml").exists() else Package(name, name, (), {}, {})


def targets(root: Path, report: dict[str, Any]) -> tuple[int, int]:
    """Names bound in bodies of `forward`, and those of them that have a hint."""
    bound = hinted = 0
    for file in report["files"]:
        shown = {(hint["line"], hint["name"]) for hint in file["hints"]}
        path = root / file["path"]
        path = path if path.exists() else next(root.rglob(file["path"]))  # of a root within
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name == "forward":
                names = {
                    (name.lineno, name.id)
                    for statement in ast.walk(node)
                    if isinstance(statement, ast.Assign)
                    for target in statement.targets
                    for name in ast.walk(target)
                    if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
                }
                bound += len(names)
                hinted += len(names & shown)
    return bound, hinted


def shares(modules: Iterable[dict[str, Any]]) -> str:
    """How many there are, and what became of them."""
    status = Counter(one["status"] for one in modules)
    total = sum(status.values())
    return f"{total}: " + ", ".join(f"{name} {n} ({n / total:.1%})" for name, n in status.most_common())


def matches(path: str, pattern: str) -> bool:
    """Whether the name of the file does."""
    return fnmatch(Path(path).name, pattern)


def measure(package: Package, python: str, draw: int, seed: int, fast: bool, jobs: int) -> None:
    """Check and compare, so many files at a time; the sums said last hold for all of them so far."""
    root = workspace(package, python)
    wanted = files(root, package, draw, seed)
    report: dict[str, Any] = {"files": []}
    compared = Comparison((), ())
    size = BATCH if jobs == 1 else 2
    batches = [wanted[at : at + size] for at in range(0, len(wanted), size)]
    if jobs > 1:  # what is drawn last is as good a sample as what comes first, should the time be short
        random.Random(seed).shuffle(batches)
    seconds, started = 0.0, time.perf_counter()
    for batch in in_turn(lambda paths: check(str(root), paths, python), batches, jobs):
        seconds += time.perf_counter() - started
        report["files"] += batch["files"]
        for file in batch["files"]:
            tell(file)
        print(f"== {package.name}: {len(report['files'])} of {len(wanted)} files, {seconds:.0f} s")
        sums(package, root, report)
        if not fast:
            now = compare(batch, str(root), python)
            compared = Comparison((*compared.rows, *now.rows), (*compared.errors, *now.errors))
            print(now.listing())
            print("compared so far:", ", ".join(f"{compared.count(one)} {one}" for one in VERDICTS))
        print(flush=True)
        started = time.perf_counter()
    if not fast:
        print(compared.table())


def in_turn(work: Callable[[T], U], parts: Sequence[T], jobs: int) -> Iterator[U]:
    """What `work` gives of each part, as they end; so many are worked on at a time, one only when it is asked for."""
    if jobs == 1:
        yield from map(work, parts)
        return
    with ThreadPoolExecutor(jobs) as pool:
        for done in as_completed([pool.submit(work, part) for part in parts]):
            yield done.result()


def tell(file: dict[str, Any]) -> None:
    """Classes of a file that did not run to their end, and its warnings."""
    for one in file["modules"]:
        if one["status"] != "traced" and one["reason"] != NOTHING:
            reason = (one["reason"] or "").replace("\n", " ")[:200]
            print(f"  {one['status']:8} {file['path']}::{one['name']}: {reason}")
    for one in file["diagnostics"]:
        if one["severity"] == "warning":
            print(f"  warning  {file['path']}:{one['line']}: {one['code']}: {one['message']}")


def sums(package: Package, root: Path, report: dict[str, Any]) -> None:
    """Of all files so far."""
    found = [(file["path"], one) for file in report["files"] for one in file["modules"]]
    modules = [(path, one) for path, one in found if one["reason"] != NOTHING]
    bound, hinted = targets(root, report)
    origins = Counter(example["origin"] for file in report["files"] for example in file["examples"])
    warnings = sum(one["severity"] == "warning" for file in report["files"] for one in file["diagnostics"])
    print(f"examples {dict(origins)}, warnings {warnings}")
    print(f"module classes with a forward {shares(one for _, one in modules)}")
    if package.templates:
        print(f"  of those in {package.templates} {shares(o for p, o in modules if matches(p, package.templates))}")
        print(f"  of those elsewhere {shares(o for p, o in modules if not matches(p, package.templates))}")
    print(f"names bound in forward {bound}, with a hint {hinted} ({hinted / max(bound, 1):.1%})")


def main() -> int:
    """Exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", nargs="?", help="name of a file in bench/packages/, or of a package of --python")
    parser.add_argument("--draw", type=int, default=0, metavar="N", help="folders of models, or files, drawn (all)")
    parser.add_argument("--seed", type=int, default=SEED, help="what is drawn with (%(default)s)")
    parser.add_argument("--fast", action="store_true", help="do not compare with real runs")
    parser.add_argument("--python", help="interpreter with torch and the packages, used as it is")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="checks at a time (%(default)s)")
    options = parser.parse_args()
    set_up()
    names = [options.package] if options.package else sorted(path.stem for path in (HERE / "packages").glob("*.toml"))
    packages = [named(name) for name in names]
    python = options.python or interpreter(packages)
    for package in packages:
        measure(package, python, options.draw, options.seed, options.fast, options.jobs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
