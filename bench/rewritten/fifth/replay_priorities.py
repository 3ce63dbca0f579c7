"""Prioritised replay: the value of states that were drawn, some of them more than once."""
import torch
from torch import nn


class Replay:
    def __init__(self, size=200, obs=5):
        self.obs = torch.randn(size, obs)
        self.ret = self.obs[:, 0] - self.obs[:, 1] + 0.1 * torch.randn(size)
        self.priority = torch.ones(size)

    def draw(self, n):
        return torch.multinomial(self.priority, n, replacement=True)


def drawn_error(value, memory, picked):
    """Squared error over the draws; a state drawn twice counts twice."""
    err = (value(memory.obs).squeeze(1) - memory.ret).square()
    chosen = err[picked]
    memory.priority = err.detach().sqrt() + 1e-2
    return chosen.mean()


def learn(rounds=6, batch=32):
    memory = Replay()
    value = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
    opt = torch.optim.Adam(value.parameters(), lr=5e-3)
    for _ in range(rounds):
        loss = drawn_error(value, memory, memory.draw(batch))
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


if __name__ == "__main__":
    torch.manual_seed(41)
    print(learn())
