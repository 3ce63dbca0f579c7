import copy

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical


def mlp(sizes, act=nn.Tanh):
    layers = []
    for a, b in zip(sizes[:-2], sizes[1:-1]):
        layers += [nn.Linear(a, b), act()]
    layers.append(nn.Linear(sizes[-2], sizes[-1]))
    return nn.Sequential(*layers)


class RecurrentActorCritic(nn.Module):
    def __init__(self, obs_dim, n_actions, hidden=32):
        super().__init__()
        self.hidden = hidden
        self.encoder = nn.Sequential(nn.Linear(obs_dim, hidden), nn.LayerNorm(hidden), nn.ReLU())
        self.action_embed = nn.Embedding(n_actions + 1, 8)  # last row: no action yet
        self.core = nn.LSTM(hidden + 8, hidden)
        self.policy = mlp([hidden, hidden, n_actions])
        self.value = mlp([hidden, hidden, 1])

    def initial_state(self, n_envs):
        return torch.zeros(1, n_envs, self.hidden), torch.zeros(1, n_envs, self.hidden)

    def forward(self, obs, prev_action, done, state):
        """obs [T, N, O], prev_action [T, N], done [T, N] -> logits [T, N, A], value [T, N], state"""
        x = torch.cat([self.encoder(obs), self.action_embed(prev_action)], dim=-1)
        outputs = []
        for step, mask in zip(x, 1.0 - done):
            h, c = state
            keep = mask.view(1, -1, 1)
            out, state = self.core(step.unsqueeze(0), (h * keep, c * keep))
            outputs.append(out)
        features = torch.cat(outputs, dim=0)
        return self.policy(features), self.value(features).squeeze(-1), state

    @torch.no_grad()
    def act(self, obs, prev_action, done, state):
        logits, value, state = self(obs[None], prev_action[None], done[None], state)
        dist = Categorical(logits=logits[0])
        action = dist.sample()
        return action, dist.log_prob(action), value[0], state


class QNetwork(nn.Module):
    def __init__(self, obs_dim, n_actions, hidden=32):
        super().__init__()
        self.trunk = mlp([obs_dim, hidden, hidden])
        self.advantage = nn.Linear(hidden, n_actions)
        self.baseline = nn.Linear(hidden, 1)

    def forward(self, obs):
        h = torch.relu(self.trunk(obs))
        adv = self.advantage(h)
        return self.baseline(h) + adv - adv.mean(dim=-1, keepdim=True)


def make_target(net):
    return copy.deepcopy(net).requires_grad_(False)


@torch.no_grad()
def soft_update(net, target, tau=0.05):
    for p, tp in zip(net.parameters(), target.parameters()):
        tp.lerp_(p, tau)


class ReplayBuffer:
    def __init__(self, capacity, obs_dim):
        self.obs = np.zeros((capacity, obs_dim), dtype=np.float32)
        self.next_obs = np.zeros((capacity, obs_dim), dtype=np.float32)
        self.action = np.zeros(capacity, dtype=np.int64)
        self.reward = np.zeros(capacity, dtype=np.float32)
        self.done = np.zeros(capacity, dtype=np.float32)
        self.capacity, self.ptr, self.size = capacity, 0, 0

    def add(self, obs, action, reward, next_obs, done):
        for row in zip(obs, action, reward, next_obs, done):
            i = self.ptr
            self.obs[i], self.action[i], self.reward[i], self.next_obs[i], self.done[i] = row
            self.ptr = (self.ptr + 1) % self.capacity
            self.size = min(self.size + 1, self.capacity)

    def sample(self, batch_size):
        idx = np.random.randint(0, self.size, batch_size)
        fields = (self.obs, self.action, self.reward, self.next_obs, self.done)
        return tuple(torch.from_numpy(f[idx]) for f in fields)
