"""A small CaiT on pictures of 64 x 64."""

import torch

from cait_net import CaiT

model = CaiT(
    image_size=64, patch_size=8, num_classes=10, dim=128, depth=2, cls_depth=1, heads=4, mlp_dim=256, dropout=0.1
)
images = torch.randn(2, 3, 64, 64)
logits = model(images)
print(logits.shape)
