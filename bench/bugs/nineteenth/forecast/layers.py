# A copy of a part of basicts 1.1.0, Apache-2.0, (c) the BasicTS contributors.
import math
from typing import Literal, Optional

import torch
from torch import nn

ACT2FN = {"relu": nn.ReLU(), "gelu": nn.GELU()}


class ResMLPLayer(nn.Module):

    """
    MLP layer with residual connection.
    """
    def __init__(self,
        hidden_size: int,
        intermediate_size: int,
        hidden_act: str = "relu",
        dropout: float = 0.0) -> None:
        """
        Initialize the MLP layer.

        Args:
            hidden_size (int): Input hidden dimension.
            intermediate_size (int): Intermediate hidden dimension.
            hidden_act (str): Activation function.
        """
        super().__init__()
        self.act_fn = ACT2FN[hidden_act]
        self.fc1 = nn.Linear(hidden_size, intermediate_size)
        self.fc2 = nn.Linear(intermediate_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """
        Forward pass of the MLP layer.

        Args:
            inputs (torch.Tensor): Input tensor of shape [..., input_size]

        Returns:
            torch.Tensor: Output tensor of shape [..., output_size]
        """
        return self.fc2(self.dropout(self.act_fn(self.fc1(inputs)))) + inputs


class PositionEmbedding(nn.Module):
    """
    PositionEmbedding layer is used to embed the position of the time series to hidden dimension, \
    i.e., [batch_size, seq_len, hidden_size] -> [batch_size, seq_len, hidden_size].
    """

    def __init__(self, hidden_size: int, max_len: int = 5000):
        """
        Args:
            hidden_size (int): size of hidden dimension.
            max_len (int, optional): maximum length of the time series. Defaults to 5000.
        """
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, hidden_size, 2) \
                             * (-math.log(10000.0) / hidden_size))
        pe = torch.zeros(max_len, hidden_size)
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        pe = pe.unsqueeze(0)
        self.register_buffer("pe", pe)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """
        Position embedding.

        Args:
            x (torch.Tensor): Input tensor of shape [batch_size, seq_len, hidden_size].

        Returns:
            torch.Tensor: Output tensor of shape [batch_size, seq_len, hidden_size].
        """
        return self.pe[:, :x.size(1)]


class PatchEmbedding(nn.Module):
    """
    PatchEmbedding layer is used to embed the time series from the patch dimension to hidden dimension, \
    i.e., [batch_size, seq_len, num_features] -> [batch_size * num_features, num_patches, hidden_size].
    """

    def __init__(
            self,
            hidden_size: int,
            patch_len: int = 16,
            stride: int = 8,
            padding: Optional[tuple[int, int]] = None,
            dropout: float = 0.1):

        super().__init__()

        self.patch_len = patch_len
        self.stride = stride

        self.padding_layer = nn.ReplicationPad1d(padding) if padding is not None else None

        self.value_embedding = nn.Linear(patch_len, hidden_size)
        self.position_embedding = PositionEmbedding(hidden_size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """
        Forward pass of the PatchEmbedding layer.

        Args:
            x (torch.Tensor): Input tensor of shape [batch_size, seq_len, num_features].

        Returns:
            torch.Tensor: Output tensor of shape [batch_size * num_features, num_patches, hidden_size].
        """
        inputs = inputs.transpose(1, 2)
        if self.padding_layer is not None:
            # padding: # [batch_size, num_features, seq_len + padding]
            inputs = self.padding_layer(inputs)
        # patching: # [batch_size, num_features, num_patches, patch_len]
        patches = inputs.unfold(dimension=-1, size=self.patch_len, step=self.stride)
        # embedding: # [batch_size * num_features, num_patches, hidden_size]
        patches = patches.reshape(-1, patches.size(2), self.patch_len)
        embedded = self.value_embedding(patches) + self.position_embedding(patches)
        return self.dropout(embedded)


class RevIN(nn.Module):

    """
    RevIN
    Paper: Reversible Instance Normalization for Accurate Time-Series Forecasting Against Distribution Shift
    Official Code: https://github.com/ts-kim/RevIN
    Link: https://openreview.net/forum?id=cGDAkQo1C0p
    Venue: ICLR 2022
    """

    def __init__(self,
                 num_features: int = None,
                 eps: float = 1e-6,
                 affine: bool = True,
                 subtract_last: bool = False):
        """
        :param num_features: the number of features or channels
        :param eps: a value added for numerical stability
        :param affine: if True, RevIN has learnable affine parameters
        :param subtract_last: if True, subtract the last element of the time series instead of the mean
        """
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.affine = affine
        self.subtract_last = subtract_last
        if self.affine:
            self._init_params()

    def forward(self, x: torch.Tensor, mode: Literal["norm", "denorm"]) -> torch.Tensor:
        """
        :param x: input tensor of shape [batch_size, seq_len, num_features]
        :param mode: 'norm' for normalization, 'denorm' for denormalization
        :return: normalized or denormalized tensor of shape [batch_size, seq_len, num_features]
        """
        if mode == "norm":
            self._get_statistics(x)
            x = self._normalize(x)
        elif mode == "denorm":
            x = self._denormalize(x)
        else:
            raise ValueError(f"Mode {mode} is not supported.")
        return x

    def _init_params(self):
        if self.num_features is None:
            raise ValueError("`num_features` need to be specified when `affine` = True.")
        # initialize RevIN params: [num_features,]
        self.affine_weight = nn.Parameter(torch.ones(self.num_features))
        self.affine_bias = nn.Parameter(torch.zeros(self.num_features))

    def _get_statistics(self, x: torch.Tensor) -> None:
        dim2reduce = tuple(range(1, x.ndim-1))
        if self.subtract_last:
            self.last = x[:,-1,:].unsqueeze(1)
        else:
            self.mean = torch.mean(x, dim=dim2reduce, keepdim=True).detach()
        self.stdev = torch.sqrt(
            torch.var(x, dim=dim2reduce, keepdim=True, unbiased=False) + self.eps).detach()

    def _normalize(self, x: torch.Tensor) -> torch.Tensor:
        if self.subtract_last:
            x = x - self.last
        else:
            x = x - self.mean
        x = x / self.stdev
        if self.affine:
            x = x * self.affine_weight
            x = x + self.affine_bias
        return x

    def _denormalize(self, x: torch.Tensor) -> torch.Tensor:
        if self.affine:
            x = x - self.affine_bias
            x = x / (self.affine_weight + self.eps*self.eps)
        x = x * self.stdev
        if self.subtract_last:
            x = x + self.last
        else:
            x = x + self.mean
        return x
