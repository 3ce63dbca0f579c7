import matplotlib.pyplot as plt
import torch
import torch.nn as nn
import wandb
from tqdm import tqdm

wandb.init(project="demo", config={"lr": 1e-3, "hidden": 48})
config = wandb.config
model = nn.Sequential(nn.Linear(6, config.hidden), nn.ReLU(), nn.Linear(config.hidden, 2))
x = torch.randn(64, 6)
y = torch.randint(0, 2, (64,))
losses = []
for step in tqdm(range(50)):
    logits = model(x)
    loss = nn.functional.cross_entropy(logits, y)
    loss.backward()
    wandb.log({"loss": loss.item()})
    losses.append(loss.item())
plt.plot(losses)
plt.show()
acc = (model(x).argmax(1) == y).float().mean()
