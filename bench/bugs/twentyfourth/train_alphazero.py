import torch
import torch.nn.functional as F
from alphazero import build_network


class ReplayBuffer:
    def __init__(self, cfg, size=64):
        self.cfg = cfg
        n = cfg.board
        self.stones = torch.randint(0, 2, (size, 2 * cfg.history, n, n)).float()
        self.to_play = torch.randint(0, 2, (size,))
        self.visits = torch.rand(size, cfg.actions)
        self.result = torch.randint(0, 2, (size,)).float() * 2 - 1
        self.territory = torch.randint(-1, 2, (size, n, n)).float()

    def planes(self, idx):
        stones, n = self.stones[idx], self.cfg.board
        colour = self.to_play[idx].float()[:, None, None, None].expand(-1, 1, n, n)
        return torch.cat([stones, colour], dim=1)

    def legal(self, idx):
        empty = self.stones[idx][:, :2].sum(dim=1) == 0
        passes = torch.ones(len(idx), 1, dtype=torch.bool)
        return torch.cat([empty.flatten(1), passes], dim=1)

    def sample(self, batch):
        idx = torch.randint(0, len(self.result), (batch,))
        visits = self.visits[idx]
        pi = visits / visits.sum(dim=1, keepdim=True)
        return self.planes(idx), self.legal(idx), pi, self.result[idx], self.territory[idx]


def two_hot(value, support):
    pos = (value.clamp(-1, 1) + 1) / 2 * (len(support) - 1)
    low = pos.floor().long().clamp(max=len(support) - 2)
    high_w = pos - low
    target = torch.zeros(len(value), len(support))
    target.scatter_(1, low.unsqueeze(1), (1 - high_w).unsqueeze(1))
    target.scatter_(1, low.unsqueeze(1) + 1, high_w.unsqueeze(1))
    return target


def compute_loss(net, batch):
    planes, legal, pi, z, territory = batch
    out = net(planes, legal)
    policy_loss = -(pi * out["policy"].log_softmax(dim=1)).sum(dim=1).mean()
    value_loss = F.cross_entropy(out["value_logits"], two_hot(z, net.value.support))
    own_loss = F.mse_loss(out["ownership"], territory)
    return policy_loss + value_loss + 0.15 * own_loss, (out["value"] - z).abs().mean()


def main():
    net, cfg = build_network("medium", blocks=2)
    buffer = ReplayBuffer(cfg)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9, weight_decay=1e-4)
    for step in range(3):
        loss, error = compute_loss(net, buffer.sample(16))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, loss.item(), error.item())


if __name__ == "__main__":
    main()
