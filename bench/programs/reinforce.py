import gymnasium as gym
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical
from torch.utils.tensorboard import SummaryWriter


class Policy(nn.Module):
    def __init__(self, obs_dim, n_actions):
        super().__init__()
        self.fc1 = nn.Linear(obs_dim, 128)
        self.pi = nn.Linear(128, n_actions)
        self.v = nn.Linear(128, 1)

    def forward(self, x):
        h = F.relu(self.fc1(x))
        return self.pi(h), self.v(h)


writer = SummaryWriter("runs/cartpole")
env = gym.make("CartPole-v1")
policy = Policy(env.observation_space.shape[0], env.action_space.n)
opt = torch.optim.Adam(policy.parameters(), lr=1e-3)

for episode in range(100):
    obs, _ = env.reset(seed=episode)
    log_probs, values, rewards = [], [], []
    done = False
    while not done:
        state = torch.as_tensor(obs, dtype=torch.float32)
        logits, value = policy(state)
        dist = Categorical(logits=logits)
        action = dist.sample()
        obs, reward, terminated, truncated, _ = env.step(action.item())
        log_probs.append(dist.log_prob(action))
        values.append(value)
        rewards.append(reward)
        done = terminated or truncated
    returns = torch.tensor(rewards).flip(0).cumsum(0).flip(0)
    values = torch.cat(values)
    adv = returns - values.detach()
    loss = -(torch.stack(log_probs) * adv).mean() + F.mse_loss(values, returns)
    opt.zero_grad()
    loss.backward()
    opt.step()
    writer.add_scalar("loss", loss.item(), episode)
