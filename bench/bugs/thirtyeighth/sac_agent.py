"""Soft actor-critic from pictures: encoder, actor, twin critics."""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Normal


class PixelEncoder(nn.Module):
    def __init__(self, frames, side, feature_dim):
        super().__init__()
        self.convs = nn.Sequential(
            nn.Conv2d(frames, 16, 3, stride=2), nn.ReLU(),
            nn.Conv2d(16, 16, 3, stride=2), nn.ReLU(),
            nn.Conv2d(16, 16, 3), nn.ReLU(),
        )
        with torch.no_grad():
            flat = self.convs(torch.zeros(1, frames, side, side)).numel()
        self.fc = nn.Linear(flat, feature_dim)
        self.norm = nn.LayerNorm(feature_dim)

    def forward(self, obs):
        h = self.convs(obs.float() / 255.0 - 0.5)
        return torch.tanh(self.norm(self.fc(h.flatten(1))))


class Actor(nn.Module):
    def __init__(self, feature_dim, action_dim, hidden=64):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(feature_dim, hidden), nn.ReLU(),
                                   nn.Linear(hidden, 2 * action_dim))

    def forward(self, feature):
        mu, log_std = self.trunk(feature).chunk(2, dim=-1)
        log_std = log_std.clamp(-5, 2)
        dist = Normal(mu, log_std.exp())
        raw = dist.rsample()
        action = torch.tanh(raw)
        correction = torch.log(1 - action.pow(2) + 1e-6)
        log_prob = (dist.log_prob(raw) - correction).sum(dim=-1, keepdim=True)
        return action, log_prob


class QFunction(nn.Module):
    def __init__(self, feature_dim, action_dim, hidden=64):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(feature_dim + action_dim, hidden), nn.LayerNorm(hidden), nn.ReLU(),
            nn.Linear(hidden, 1))

    def forward(self, feature, action):
        return self.net(torch.cat([feature, action], dim=-1))


class Critic(nn.Module):
    def __init__(self, feature_dim, action_dim, members=2):
        super().__init__()
        self.members = nn.ModuleList(
            [QFunction(feature_dim, action_dim) for _ in range(members)])

    def forward(self, feature, action):
        return torch.stack([q(feature, action) for q in self.members])


class Agent(nn.Module):
    def __init__(self, frames, side, action_dim, feature_dim=32, gamma=0.99, tau=0.01):
        super().__init__()
        self.gamma, self.tau = gamma, tau
        self.encoder = PixelEncoder(frames, side, feature_dim)
        self.actor = Actor(feature_dim, action_dim)
        self.critic = Critic(feature_dim, action_dim)
        self.critic_target = copy.deepcopy(self.critic)
        self.ending = nn.Linear(feature_dim, 1)
        self.log_alpha = nn.Parameter(torch.zeros(1))
        self.target_entropy = -float(action_dim)

    @torch.no_grad()
    def act(self, obs):
        feature = self.encoder(torch.as_tensor(obs).unsqueeze(0))
        action, _ = self.actor(feature)
        return action.squeeze(0).numpy()

    def critic_loss(self, batch):
        feature = self.encoder(batch["obs"])
        with torch.no_grad():
            next_feature = self.encoder(batch["next_obs"])
            next_action, log_prob = self.actor(next_feature)
            next_q = self.critic_target(next_feature, next_action).min(dim=0).values
            value = next_q - self.log_alpha.exp() * log_prob
            target = batch["reward"] + self.gamma * (1 - batch["done"]) * value
        q = self.critic(feature, batch["action"])
        loss = F.mse_loss(q, target.expand(q.shape))
        end = torch.sigmoid(self.ending(feature))
        return loss + 0.1 * F.binary_cross_entropy(end, batch["done"])

    def actor_loss(self, batch):
        feature = self.encoder(batch["obs"]).detach()
        action, log_prob = self.actor(feature)
        q = self.critic(feature, action).amin(dim=0)
        alpha = self.log_alpha.exp()
        policy = (alpha.detach() * log_prob - q).mean()
        temperature = -(alpha * (log_prob.detach() + self.target_entropy)).mean()
        return policy + temperature

    @torch.no_grad()
    def soft_update(self):
        for slow, fast in zip(self.critic_target.parameters(), self.critic.parameters()):
            slow.lerp_(fast, self.tau)
