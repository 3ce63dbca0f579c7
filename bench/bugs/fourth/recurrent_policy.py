"""PPO for pixels and a vector of sensors, with an LSTM between encoder and heads."""

import torch
import torch.nn as nn
from torch.distributions import Categorical


def layer_init(layer, std=1.414, bias_const=0.0):
    nn.init.orthogonal_(layer.weight, std)
    nn.init.constant_(layer.bias, bias_const)
    return layer


class Agent(nn.Module):
    def __init__(self, frames=4, sensors=9, n_actions=6, hidden=72):
        super().__init__()
        self.network = nn.Sequential(
            layer_init(nn.Conv2d(frames, 16, 8, stride=4)),
            nn.ReLU(),
            layer_init(nn.Conv2d(16, 24, 4, stride=2)),
            nn.ReLU(),
            layer_init(nn.Conv2d(24, 24, 3, stride=1)),
            nn.ReLU(),
            nn.Flatten(),
            layer_init(nn.Linear(24 * 7 * 7, 100)),
            nn.ReLU(),
        )
        self.sensors = nn.Sequential(nn.Linear(sensors, 28), nn.Tanh())
        self.lstm = nn.LSTM(100 + 28, hidden)
        self.actor = layer_init(nn.Linear(hidden, n_actions), std=0.01)
        self.critic = layer_init(nn.Linear(hidden, 1), std=1)

    def get_states(self, image, sensors, lstm_state, done):
        hidden = torch.cat([self.network(image / 255.0), self.sensors(sensors)], dim=1)
        batch_size = lstm_state[0].shape[1]
        hidden = hidden.reshape((-1, batch_size, self.lstm.input_size))
        done = done.reshape((-1, batch_size))
        new_hidden = []
        for h, d in zip(hidden, done):
            h, lstm_state = self.lstm(
                h.unsqueeze(0),
                ((1.0 - d).view(1, -1, 1) * lstm_state[0], (1.0 - d).view(1, -1, 1) * lstm_state[1]),
            )
            new_hidden += [h]
        new_hidden = torch.flatten(torch.cat(new_hidden), 0, 1)
        return new_hidden, lstm_state

    def forward(self, image, sensors, lstm_state, done, action):
        hidden, lstm_state = self.get_states(image, sensors, lstm_state, done)
        logits = self.actor(hidden)
        probs = Categorical(logits=logits)
        return probs.log_prob(action), probs.entropy(), self.critic(hidden).flatten(), lstm_state


class PPOLoss(nn.Module):
    def __init__(self, agent, clip=0.2):
        super().__init__()
        self.agent, self.clip = agent, clip

    def forward(self, image, sensors, state, done, action, old_logprob, advantage, returns):
        logprob, entropy, value, _ = self.agent(image, sensors, state, done, action)
        ratio = (logprob - old_logprob).exp()
        clipped = torch.clamp(ratio, 1 - self.clip, 1 + self.clip)
        pg_loss = -torch.min(ratio * advantage, clipped * advantage).mean()
        v_loss = 0.5 * ((value - returns) ** 2).mean()
        return pg_loss + v_loss - 0.01 * entropy.mean()


agent = Agent()
ppo = PPOLoss(agent)
state = (torch.zeros(1, 3, 72), torch.zeros(1, 3, 72))
n = 5 * 3
ppo(
    torch.rand(n, 4, 84, 84),
    torch.randn(n, 9),
    state,
    torch.zeros(n),
    torch.randint(0, 6, (n,)),
    torch.randn(n),
    torch.randn(n),
    torch.randn(n),
)
