"""How many bindings of real packages are hinted exactly: stated examples, compared with real runs.

    python bench/accuracy.py                         every package of bench/packages/
    python bench/accuracy.py vit_pytorch             one package
    python bench/accuracy.py transformers gpt2 t5    the models whose path contains one of the words

Installs the packages, pinned, into `.bench/venv` (or uses the interpreter given with `--python` as it is), copies a
package's source into `.bench/<package>` as a workspace with the examples in its `pyproject.toml`, runs `fx-lsp check`
on the files of the examples, and runs the same examples for real under the tracer of tests/reference/.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
import tomllib
import venv
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
CACHE = HERE.parent / ".bench"
TORCH = "torch==2.13.0"
MAX_WRONG, MIN_EXACT = 0, 0.97

sys.path.insert(0, str(HERE.parent))

from tests.reference.compare import Comparison, compare
from tests.reference.product import check


@dataclass(frozen=True)
class Package:
    """A file of bench/packages/."""

    name: str
    source: str
    requires: tuple[str, ...]
    examples: dict[str, list[str]]
    setup: dict[str, str]
    templates: str = ""
    """Files that others are generated from, and that nothing imports."""

    def only(self, words: list[str]) -> Package:
        """The models whose path contains one of the words; all when there are none."""
        kept = {path: calls for path, calls in self.examples.items() if not words or any(w in path for w in words)}
        return Package(self.name, self.source, self.requires, kept, self.setup, self.templates)


def read(name: str) -> Package:
    """The package called `name`."""
    data = tomllib.loads((HERE / "packages" / f"{name}.toml").read_text(encoding="utf-8"))
    requires, setup, templates = tuple(data["requires"]), data.get("setup", {}), data.get("templates", "")
    return Package(name, data["source"], requires, data["examples"], setup, templates)


def interpreter(packages: list[Package]) -> str:
    """The Python of `.bench/venv`, with what the packages need."""
    folder = CACHE / "venv"
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    pip = [str(python), "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, TORCH, "numpy", "--extra-index-url", "https://download.pytorch.org/whl/cpu"], check=True)
    # What a package says it needs is stated in full, so that nothing moves torch from its pin.
    wanted = sorted({requirement for package in packages for requirement in package.requires})
    subprocess.run([*pip, "--no-deps", *wanted], check=True)
    return str(python)


def set_up() -> None:
    """Every interpreter started from now on begins with bench/site/."""
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(HERE / "site"), os.environ.get("PYTHONPATH")]))


def _site_packages(python: str) -> Path:
    command = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    return Path(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())


def workspace(package: Package, python: str) -> Path:
    """A folder with the package's source and the examples as its configuration."""
    root = CACHE / package.name
    target = root / package.source
    if not target.exists():
        shutil.copytree(_site_packages(python) / package.source, target, ignore=shutil.ignore_patterns("__pycache__"))
    # JSON strings and lists of strings are TOML too.
    lines = ["[tool.fx-lsp]", f"interpreter = {json.dumps(python)}", "timeout = 30", "", "[tool.fx-lsp.examples]"]
    lines += [f"{json.dumps(path)} = {json.dumps(calls)}" for path, calls in package.examples.items()]
    lines += ["", "[tool.fx-lsp.setup]"]
    lines += [
        f"{json.dumps(path)} = {json.dumps(text)}" for path, text in package.setup.items() if path in package.examples
    ]
    (root / "pyproject.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return root


def measure(package: Package, python: str) -> Comparison:
    """Check the package, compare it with real runs and print what came out."""
    root = workspace(package, python)
    started = time.perf_counter()
    report = check(str(root), list(package.examples))
    seconds = time.perf_counter() - started
    comparison = compare(report, str(root), python)
    print(f"== {package.name}: {len(package.examples)} models, fx-lsp check took {seconds:.1f} s")
    print(comparison.table())
    if comparison.listing():
        print(comparison.listing())
    for file in report["files"]:
        if not file["hints"]:
            print(f"nothing    {file['path']}: {[module.get('reason') for module in file['modules']][:3]}")
    print(flush=True)
    return comparison


def main() -> int:
    """0 when each package has no wrong hint and enough exact ones, else 1."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", nargs="?", help="name of a file in bench/packages/")
    parser.add_argument("models", nargs="*", help="words in the paths of the models wanted")
    parser.add_argument("--python", help="interpreter with torch and the packages, used as it is")
    options = parser.parse_args()
    set_up()
    names = [options.package] if options.package else sorted(path.stem for path in (HERE / "packages").glob("*.toml"))
    packages = [read(name).only(options.models) for name in names]
    python = options.python or interpreter(packages)
    results = {package.name: measure(package, python) for package in packages}
    failed = False
    print(f"{'package':<16}{'bindings':>10}{'exact':>8}{'partial':>9}{'wrong':>7}{'missing':>9}{'exact':>9}")
    for name, result in results.items():
        exact, total = result.count("exact"), len(result.rows) - result.count("unknown")
        share = exact / total if total else 0.0
        # An example that does not even run measures nothing.
        failed = failed or share < MIN_EXACT or result.count("wrong") > MAX_WRONG or bool(result.errors)
        counts = (
            f"{total:>10}{exact:>8}{result.count('partial'):>9}{result.count('wrong'):>7}{result.count('missing'):>9}"
        )
        print(f"{name:<16}{counts}{share:>9.2%}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
