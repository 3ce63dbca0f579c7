"""What a flow is made of."""

from dataclasses import dataclass


@dataclass(frozen=True)
class FlowConfig:
    channels: int = 3
    levels: int = 2
    steps: int = 2
    hidden: int = 28
    classes: int = 5
    size: int = 16
