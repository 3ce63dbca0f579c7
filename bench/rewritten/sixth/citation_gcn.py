import einops
import torch
from torch import nn


def normalized_adjacency(edges, nodes):
    a = torch.eye(nodes)
    a[edges[0], edges[1]] = 1.0
    a[edges[1], edges[0]] = 1.0
    d = a.sum(1).rsqrt()
    return d[:, None] * a * d[None, :]


class GraphConv(nn.Module):
    """Weights first, then the mean over the neighbours."""

    def __init__(self, d_in, d_out):
        super().__init__()
        self.lin = nn.Linear(d_in, d_out, bias=False)
        self.shift = nn.Parameter(torch.zeros(d_out))

    def forward(self, adj, x):
        h = self.lin(x)
        h = einops.einsum(adj, h, "dst src, src feat -> dst feat")
        return h + self.shift


class CitationGCN(nn.Module):
    def __init__(self, words, topics, width=16):
        super().__init__()
        self.conv1 = GraphConv(words, width)
        self.act = nn.ReLU()
        self.drop = nn.Dropout(0.5)
        self.conv2 = GraphConv(width, topics)

    def forward(self, adj, x):
        x = self.act(self.conv1(adj, x))
        x = self.drop(x)
        return self.conv2(adj, x)


def main():
    torch.manual_seed(6)
    papers, words, topics = 80, 50, 5
    adj = normalized_adjacency(torch.randint(0, papers, (2, 200)), papers)
    bag = (torch.rand(papers, words) < 0.1).float()
    topic = torch.randint(0, topics, (papers,))
    labelled = torch.randperm(papers)[:30]
    net = CitationGCN(words, topics)
    opt = torch.optim.Adam(net.parameters(), lr=0.01, weight_decay=5e-4)
    for epoch in range(10):
        net.train()
        opt.zero_grad()
        out = net(adj, bag)
        loss = nn.functional.cross_entropy(out[labelled], topic[labelled])
        loss.backward()
        opt.step()
    print("loss", loss.item())


if __name__ == "__main__":
    main()
