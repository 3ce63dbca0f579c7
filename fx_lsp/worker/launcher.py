"""Started by file path in our own Python: `python -I -S launcher.py POLICY_JSON -- INTERPRETER main.py …`.

It applies the layers of the sandbox that hold from the start on to itself, and becomes the user's interpreter: not one
line of what that interpreter runs on its own accord (`.pth` files, `sitecustomize`) is outside of them.
With `--survey POLICY_JSON` it prints what would be active, and applies nothing.
"""

import json
import os
import subprocess
import sys
import types
from typing import List, NoReturn


def install_package() -> None:
    """Make `fx_lsp.model` and `fx_lsp.worker` importable, and nothing else of ours."""
    package = types.ModuleType("fx_lsp")
    package.__path__ = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
    sys.modules["fx_lsp"] = package


def become(command: List[str]) -> NoReturn:
    """Windows has no `exec`: there this process stays, holds the job object open, and ends with what it started."""
    if os.name == "posix":
        os.execv(command[0], command)
    sys.exit(subprocess.call(command))


def main(arguments: List[str]) -> int:
    """Does not return when all goes well, `--survey` aside; exit status 2: called wrongly, 3: not confined."""
    install_package()
    from fx_lsp.model import wire
    from fx_lsp.model.sandbox import Policy
    from fx_lsp.worker import sandbox

    survey = arguments[:1] == ["--survey"]
    if survey:
        del arguments[0]
    if not arguments or (arguments[1:] if survey else arguments[1:2] != ["--"] or not arguments[2:]):
        print("usage: launcher.py [--survey] POLICY_JSON [-- INTERPRETER main.py …]", file=sys.stderr)
        return 2
    try:
        policy = wire.decode(arguments[0].encode())
    except wire.WireError as error:
        print(f"fx-lsp: not a policy: {error}", file=sys.stderr)
        return 2
    if not isinstance(policy, Policy):
        print("fx-lsp: not a policy", file=sys.stderr)
        return 2
    if survey:
        print(as_json(sandbox.survey(policy)))
        return 0
    try:
        reports = sandbox.apply("launcher", policy)
        become([*arguments[2:], "--policy", arguments[0], "--applied", as_json(reports)])
    except (sandbox.SandboxError, OSError) as error:
        print(f"fx-lsp: the worker is not started, since it could not be confined: {error}", file=sys.stderr)
        return 3


def as_json(reports: "tuple[object, ...]") -> str:
    """One list."""
    from fx_lsp.model import wire

    return json.dumps([json.loads(wire.encode(report)) for report in reports])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
