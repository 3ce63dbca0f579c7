import torch
import torch.nn as nn
from torch.utils.tensorboard import SummaryWriter

writer = SummaryWriter("runs/x")
model = nn.Linear(6, 2)
x = torch.randn(64, 6)
for step in range(50):
    out = model(x)
    writer.add_scalar("m", out.mean().item(), step)
    writer.add_histogram("w", model.weight, step)
writer.close()
y = model(x)
