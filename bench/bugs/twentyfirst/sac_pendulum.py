"""Soft actor critic with a recurrent replay, in a toy environment."""

import argparse
import random
from collections import deque

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

LOG_STD_MIN, LOG_STD_MAX = -5, 2


class Env:
    def __init__(self, obs_dim=5, act_dim=2):
        self.obs_dim, self.act_dim = obs_dim, act_dim
        self.rng = np.random.default_rng(0)

    def reset(self):
        return self.rng.normal(size=self.obs_dim).astype(np.float32)

    def step(self, action):
        obs = self.rng.normal(size=self.obs_dim).astype(np.float32)
        return obs, float(-np.square(action).sum()), bool(self.rng.random() < 0.1)


def mlp(sizes, activation=nn.ReLU):
    layers = []
    for a, b in zip(sizes[:-1], sizes[1:]):
        layers += [nn.Linear(a, b), activation()]
    return nn.Sequential(*layers[:-1])


class Actor(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden=64):
        super().__init__()
        self.body = mlp([obs_dim, hidden, hidden])
        self.mean = nn.Linear(hidden, act_dim)
        self.log_std = nn.Linear(hidden, act_dim)

    def forward(self, obs):
        h = F.relu(self.body(obs))
        mean = self.mean(h)
        std = self.log_std(h).clamp(LOG_STD_MIN, LOG_STD_MAX).exp()
        dist = torch.distributions.Normal(mean, std)
        u = dist.rsample()
        action = torch.tanh(u)
        logp = dist.log_prob(u) - torch.log(1 - action.pow(2) + 1e-6)
        return action, logp.sum(dim=-1)


class TwinCritic(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden=64):
        super().__init__()
        self.q1 = mlp([obs_dim + act_dim, hidden, hidden, 1])
        self.q2 = mlp([obs_dim + act_dim, hidden, hidden, 1])

    def forward(self, obs, action):
        x = torch.cat([obs, action], dim=-1)
        return self.q1(x).squeeze(-1), self.q2(x).squeeze(-1)


class Replay:
    def __init__(self, size):
        self.data = deque(maxlen=size)

    def push(self, *transition):
        self.data.append(transition)

    def sample(self, batch_size):
        batch = random.sample(self.data, batch_size)
        obs, act, rew, nxt, done = map(np.stack, zip(*batch))
        return (
            torch.from_numpy(obs),
            torch.from_numpy(act),
            torch.as_tensor(rew, dtype=torch.float32),
            torch.from_numpy(nxt),
            torch.as_tensor(done, dtype=torch.float32),
        )


class QuantileHead(nn.Module):
    """Returns as quantiles, for the evaluation of risk."""

    def __init__(self, obs_dim, quantiles=12, embed=16):
        super().__init__()
        self.obs = nn.Linear(obs_dim, 32)
        self.tau = nn.Linear(embed, 32)
        self.out = nn.Linear(32, 1)
        self.embed, self.quantiles = embed, quantiles

    def forward(self, obs):
        tau = torch.rand(obs.size(0), self.quantiles, 1)
        cos = torch.cos(tau * torch.arange(1, self.embed + 1) * np.pi)
        h = F.relu(self.obs(obs)).unsqueeze(1) * F.relu(self.tau(cos))
        return self.out(h).squeeze(-1), tau.squeeze(-1)


def quantile_loss(pred, target, tau):
    delta = target[:, None, :] - pred[:, :, None]
    weight = (tau[:, :, None] - (delta.detach() < 0).float()).abs()
    return (weight * F.smooth_l1_loss(pred[:, :, None].expand_as(delta), target[:, None, :].expand_as(delta),
                                      reduction="none")).mean()  # fmt: skip


def update(actor, critic, target, head, batch, optimizers, gamma=0.99, alpha=0.2):
    obs, act, rew, nxt, done = batch
    with torch.no_grad():
        next_act, next_logp = actor(nxt)
        q_next = torch.min(*target(nxt, next_act)) - alpha * next_logp
        y = rew + gamma * (1 - done) * q_next
    q1, q2 = critic(obs, act)
    critic_loss = F.mse_loss(q1, y) + F.mse_loss(q2, y)
    pred, tau = head(obs)
    with torch.no_grad():
        z_next, _ = head(nxt)
        z = rew[:, None] + gamma * (1 - done)[:, None] * z_next
    critic_loss = critic_loss + quantile_loss(pred, z, tau)
    optimizers[0].zero_grad()
    critic_loss.backward()
    optimizers[0].step()

    new_act, logp = actor(obs)
    actor_loss = (alpha * logp - torch.min(*critic(obs, new_act))).mean()
    optimizers[1].zero_grad()
    actor_loss.backward()
    optimizers[1].step()
    return critic_loss.item(), actor_loss.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--batch", type=int, default=8)
    args = parser.parse_args()
    random.seed(0)
    env, replay = Env(), Replay(1000)
    actor = Actor(env.obs_dim, env.act_dim, args.hidden)
    critic = TwinCritic(env.obs_dim, env.act_dim, args.hidden)
    target = TwinCritic(env.obs_dim, env.act_dim, args.hidden)
    target.load_state_dict(critic.state_dict())
    head = QuantileHead(env.obs_dim)
    optimizers = (
        torch.optim.Adam([*critic.parameters(), *head.parameters()], lr=3e-4),
        torch.optim.Adam(actor.parameters(), lr=3e-4),
    )
    obs = env.reset()
    for step in range(args.steps):
        with torch.no_grad():
            action, _ = actor(torch.from_numpy(obs).unsqueeze(0))
        action = action.squeeze(0).numpy()
        nxt, reward, done = env.step(action)
        replay.push(obs, action, reward, nxt, done)
        obs = env.reset() if done else nxt
        if len(replay.data) >= 2 * args.batch:
            update(actor, critic, target, head, replay.sample(args.batch), optimizers)
    print("done")


if __name__ == "__main__":
    main()
