# %% Digits as capsules that agree with each other
import torch
import torch.nn as nn
import torch.nn.functional as F

HP = {
    "maps": 32,
    "capsules": 6,
    "length": 8,
    "digit_length": 12,
    "digits": 10,
    "rounds": 3,
    "side": 24,
}


# %%
def squash(s, dim=-1):
    n2 = (s**2).sum(dim=dim, keepdim=True)
    return n2 / (1 + n2) * s / torch.sqrt(n2 + 1e-8)


# %%
class PrimaryCaps(nn.Module):
    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList(
            [nn.Conv2d(HP["maps"], HP["capsules"], kernel_size=7, stride=2) for _ in range(HP["length"])]
        )

    def forward(self, x):
        u = [conv(x) for conv in self.convs]
        u = torch.stack(u, dim=-1)
        u = u.view(x.size(0), -1, HP["length"])
        return squash(u)


# %%
class DigitCaps(nn.Module):
    def __init__(self, routes):
        super().__init__()
        self.W = nn.Parameter(0.05 * torch.randn(routes, HP["digits"], HP["digit_length"], HP["length"]))
        self.rounds = HP["rounds"]

    def forward(self, u):
        u = u[:, :, None, :, None]
        u_hat = torch.matmul(self.W, u).squeeze(-1)
        b = torch.zeros(u_hat.shape[:3])
        for i in range(self.rounds):
            c = b.softmax(dim=2)
            s = (c.unsqueeze(-1) * u_hat).sum(dim=1)
            v = squash(s)
            if i < self.rounds - 1:
                b = b + (u_hat * v.unsqueeze(1)).sum(dim=-1)
        return v


# %%
class Decoder(nn.Module):
    def __init__(self, side):
        super().__init__()
        self.fc1 = nn.Linear(HP["digits"] * HP["digit_length"], 96)
        self.fc2 = nn.Linear(96, 4 * (side // 4) ** 2)
        self.up = nn.Sequential(
            nn.ConvTranspose2d(4, 8, 4, stride=2, padding=1),
            nn.BatchNorm2d(8),
            nn.ReLU(),
            nn.ConvTranspose2d(8, 1, 4, stride=2, padding=1),
        )
        self.side = side

    def forward(self, v, classes):
        mask = F.one_hot(classes, HP["digits"]).to(v.dtype)
        v = v * mask.unsqueeze(-1)
        h = F.relu(self.fc1(v.flatten(1)))
        h = F.relu(self.fc2(h))
        h = h.view(-1, 4, self.side // 4, self.side // 4)
        return torch.sigmoid(self.up(h))


# %%
class CapsNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, HP["maps"], 5), nn.BatchNorm2d(HP["maps"]), nn.ReLU())
        left = ((HP["side"] - 4) - 7) // 2 + 1
        self.primary = PrimaryCaps()
        self.digits = DigitCaps(HP["capsules"] * left * left)
        self.decoder = Decoder(HP["side"])

    def forward(self, x, y=None):
        v = self.digits(self.primary(self.stem(x)))
        lengths = v.norm(dim=-1)
        classes = lengths.argmax(dim=1) if y is None else y
        return lengths, self.decoder(v, classes)


# %%
class MarginLoss(nn.Module):
    def forward(self, lengths, picture, x, y):
        t = F.one_hot(y, HP["digits"]).float()
        up, down = F.relu(0.9 - lengths) ** 2, F.relu(lengths - 0.1) ** 2
        margin = (t * up + 0.5 * (1 - t) * down).sum(dim=1).mean()
        return margin + 5e-4 * F.mse_loss(picture, x, reduction="sum")


# %%
net, loss = CapsNet(), MarginLoss()
images, labels = torch.rand(4, 1, 24, 24), torch.randint(0, 10, (4,))
lengths, picture = net(images, labels)
print(lengths.shape, picture.shape, loss(lengths, picture, images, labels))
