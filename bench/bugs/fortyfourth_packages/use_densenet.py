"""A DenseNet with fewer layers, for a data set of its own."""

import torch

from densenet_net import DenseNet

model = DenseNet(growth_rate=16, block_config=(2, 4, 4, 2), num_init_features=32, num_classes=5)
model.eval()
with torch.no_grad():
    scores = model(torch.randn(2, 3, 96, 96)).softmax(dim=1)
print(scores.argmax(dim=1))
