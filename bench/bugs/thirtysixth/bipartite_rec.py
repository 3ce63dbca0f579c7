# Graph transformer recommender on a user-item graph, trained with BPR.
# everything in plain torch, sampling is done with index ops on CSR arrays
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(7)
torch.set_num_threads(1)

N_USERS, N_ITEMS = 60, 90
DIM = 32
HEADS = 4
FANOUT = 6
NEGS = 5
TOPK = 10


# ----------------------------------------------------------------- data
def make_interactions(n=900, seed=0):
    rng = np.random.default_rng(seed)
    u = rng.integers(0, N_USERS, n)
    i = (u * 3 // 2 + rng.integers(0, 20, n)) % N_ITEMS
    pairs = np.unique(np.stack([u, i], axis=1), axis=0)
    rng.shuffle(pairs)
    stars = rng.integers(1, 6, len(pairs))
    return torch.from_numpy(pairs), torch.from_numpy(stars)


pairs, stars = make_interactions()
n_test = len(pairs) // 10
test, train = pairs[:n_test], pairs[n_test:]
train_stars = stars[n_test:]


class CSR:
    """neighbours of node v are cols[ptr[v]:ptr[v + 1]]"""

    def __init__(self, src, dst, weight, n_src):
        order = torch.argsort(src)
        self.cols = dst[order]
        self.weight = weight[order]
        self.deg = torch.bincount(src, minlength=n_src)
        self.ptr = torch.zeros(n_src + 1, dtype=torch.long)
        self.ptr[1:] = torch.cumsum(self.deg, dim=0)

    def sample(self, nodes, k):
        """-> neighbours [B, k], weights [B, k] and a bool mask of the real ones"""
        deg = self.deg[nodes]
        offs = (torch.rand(len(nodes), k) * deg.unsqueeze(1)).long()
        pos = self.ptr[nodes].unsqueeze(1) + offs
        pos = pos.clamp(max=len(self.cols) - 1)
        mask = (deg > 0).unsqueeze(1).expand(-1, k)
        return self.cols[pos], self.weight[pos], mask


user_graph = CSR(train[:, 0], train[:, 1], train_stars, N_USERS)
item_graph = CSR(train[:, 1], train[:, 0], train_stars, N_ITEMS)


# ---------------------------------------------------------------- model
class NeighbourAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.q = nn.Linear(dim, dim)
        self.kv = nn.Linear(dim, 2 * dim)
        self.star_bias = nn.Embedding(6, heads)
        self.out = nn.Linear(dim, dim)
        self.norm = nn.LayerNorm(dim)
        self.ffn = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x, nbr, w, mask):
        # x [B, D]   nbr [B, K, D]   w, mask [B, K]
        B, K, D = nbr.shape
        d = D // self.heads
        q = self.q(x).view(B, self.heads, d)
        k, v = self.kv(nbr).view(B, K, self.heads, 2 * d).chunk(2, dim=-1)
        att = torch.einsum("bhd,bkhd->bhk", q, k) / d ** 0.5
        att = att + self.star_bias(w).transpose(1, 2)
        att = att.masked_fill(~mask.unsqueeze(1), -1e4)
        att = att.softmax(dim=2)
        msg = torch.einsum("bhk,bkhd->bhd", att, v).reshape(B, D)
        x = self.norm(x + self.out(msg))
        return x + self.ffn(x)


class Recommender(nn.Module):
    def __init__(self):
        super().__init__()
        self.user = nn.Embedding(N_USERS, DIM)
        self.item = nn.Embedding(N_ITEMS, DIM)
        self.u_layer = NeighbourAttention(DIM, HEADS)
        self.i_layer = NeighbourAttention(DIM, HEADS)
        self.gate = nn.Linear(2 * DIM, DIM)
        self.item_bias = nn.Parameter(torch.zeros(N_ITEMS))

    def encode_users(self, ids):
        nbr, w, mask = user_graph.sample(ids, FANOUT)
        x = self.user(ids)
        h = self.u_layer(x, self.item(nbr), w, mask)
        g = torch.sigmoid(self.gate(torch.cat([x, h], dim=-1)))
        return g * h + (1 - g) * x

    def encode_items(self, ids):
        flat = ids.reshape(-1)
        nbr, w, mask = item_graph.sample(flat, FANOUT)
        h = self.i_layer(self.item(flat), self.user(nbr), w, mask)
        return h.view(*ids.shape, DIM)

    def score(self, u, i, ids):
        # u [B, D], i [B, n, D]
        return torch.bmm(i, u.unsqueeze(2)).squeeze(2) + self.item_bias[ids]


def bpr_loss(pos, neg):
    return -F.logsigmoid(pos - neg).mean()


def popularity():
    counts = torch.zeros(N_ITEMS)
    counts.index_add_(0, train[:, 1], torch.ones(len(train)))
    return counts.pow(0.75)


# ---------------------------------------------------------------- train
model = Recommender()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
pop = popularity()

for epoch in range(2):
    perm = torch.randperm(len(train))
    total = 0.0
    for idx in perm.split(256):
        batch = train[idx]
        users, pos = batch[:, 0], batch[:, 1]
        neg = torch.multinomial(pop, len(users) * NEGS, replacement=True).view(len(users), NEGS)
        cand = torch.cat([pos.unsqueeze(1), neg], dim=1)
        scores = model.score(model.encode_users(users), model.encode_items(cand), cand)
        loss = bpr_loss(scores[:, :1], scores[:, 1:])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(users)
    print(f"epoch {epoch}  bpr {total / len(train):.4f}")


# ----------------------------------------------------------------- eval
@torch.no_grad()
def recall_at(k):
    all_items = model.encode_items(torch.arange(N_ITEMS))
    all_users = model.encode_users(torch.arange(N_USERS))
    scores = all_users @ all_items.t() + model.item_bias
    scores[train[:, 0], train[:, 1]] = float("-inf")
    top = scores.topk(k, dim=1).indices
    truth = torch.zeros(N_USERS, N_ITEMS, dtype=torch.bool)
    truth[test[:, 0], test[:, 1]] = True
    hits = truth.gather(1, top).sum(dim=1)
    has = truth.any(dim=1)
    return (hits[has].float() / truth.sum(dim=1)[has]).mean().item()


print(f"recall@{TOPK}: {recall_at(TOPK):.3f}")
