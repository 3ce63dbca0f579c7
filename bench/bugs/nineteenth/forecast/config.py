# A copy of a part of basicts 1.1.0, Apache-2.0, (c) the BasicTS contributors.
from dataclasses import dataclass
from typing import Optional


@dataclass
class STIDConfig:
    input_len: int = 12
    output_len: int = 12
    num_features: int = 20
    input_hidden_size: int = 32
    intermediate_size: Optional[int] = None
    hidden_act: str = "relu"
    num_layers: int = 2
    if_spatial: bool = True
    spatial_hidden_size: int = 16
    if_time_in_day: bool = True
    if_day_in_week: bool = True
    num_time_in_day: int = 24
    num_day_in_week: int = 7
    tid_hidden_size: int = 8
    diw_hidden_size: int = 8


@dataclass
class SegRNNConfig:
    input_len: int = 48
    output_len: int = 36
    num_features: int = 7
    seg_len: int = 12
    hidden_size: int = 64
    num_layers: int = 1
    dropout: float = 0.1
