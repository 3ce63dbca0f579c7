"""Sizes of the separator."""

from dataclasses import dataclass, field


@dataclass
class BlockConfig:
    bottleneck: int = 64
    hidden: int = 128
    kernel: int = 3
    groups: int = 1


@dataclass
class SeparatorConfig:
    filters: int = 256
    window: int = 16
    hop: int = 8
    speakers: int = 2
    layers: int = 4
    repeats: int = 2
    block: BlockConfig = field(default_factory=BlockConfig)
