import torch
import torch.nn as nn


class StateActionNet(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden):
        super().__init__()
        self.obs = nn.Linear(obs_dim, hidden)
        self.act = nn.Linear(act_dim, hidden, bias=False)
        self.out = nn.Sequential(nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, obs, actions):
        # obs: (B, O), actions: (B, N, A)
        h = self.obs(obs).unsqueeze(1) + self.act(actions)
        return self.out(h).squeeze(-1)


class Proposal(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs_dim, hidden), nn.Tanh(), nn.Linear(hidden, act_dim))

    def forward(self, obs, noise):
        mean = self.net(obs).unsqueeze(1)
        return torch.tanh(mean + 0.3 * noise)


class SoftValue(nn.Module):
    def __init__(self, alpha=0.5):
        super().__init__()
        self.alpha = alpha

    def forward(self, q):
        total = torch.sum(torch.exp(q / self.alpha), dim=-1)
        return self.alpha * total.log()


class EnergyPolicy(nn.Module):
    def __init__(self, obs_dim=7, act_dim=2, hidden=24, alpha=0.5):
        super().__init__()
        self.critic = StateActionNet(obs_dim, act_dim, hidden)
        self.proposal = Proposal(obs_dim, act_dim, hidden)
        self.soft_value = SoftValue(alpha)

    def forward(self, obs, noise):
        actions = self.proposal(obs, noise)
        q = self.critic(obs, actions)
        v = self.soft_value(q)
        best = q.argmax(dim=1)
        chosen = actions[torch.arange(obs.size(0), device=obs.device), best]
        return chosen, v


EnergyPolicy()(torch.randn(4, 7), torch.randn(4, 10, 2))
