"""Settings of the detector."""

from dataclasses import dataclass, field


@dataclass
class DetectorConfig:
    num_classes: int = 6
    image_size: int = 96
    widths: list[int] = field(default_factory=lambda: [16, 32, 64, 128])
    neck_dim: int = 48
    strides: tuple[int, int] = (8, 16)
    anchors: tuple = (((8, 12), (16, 10), (18, 26)), ((30, 24), (36, 60), (70, 56)))

    @property
    def anchors_per_level(self):
        return len(self.anchors[0])

    @property
    def outputs(self):
        return self.anchors_per_level * (5 + self.num_classes)
