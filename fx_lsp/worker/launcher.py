"""Started by file path in our own Python: `python -I -S launcher.py POLICY_JSON -- INTERPRETER main.py …`.

It applies the layers of the sandbox that hold from the start on to itself, and becomes the user's interpreter: not one
line of what that interpreter runs on its own accord (`.pth` files, `sitecustomize`) is outside of them.
With `--survey POLICY_JSON` it prints what would be active, and applies nothing.

Every worker waits for it, so it imports little: not even the codec of the messages.
"""

from __future__ import annotations

import json
import os
import sys
import types
from typing import TYPE_CHECKING, Any, Dict, List, NoReturn, Tuple, cast

if TYPE_CHECKING:
    from fx_lsp.model.sandbox import LayerReport, Policy

USAGE = "usage: launcher.py --survey POLICY_JSON | POLICY_JSON -- INTERPRETER main.py …"


def main(arguments: List[str]) -> int:
    """Does not return when all goes well, `--survey` aside; exit status 2: called wrongly, 3: not confined."""
    install_package()
    try:
        survey, text, command = understood(arguments)
        policy = read_policy(text)
    except (ValueError, TypeError) as error:
        print(f"fx-lsp: {error}", file=sys.stderr)
        return 2
    from fx_lsp.worker import sandbox

    if survey:
        print(as_json(sandbox.survey(policy)))
        return 0
    try:
        reports = sandbox.apply("launcher", policy)
        become([*command, "--policy", text, "--applied", as_json(reports)])
    except (sandbox.SandboxError, OSError) as error:
        print(f"fx-lsp: the worker is not started, since it could not be confined: {error}", file=sys.stderr)
        return 3


def install_package() -> None:
    """Make `fx_lsp.model` and `fx_lsp.worker` importable, and nothing else of ours."""
    package = types.ModuleType("fx_lsp")
    package.__path__ = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
    sys.modules["fx_lsp"] = package


def understood(arguments: List[str]) -> Tuple[bool, str, List[str]]:
    """Whether it is a survey, the policy, the command; raises ValueError."""
    if len(arguments) == 2 and arguments[0] == "--survey":
        return True, arguments[1], []
    if len(arguments) > 2 and arguments[1] == "--":
        return False, arguments[0], arguments[2:]
    raise ValueError(USAGE)


def read_policy(text: str) -> Policy:
    """As the server wrote it; raises ValueError or TypeError if it is none."""
    from fx_lsp.model.sandbox import Policy

    data: Any = json.loads(text)
    if not isinstance(data, dict) or cast(Any, data).get("kind") != Policy.kind:
        raise ValueError("not a policy")
    fields: Dict[str, Any] = {}
    for name, item in cast("Dict[str, Any]", data).items():
        if name != "kind":
            fields[name] = tuple(cast("List[Any]", item)) if isinstance(item, list) else item
    policy = Policy(**fields)
    for name, item in fields.items():
        default: Any = getattr(Policy, name)
        if not isinstance(item, (int, float) if isinstance(default, float) else type(default)):
            raise TypeError(f"not a policy: {name} is {item!r}")
    return policy


def as_json(reports: Tuple[LayerReport, ...]) -> str:
    """One list of messages."""
    return json.dumps([{"kind": report.kind, **vars(report)} for report in reports])


def become(command: List[str]) -> NoReturn:
    """Windows has no `exec`: there this process stays, holds the job object open, and ends with what it started."""
    if os.name == "posix":
        os.execv(command[0], command)
    import subprocess

    sys.exit(subprocess.call(command))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
