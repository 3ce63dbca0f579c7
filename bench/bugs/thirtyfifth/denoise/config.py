from dataclasses import dataclass, field
from typing import Tuple


@dataclass
class AudioConfig:
    sample_rate: int = 8000
    clip_seconds: float = 0.25
    n_fft: int = 128
    hop: int = 32

    @property
    def num_bins(self) -> int:
        # the DC bin is dropped before the network and padded back after it
        return self.n_fft // 2

    @property
    def clip_samples(self) -> int:
        return int(self.sample_rate * self.clip_seconds)


@dataclass
class ModelConfig:
    in_channels: int = 2
    widths: Tuple[int, ...] = (8, 16, 24)
    kernel: Tuple[int, int] = (4, 3)
    rnn_hidden: int = 48
    rnn_layers: int = 2
    norm_groups: int = 4


@dataclass
class TrainConfig:
    audio: AudioConfig = field(default_factory=AudioConfig)
    model: ModelConfig = field(default_factory=ModelConfig)
    batch_size: int = 2
    steps: int = 2
    lr: float = 1e-3
    mag_weight: float = 0.5
