"""Energy-based detection of unusual card payments."""
import torch
from torch import nn
import torch.nn.functional as F


class PaymentEncoder(nn.Module):
    def __init__(self, merchants, numeric, dim):
        super().__init__()
        self.merchant = nn.Embedding(merchants, dim)
        self.num = nn.Linear(numeric, dim)

    def forward(self, merchant, amounts):
        return F.relu(self.merchant(merchant) + self.num(amounts))


class PaymentClassifier(nn.Module):
    def __init__(self, merchants=20, numeric=4, dim=16, kinds=5):
        super().__init__()
        self.encoder = PaymentEncoder(merchants, numeric, dim)
        self.hidden = nn.Linear(dim, dim)
        self.kinds = nn.Linear(dim, kinds)

    def forward(self, merchant, amounts):
        h = self.encoder(merchant, amounts)
        h = h + F.relu(self.hidden(h))
        return self.kinds(h)


def free_energy(logits, temperature=1.0):
    scaled = logits / temperature
    total = torch.exp(scaled).sum(dim=1)
    return -temperature * torch.log(total)


def margin_loss(model, normal, odd, kind, low=-4.0, high=-1.0):
    logits = model(*normal)
    ce = F.cross_entropy(logits, kind)
    e_in = free_energy(logits)
    e_out = free_energy(model(*odd))
    push = F.relu(e_in - low).square().mean() + F.relu(high - e_out).square().mean()
    return ce + 0.1 * push


margin_loss(
    PaymentClassifier(),
    (torch.randint(0, 20, (4,)), torch.randn(4, 4)),
    (torch.randint(0, 20, (3,)), torch.randn(3, 4)),
    torch.randint(0, 5, (4,)),
)
