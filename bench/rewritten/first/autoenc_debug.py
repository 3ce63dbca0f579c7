import torch
import torch.nn as nn


class AutoEncoder(nn.Module):
    def __init__(self, n_in=20, code=4):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Linear(n_in, 12),
            nn.LeakyReLU(0.1),
            nn.Linear(12, code),
        )
        self.decoder = nn.Sequential(
            nn.Linear(code, 12),
            nn.LeakyReLU(0.1),
            nn.Linear(12, n_in),
        )

    def forward(self, x):
        z = self.encoder(x)
        print(f"code: {tuple(z.shape)} mean {z.mean():.4f} std {z.std():.4f}")
        rec = self.decoder(z)

        return rec, z


AutoEncoder()(torch.randn(6, 20))
