"""What a layer is."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Callable

from fx_lsp.model.sandbox import LayerReport, Policy


class SandboxError(Exception):
    """A layer that should hold could not be applied, so this process must not go on."""


def always() -> str:
    """For a layer that every system has."""
    return ""


def no_detail(policy: Policy) -> str:
    """For a layer of which there is nothing more to say."""
    return ""


@dataclass(frozen=True)
class Layer:
    """One way in which one process limits itself, and all that it starts."""

    name: str
    stage: str
    protects: str
    """What it keeps from happening, in one sentence."""
    apply: Callable[[Policy], None]
    """Take hold, for good; raises OSError or ValueError if that fails."""
    available: Callable[[], str] = always
    """Why this system lacks it; empty where it is there."""
    detail: Callable[[Policy], str] = no_detail
    """What there is to say about it when it holds."""
    platform: str = ""
    """The only `sys.platform` on which one would ask for it; empty for all."""
    wanted: Callable[[Policy], bool] = lambda policy: True
    """Whether the policy asks for it."""

    def concerns(self, policy: Policy) -> bool:
        """Whether it has a place in a report."""
        return self.platform in ("", sys.platform) and self.wanted(policy)

    def report(self, policy: Policy) -> LayerReport:
        """Whether it holds once it has been applied."""
        if self.name in policy.off:
            return LayerReport(self.name, self.stage, "off", "left out by the configuration", self.protects)
        why = self.available()
        if why:
            return LayerReport(self.name, self.stage, "missing", why, self.protects)
        return LayerReport(self.name, self.stage, "active", self.detail(policy), self.protects)
