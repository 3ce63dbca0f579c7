"""Soft actor-critic from pixels and joints: two critics, a squashed policy, an agent that is no module."""

import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Independent, Normal, TanhTransform, TransformedDistribution

LOG_STD_MIN, LOG_STD_MAX = -5, 2


def layer_init(layer, std=2**0.5):
    nn.init.orthogonal_(layer.weight, std)
    nn.init.constant_(layer.bias, 0.0)
    return layer


class PixelEncoder(nn.Module):
    def __init__(self, obs_shape, feature_dim=50):
        super().__init__()
        c, h, w = obs_shape
        self.convs = nn.Sequential(
            layer_init(nn.Conv2d(c, 16, 3, stride=2)),
            nn.ReLU(),
            layer_init(nn.Conv2d(16, 16, 3, stride=1)),
            nn.ReLU(),
        )
        with torch.no_grad():
            n_flatten = self.convs(torch.zeros(1, c, h, w)).view(1, -1).shape[1]
        self.fc = nn.Linear(n_flatten, feature_dim)
        self.ln = nn.LayerNorm(feature_dim)

    def forward(self, obs):
        h = self.convs(obs / 255.0)
        h = h.reshape(h.size(0), -1)
        return torch.tanh(self.ln(self.fc(h)))


class SoftQNetwork(nn.Module):
    def __init__(self, feature_dim, joint_dim, action_dim, hidden=64):
        super().__init__()
        self.fc1 = layer_init(nn.Linear(feature_dim + joint_dim + action_dim, hidden))
        self.fc2 = layer_init(nn.Linear(hidden, hidden))
        self.fc3 = nn.Linear(hidden, 1)

    def forward(self, features, joints, action):
        x = torch.cat([features, joints, action], dim=1)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x).squeeze(-1)


class Actor(nn.Module):
    def __init__(self, feature_dim, joint_dim, action_dim, hidden=64, action_scale=(1.0, 0.5, 2.0)):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(feature_dim + joint_dim, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.fc_mean = nn.Linear(hidden, action_dim)
        self.fc_logstd = nn.Linear(hidden, action_dim)
        self.register_buffer("action_scale", torch.tensor(action_scale))

    def forward(self, features, joints):
        x = self.trunk(torch.cat([features, joints], dim=-1))
        mean, log_std = self.fc_mean(x), torch.tanh(self.fc_logstd(x))
        log_std = LOG_STD_MIN + 0.5 * (LOG_STD_MAX - LOG_STD_MIN) * (log_std + 1)
        return mean, log_std

    def get_action(self, features, joints):
        mean, log_std = self(features, joints)
        base = Independent(Normal(mean, log_std.exp()), 1)
        policy = TransformedDistribution(base, TanhTransform(cache_size=1))
        action = policy.rsample()
        log_prob = policy.log_prob(action) - self.action_scale.log().sum()
        return action * self.action_scale, log_prob


class SACAgent:
    def __init__(self, obs_shape=(9, 20, 20), joint_dim=7, action_dim=3, feature_dim=50, gamma=0.99):
        self.gamma = gamma
        self.encoder = PixelEncoder(obs_shape, feature_dim)
        self.actor = Actor(feature_dim, joint_dim, action_dim)
        self.critics = [SoftQNetwork(feature_dim, joint_dim, action_dim) for _ in range(2)]
        self.targets = [copy.deepcopy(critic) for critic in self.critics]
        self.log_alpha = nn.Parameter(torch.zeros(1))
        self.target_entropy = -float(action_dim)

    def critic_loss(self, batch):
        with torch.no_grad():
            next_features = self.encoder(batch["next_obs"])
            next_action, next_log_pi = self.actor.get_action(next_features, batch["next_joints"])
            target_q = torch.min(*[q(next_features, batch["next_joints"], next_action) for q in self.targets])
            target_v = target_q - self.log_alpha.exp() * next_log_pi
            target = batch["reward"] + (1 - batch["done"].float()) * self.gamma * target_v
        features = self.encoder(batch["obs"])
        values = torch.stack([q(features, batch["joints"], batch["action"]) for q in self.critics])
        return F.mse_loss(values, target.expand_as(values))

    def actor_loss(self, batch):
        features = self.encoder(batch["obs"]).detach()
        action, log_pi = self.actor.get_action(features, batch["joints"])
        q = torch.stack([critic(features, batch["joints"], action) for critic in self.critics], dim=1)
        return (self.log_alpha.exp().detach() * log_pi - q.min(dim=1).values).mean()

    def update(self, batch):
        return self.critic_loss(batch) + self.actor_loss(batch)


def sample_batch(n=8):
    return {
        "obs": torch.randint(0, 256, (n, 9, 20, 20)).float(),
        "next_obs": torch.randint(0, 256, (n, 9, 20, 20)).float(),
        "joints": torch.randn(n, 7),
        "next_joints": torch.randn(n, 7),
        "action": torch.rand(n, 3) * 2 - 1,
        "reward": torch.randn(n),
        "done": torch.zeros(n, dtype=torch.bool),
    }


if __name__ == "__main__":
    agent = SACAgent()
    print(agent.update(sample_batch()))
