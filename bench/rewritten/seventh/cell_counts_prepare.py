"""From raw transcript counts to the 2-D embedding of cells; a plain script."""
import torch
from torch import nn

torch.manual_seed(1)

# -- counts, as they come from the sequencer
cells, genes = 120, 60
rate = torch.rand(genes) * 4
depth = torch.rand(cells, 1) + 0.5
counts = torch.poisson(rate * depth)

# -- library size, then logarithm
size = counts.sum(dim=1, keepdim=True).clamp(min=1)
per_10k = counts / size * 1e4
expr = torch.log(per_10k + 1)

# -- genes that vary most
var, top = expr.var(dim=0).topk(20)
expr = expr[:, top]
expr = (expr - expr.mean(0)) / (expr.std(0) + 1e-6)

# -- autoencoder
down = nn.Sequential(nn.Linear(20, 16), nn.SiLU(), nn.Linear(16, 2))
up = nn.Sequential(nn.Linear(2, 16), nn.SiLU(), nn.Linear(16, 20))
opt = torch.optim.Adam([*down.parameters(), *up.parameters()], lr=5e-3)

for it in range(30):
    rebuilt = up(down(expr))
    loss = (rebuilt - expr).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 10 == 0:
        print(it, round(loss.item(), 4))

with torch.no_grad():
    print("embedding", tuple(down(expr).shape), "largest variance", float(var[0]))
