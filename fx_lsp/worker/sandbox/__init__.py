"""The one place where a trace is kept from doing harm.

`LAYERS` is the table: what limits which process, in the order in which it is applied.  A layer that this system lacks,
or that the user has left out, is said in the report; one that should hold and cannot be applied ends the process.
"""

from __future__ import annotations

from typing import List, Tuple

from fx_lsp.model.sandbox import LayerReport, Policy
from fx_lsp.worker.sandbox import (
    bubblewrap,
    capabilities,
    descriptors,
    environment,
    job_object,
    landlock_base,
    landlock_child,
    limits,
    seatbelt,
    seccomp_base,
    seccomp_child,
    session,
)
from fx_lsp.worker.sandbox._layer import Layer, SandboxError

__all__ = ["LAYERS", "SandboxError", "apply", "survey"]

LAYERS: Tuple[Layer, ...] = (
    bubblewrap.LAYER,
    seatbelt.LAYER,
    job_object.LAYER,
    environment.LAYER,
    descriptors.LAUNCHER,
    session.LAUNCHER,
    capabilities.LAYER,
    limits.LAUNCHER,
    landlock_base.LAYER,
    seccomp_base.LAYER,
    session.ZYGOTE,
    seccomp_child.ZYGOTE,
    descriptors.CHILD,
    session.CHILD,
    limits.CHILD,
    landlock_child.LAYER,
    seccomp_child.LAYER,
)


def apply(stage: str, policy: Policy) -> Tuple[LayerReport, ...]:
    """Apply what belongs to `launcher`, `zygote` or `child` to this process, for good.

    Raises:
        SandboxError: a layer that is there could not be applied; this process must not go on.
    """
    reports: List[LayerReport] = []
    for layer in LAYERS:
        if layer.stage == stage and layer.concerns(policy):
            report = layer.report(policy)
            if report.status == "active":
                try:
                    layer.apply(policy)
                except (OSError, ValueError) as error:
                    raise SandboxError(f"the layer {layer.name} could not be applied: {error}") from error
            reports.append(report)
    return tuple(reports)


def survey(policy: Policy) -> Tuple[LayerReport, ...]:
    """What would be active; nothing is applied."""
    return tuple(layer.report(policy) for layer in LAYERS if layer.concerns(policy))
