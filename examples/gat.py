"""Graph attention network on an edge list, without torch_geometric."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def add_self_loops(edge_index, num_nodes):
    loops = torch.arange(num_nodes, device=edge_index.device).expand(2, -1)
    return torch.cat([edge_index, loops], dim=1)


def scatter_sum(src, index, dim_size):
    out = src.new_zeros(dim_size, *src.shape[1:])
    return out.index_add_(0, index, src)


def scatter_softmax(src, index, num_nodes):
    """Softmax of `src` over all entries with the same `index`."""
    expanded = index.unsqueeze(-1).expand_as(src)
    peak = torch.full((num_nodes, src.size(-1)), float("-inf"), device=src.device)
    peak = peak.scatter_reduce(0, expanded, src, reduce="amax", include_self=False)
    exp = (src - peak[index]).exp()
    denom = scatter_sum(exp, index, num_nodes)
    return exp / (denom[index] + 1e-16)


class GATLayer(nn.Module):
    def __init__(self, in_features, out_features, heads=4, concat=True, dropout=0.6, negative_slope=0.2):
        super().__init__()
        self.heads, self.concat, self.out_features = heads, concat, out_features
        self.lin = nn.Linear(in_features, heads * out_features, bias=False)
        self.att_src = nn.Parameter(torch.empty(1, heads, out_features))
        self.att_dst = nn.Parameter(torch.empty(1, heads, out_features))
        self.bias = nn.Parameter(torch.zeros(heads * out_features if concat else out_features))
        self.dropout, self.negative_slope = dropout, negative_slope
        self.reset_parameters()

    def reset_parameters(self):
        for p in (self.lin.weight, self.att_src, self.att_dst):
            nn.init.xavier_uniform_(p)

    def forward(self, x, edge_index, return_attention=False):
        n = x.size(0)
        edge_index = add_self_loops(edge_index, n)
        src, dst = edge_index
        h = self.lin(x).view(-1, self.heads, self.out_features)

        alpha_src, alpha_dst = ((h * a).sum(-1) for a in (self.att_src, self.att_dst))
        e = F.leaky_relu(alpha_src[src] + alpha_dst[dst], self.negative_slope)
        alpha = scatter_softmax(e, dst, n)
        alpha = F.dropout(alpha, p=self.dropout, training=self.training)

        out = scatter_sum(h[src] * alpha.unsqueeze(-1), dst, n)
        out = out.flatten(1) if self.concat else out.mean(dim=1)
        out = out + self.bias
        if return_attention:
            return out, (edge_index, alpha)
        return out


class GAT(nn.Module):
    def __init__(self, in_features, hidden=8, num_classes=7, heads=8, dropout=0.6):
        super().__init__()
        self.dropout = dropout
        self.conv1 = GATLayer(in_features, hidden, heads=heads, dropout=dropout)
        self.conv2 = GATLayer(hidden * heads, num_classes, heads=1, concat=False, dropout=dropout)

    def forward(self, x, edge_index):
        x = F.dropout(x, p=self.dropout, training=self.training)
        x, attention = self.conv1(x, edge_index, return_attention=True)
        self.attention = attention
        x = F.elu(x)
        x = F.dropout(x, p=self.dropout, training=self.training)
        x = self.conv2(x, edge_index)
        return F.log_softmax(x, dim=-1)


class GraphClassifier(nn.Module):
    """A GAT, then one vector per graph of the batch: `batch[i]` is the graph of node i."""

    def __init__(self, in_features, num_classes=3, hidden=16):
        super().__init__()
        self.gnn = GATLayer(in_features, hidden)
        self.head = nn.Linear(2 * self.gnn.heads * hidden, num_classes)

    def forward(self, x, edge_index, batch):
        x = F.elu(self.gnn(x, edge_index))
        num_graphs = int(batch.max()) + 1
        counts = torch.bincount(batch, minlength=num_graphs).clamp(min=1)
        mean = scatter_sum(x, batch, num_graphs) / counts.unsqueeze(-1)
        peak = torch.stack([x[batch == g].amax(dim=0) for g in range(num_graphs)])
        return self.head(torch.cat([mean, peak], dim=-1))


def random_graph(num_nodes, num_edges, num_features):
    x = torch.randn(num_nodes, num_features)
    edge_index = torch.randint(0, num_nodes, (2, num_edges))
    return x, edge_index


if __name__ == "__main__":
    x, edge_index = random_graph(num_nodes=100, num_edges=400, num_features=64)
    model = GAT(in_features=64)
    print(model(x, edge_index).shape)

    batch = torch.arange(100) // 25
    classifier = GraphClassifier(64)
    print(classifier(x, edge_index, batch))
