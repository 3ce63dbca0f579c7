"""Recurrent actor-critic for Atari (PPO)."""
import torch
import torch.nn as nn
import torch.nn.functional as F

FRAMES = 4
HIDDEN = 256


def ortho(layer, gain=2 ** 0.5):
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


class NatureCNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = ortho(nn.Conv2d(FRAMES, 32, 8, stride=4))
        self.conv2 = ortho(nn.Conv2d(32, 64, 4, stride=2))
        self.conv3 = ortho(nn.Conv2d(64, 64, 3, stride=1))
        self.fc = ortho(nn.Linear(64 * 7 * 7, 512))

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = F.relu(self.conv3(x))
        return F.relu(self.fc(x.flatten(1)))


class ActorCritic(nn.Module):
    """Observations are [envs, steps, 4, 84, 84] of uint8, the last actions [envs, steps]."""

    def __init__(self, n_actions=6):
        super().__init__()
        self.n_actions = n_actions
        self.cnn = NatureCNN()
        self.action_embed = nn.Linear(n_actions, 32)
        self.gru = nn.GRU(512 + 32, HIDDEN, batch_first=True)
        self.policy = ortho(nn.Linear(HIDDEN, n_actions), gain=0.01)
        self.value = ortho(nn.Linear(HIDDEN, 1), gain=1.0)

    def initial_state(self, envs, device=None):
        return torch.zeros(1, envs, HIDDEN, device=device)

    def forward(self, obs, last_action, state=None):
        b, t = obs.shape[:2]
        if state is None:
            state = self.initial_state(b, obs.device)
        frames = obs.flatten(0, 1)
        x = self.cnn(frames.float() / 255.0)
        x = x.view(b, t, -1)
        onehot = F.one_hot(last_action, self.n_actions).float()
        a = self.action_embed(onehot)
        x = torch.cat([x, a], dim=-1)
        x, state = self.gru(x, state)
        logits = self.policy(x)
        value = self.value(x).squeeze(-1)
        return logits, value, state

    @torch.no_grad()
    def act(self, obs, last_action, state):
        # one step: obs [envs, 4, 84, 84], last_action [envs]
        logits, value, state = self(obs.unsqueeze(1), last_action.unsqueeze(1), state)
        action = torch.distributions.Categorical(logits=logits[:, -1]).sample()
        return action, value[:, -1], state
