# Wine quality, three grades, the middle one is by far the most common.
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(22)

chem = torch.randn(240, 11)
score = chem[:, 0] - 0.5 * chem[:, 3] + 0.3 * torch.randn(240)
grade = torch.bucketize(score, torch.tensor([-1.2, 1.2]))
rarity = 1.0 / torch.bincount(grade, minlength=3).float()
rarity = rarity / rarity.sum()

net = nn.Sequential(nn.Linear(11, 24), nn.ReLU(), nn.Dropout(0.2), nn.Linear(24, 3))
opt = torch.optim.Adam(net.parameters(), lr=5e-3)

for epoch in range(8):
    net.train()
    order = torch.randperm(240)
    running = 0.0
    for rows in order.split(60):
        out = net(chem[rows])
        logp = torch.log_softmax(out, dim=-1)
        loss = F.nll_loss(logp, grade[rows], weight=rarity)
        opt.zero_grad()
        loss.backward()
        opt.step()
        running += loss.item()
    if epoch % 4 == 3:
        print(f"epoch {epoch}: {running / 4:.5f}")

net.eval()
with torch.no_grad():
    hits = (net(chem).argmax(dim=1) == grade).float().mean()
print(f"train accuracy {hits.item():.3f}")
