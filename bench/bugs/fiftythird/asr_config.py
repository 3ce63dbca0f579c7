"""Settings of the small recogniser of spoken digits."""
from dataclasses import dataclass


@dataclass
class AsrConfig:
    n_mels: int = 40
    channels: int = 12
    hidden: int = 48
    layers: int = 2
    symbols: int = 11        # ten digits, and the blank, which is 0
    batch_size: int = 6
    mask_frames: int = 9
    lr: float = 2e-3
    steps: int = 3
    seed: int = 3

    @property
    def subsampled(self) -> int:
        """Features of a frame behind the two strided convolutions."""
        return self.channels * (self.n_mels // 4)
