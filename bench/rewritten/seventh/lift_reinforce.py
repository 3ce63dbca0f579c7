"""REINFORCE for a lift that serves four floors."""
import torch
from torch import nn

torch.manual_seed(11)
policy = nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 4))
opt = torch.optim.RMSprop(policy.parameters(), lr=2e-3)


def discounted(rewards, gamma=0.95):
    out, running = [], 0.0
    for r in reversed(rewards.tolist()):
        running = r + gamma * running
        out.append(running)
    out.reverse()
    g = torch.tensor(out)
    return (g - g.mean()) / (g.std() + 1e-8)


def policy_loss(obs, acts, gains):
    probs = torch.softmax(policy(obs), dim=1)
    picked = probs.gather(1, acts.unsqueeze(1)).squeeze(1)
    return -(picked.log() * gains).mean()


def rollout(steps=40):
    obs = torch.randn(steps, 6)
    with torch.no_grad():
        acts = torch.distributions.Categorical(logits=policy(obs)).sample()
    rewards = -(acts.float() - obs[:, 0]).abs()
    return obs, acts, rewards


for episode in range(5):
    obs, acts, rewards = rollout()
    loss = policy_loss(obs, acts, discounted(rewards))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(episode, float(rewards.sum()))
