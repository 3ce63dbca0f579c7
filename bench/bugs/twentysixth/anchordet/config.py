from dataclasses import dataclass, field


@dataclass
class DetConfig:
    num_classes: int = 4
    image_size: int = 128
    widths: list[int] = field(default_factory=lambda: [16, 32, 64, 128])
    fpn_dim: int = 48
    scales: tuple[float, ...] = (1.0, 1.26, 1.59)
    ratios: tuple[float, ...] = (0.5, 1.0, 2.0)
    head_convs: int = 2
    groups: int = 8

    @property
    def anchors_per_cell(self) -> int:
        return len(self.scales) * len(self.ratios)
