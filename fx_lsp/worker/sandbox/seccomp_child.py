"""System calls of a process that runs user code: it starts nothing, and no other process feels that it is there.

The process that those are forked from starts no thread either: what it imports ahead for them finds there what it would
find in them, and who has several threads must not fork.
"""

from __future__ import annotations

import os

from fx_lsp.model.sandbox import Policy
from fx_lsp.worker.sandbox import _landlock, _seccomp, _threads, landlock_child
from fx_lsp.worker.sandbox._layer import Layer


def apply(policy: Policy) -> None:
    """The last layer, since none can be applied after it."""
    _threads.timers_never_due()
    _seccomp.install(_seccomp.child_filter(_seccomp.machine(), os.getpid(), _guarded(policy)))


def _apply_zygote(policy: Policy) -> None:
    _threads.timers_never_due()
    _seccomp.install(_seccomp.threadless_filter(_seccomp.machine()))


def _guarded(policy: Policy) -> int:
    """The version of Landlock that holds here, 0 for none."""
    return _landlock.version() if landlock_child.LAYER.report(policy).status == "active" else 0


def _detail(policy: Policy) -> str:
    return "" if _guarded(policy) else "without Landlock nothing can be opened for writing, /dev/null included"


ZYGOTE = Layer(
    name="seccomp-child",
    stage="zygote",
    protects="A package that is imported for later runs starts no thread.",
    apply=_apply_zygote,
    available=_seccomp.available,
)

LAYER = Layer(
    name="seccomp-child",
    stage="child",
    protects="A model starts no process and no thread, signals nobody, and takes no lock that others wait for.",
    apply=apply,
    available=_seccomp.available,
    detail=_detail,
)
