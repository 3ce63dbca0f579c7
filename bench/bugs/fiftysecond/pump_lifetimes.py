# %% [markdown]
# # How long do the pumps last?
# Two ways to the same question: the hazard of each interval of time, and Cox's
# proportional hazards.  Most pumps still run, so most times are censored.

# %%
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
rng = np.random.default_rng(1)

# %% [markdown]
# ## The pumps

# %%
N, INTERVALS = 480, 9
numeric = rng.normal(size=(N, 6)).astype(np.float32)
site = rng.integers(0, 7, size=N)
maker = rng.integers(0, 4, size=N)
risk = 0.9 * numeric[:, 0] - 0.6 * numeric[:, 3] + 0.3 * (maker == 2) + 0.1 * site
lifetime = rng.exponential(np.exp(-risk))
observed = rng.exponential(1.5, size=N)
years = np.minimum(lifetime, observed)
broke = lifetime <= observed
print(f"{broke.sum()} of {N} broke")

# %% Intervals with as many failures in each
cuts = np.quantile(years[broke], np.linspace(0, 1, INTERVALS + 1)[1:-1])
interval = np.digitize(years, cuts)

x_num = torch.from_numpy(numeric)
x_cat = torch.from_numpy(np.stack([site, maker], axis=1))
bucket = torch.from_numpy(interval)
event = torch.from_numpy(broke)
duration = torch.from_numpy(years.astype(np.float32))

# %% [markdown]
# ## The net of both
# Categories are embedded, a few numbers each; the rest is a plain stack.

# %%
levels = [int(column.max()) + 1 for column in x_cat.unbind(dim=1)]


def stack(*sizes):
    layers = []
    for n_in, n_out in zip(sizes[:-1], sizes[1:]):
        layers += [nn.Linear(n_in, n_out), nn.BatchNorm1d(n_out), nn.ReLU(), nn.Dropout(0.1)]
    return nn.Sequential(*layers)


class PumpNet(nn.Module):
    def __init__(self, n_numeric, levels, outputs, width=48):
        super().__init__()
        sizes = [min(5, (n + 1) // 2) for n in levels]
        self.tables = nn.ModuleList(nn.Embedding(n, s) for n, s in zip(levels, sizes))
        self.body = stack(n_numeric + sum(sizes), width, width // 2)
        self.out = nn.Linear(width // 2, outputs)

    def forward(self, num, cat):
        parts = [num]
        for table, column in zip(self.tables, cat.unbind(dim=1)):
            parts.append(table(column))
        h = self.body(torch.cat(parts, dim=1))
        return self.out(h)


# %% [markdown]
# ## Hazards of intervals
# A pump counts in all intervals that it has lived to see, and is a one in the
# interval in which it broke.

# %%
def hazard_loss(logits, bucket, event):
    steps = torch.arange(logits.shape[1], device=logits.device)
    alive = (steps <= bucket[:, None]).float()
    target = (F.one_hot(bucket, logits.shape[1]) * event[:, None]).float()
    bce = F.binary_cross_entropy_with_logits(logits, target, weight=alive, reduction="sum")
    return bce / alive.sum()


def survival(logits):
    return torch.cumprod(1 - torch.sigmoid(logits), dim=1)


rows = TensorDataset(x_num, x_cat, bucket, event, duration)
loader = DataLoader(rows, batch_size=60, shuffle=True)

hazards = PumpNet(x_num.shape[1], levels, INTERVALS)
opt = torch.optim.Adam(hazards.parameters(), lr=1e-2)
for epoch in range(4):
    seen = 0.0
    for num, cat, b, e, _ in loader:
        logits = hazards(num, cat)
        loss = hazard_loss(logits, b, e)
        opt.zero_grad()
        loss.backward()
        opt.step()
        seen += loss.item()
    print(f"hazards, epoch {epoch}: {seen / len(loader):.3f}")

# %% [markdown]
# ## Cox
# The failures in order, each against all that were still running.

# %%
def cox_loss(score, duration, event):
    order = duration.argsort(descending=True)
    score, event = score[order], event[order].float()
    running = torch.logcumsumexp(score, dim=0)
    return -((score - running) * event).sum() / event.sum()


cox = PumpNet(x_num.shape[1], levels, 1)
opt = torch.optim.Adam(cox.parameters(), lr=1e-2)
for epoch in range(4):
    for num, cat, _, e, d in loader:
        score = cox(num, cat).squeeze(1)
        loss = cox_loss(score, d, e)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"cox, epoch {epoch}: {loss.item():.3f}")

# %% [markdown]
# ## Concordance
# Of all pairs of which one broke first for certain, in how many was its risk larger?

# %%
def concordance(risk, duration, event):
    first = duration[:, None] < duration[None, :]
    pairs = first & event[:, None]
    right = risk[:, None] > risk[None, :]
    return (right & pairs).sum() / pairs.sum()


hazards.eval()
cox.eval()
with torch.no_grad():
    curve = survival(hazards(x_num, x_cat))
    expected = curve.sum(dim=1)
    c_hazards = concordance(-expected, duration, event)
    c_cox = concordance(cox(x_num, x_cat)[:, 0], duration, event)
print(f"concordance: hazards {c_hazards:.3f}, cox {c_cox:.3f}")
