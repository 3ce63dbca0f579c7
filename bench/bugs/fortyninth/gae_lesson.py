# %% [markdown]
# # Lesson 9: graph auto-encoders
# We hide a tenth of the edges of a graph, learn an embedding of the nodes, and ask it for the hidden edges.
# In the second half the same layer works on a batch of small graphs.

# %%
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(7)

N_NODES = 48
N_COMMUNITIES = 3
N_FEATURES = 10
HIDDEN = 16
LATENT = 6

# %% A planted partition: friends inside of a community are more likely
community = torch.arange(N_NODES) % N_COMMUNITIES
same = community[:, None] == community[None, :]
chance = torch.where(same, 0.4, 0.04)
upper = torch.triu(torch.rand(N_NODES, N_NODES) < chance, diagonal=1)
adj = (upper | upper.t()).float()

prototypes = torch.randn(N_COMMUNITIES, N_FEATURES)
features = prototypes[community] + torch.randn(N_NODES, N_FEATURES)
print("edges:", int(adj.sum()) // 2)

# %% Hide some edges, and choose as many pairs that are none
edges = torch.triu(adj, diagonal=1).nonzero()
order = torch.randperm(len(edges))
n_test = len(edges) // 10
test_edges = edges[order[:n_test]]
train_edges = edges[order[n_test:]]

src, dst = train_edges.unbind(dim=1)
train_adj = torch.zeros(N_NODES, N_NODES)
train_adj[src, dst] = 1.0
train_adj = train_adj + train_adj.t()

no_edge = torch.triu(~adj.bool(), diagonal=1)
candidates = no_edge.nonzero()
negatives = candidates[torch.randperm(len(candidates))[:n_test]]


# %% The layer: neighbours' features, averaged with D^-1/2 (A + I) D^-1/2
def normalise(a):
    """Works for one graph [n, n] as for a batch of them [b, n, n]."""
    a = a + torch.eye(a.size(-1))
    d = a.sum(dim=-1).rsqrt()
    return d.unsqueeze(-1) * a * d.unsqueeze(-2)


class GraphConv(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(n_in, n_out))
        self.bias = nn.Parameter(torch.zeros(n_out))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, x, a_hat):
        return a_hat @ (x @ self.weight) + self.bias


class VariationalGAE(nn.Module):
    def __init__(self, n_in, hidden, latent):
        super().__init__()
        self.first = GraphConv(n_in, hidden)
        self.mean = GraphConv(hidden, latent)
        self.logvar = GraphConv(hidden, latent)

    def encode(self, x, a_hat):
        h = F.relu(self.first(x, a_hat))
        return self.mean(h, a_hat), self.logvar(h, a_hat)

    def decode(self, z):
        return z @ z.transpose(-2, -1)

    def forward(self, x, a_hat):
        mean, logvar = self.encode(x, a_hat)
        z = mean + torch.randn_like(mean) * torch.exp(0.5 * logvar)
        return self.decode(z), mean, logvar


# %% Training: edges are rare, so they weigh more
model = VariationalGAE(N_FEATURES, HIDDEN, LATENT)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
a_hat = normalise(train_adj)
target = train_adj + torch.eye(N_NODES)
pos_weight = (target.numel() - target.sum()) / target.sum()

for epoch in range(2):
    logits, mean, logvar = model(features, a_hat)
    reconstruction = F.binary_cross_entropy_with_logits(logits, target, pos_weight=pos_weight)
    kl = -0.5 * (1 + logvar - mean**2 - logvar.exp()).sum(dim=-1).mean()
    loss = reconstruction + kl / N_NODES
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"epoch {epoch}: reconstruction {reconstruction.item():.3f}, kl {kl.item():.3f}")


# %% How well are the hidden edges told from the pairs that are none?
@torch.no_grad()
def pair_scores(z, pairs):
    return (z[pairs[:, 0]] * z[pairs[:, 1]]).sum(dim=-1)


@torch.no_grad()
def auc(positive, negative):
    wins = positive[:, None] > negative[None, :]
    return wins.float().mean().item()


z, _ = model.encode(features, a_hat)
print("AUC:", round(auc(pair_scores(z, test_edges), pair_scores(z, negatives)), 3))


# %% k-means on the embedding: do we find the communities?
def kmeans(points, k, rounds=5):
    centers = points[torch.randperm(len(points))[:k]]
    for _ in range(rounds):
        assigned = torch.cdist(points, centers).argmin(dim=1)
        sums = torch.zeros(k, points.size(1)).index_add_(0, assigned, points)
        counts = torch.bincount(assigned, minlength=k).clamp(min=1)
        centers = sums / counts[:, None]
    return assigned


clusters = kmeans(z.detach(), N_COMMUNITIES)
table = torch.zeros(N_COMMUNITIES, N_COMMUNITIES)
table.index_put_((community, clusters), torch.ones(N_NODES), accumulate=True)
print(table)

# %% Many small graphs at once: padded, with a mask of the nodes that are there
N_GRAPHS = 9
MAX_NODES = 12

sizes = torch.randint(5, MAX_NODES + 1, (N_GRAPHS,))
present = torch.arange(MAX_NODES) < sizes[:, None]
pair_mask = present[:, :, None] & present[:, None, :]
small = torch.triu(torch.rand(N_GRAPHS, MAX_NODES, MAX_NODES) < 0.3, diagonal=1)
small = ((small | small.transpose(1, 2)) & pair_mask).float()
degree = small.sum(dim=-1, keepdim=True)
node_features = torch.cat([degree, torch.randn(N_GRAPHS, MAX_NODES, 3)], dim=-1)
density = small.sum(dim=(1, 2)) / (sizes * (sizes - 1))


# %%
class GraphRegressor(nn.Module):
    """The encoder from above, a masked mean over the nodes, one number per graph."""

    def __init__(self, encoder, latent):
        super().__init__()
        self.encoder = encoder
        self.out = nn.Linear(latent, 1)

    def forward(self, x, a, present):
        z, _ = self.encoder.encode(x, normalise(a))
        weights = present.unsqueeze(-1).float()
        pooled = (z * weights).sum(dim=1) / weights.sum(dim=1)
        return self.out(pooled).squeeze(-1)


regressor = GraphRegressor(VariationalGAE(4, HIDDEN, LATENT), LATENT)
optimizer = torch.optim.Adam(regressor.parameters(), lr=0.01)
for epoch in range(2):
    predicted = regressor(node_features, small, present)
    logits, _, _ = regressor.encoder(node_features, normalise(small))
    edge_loss = F.binary_cross_entropy_with_logits(logits[pair_mask], small[pair_mask])
    loss = F.mse_loss(predicted, density) + 0.1 * edge_loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"density: {loss.item():.3f}")
