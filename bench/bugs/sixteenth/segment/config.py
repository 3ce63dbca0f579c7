from dataclasses import dataclass, field


@dataclass
class ModelConfig:
    in_channels: int = 1
    num_classes: int = 4
    widths: tuple = (24, 48, 96, 192)
    groups: int = 8
    bottleneck: int = 256
    deep_supervision: bool = True


@dataclass
class TrainConfig:
    batch_size: int = 2
    image_size: int = 96
    lr: float = 1e-3
    model: ModelConfig = field(default_factory=ModelConfig)
