import numpy as np
import torch
import torch.nn.functional as F

from forecast.config import SegRNNConfig, STIDConfig
from forecast.segrnn import SegRNN
from forecast.stid import STID


def train_stid():
    config = STIDConfig(num_features=20, output_len=6)
    model = STID(config)
    history = torch.randn(8, 12, 20)
    stamps = torch.rand(8, 12, 2)
    future = torch.randn(8, 6, 20)
    loss = F.l1_loss(model(history, stamps), future)
    loss.backward()


def train_segrnn():
    model = SegRNN(SegRNNConfig())
    history = torch.from_numpy(np.random.randn(8, 48, 7).astype(np.float32))
    future = torch.randn(8, 36, 7)
    loss = F.mse_loss(model(history), future)
    loss.backward()


if __name__ == "__main__":
    train_stid()
    train_segrnn()
