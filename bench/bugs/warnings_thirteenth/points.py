import torch
import torch.nn as nn
import torch.nn.functional as F


class TNet(nn.Module):
    """Learns a matrix that turns the points."""

    def __init__(self, k=3):
        super().__init__()
        self.k = k
        self.conv1 = nn.Conv1d(k, 32, 1)
        self.conv2 = nn.Conv1d(32, 64, 1)
        self.fc1 = nn.Linear(64, 32)
        self.fc2 = nn.Linear(32, k * k)
        self.bn1 = nn.BatchNorm1d(32)
        self.bn2 = nn.BatchNorm1d(64)

    def forward(self, x):
        b = x.size(0)
        h = F.relu(self.bn1(self.conv1(x)))
        h = F.relu(self.bn2(self.conv2(h)))
        h = h.amax(dim=2)
        h = self.fc2(F.relu(self.fc1(h)))
        eye = torch.eye(self.k, dtype=x.dtype, device=x.device)
        return h.view(b, self.k, self.k) + eye


class PointEncoder(nn.Module):
    def __init__(self, width=96):
        super().__init__()
        self.tnet = TNet(3)
        self.mlp1 = nn.Sequential(nn.Conv1d(3, 32, 1), nn.BatchNorm1d(32), nn.ReLU())
        self.mlp2 = nn.Sequential(nn.Conv1d(32, width, 1), nn.BatchNorm1d(width), nn.ReLU())

    def forward(self, xyz):
        turn = self.tnet(xyz)
        x = torch.bmm(xyz.transpose(1, 2), turn).transpose(1, 2)
        local = self.mlp1(x)
        x = self.mlp2(local)
        top = torch.max(x, dim=2).values
        return top, local, turn


class AttentionPool(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.score = nn.Conv1d(dim, 1, 1)

    def forward(self, x):
        w = torch.softmax(self.score(x), dim=2)
        return (w * x).sum(dim=2)


class PointNet(nn.Module):
    def __init__(self, n_classes=10, n_parts=6, width=96):
        super().__init__()
        self.encoder = PointEncoder(width)
        self.pool = AttentionPool(32)
        self.fc1 = nn.Linear(width + 32, 64)
        self.bn = nn.BatchNorm1d(64)
        self.drop = nn.Dropout(p=0.3)
        self.fc2 = nn.Linear(64, n_classes)
        self.part = nn.Conv1d(width + 32, n_parts, 1)
        self.temperature = nn.Parameter(torch.ones(1))

    def forward(self, xyz):
        top, local, turn = self.encoder(xyz)
        pooled = self.pool(local)
        h = torch.cat([top, pooled], dim=1)
        h = F.relu(self.bn(self.fc1(h)))
        h = self.drop(h)
        logits = self.fc2(h) / self.temperature
        spread = top.unsqueeze(2).expand(-1, -1, xyz.size(2))
        parts = self.part(torch.cat([spread, local], dim=1))
        return logits, parts, turn


def orthogonal(turn):
    eye = torch.eye(turn.size(1), device=turn.device)
    return ((turn @ turn.transpose(1, 2) - eye) ** 2).sum(dim=(1, 2)).mean()


class PointTask(nn.Module):
    def __init__(self, gamma=2.0):
        super().__init__()
        self.net = PointNet()
        self.gamma = gamma
        self.ce = nn.CrossEntropyLoss()

    def forward(self, xyz, label, part):
        logits, parts, turn = self.net(xyz)
        logp = F.log_softmax(logits, dim=1)
        picked = logp.gather(1, label[:, None]).squeeze(1)
        focal = -((1 - picked.exp()) ** self.gamma * picked).mean()
        return focal + self.ce(parts, part) + 1e-3 * orthogonal(turn)


if __name__ == "__main__":
    task = PointTask()
    loss = task(torch.randn(4, 3, 50), torch.randint(0, 10, (4,)), torch.randint(0, 6, (4, 50)))
    loss.backward()
    print(loss)
