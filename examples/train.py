"""Trains a small GPT-2 on random tokens, and shows that the other models run."""

import argparse

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from diffusion_unet import DiffusionUNet
from gpt2 import GPT, GPTConfig
from moe import SparseMoE
from unet import UNet, dice_loss

batch_size = 4
block_size = 64
device = "cuda" if torch.cuda.is_available() else "cpu"

data = torch.randint(0, 50304, (10_000,))


def get_batch():
    ix = torch.randint(len(data) - block_size, (batch_size,))
    x = torch.stack([data[i : i + block_size] for i in ix])
    y = torch.stack([data[i + 1 : i + 1 + block_size] for i in ix])
    return x.to(device), y.to(device)


@torch.no_grad()
def estimate_loss(model, eval_iters=2):
    model.eval()
    losses = torch.zeros(eval_iters)
    for k in range(eval_iters):
        X, Y = get_batch()
        _, loss = model(X, Y)
        losses[k] = loss.item()
    model.train()
    return losses.mean()


def train_gpt(max_iters=10, learning_rate=3e-4):
    model = GPT(GPTConfig())
    model.to(device)
    optimizer = model.configure_optimizers(0.1, learning_rate, (0.9, 0.95))
    for it in range(max_iters):
        xb, yb = get_batch()
        logits, loss = model(xb, yb)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    print("val loss", estimate_loss(model))
    context = torch.zeros((1, 1), dtype=torch.long, device=device)
    return model.generate(context, max_new_tokens=4, top_k=50)


def train_unet(epochs=1):
    images, masks = torch.randn(4, 3, 128, 128), torch.randint(0, 2, (4, 128, 128))
    loader = DataLoader(TensorDataset(images, masks), batch_size=2)
    model = UNet(n_channels=3, n_classes=2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(epochs):
        for image, mask in loader:
            out = model(image)
            loss = F.cross_entropy(out, mask) + dice_loss(out, mask)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def diffusion_loss(model, x_start, t):
    noise = torch.randn_like(x_start)
    alpha_bar = torch.cos(t.float() / 1000 * torch.pi / 2).pow(2)[:, None, None, None]
    x_noisy = alpha_bar.sqrt() * x_start + (1 - alpha_bar).sqrt() * noise
    predicted = model(x_noisy, t)
    return F.mse_loss(predicted, noise)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--iters", type=int, default=10)
    args = parser.parse_args()

    print(train_gpt(args.iters).shape)
    train_unet()
    unet = DiffusionUNet()
    print(diffusion_loss(unet, torch.randn(2, 3, 32, 32), torch.randint(0, 1000, (2,))))
    moe = SparseMoE(dim=128, hidden_dim=256, num_experts=4).train()
    print(moe(torch.randn(2, 10, 128)).aux_loss)


if __name__ == "__main__":
    main()
