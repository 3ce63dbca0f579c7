import torch
import torch.nn as nn
from accelerate import Accelerator
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator()
model = nn.Linear(12, 4)
opt = torch.optim.AdamW(model.parameters())
loader = DataLoader(TensorDataset(torch.randn(128, 12), torch.randint(0, 4, (128,))), batch_size=16)
model, opt, loader = accelerator.prepare(model, opt, loader)
for x, y in loader:
    out = model(x)
    loss = nn.functional.cross_entropy(out, y)
    accelerator.backward(loss)
    opt.step()
