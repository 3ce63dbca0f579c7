"""Diffusion policy: actions of a robot from what it sees, by a 1-D U-Net with FiLM."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class SinusoidalPosEmb(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, t):
        half = self.dim // 2
        freqs = torch.exp(torch.arange(half) * -(math.log(10000) / (half - 1)))
        emb = t[:, None] * freqs[None, :]
        return torch.cat((emb.sin(), emb.cos()), dim=-1)


class Conv1dBlock(nn.Module):
    def __init__(self, inp, out, kernel_size=5, n_groups=8):
        super().__init__()
        self.block = nn.Sequential(
            nn.Conv1d(inp, out, kernel_size, padding=kernel_size // 2), nn.GroupNorm(n_groups, out), nn.Mish()
        )

    def forward(self, x):
        return self.block(x)


class CondResidualBlock(nn.Module):
    def __init__(self, inp, out, cond_dim):
        super().__init__()
        self.out_channels = out
        self.block1 = Conv1dBlock(inp, out)
        self.block2 = Conv1dBlock(out, out)
        self.cond_encoder = nn.Sequential(nn.Mish(), nn.Linear(cond_dim, out * 2), nn.Unflatten(-1, (-1, 1)))
        self.residual = nn.Conv1d(inp, out, 1) if inp != out else nn.Identity()

    def forward(self, x, cond):
        h = self.block1(x)
        embed = self.cond_encoder(cond)
        embed = embed.reshape(embed.shape[0], 2, self.out_channels, 1)
        scale, bias = embed[:, 0], embed[:, 1]
        h = scale * h + bias
        return self.block2(h) + self.residual(x)


class CondUnet1D(nn.Module):
    def __init__(self, action_dim, obs_dim, step_dim=64, down_dims=(32, 64, 128)):
        super().__init__()
        self.time_mlp = nn.Sequential(
            SinusoidalPosEmb(step_dim), nn.Linear(step_dim, step_dim * 4), nn.Mish(), nn.Linear(step_dim * 4, step_dim)
        )
        cond_dim = step_dim + obs_dim
        all_dims = [action_dim, *down_dims]
        in_out = list(zip(all_dims[:-1], all_dims[1:]))
        self.downs = nn.ModuleList()
        for i, (dim_in, dim_out) in enumerate(in_out):
            is_last = i == len(in_out) - 1
            self.downs.append(
                nn.ModuleList(
                    [
                        CondResidualBlock(dim_in, dim_out, cond_dim),
                        CondResidualBlock(dim_out, dim_out, cond_dim),
                        nn.Conv1d(dim_out, dim_out, 3, 2, 1) if not is_last else nn.Identity(),
                    ]
                )
            )
        mid = all_dims[-1]
        self.mid1 = CondResidualBlock(mid, mid, cond_dim)
        self.mid2 = CondResidualBlock(mid, mid, cond_dim)
        self.ups = nn.ModuleList()
        for dim_in, dim_out in reversed(in_out[1:]):
            self.ups.append(
                nn.ModuleList(
                    [
                        CondResidualBlock(dim_out * 2, dim_in, cond_dim),
                        CondResidualBlock(dim_in, dim_in, cond_dim),
                        nn.ConvTranspose1d(dim_in, dim_in, 4, 2, 1),
                    ]
                )
            )
        self.final = nn.Sequential(Conv1dBlock(down_dims[0], down_dims[0]), nn.Conv1d(down_dims[0], action_dim, 1))

    def forward(self, sample, timestep, global_cond):
        x = sample.permute(0, 2, 1)
        cond = torch.cat([self.time_mlp(timestep), global_cond], dim=-1)
        skips = []
        for res1, res2, down in self.downs:
            x = res2(res1(x, cond), cond)
            skips.append(x)
            x = down(x)
        x = self.mid2(self.mid1(x, cond), cond)
        for res1, res2, up in self.ups:
            x = torch.cat((x, skips.pop()), dim=1)
            x = up(res2(res1(x, cond), cond))
        return self.final(x).permute(0, 2, 1)


class ObsEncoder(nn.Module):
    """Two pictures and a state for each of the last steps."""

    def __init__(self, state_dim=7, feat=32):
        super().__init__()
        self.cnn = nn.Sequential(
            nn.Conv2d(3, 16, 8, stride=4), nn.ReLU(), nn.Conv2d(16, 32, 4, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d(1)
        )
        self.fc = nn.Linear(32, feat)
        self.state_norm = nn.LayerNorm(state_dim)

    def forward(self, images, state):
        b, t = images.shape[:2]
        z = self.cnn(images.flatten(0, 1)).flatten(1)
        z = self.fc(z).view(b, t, -1)
        return torch.cat([z, self.state_norm(state)], dim=-1).flatten(1)


class DiffusionPolicy:
    def __init__(self, action_dim=7, horizon=16, obs_steps=2, steps=100):
        self.encoder = ObsEncoder()
        self.unet = CondUnet1D(action_dim, obs_steps * (32 + 7))
        betas = torch.linspace(1e-4, 0.02, steps)
        self.alpha_bar = torch.cumprod(1 - betas, dim=0)
        self.steps, self.horizon, self.action_dim = steps, horizon, action_dim

    def add_noise(self, x0, noise, t):
        a = self.alpha_bar[t].view(-1, 1, 1)
        return a.sqrt() * x0 + (1 - a).sqrt() * noise

    def compute_loss(self, images, state, actions):
        cond = self.encoder(images, state)
        t = torch.randint(0, self.steps, (actions.shape[0],))
        noise = torch.randn_like(actions)
        predicted = self.unet(self.add_noise(actions, noise, t), t, cond)
        return F.mse_loss(predicted, noise)

    def sample(self, images, state):
        cond = self.encoder(images, state)
        x = torch.randn(images.shape[0], self.horizon, self.action_dim)
        for k in reversed(range(0, self.steps, 50)):
            t = torch.full((x.shape[0],), k)
            eps = self.unet(x, t, cond)
            a = self.alpha_bar[k]
            x = (x - (1 - a).sqrt() * eps) / a.sqrt()
        return x


if __name__ == "__main__":
    policy = DiffusionPolicy()
    images, state = torch.rand(2, 2, 3, 64, 64), torch.randn(2, 2, 7)
    loss = policy.compute_loss(images, state, torch.randn(2, 16, 7))
    loss.backward()
    print(policy.sample(images, state).shape)
