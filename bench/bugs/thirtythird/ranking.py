# %% [markdown]
# CTR ranking with target attention over the clicked items (DIN) and a cross network (DCN-v2)

# %%
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

np.random.seed(7)
torch.manual_seed(7)

N_USERS, N_ITEMS, N_CATS = 100, 300, 12
HIST = 15
EMB = 16
BATCH = 32
N_DENSE = 4

# %%
# fake logs
n_rows = 128
logs = {
    "user": np.random.randint(0, N_USERS, n_rows),
    "item": np.random.randint(1, N_ITEMS + 1, n_rows),
    "hour": np.random.randint(0, 24, n_rows),
    "device": np.random.randint(0, 3, n_rows),
    "dense": np.random.rand(n_rows, N_DENSE),
    "hist_len": np.random.randint(1, HIST + 1, n_rows),
    "click": np.random.randint(0, 2, n_rows),
}
item_to_cat = np.random.randint(1, N_CATS + 1, N_ITEMS + 1)
item_to_cat[0] = 0

hist = np.zeros((n_rows, HIST), dtype=np.int64)
for row, n in enumerate(logs["hist_len"]):
    hist[row, :n] = np.random.randint(1, N_ITEMS + 1, n)

# %%
item_cat = torch.from_numpy(item_to_cat)
data = torch.utils.data.TensorDataset(
    torch.from_numpy(logs["user"]),
    torch.from_numpy(logs["item"]),
    torch.from_numpy(np.stack([logs["hour"], logs["device"]], axis=1)),
    torch.from_numpy(logs["dense"]).float(),
    torch.from_numpy(hist),
    torch.from_numpy(logs["click"]).float(),
)
loader = torch.utils.data.DataLoader(data, batch_size=BATCH, shuffle=True, drop_last=True)

# %%
class Dice(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.bn = nn.BatchNorm1d(dim, affine=False)
        self.alpha = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        p = torch.sigmoid(self.bn(x))
        return p * x + (1 - p) * self.alpha * x


class TargetAttention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(4 * dim, 32), nn.PReLU(), nn.Linear(32, 1))

    def forward(self, target, history, mask):
        # target (B, D), history (B, L, D), mask (B, L)
        q = target.unsqueeze(1).expand(-1, history.size(1), -1)
        feats = torch.cat([q, history, q - history, q * history], dim=-1)
        scores = self.mlp(feats).squeeze(-1)
        scores = scores.masked_fill(~mask, -1e9)
        weights = F.softmax(scores, dim=-1)
        return torch.bmm(weights.unsqueeze(1), history).squeeze(1)


class CrossNet(nn.Module):
    def __init__(self, dim, layers, rank=8):
        super().__init__()
        self.U = nn.ParameterList([nn.Parameter(torch.randn(dim, rank) * 0.02) for _ in range(layers)])
        self.V = nn.ParameterList([nn.Parameter(torch.randn(rank, dim) * 0.02) for _ in range(layers)])
        self.b = nn.ParameterList([nn.Parameter(torch.zeros(dim)) for _ in range(layers)])

    def forward(self, x0):
        x = x0
        for U, V, b in zip(self.U, self.V, self.b):
            x = x0 * (x @ U @ V + b) + x
        return x


