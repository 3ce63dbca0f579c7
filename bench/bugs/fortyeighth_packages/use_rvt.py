"""Classifies small pictures with a rotary vision transformer."""

import torch

from rvt_net import RvT

model = RvT(image_size=64, patch_size=8, num_classes=10, dim=96, depth=2, heads=4, mlp_dim=192, dim_head=32)
images = torch.randn(2, 3, 64, 64)
print(model(images).argmax(dim=-1))
