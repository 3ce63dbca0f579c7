import torch
from torch import nn


class ResidualBlock(nn.Module):
    def __init__(self, filters, groups):
        super().__init__()
        self.conv1 = nn.Conv2d(filters, filters, 3, padding=1, bias=False)
        self.norm1 = nn.GroupNorm(groups, filters)
        self.conv2 = nn.Conv2d(filters, filters, 3, padding=1, bias=False)
        self.norm2 = nn.GroupNorm(groups, filters)
        self.pool_gain = GlobalPoolBias(filters)

    def forward(self, x):
        out = torch.relu(self.norm1(self.conv1(x)))
        out = self.pool_gain(out)
        out = self.norm2(self.conv2(out))
        return torch.relu(out + x)


class GlobalPoolBias(nn.Module):
    """Mean and maximum of all of the board, as a bias of each filter."""

    def __init__(self, filters):
        super().__init__()
        self.fc = nn.Linear(2 * filters, filters)

    def forward(self, x):
        pooled = torch.cat([x.mean(dim=(2, 3)), x.amax(dim=(2, 3))], dim=1)
        return x + self.fc(pooled)[:, :, None, None]


class PolicyHead(nn.Module):
    def __init__(self, filters, policy_filters, board, actions):
        super().__init__()
        self.conv = nn.Conv2d(filters, policy_filters, 1)
        self.bn = nn.BatchNorm2d(policy_filters)
        self.fc = nn.Linear(policy_filters * board * board, actions)

    def forward(self, x, legal):
        x = torch.relu(self.bn(self.conv(x)))
        logits = self.fc(x.flatten(1))
        return logits.masked_fill(~legal, -1e9)


class ValueHead(nn.Module):
    def __init__(self, filters, board, hidden, bins):
        super().__init__()
        self.conv = nn.Conv2d(filters, 1, 1)
        self.bn = nn.BatchNorm2d(1)
        self.fc1 = nn.Linear(board * board, hidden)
        self.fc2 = nn.Linear(hidden, bins)
        self.register_buffer("support", torch.linspace(-1, 1, bins))

    def forward(self, x):
        x = torch.relu(self.bn(self.conv(x))).view(x.size(0), -1)
        logits = self.fc2(torch.relu(self.fc1(x)))
        value = (logits.softmax(dim=-1) * self.support).sum(-1)
        return value, logits
