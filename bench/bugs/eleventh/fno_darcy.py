# Pressure below the ground from its permeability: operators learned in Fourier space,
# and a DeepONet that is asked at single points.
import torch
import torch.nn as nn
import torch.nn.functional as F

modes = 5
width = 18


class SpectralConv(nn.Module):
    def __init__(self, cin, cout, m):
        super().__init__()
        self.m, self.cout = m, cout
        scale = 1 / (cin * cout)
        self.w1 = nn.Parameter(scale * torch.rand(cin, cout, m, m, dtype=torch.cfloat))
        self.w2 = nn.Parameter(scale * torch.rand(cin, cout, m, m, dtype=torch.cfloat))

    def forward(self, x):
        b, c, h, w = x.shape
        ft = torch.fft.rfft2(x)
        out = torch.zeros(b, self.cout, h, w // 2 + 1, dtype=torch.cfloat)
        out[:, :, : self.m, : self.m] = torch.einsum("bixy,ioxy->boxy", ft[:, :, : self.m, : self.m], self.w1)
        out[:, :, -self.m :, : self.m] = torch.einsum("bixy,ioxy->boxy", ft[:, :, -self.m :, : self.m], self.w2)
        return torch.fft.irfft2(out, s=(h, w))


class FNO(nn.Module):
    def __init__(self, fields=1, depth=3):
        super().__init__()
        self.lift = nn.Linear(fields + 2, width)
        self.spectral = nn.ModuleList([SpectralConv(width, width, modes) for _ in range(depth)])
        self.pointwise = nn.ModuleList([nn.Conv2d(width, width, 1) for _ in range(depth)])
        self.norm = nn.ModuleList([nn.GroupNorm(3, width) for _ in range(depth)])
        self.project = nn.Sequential(nn.Linear(width, 64), nn.GELU(), nn.Linear(64, 1))
        self.pad = 3

    def grid(self, b, h, w):
        ys = torch.linspace(0, 1, h).view(1, h, 1, 1).repeat(b, 1, w, 1)
        xs = torch.linspace(0, 1, w).view(1, 1, w, 1).repeat(b, h, 1, 1)
        return torch.cat([ys, xs], dim=-1)

    def forward(self, a):
        b, h, w, _ = a.shape
        x = torch.cat([a, self.grid(b, h, w)], dim=-1)
        x = self.lift(x)
        x = x.permute(0, 3, 1, 2)
        x = F.pad(x, (0, self.pad, 0, self.pad))
        for conv, skip, norm in zip(self.spectral, self.pointwise, self.norm):
            x = F.gelu(norm(conv(x) + skip(x)))
        x = x[..., : -self.pad, : -self.pad]
        x = x.permute(0, 2, 3, 1)
        return self.project(x)


class DeepONet(nn.Module):
    def __init__(self, sensors=49, basis=24):
        super().__init__()
        self.branch = nn.Sequential(nn.Linear(sensors, 40), nn.Tanh(), nn.Linear(40, basis))
        self.trunk = nn.Sequential(nn.Linear(2, 40), nn.Tanh(), nn.Linear(40, basis))
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, a, points):
        seen = F.adaptive_avg_pool2d(a.permute(0, 3, 1, 2), 7)
        coefficients = self.branch(seen.flatten(1))
        functions = self.trunk(points)
        return torch.einsum("bk,bpk->bp", coefficients, functions) + self.bias


class Ensemble(nn.Module):
    def __init__(self):
        super().__init__()
        self.fno, self.don = FNO(), DeepONet()
        self.weigh = nn.Linear(2, 2)

    def forward(self, a, points):
        field = self.fno(a)
        spread = (points * 2 - 1).unsqueeze(1)
        at = F.grid_sample(field.permute(0, 3, 1, 2), spread, align_corners=True)
        at = at.squeeze(2).squeeze(1)
        both = torch.stack([at, self.don(a, points)], dim=-1)
        weights = torch.softmax(self.weigh(both), dim=-1)
        return field, (weights * both).sum(dim=-1)


class Residual(nn.Module):
    """Data, and how much smoother the field is than the ground."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, a, points, values):
        field, at = self.model(a, points)
        dy = field[:, 1:] - field[:, :-1]
        dx = field[:, :, 1:] - field[:, :, :-1]
        smooth = (dy[:, :, :-1] ** 2 + dx[:, :-1] ** 2).mean()
        return F.mse_loss(at, values) + 0.1 * smooth


if __name__ == "__main__":
    net = Residual(Ensemble())
    ground, where, pressure = torch.rand(2, 21, 17, 1), torch.rand(2, 30, 2), torch.rand(2, 30)
    loss = net(ground, where, pressure)
    loss.backward()
    print(float(loss))
