# two stream action recognition: 3d convs on rgb clips, GRU over optical flow vectors; late fusion; triplet + class loss
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


class ClipSet(Dataset):
    def __init__(self, n=6, frames=8, size=48, flow_dim=20):
        self.n, self.frames, self.size, self.flow_dim = n, frames, size, flow_dim

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        clip = torch.rand(self.frames, 3, self.size, self.size)
        flow = torch.randn(self.frames, self.flow_dim)
        return clip.permute(1, 0, 2, 3), flow, i % 3


class Res3d(nn.Module):
    def __init__(self, cin, cout, stride=(1, 2, 2)):
        super().__init__()
        self.c1 = nn.Conv3d(cin, cout, 3, stride, 1, bias=False)
        self.b1 = nn.BatchNorm3d(cout)
        self.c2 = nn.Conv3d(cout, cout, 3, 1, 1, bias=False)
        self.b2 = nn.BatchNorm3d(cout)
        self.down = nn.Conv3d(cin, cout, 1, stride, bias=False)

    def forward(self, x):
        y = F.relu(self.b1(self.c1(x)))
        y = self.b2(self.c2(y))
        return F.relu(y + self.down(x))


class RGBStream(nn.Module):
    def __init__(self, out=64):
        super().__init__()
        self.stem = nn.Conv3d(3, 16, (3, 7, 7), (1, 2, 2), (1, 3, 3))
        self.layers = nn.Sequential(Res3d(16, 32), Res3d(32, 64, (2, 2, 2)))
        self.fc = nn.Linear(64, out)

    def forward(self, clip):
        x = self.layers(F.relu(self.stem(clip)))
        x = F.adaptive_avg_pool3d(x, 1).flatten(1)
        return self.fc(x)


class FlowStream(nn.Module):
    def __init__(self, flow_dim=20, hidden=32, layers=2):
        super().__init__()
        self.hidden, self.layers = hidden, layers
        self.gru = nn.GRU(flow_dim, hidden, layers, batch_first=True, bidirectional=True)

    def forward(self, flow):
        h0 = flow.new_zeros(2 * self.layers, flow.size(0), self.hidden)
        out, h = self.gru(flow, h0)
        return torch.cat([h[-2], h[-1]], dim=1)


class TwoStream(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.rgb, self.flow = RGBStream(), FlowStream()
        self.gate = nn.Sequential(nn.Linear(128, 2), nn.Softmax(dim=-1))
        self.classifier = nn.Linear(64, classes)

    def embed(self, clip, flow):
        a, b = self.rgb(clip), self.flow(flow)
        w = self.gate(torch.cat([a, b], dim=-1))
        return (torch.stack([a, b], dim=1) * w.unsqueeze(-1)).sum(1)

    def forward(self, clip, flow):
        e = self.embed(clip, flow)
        return {"logits": self.classifier(e), "embedding": F.normalize(e, dim=-1)}


def train():
    loader = DataLoader(ClipSet(), batch_size=6)
    net = TwoStream()
    opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    triplet = nn.TripletMarginLoss(margin=0.3)
    for clip, flow, label in loader:
        out = net(clip, flow)
        e = out["embedding"]
        loss = F.cross_entropy(out["logits"], label) + triplet(e[:2], e[2:4], e[4:])
        opt.zero_grad()
        loss.backward()
        opt.step()
    return net


if __name__ == "__main__":
    train()
