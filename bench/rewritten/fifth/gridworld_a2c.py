"""Advantage actor-critic on made-up transitions of a grid world."""
import torch
from torch import nn


class ActorCritic(nn.Module):
    def __init__(self, cells=25, moves=4):
        super().__init__()
        self.where = nn.Embedding(cells, 32)
        self.actor = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, moves))
        self.critic = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, cell):
        h = self.where(cell)
        return self.actor(h), self.critic(h).squeeze(-1)


def a2c_loss(preferences, values, moves, returns, entropy_bonus=0.01):
    pi = preferences.softmax(dim=1)
    log_pi = torch.log(pi)
    taken = log_pi.gather(1, moves.unsqueeze(1)).squeeze(1)
    advantage = returns - values
    policy = -(taken * advantage.detach()).mean()
    entropy = -(pi * log_pi).sum(dim=1).mean()
    return policy + 0.5 * advantage.square().mean() - entropy_bonus * entropy


if __name__ == "__main__":
    torch.manual_seed(18)
    agent = ActorCritic()
    opt = torch.optim.Adam(agent.parameters(), lr=1e-3)
    for update in range(5):
        cells = torch.randint(0, 25, (20,))
        moves = torch.randint(0, 4, (20,))
        returns = torch.randn(20)
        loss = a2c_loss(*agent(cells), moves, returns)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(update, f"{loss.item():.5f}")