# %%
class Ranker(nn.Module):
    def __init__(self, context_sizes=(24, 3)):
        super().__init__()
        self.user = nn.Embedding(N_USERS, EMB)
        self.item = nn.Embedding(N_ITEMS + 1, EMB, padding_idx=0)
        self.cat = nn.Embedding(N_CATS + 1, EMB // 2, padding_idx=0)
        self.context = nn.ModuleList([nn.Embedding(n, 4) for n in context_sizes])
        d_item = EMB + EMB // 2
        self.attention = TargetAttention(d_item)
        self.gru = nn.GRU(d_item, EMB, batch_first=True)
        self.dense_norm = nn.BatchNorm1d(N_DENSE)
        d_in = EMB + 2 * d_item + EMB + 4 * len(context_sizes) + N_DENSE
        self.cross = CrossNet(d_in, layers=2)
        self.deep = nn.Sequential(
            nn.Linear(d_in, 64), Dice(64), nn.Dropout(0.1),
            nn.Linear(64, 32), Dice(32),
        )
        self.out = nn.Linear(d_in + 32, 1)

    def embed_items(self, ids):
        return torch.cat([self.item(ids), self.cat(item_cat[ids])], dim=-1)

    def forward(self, user, item, context, dense, history):
        mask = history > 0
        target = self.embed_items(item)
        clicked = self.embed_items(history)
        interest = self.attention(target, clicked, mask)

        states, last = self.gru(clicked)
        lengths = mask.sum(dim=1)
        recent = states[torch.arange(states.size(0)), lengths - 1]

        ctx = [emb(context[:, i]) for i, emb in enumerate(self.context)]
        x = torch.cat([self.user(user), target, interest, recent, *ctx, self.dense_norm(dense)], dim=1)
        y = torch.cat([self.cross(x), self.deep(x)], dim=1)
        return self.out(y).squeeze(-1)


def bpr_loss(model, batch, logits):
    # sampled negatives for the clicked rows
    user, item, context, dense, history, click = batch
    negatives = torch.randint(1, N_ITEMS + 1, item.shape)
    neg_logits = model(user, negatives, context, dense, history)
    diff = (logits - neg_logits)[click.bool()]
    return -F.logsigmoid(diff).mean()


def auc(scores, labels):
    pos = scores[labels == 1]
    neg = scores[labels == 0]
    wins = (pos.unsqueeze(1) > neg.unsqueeze(0)).float()
    return wins.mean().item()


def ndcg(scores, labels, k=10):
    # one list of candidates per row
    order = scores.topk(k, dim=1).indices
    gains = labels.gather(1, order)
    discount = 1.0 / torch.log2(torch.arange(k).float() + 2)
    dcg = (gains * discount).sum(dim=1)
    ideal = (labels.sort(dim=1, descending=True).values[:, :k] * discount).sum(dim=1)
    return (dcg / ideal.clamp(min=1e-8)).mean().item()


# %%
model = Ranker()
opt = torch.optim.Adagrad(model.parameters(), lr=0.01)
pos_weight = torch.tensor(2.0)

for step, batch in enumerate(loader):
    user, item, context, dense, history, click = batch
    logits = model(user, item, context, dense, history)
    loss = F.binary_cross_entropy_with_logits(logits, click, pos_weight=pos_weight)
    loss = loss + 0.1 * bpr_loss(model, batch, logits)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step == 1:
        break
print("loss", loss.item())

# %%
# evaluation: AUC on the logs, NDCG on random candidates for some users
model.eval()
with torch.no_grad():
    all_scores, all_labels = [], []
    for user, item, context, dense, history, click in loader:
        all_scores.append(torch.sigmoid(model(user, item, context, dense, history)))
        all_labels.append(click)
    print("auc", auc(torch.cat(all_scores), torch.cat(all_labels)))

    n_cand = 20
    candidates = torch.randint(1, N_ITEMS + 1, (BATCH, n_cand))
    rep = lambda t: t.repeat_interleave(n_cand, dim=0)
    scores = model(rep(user), candidates.flatten(), rep(context), rep(dense), rep(history))
    scores = scores.view(BATCH, n_cand)
    relevance = torch.zeros(BATCH, n_cand)
    relevance.scatter_(1, torch.randint(0, n_cand, (BATCH, 3)), 1.0)
    print("ndcg@10", ndcg(scores, relevance))

    # nearest items
    table = F.normalize(model.item.weight[1:], dim=1)
    sim = table @ table.t()
    sim.fill_diagonal_(-1)
    print("similar to item 1:", sim[0].topk(5).indices + 1)
