"""PPO with a memory: CNN on the agent's view, LSTM over time, attention over an inventory, two discrete heads."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical


@dataclass
class PPOConfig:
    view: int = 21
    channels: int = 3
    items: int = 8
    item_kinds: int = 30
    hidden: int = 64
    moves: int = 5
    tools: int = 7
    horizon: int = 12
    envs: int = 4
    gamma: float = 0.99
    lam: float = 0.95
    clip: float = 0.2


def layer_init(layer, std=2**0.5, bias=0.0):
    nn.init.orthogonal_(layer.weight, std)
    nn.init.constant_(layer.bias, bias)
    return layer


class Inventory(nn.Module):
    def __init__(self, kinds, dim, heads=4):
        super().__init__()
        self.kind = nn.Embedding(kinds, dim, padding_idx=0)
        self.count = nn.Linear(1, dim)
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)

    def forward(self, kinds, counts, query):
        items = self.kind(kinds) + self.count(counts.unsqueeze(-1))
        out, weights = self.attn(query.unsqueeze(1), items, items)
        return out.squeeze(1)


class Agent(nn.Module):
    def __init__(self, cfg: PPOConfig):
        super().__init__()
        self.cfg = cfg
        self.cnn = nn.Sequential(
            layer_init(nn.Conv2d(cfg.channels, 16, 5, stride=2)),
            nn.ReLU(),
            layer_init(nn.Conv2d(16, 32, 3, stride=2)),
            nn.ReLU(),
            layer_init(nn.Conv2d(32, 32, 3)),
            nn.ReLU(),
            nn.Flatten(),
        )
        with torch.no_grad():
            flat = self.cnn(torch.zeros(1, cfg.channels, cfg.view, cfg.view)).shape[1]
        self.fc = layer_init(nn.Linear(flat, cfg.hidden))
        self.inventory = Inventory(cfg.item_kinds, cfg.hidden)
        self.prev_action = nn.Embedding(cfg.moves * cfg.tools, 16)
        self.lstm = nn.LSTM(2 * cfg.hidden + 16, cfg.hidden)
        self.actors = nn.ModuleList([layer_init(nn.Linear(cfg.hidden, n), 0.01) for n in (cfg.moves, cfg.tools)])
        self.critic = layer_init(nn.Linear(cfg.hidden, 1), 1.0)

    def initial_state(self, n):
        return torch.zeros(1, n, self.cfg.hidden), torch.zeros(1, n, self.cfg.hidden)

    def encode(self, obs, kinds, counts, prev):
        x = F.relu(self.fc(self.cnn(obs / 255.0)))
        return torch.cat([x, self.inventory(kinds, counts, x), self.prev_action(prev)], dim=-1)

    def forward(self, batch, state, dones):
        T, B = dones.shape
        flat = {k: v.flatten(0, 1) for k, v in batch.items()}
        x = self.encode(flat["view"], flat["kinds"], flat["counts"], flat["prev"]).view(T, B, -1)
        outs = []
        for step, done in zip(x, dones):
            keep = (1.0 - done).view(1, -1, 1)
            y, state = self.lstm(step.unsqueeze(0), (keep * state[0], keep * state[1]))
            outs.append(y)
        h = torch.cat(outs).flatten(0, 1)
        return [actor(h) for actor in self.actors], self.critic(h).squeeze(-1), state


def gae(rewards, values, dones, last, cfg):
    advantages, running = torch.zeros_like(rewards), torch.zeros_like(last)
    for t in reversed(range(rewards.size(0))):
        follow = last if t == rewards.size(0) - 1 else values[t + 1]
        delta = rewards[t] + cfg.gamma * follow * (1 - dones[t]) - values[t]
        running = delta + cfg.gamma * cfg.lam * (1 - dones[t]) * running
        advantages[t] = running
    return advantages, advantages + values


def rollout(cfg):
    T, B = cfg.horizon, cfg.envs
    batch = {
        "view": torch.randint(0, 256, (T, B, cfg.channels, cfg.view, cfg.view)).float(),
        "kinds": torch.randint(cfg.item_kinds, (T, B, cfg.items)),
        "counts": torch.rand(T, B, cfg.items),
        "prev": torch.randint(cfg.moves * cfg.tools, (T, B)),
    }
    actions = torch.stack([torch.randint(cfg.moves, (T, B)), torch.randint(cfg.tools, (T, B))], dim=-1)
    return batch, actions, torch.randn(T, B), (torch.rand(T, B) < 0.1).float()


def update(agent, optimizer, cfg):
    batch, actions, rewards, dones = rollout(cfg)
    with torch.no_grad():
        logits, values, _ = agent(batch, agent.initial_state(cfg.envs), dones)
        old = sum(Categorical(logits=out).log_prob(a) for out, a in zip(logits, actions.flatten(0, 1).unbind(-1)))
        values = values.view(cfg.horizon, cfg.envs)
        advantages, returns = gae(rewards, values, dones, values[-1], cfg)
    logits, values, _ = agent(batch, agent.initial_state(cfg.envs), dones)
    policies = [Categorical(logits=out) for out in logits]
    new = sum(p.log_prob(a) for p, a in zip(policies, actions.flatten(0, 1).unbind(-1)))
    ratio = (new - old).exp()
    adv = advantages.flatten()
    adv = (adv - adv.mean()) / (adv.std() + 1e-8)
    policy_loss = -torch.min(ratio * adv, ratio.clamp(1 - cfg.clip, 1 + cfg.clip) * adv).mean()
    value_loss = F.mse_loss(values, returns.flatten())
    entropy = sum(p.entropy() for p in policies).mean()
    loss = policy_loss + 0.5 * value_loss - 0.01 * entropy
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
    optimizer.step()


if __name__ == "__main__":
    cfg = PPOConfig()
    agent = Agent(cfg)
    optimizer = torch.optim.Adam(agent.parameters(), lr=2.5e-4, eps=1e-5)
    for _ in range(2):
        update(agent, optimizer, cfg)
