"""Proximal policy optimisation for the rovers: collect, estimate advantages, improve, repeat."""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical

from rover_env import RoverField


def get_args():
    p = argparse.ArgumentParser()
    for name, n in dict(rovers=12, steps=16, updates=3, epochs=2, minibatch=64, hidden=48).items():
        p.add_argument(f"--{name}", type=int, default=n)
    for name, x in dict(gamma=0.97, lam=0.95, clip=0.2, entropy=0.01, lr=1e-3).items():
        p.add_argument(f"--{name}", type=float, default=x)
    return p.parse_args()


class RoverPolicy(nn.Module):
    def __init__(self, hidden, n_sense=4, n_actions=5):
        super().__init__()
        self.eye = nn.Sequential(
            nn.Conv2d(2, 16, 3), nn.Tanh(), nn.Conv2d(16, 32, 3), nn.Tanh(), nn.Flatten()
        )
        self.body = nn.Linear(32 + n_sense, hidden)
        self.actor = nn.Linear(hidden, n_actions)
        self.critic = nn.Linear(hidden, 1)

    def forward(self, obs):
        h = torch.cat([self.eye(obs["patch"]), obs["sense"]], dim=-1)
        h = torch.tanh(self.body(h))
        logits = self.actor(h).masked_fill(~obs["legal"], -1e9)
        return logits, self.critic(h).squeeze(-1)


def to_torch(obs):
    return {k: torch.from_numpy(v) for k, v in obs.items()}


def log_prob_of(logits, action):
    logp = F.log_softmax(logits, dim=-1)
    return logp.gather(1, action.unsqueeze(1)).squeeze(1)


def standardise(x):
    return (x - x.mean()) / (x.std() + 1e-8)


@torch.no_grad()
def collect(field, policy, obs, args):
    T, N = args.steps, args.rovers
    frames = []
    action = torch.zeros(T, N, dtype=torch.long)
    logp, reward, alive = torch.zeros(T, N), torch.zeros(T, N), torch.zeros(T, N)
    value = torch.zeros(T + 1, N)
    for t in range(T):
        frames.append(obs)
        logits, value[t] = policy(obs)
        choice = Categorical(logits=logits)
        action[t] = choice.sample()
        logp[t] = choice.log_prob(action[t])
        seen, r, done = field.step(action[t].numpy())
        obs = to_torch(seen)
        reward[t] = torch.from_numpy(r)
        alive[t] = 1.0 - torch.from_numpy(done).float()
    value[T] = policy(obs)[1]

    advantage, running = torch.zeros(T, N), torch.zeros(N)
    for t in reversed(range(T)):
        delta = reward[t] + args.gamma * alive[t] * value[t + 1] - value[t]
        running = delta + args.gamma * args.lam * alive[t] * running
        advantage[t] = running
    rollout = {k: torch.stack([f[k] for f in frames]).flatten(0, 1) for k in frames[0]}
    rollout.update(action=action.flatten(), logp=logp.flatten(), advantage=advantage.flatten())
    rollout["target"] = (advantage + value[:-1]).flatten()
    return rollout, obs, reward.mean().item()


def improve(policy, optimizer, rollout, args):
    n = rollout["action"].numel()
    for _ in range(args.epochs):
        for pick in torch.randperm(n).split(args.minibatch):
            mb = {k: v[pick] for k, v in rollout.items()}
            adv = mb["advantage"]
            adv = standardise(adv)
            logits, value = policy(mb)
            ratio = (log_prob_of(logits, mb["action"]) - mb["logp"]).exp()
            clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
            policy_loss = -torch.min(ratio * adv, clipped * adv).mean()
            value_loss = F.smooth_l1_loss(value, mb["target"])
            entropy = Categorical(logits=logits).entropy().mean()
            loss = policy_loss + 0.5 * value_loss - args.entropy * entropy
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            optimizer.step()
    return loss.item()


if __name__ == "__main__":
    args = get_args()
    torch.manual_seed(1)
    field = RoverField(args.rovers)
    policy = RoverPolicy(args.hidden)
    optimizer = torch.optim.Adam(policy.parameters(), lr=args.lr)
    obs = to_torch(field.reset())
    for update in range(args.updates):
        rollout, obs, mean_reward = collect(field, policy, obs, args)
        loss = improve(policy, optimizer, rollout, args)
        print(f"update {update}: reward {mean_reward:+.3f} loss {loss:+.3f}")
