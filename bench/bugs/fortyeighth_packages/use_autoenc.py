"""Reconstructs a small CT volume."""

import torch
import torch.nn.functional as F

from vit_autoenc import ViTAutoEnc

model = ViTAutoEnc(
    in_channels=1,
    img_size=(32, 32, 32),
    patch_size=(16, 16, 16),
    hidden_size=96,
    mlp_dim=192,
    num_layers=2,
    num_heads=4,
)
volume = torch.rand(2, 1, 32, 32, 32)
restored, hidden = model(volume)
print(F.l1_loss(restored, volume).item(), len(hidden))
