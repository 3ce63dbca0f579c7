import os, sys, yaml
import torch
import torch.nn as nn
import torchvision
from torchvision import transforms, datasets
from torch.utils.data import DataLoader
import matplotlib.pyplot as plt

with open(os.path.join(os.path.dirname(__file__), "config.yaml")) as f:
    cfg = yaml.safe_load(f)

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")


class VAE(nn.Module):
    def __init__(self, latent):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv2d(1, 32, 4, 2, 1), nn.ReLU(), nn.Conv2d(32, 64, 4, 2, 1), nn.ReLU(), nn.Flatten())
        self.mu = nn.Linear(64 * 7 * 7, latent)
        self.logvar = nn.Linear(64 * 7 * 7, latent)
        self.fc = nn.Linear(latent, 64 * 7 * 7)
        self.dec = nn.Sequential(nn.ConvTranspose2d(64, 32, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(32, 1, 4, 2, 1), nn.Sigmoid())

    def reparam(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        return mu + std * torch.randn_like(std)

    def forward(self, x):
        h = self.enc(x)
        mu, logvar = self.mu(h), self.logvar(h)
        z = self.reparam(mu, logvar)
        out = self.dec(self.fc(z).view(-1, 64, 7, 7))
        return out, mu, logvar


def train(model, loader, opt, epoch):
    model.train()
    for i, (x, _) in enumerate(loader):
        x = x.to(device)
        out, mu, logvar = model(x)
        bce = nn.functional.binary_cross_entropy(out, x, reduction="sum")
        kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
        loss = bce + kld
        opt.zero_grad()
        loss.backward()
        opt.step()
        if i % 100 == 0:
            print(f"{epoch} {i} {loss.item():.3f}")
    torchvision.utils.save_image(out[:8], f"out_{epoch}.png")


if __name__ == "__main__":
    loader = DataLoader(datasets.MNIST("./data", train=True, download=True, transform=transforms.ToTensor()), batch_size=cfg["batch"], shuffle=True)
    model = VAE(cfg["latent"]).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=cfg["lr"])
    for epoch in range(cfg["epochs"]):
        train(model, loader, opt, epoch)
    torch.save(model.state_dict(), "vae.pt")
