"""Makes `bundled/`: the language server of this repository with its pure-Python dependencies, for the `.vsix`.

The dependencies are installed again only when their versions change; the server is copied each time.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

EXTENSION = Path(__file__).resolve().parent.parent
REPOSITORY = EXTENSION.parent
BUNDLED = EXTENSION / "bundled"
DEPENDENCIES = ("attrs", "cattrs", "lsprotocol", "platformdirs", "pygls", "ruamel.yaml", "tomlkit", "typing-extensions")
"""What the server imports; `rich` is for the command line only, which is not shipped."""


def pinned() -> list[str]:
    """The dependencies with their versions of `constraints.txt`."""
    text = (REPOSITORY / "constraints.txt").read_text(encoding="utf-8")
    versions = dict(re.findall(r"^([\w.-]+)(==\S+)$", text, re.MULTILINE))
    return [name + versions[name] for name in DEPENDENCIES]


def install(requirements: list[str], libs: Path) -> None:
    """Fill `libs` anew, from wheels only: nothing is compiled, so that one bundle fits every platform."""
    shutil.rmtree(libs, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    options = ["--no-deps", "--no-compile", "--only-binary", ":all:", "--target", str(libs)]
    subprocess.run([*pip, *options, *requirements], check=True)
    shutil.rmtree(libs / "bin", ignore_errors=True)


def copy_server(libs: Path) -> None:
    """The server as it stands in the repository."""
    package = libs / "fx_lsp"
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(REPOSITORY / "fx_lsp", package, ignore=shutil.ignore_patterns("__pycache__", "*.pyc", "cli"))


def main() -> None:
    """Make it, or bring it up to date."""
    libs, stamp = BUNDLED / "libs", BUNDLED / "requirements.txt"
    requirements = pinned()
    wanted = "\n".join(requirements) + "\n"
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != wanted:
        stamp.unlink(missing_ok=True)
        install(requirements, libs)
        stamp.write_text(wanted, encoding="utf-8")
    copy_server(libs)
    for cache in list(libs.rglob("__pycache__")):  # left by a server that was started in place
        shutil.rmtree(cache)
    shutil.copy(EXTENSION / "server" / "serve.py", BUNDLED / "serve.py")


if __name__ == "__main__":
    main()
