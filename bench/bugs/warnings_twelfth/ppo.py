"""PPO with a shared trunk: the policy, its losses and one update."""

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical


class RunningNorm(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("mean", torch.zeros(n))
        self.register_buffer("var", torch.ones(n))

    def forward(self, x):
        return (x - self.mean) / torch.sqrt(self.var + 1e-8)


class ActorCritic(nn.Module):
    def __init__(self, obs=8, actions=4, hidden=64):
        super().__init__()
        self.norm = RunningNorm(obs)
        self.trunk = nn.Sequential(nn.Linear(obs, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.pi = nn.Linear(hidden, actions)
        self.v = nn.Linear(hidden, 1)

    def forward(self, obs):
        h = self.trunk(self.norm(obs))
        logits = self.pi(h)
        value = self.v(h).squeeze(-1)
        return torch.log_softmax(logits, dim=-1), value

    def act(self, obs):
        logp, value = self(obs)
        dist = Categorical(logits=logp)
        action = dist.sample()
        return action, dist.log_prob(action), value


class PPOLoss(nn.Module):
    def __init__(self, policy, clip=0.2, vf=0.5, ent=0.01):
        super().__init__()
        self.policy = policy
        self.clip, self.vf, self.ent = clip, vf, ent

    def forward(self, obs, actions, old_logp, returns, adv):
        logp_all, values = self.policy(obs)
        logp = logp_all.gather(1, actions.unsqueeze(1)).squeeze(1)
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        ratio = torch.exp(logp - old_logp)
        clipped = torch.clamp(ratio, 1 - self.clip, 1 + self.clip)
        pi_loss = -torch.min(ratio * adv, clipped * adv).mean()
        v_loss = (returns - values).pow(2).mean()
        entropy = -(logp_all.exp() * logp_all).sum(dim=-1).mean()
        return pi_loss + self.vf * v_loss - self.ent * entropy


def discounted(rewards, gamma=0.99):
    out, acc = np.zeros_like(rewards), 0.0
    for t in reversed(range(len(rewards))):
        acc = rewards[t] + gamma * acc
        out[t] = acc
    return out


def update(loss_fn, optimizer, rollout):
    loss = loss_fn(*rollout)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


if __name__ == "__main__":
    policy = ActorCritic()
    loss_fn = PPOLoss(policy)
    opt = torch.optim.Adam(policy.parameters(), lr=2.5e-4)
    obs = torch.randn(32, 8)
    action, logp, value = policy.act(obs)
    returns = torch.from_numpy(discounted(np.random.rand(32).astype(np.float32)))
    print(update(loss_fn, opt, (obs, action, logp.detach(), returns, (returns - value).detach())))
