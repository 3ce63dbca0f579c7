"""Ties between processes: no terminal, no life after the parent, no look into the memory of another."""

from __future__ import annotations

import os
import signal

from fx_lsp.model.sandbox import Policy
from fx_lsp.worker.sandbox import _prctl
from fx_lsp.worker.sandbox._layer import Layer


def _available() -> str:
    return "" if os.name == "posix" else "there are no sessions on this system"


def _detach() -> None:
    """A session of its own: no terminal, and signals to the server's group do not come here, nor the other way."""
    if os.getsid(0) != os.getpid():
        os.setsid()


def _apply_launcher(policy: Policy) -> None:
    _detach()
    if _prctl.HERE:
        _prctl.prctl(_prctl.SET_PDEATHSIG, signal.SIGKILL)
        _first_to_go()


def _first_to_go() -> None:
    """When memory runs out, what goes is what was started last and can be started again."""
    try:
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:
            score.write("1000")
    except OSError:  # a container may have /proc read-only; then the kernel chooses
        return


def _apply_zygote(policy: Policy) -> None:
    if _prctl.HERE:
        _prctl.prctl(_prctl.SET_DUMPABLE, 0)


def _apply_child(policy: Policy) -> None:
    _detach()
    if _prctl.HERE:
        _prctl.prctl(_prctl.SET_PDEATHSIG, signal.SIGKILL)
        _prctl.prctl(_prctl.SET_DUMPABLE, 0)


LAUNCHER = Layer(
    name="session",
    stage="launcher",
    protects="The worker has no terminal and ends with the server.",
    apply=_apply_launcher,
    available=_available,
)

ZYGOTE = Layer(
    name="session",
    stage="zygote",
    protects="No process without privileges can look into the worker's memory.",
    apply=_apply_zygote,
    available=_available,
)

CHILD = Layer(
    name="session",
    stage="child",
    protects="A model ends with the worker, and no other model can look into its memory.",
    apply=_apply_child,
    available=_available,
)
