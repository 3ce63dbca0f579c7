"""Advantage actor-critic in a small grid world, with its own vector environment and storage."""

import argparse
from collections import namedtuple

import torch
import torch.nn as nn
from torch.distributions import Categorical

Step = namedtuple("Step", "obs position action reward done value log_prob")


class GridWorld:
    """`n` grids at once: the agent, the goal and walls are planes of zeros and ones."""

    def __init__(self, n=6, size=9):
        self.n, self.size = n, size
        self.moves = torch.tensor([[0, 1], [0, -1], [1, 0], [-1, 0]])
        self.walls = (torch.rand(n, size, size) < 0.1).float()

    def reset(self):
        self.agent = torch.randint(0, self.size, (self.n, 2))
        self.goal = torch.randint(0, self.size, (self.n, 2))
        return self.observe()

    def observe(self):
        obs = torch.zeros(self.n, 3, self.size, self.size)
        each = torch.arange(self.n)
        obs[each, 0, self.agent[:, 0], self.agent[:, 1]] = 1
        obs[each, 1, self.goal[:, 0], self.goal[:, 1]] = 1
        obs[:, 2] = self.walls
        return obs, self.agent.float() / self.size

    def step(self, action):
        self.agent = (self.agent + self.moves[action]).clamp(0, self.size - 1)
        done = (self.agent == self.goal).all(dim=1).float()
        reward = done - 0.01
        fresh = torch.randint(0, self.size, (self.n, 2))
        self.goal = torch.where(done.bool()[:, None], fresh, self.goal)
        return self.observe(), reward, done


class ActorCritic(nn.Module):
    def __init__(self, size=9, hidden=128, actions=4):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(3, 16, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Flatten(),
        )
        side = (size + 1) // 2
        self.fc = nn.Linear(32 * side * side, hidden)
        self.place = nn.Linear(2, 16)
        self.actor = nn.Sequential(nn.Linear(hidden + 16, 64), nn.Tanh(), nn.Linear(64, actions))
        self.critic = nn.Sequential(nn.Linear(hidden + 16, 64), nn.Tanh(), nn.Linear(64, 1))

    def forward(self, obs, position):
        h = torch.relu(self.fc(self.conv(obs)))
        h = torch.cat([h, torch.relu(self.place(position))], dim=-1)
        return self.actor(h), self.critic(h).squeeze(-1)

    @torch.no_grad()
    def act(self, obs, position):
        logits, value = self(obs, position)
        dist = Categorical(logits=logits)
        action = dist.sample()
        return action, dist.log_prob(action), value


def collect(env, model, state, length):
    steps = []
    for _ in range(length):
        obs, position = state
        action, log_prob, value = model.act(obs, position)
        state, reward, done = env.step(action)
        steps.append(Step(obs, position, action, reward, done, value, log_prob))
    return state, Step(*(torch.stack(field) for field in zip(*steps)))


def advantages(batch, last_value, gamma=0.99, lam=0.95):
    length, n = batch.reward.shape
    out = torch.zeros(length, n)
    running = torch.zeros(n)
    for t in reversed(range(length)):
        following = last_value if t == length - 1 else batch.value[t + 1]
        alive = 1 - batch.done[t]
        delta = batch.reward[t] + gamma * following * alive - batch.value[t]
        running = delta + gamma * lam * alive * running
        out[t] = running
    return out, out + batch.value


def update(model, optimizer, batch, advantage, returns, entropy_weight=0.01):
    obs = batch.obs.flatten(0, 1)
    logits, values = model(obs, batch.position.flatten(0, 1))
    dist = Categorical(logits=logits)
    log_prob = dist.log_prob(batch.action.reshape(-1))
    advantage = advantage.reshape(-1)
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    ratio = (log_prob - batch.log_prob.reshape(-1)).exp()
    clipped = ratio.clamp(0.8, 1.2)
    policy_loss = -torch.min(ratio * advantage, clipped * advantage).mean()
    value_loss = (values - returns.reshape(-1)).pow(2).mean()
    loss = policy_loss + 0.5 * value_loss - entropy_weight * dist.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
    return loss.item()


@torch.no_grad()
def evaluate(model, env, length=8):
    obs, position = env.reset()
    visits = torch.zeros(env.n, env.size, env.size)
    total = torch.zeros(env.n)
    for _ in range(length):
        logits, _ = model(obs, position)
        action = logits.argmax(dim=-1)
        (obs, position), reward, done = env.step(action)
        visits += obs[:, 0]
        total += reward
    return total.mean().item(), (visits / length).amax(dim=(1, 2))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--updates", type=int, default=2)
    parser.add_argument("--rollout", type=int, default=5)
    parser.add_argument("--hidden", type=int, default=128)
    args = parser.parse_args()

    env = GridWorld()
    model = ActorCritic(env.size, args.hidden)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=7e-4)
    state = env.reset()
    for _ in range(args.updates):
        state, batch = collect(env, model, state, args.rollout)
        with torch.no_grad():
            _, last = model(*state)
        advantage, returns = advantages(batch, last)
        print(update(model, optimizer, batch, advantage, returns))
    print(evaluate(model, GridWorld(n=3)))


if __name__ == "__main__":
    main()
