from dataclasses import dataclass


@dataclass
class LlamaConfig:
    vocab_size: int = 320
    dim: int = 96
    n_layers: int = 2
    n_heads: int = 6
    n_kv_heads: int = 2
    hidden_dim: int = 256
    max_len: int = 64
    rope_theta: float = 10000.0
    eps: float = 1e-6
    tie: bool = True

    @property
    def head_dim(self) -> int:
        return self.dim // self.n_heads
