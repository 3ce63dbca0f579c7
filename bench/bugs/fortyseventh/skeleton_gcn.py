# %% [markdown]
# Homework 4: action recognition from skeletons (ST-GCN + bones)

# %%
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(4)

NUM_JOINTS = 13
NUM_PERSONS = 2
NUM_CLASSES = 6
CLIP_LEN = 24
BATCH = 4

# %% the graph: (joint, joint nearer to the hip)
BONES = [
    (1, 0), (2, 1), (3, 1), (4, 3), (5, 4), (6, 1), (7, 6),
    (8, 7), (9, 0), (10, 9), (11, 0), (12, 11),
]


def build_graph(num_joints):
    """3 partitions: self, towards the hip, away from it"""
    A = torch.zeros(3, num_joints, num_joints)
    A[0] = torch.eye(num_joints)
    for child, parent in BONES:
        A[1, child, parent] = 1
        A[2, parent, child] = 1
    return A / A.sum(dim=1, keepdim=True).clamp(min=1)


# %% fake recordings, each of another length: (C, T, V, M)
def fake_recording(label):
    frames = torch.randint(30, 50, (1,)).item()
    time = torch.linspace(0, 6.28, frames).view(1, frames, 1, 1)
    base = torch.randn(3, 1, NUM_JOINTS, NUM_PERSONS)
    return base + 0.3 * torch.sin(time * (label + 1)) + 0.05 * torch.randn(3, frames, NUM_JOINTS, NUM_PERSONS)


def random_crop(rec, length):
    start = torch.randint(0, rec.shape[1] - length + 1, (1,)).item()
    return rec[:, start:start + length]


def add_bones(x):
    """(N, 3, T, V, M) -> (N, 6, T, V, M): joints and the vectors to their parents"""
    bones = torch.zeros_like(x)
    for child, parent in BONES:
        bones[:, :, :, child] = x[:, :, :, child] - x[:, :, :, parent]
    return torch.cat([x, bones], dim=1)


labels = torch.randint(0, NUM_CLASSES, (12,))
recordings = [fake_recording(label.item()) for label in labels]


def get_batch(indices):
    clips = torch.stack([random_crop(recordings[i], CLIP_LEN) for i in indices])
    return add_bones(clips), labels[indices]


# %% model
class GraphConv(nn.Module):
    def __init__(self, in_channels, out_channels, A):
        super().__init__()
        self.K = A.shape[0]
        self.register_buffer("A", A)
        self.edge_weight = nn.Parameter(torch.ones_like(A))
        self.conv = nn.Conv2d(in_channels, out_channels * self.K, kernel_size=1)

    def forward(self, x):
        x = self.conv(x)
        n, kc, t, v = x.shape
        x = x.view(n, self.K, kc // self.K, t, v)
        return torch.einsum("nkctv,kvw->nctw", x, self.A * self.edge_weight)


class Block(nn.Module):
    def __init__(self, in_channels, out_channels, A, stride=1):
        super().__init__()
        self.gcn = GraphConv(in_channels, out_channels, A)
        self.tcn = nn.Sequential(
            nn.BatchNorm2d(out_channels),
            nn.ReLU(),
            nn.Conv2d(out_channels, out_channels, (9, 1), stride=(stride, 1), padding=(4, 0)),
            nn.BatchNorm2d(out_channels),
            nn.Dropout(0.2),
        )
        if in_channels == out_channels and stride == 1:
            self.residual = nn.Identity()
        else:
            self.residual = nn.Conv2d(in_channels, out_channels, kernel_size=1, stride=(stride, 1))

    def forward(self, x):
        res = self.residual(x)
        x = self.tcn(self.gcn(x))
        return F.relu(x + res)


class TemporalAttention(nn.Module):
    """weights for the frames, then a weighted mean"""

    def __init__(self, channels):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(channels, channels // 2), nn.Tanh(), nn.Linear(channels // 2, 1))

    def forward(self, x):
        # x: (N, T, C)
        weights = torch.softmax(self.score(x).squeeze(-1), dim=1)
        return torch.bmm(weights.unsqueeze(1), x).squeeze(1), weights


class STGCN(nn.Module):
    def __init__(self, in_channels, num_classes, num_joints, num_persons):
        super().__init__()
        A = build_graph(num_joints)
        self.data_bn = nn.BatchNorm1d(num_persons * num_joints * in_channels)
        self.blocks = nn.ModuleList([
            Block(in_channels, 16, A),
            Block(16, 32, A, stride=2),
            Block(32, 32, A),
            Block(32, 64, A, stride=2),
        ])
        self.pool = TemporalAttention(64)
        self.fc = nn.Linear(64, num_classes)

    def forward(self, x):
        N, C, T, V, M = x.shape
        x = x.permute(0, 4, 3, 1, 2).contiguous().view(N, M * V * C, T)
        x = self.data_bn(x)
        x = x.view(N, M, V, C, T).permute(0, 1, 3, 4, 2).reshape(N * M, C, T, V)
        for block in self.blocks:
            x = block(x)
        x = x.mean(dim=3).transpose(1, 2)  # joints are averaged: (N*M, T', 64)
        x, weights = self.pool(x)
        x = x.view(N, M, -1).mean(dim=1)
        return self.fc(x), weights.view(N, M, -1)


# %% training
model = STGCN(in_channels=6, num_classes=NUM_CLASSES, num_joints=NUM_JOINTS, num_persons=NUM_PERSONS)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)

model.train()
for step in range(2):
    idx = torch.randperm(len(recordings))[:BATCH]
    x, y = get_batch(idx)
    scores, attention = model(x)
    loss = F.cross_entropy(scores, y)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print("step", step, "loss", loss.item())

# %% test: 3 crops of each recording, the mean of their probabilities
model.eval()
confusion = torch.zeros(NUM_CLASSES, NUM_CLASSES, dtype=torch.long)
with torch.no_grad():
    votes = []
    for _ in range(3):
        x, y = get_batch(torch.arange(len(recordings)))
        scores, attention = model(x)
        votes.append(scores.softmax(dim=1))
    probs = torch.stack(votes).mean(dim=0)
    pred = probs.argmax(dim=1)
    for t, p in zip(y, pred):
        confusion[t, p] += 1
print(confusion)
print("accuracy", (pred == y).float().mean().item())

# %% which frames did it look at?
top = attention.mean(dim=1).topk(2, dim=1).indices
print(top)
