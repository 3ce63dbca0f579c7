from dataclasses import dataclass


@dataclass
class Config:
    # data
    num_classes: int = 7
    frames: int = 16
    size: int = 32
    batch_size: int = 2
    # pathways
    alpha: int = 4          # the fast pathway sees alpha times more frames
    beta_inv: int = 4       # ... and has 1 / beta_inv of the channels
    width: int = 32
    fusion_ratio: int = 2
    fusion_kernel: int = 5
    # head
    heads: int = 4
    dropout: float = 0.1
    # optimisation
    lr: float = 1e-3
    label_smoothing: float = 0.1
    steps: int = 2

    @property
    def fast_width(self):
        return self.width // self.beta_inv

    @property
    def slow_frames(self):
        return self.frames // self.alpha


def tiny():
    return Config(width=16, size=32, frames=16, steps=1)
