"""System calls of a worker, from its start on: no network, no look into other processes, nothing that needs a root."""

from __future__ import annotations

import os

from fx_lsp.model.sandbox import Policy
from fx_lsp.worker.sandbox import _seccomp
from fx_lsp.worker.sandbox._layer import Layer


def apply(policy: Policy) -> None:
    """For this process and all that it starts."""
    _seccomp.install(_seccomp.base_filter(_seccomp.machine(), os.getpid()))


LAYER = Layer(
    name="seccomp-base",
    stage="launcher",
    protects="The worker opens no socket, looks into no other process and changes no owner, mode or time of a file.",
    apply=apply,
    available=_seccomp.available,
)
