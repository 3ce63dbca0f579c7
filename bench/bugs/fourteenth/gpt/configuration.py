from dataclasses import dataclass, field


@dataclass
class AttentionConfig:
    n_head: int = 6
    head_dim: int = 32
    window: int = 16


@dataclass
class GPTConfig:
    vocab_size: int = 500
    block_size: int = 64
    n_layer: int = 2
    n_embd: int = 192
    mlp_ratio: int = 4
    num_experts: int = 4
    dropout: float = 0.0
    attention: AttentionConfig = field(default_factory=AttentionConfig)
