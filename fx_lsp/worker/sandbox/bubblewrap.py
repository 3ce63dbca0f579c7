"""bubblewrap, where it is installed and asked for: name spaces of its own, in which other files do not even exist."""

from __future__ import annotations

import os
import sys
from typing import Iterable, Iterator, List

from fx_lsp.model.sandbox import Policy
from fx_lsp.worker.sandbox import _paths
from fx_lsp.worker.sandbox._layer import Layer
from fx_lsp.worker.sandbox._restart import INTERPRETER, restart, within

_NAME = "bubblewrap"
_TRIAL_SECONDS = 5.0
_NAMESPACES = ("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL")
_LINKS = ("/bin", "/lib", "/lib32", "/lib64")
"""On most systems links into /usr, which must stay such."""


def _program() -> str:
    places = (os.path.join(folder, "bwrap") for folder in ("/usr/bin", "/bin", "/usr/local/bin"))
    return next((path for path in places if os.access(path, os.X_OK)), "")


def _available() -> str:
    """By trying: it may be installed, and the system may still not let it make name spaces."""
    if sys.platform != "linux":
        return "only Linux has bubblewrap"
    if within(_NAME):
        return ""
    program = _program()
    if not program:
        return "bubblewrap is not installed"
    import subprocess  # here, since every worker waits for the launcher

    try:
        trial = subprocess.run(
            [program, *_NAMESPACES, "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--", "/bin/true"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TRIAL_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not work here: {error}"
    if trial.returncode:
        said = trial.stderr.decode("utf-8", "replace").strip().split("\n")[0]
        return f"bubblewrap does not work here: {said}"
    return ""


def _apply(policy: Policy) -> None:
    if not within(_NAME):
        restart(_NAME, [_program(), *_NAMESPACES, *_view(policy), "--"])


def _view(policy: Policy) -> Iterator[str]:
    """The files that exist in there, all of them read-only but for an empty home."""
    yield from ("--proc", "/proc", "--dev", "/dev")
    for path in filter(os.path.islink, _LINKS):
        yield from ("--symlink", os.readlink(path), path)
    ours = (sys.base_prefix, INTERPRETER, _paths.OURS)
    for path in _outermost((*_paths.SYSTEM, *ours, *policy.read, *policy.execute)):
        if not (path in _LINKS and os.path.islink(path)) and not path.startswith("/dev/"):
            yield from ("--ro-bind-try", path, path)
    if policy.home:  # libraries ask whether it is writable; that it is not is for Landlock to say
        yield from ("--tmpfs", policy.home)
    yield from ("--remount-ro", "/", "--chdir", "/")


def _outermost(paths: Iterable[str]) -> List[str]:
    """Without those that come along with another."""
    found: List[str] = []
    for path in sorted({os.path.normpath(path) for path in paths}):
        if not found or not os.path.join(path, "").startswith(os.path.join(found[-1], "")):
            found.append(path)
    return found


LAYER = Layer(
    name=_NAME,
    stage="launcher",
    protects="Files that the worker may not read do not exist for it, nor do other processes and the network.",
    apply=_apply,
    available=_available,
    platform="linux",
    wanted=lambda policy: policy.bubblewrap,
)
