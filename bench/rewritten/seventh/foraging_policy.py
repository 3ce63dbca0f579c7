"""An ant that forages: the policy keeps a share of blind exploration."""
import torch
from torch import nn

MOVES = 5
EXPLORE = 0.2


def log_policy(net, obs):
    greedy = net(obs).softmax(dim=-1)
    behaviour = (1 - EXPLORE) * greedy + EXPLORE / MOVES
    return torch.log(behaviour)


def train(rounds=8):
    net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, MOVES))
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    baseline = 0.0
    for _ in range(rounds):
        obs = torch.randn(64, 4)
        logp = log_policy(net, obs)
        moves = torch.multinomial(logp.detach().exp(), 1)
        food = (moves.squeeze(1) == obs.argmax(dim=1)).float()
        gain = food - baseline
        loss = -(logp.gather(1, moves).squeeze(1) * gain).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        baseline = 0.9 * baseline + 0.1 * float(food.mean())
    return baseline


if __name__ == "__main__":
    torch.manual_seed(0)
    print("average food", train())
