"""The sandbox of macOS, by way of `sandbox-exec`.  Untested: written after its manual and profiles of the system.

A profile is the same for the worker and what it forks, so a model may do here what the worker may: read what the policy
names, start the interpreter, and write nothing.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Iterator

from fx_lsp.model.sandbox import Policy
from fx_lsp.worker.sandbox import _paths
from fx_lsp.worker.sandbox._layer import Layer
from fx_lsp.worker.sandbox._restart import INTERPRETER, restart, within

_NAME = "seatbelt"
_PROGRAM = "/usr/bin/sandbox-exec"
_SYSTEM = (
    *("/usr", "/bin", "/System", "/Library/Frameworks", "/Library/Apple", "/Library/Preferences", "/opt/homebrew"),
    *("/private/etc/localtime", "/private/etc/passwd", "/private/var/db/timezone", "/private/var/db/dyld"),
    *("/dev/null", "/dev/urandom", "/dev/random", "/dev/fd"),
)


def _available() -> str:
    if sys.platform != "darwin":
        return "only macOS has it"
    return "" if os.path.exists(_PROGRAM) else f"there is no {_PROGRAM}"


def profile(policy: Policy) -> str:
    """In the language of sandbox profiles: everything is denied but what is named; later rules win."""
    return "\n".join(_rules(policy))


def _rules(policy: Policy) -> Iterator[str]:
    yield "(version 1)"
    yield "(deny default)"
    yield "(allow file-read-metadata sysctl-read process-fork)"
    yield "(allow signal (target same-sandbox))"
    yield "(allow process-info* (target same-sandbox))"
    ours = (sys.base_prefix, _paths.OURS)
    for path in (*_SYSTEM, *ours, *policy.read, *([policy.home] if policy.home else [])):
        yield f"(allow file-read* {_below(path)})"
    yield '(allow file-read-data (literal "/"))'
    for path in policy.names:
        yield f"(allow file-read-data (literal {_text(path)}))"
    for path in (INTERPRETER, *policy.execute):
        yield f"(allow process-exec file-read* file-map-executable {_below(path)})"
    yield "(allow file-map-executable)"
    yield '(allow file-write-data (literal "/dev/null"))'


def _below(path: str) -> str:
    """The real path, since that is what rules are compared with."""
    return f"(subpath {_text(os.path.realpath(path))})"


def _text(path: str) -> str:
    return json.dumps(path, ensure_ascii=False)


def _apply(policy: Policy) -> None:
    if not within(_NAME):
        restart(_NAME, [_PROGRAM, "-p", profile(policy)])


LAYER = Layer(
    name=_NAME,
    stage="launcher",
    protects="The worker reads only the project, its packages and the system, writes nothing and has no network.",
    apply=_apply,
    available=_available,
    detail=lambda policy: "untested",
    platform="darwin",
)
