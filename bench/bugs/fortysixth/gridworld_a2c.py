# %% [markdown]
# # Lesson 9: advantage actor-critic on a grid world
# The agent (value 1.0) has to reach the goal (value 0.5) without stepping on lava (value -1.0).
# It sees the last four frames, as the Atari agents do.

# %%
from collections import deque

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(3)
np.random.seed(3)

SIDE = 8
FRAMES = 4
ENVS = 5
STEPS = 6
GAMMA, LAMBDA = 0.97, 0.9
MOVES = np.array([[-1, 0], [1, 0], [0, -1], [0, 1]])


# %% The world
class GridWorld:
    def __init__(self, side=SIDE, lava=4):
        self.side, self.lava = side, lava
        self.reset()

    def reset(self):
        spots = np.random.permutation(self.side * self.side)[: self.lava + 2]
        cells = np.stack([spots // self.side, spots % self.side], axis=1)
        self.agent, self.goal, self.pits = cells[0], cells[1], cells[2:]
        self.t = 0
        return self.draw()

    def draw(self):
        frame = np.zeros((self.side, self.side), dtype=np.float32)
        frame[self.pits[:, 0], self.pits[:, 1]] = -1.0
        frame[tuple(self.goal)] = 0.5
        frame[tuple(self.agent)] = 1.0
        return frame

    def step(self, action):
        self.agent = np.clip(self.agent + MOVES[action], 0, self.side - 1)
        self.t += 1
        if (self.agent == self.goal).all():
            return self.draw(), 1.0, True
        if (self.pits == self.agent).all(axis=1).any():
            return self.draw(), -1.0, True
        return self.draw(), -0.01, self.t >= 30


class StackedEnvs:
    """Several worlds at once, each with a queue of its last frames."""

    def __init__(self, n, frames):
        self.worlds = [GridWorld() for _ in range(n)]
        self.queues = [deque(maxlen=frames) for _ in range(n)]
        for world, queue in zip(self.worlds, self.queues):
            queue.extend([world.reset()] * frames)

    def observe(self):
        return torch.from_numpy(np.stack([np.stack(q) for q in self.queues]))

    def step(self, actions):
        rewards, dones = [], []
        for world, queue, action in zip(self.worlds, self.queues, actions.tolist()):
            frame, reward, done = world.step(action)
            if done:
                queue.extend([world.reset()] * queue.maxlen)
            else:
                queue.append(frame)
            rewards.append(reward)
            dones.append(done)
        return self.observe(), torch.tensor(rewards), torch.tensor(dones)


# %% The network: a torso for both, a GRU cell as memory, two heads
class ActorCritic(nn.Module):
    def __init__(self, frames, actions, hidden=64):
        super().__init__()
        self.torso = nn.Sequential(
            nn.Conv2d(frames, 16, kernel_size=3, padding=1),
            nn.ReLU(),
            nn.Conv2d(16, 32, kernel_size=3, stride=2, padding=1),
            nn.ReLU(),
        )
        self.squeeze = nn.Linear(32 * (SIDE // 2) ** 2, hidden)
        self.last_action = nn.Embedding(actions + 1, 8)
        self.memory = nn.GRUCell(hidden + 8, hidden)
        self.actor = nn.Linear(hidden, actions)
        self.critic = nn.Linear(hidden, 1)

    def forward(self, obs, action, state):
        z = self.torso(obs).flatten(1)
        z = torch.relu(self.squeeze(z))
        z = torch.cat([z, self.last_action(action)], dim=-1)
        state = self.memory(z, state)
        return Categorical(logits=self.actor(state)), self.critic(state).squeeze(-1), state

    def start(self, n):
        return torch.zeros(n, self.memory.hidden_size)


# %% Generalised advantage estimation: rewards, dones [T, N]; values [T + 1, N]
def advantages(rewards, values, dones):
    out = torch.zeros_like(rewards)
    running = torch.zeros(rewards.size(1))
    alive = 1.0 - dones.float()
    for t in reversed(range(rewards.size(0))):
        delta = rewards[t] + GAMMA * values[t + 1] * alive[t] - values[t]
        running = delta + GAMMA * LAMBDA * alive[t] * running
        out[t] = running
    return out


# %% Make everything
envs = StackedEnvs(ENVS, FRAMES)
net = ActorCritic(FRAMES, len(MOVES))
optimizer = torch.optim.RMSprop(net.parameters(), lr=7e-4, eps=1e-5)

obs = envs.observe()
state = net.start(ENVS)
previous = torch.full((ENVS,), len(MOVES))  # "no action yet"
history = []

# %% The loop
for update in range(2):
    log_probs, entropies, values, rewards, dones = [], [], [], [], []
    for t in range(STEPS):
        policy, value, state = net(obs, previous, state)
        action = policy.sample()
        log_probs.append(policy.log_prob(action))
        entropies.append(policy.entropy())
        values.append(value)

        obs, reward, done = envs.step(action)
        rewards.append(reward)
        dones.append(done)
        state = torch.where(done.unsqueeze(-1), torch.zeros_like(state), state)
        previous = action.masked_fill(done, len(MOVES))

    with torch.no_grad():
        _, bootstrap, _ = net(obs, previous, state)
    values = torch.stack(values + [bootstrap])
    rewards, dones = torch.stack(rewards), torch.stack(dones)
    adv = advantages(rewards, values.detach(), dones)
    returns = adv + values[:-1].detach()

    actor_loss = -(torch.stack(log_probs) * adv).mean()
    critic_loss = nn.functional.mse_loss(values[:-1], returns)
    bonus = torch.stack(entropies).mean()
    loss = actor_loss + 0.5 * critic_loss - 0.01 * bonus

    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    optimizer.step()
    state = state.detach()
    history.append(torch.stack([loss.detach(), rewards.mean(), bonus.detach()]))

# %% Where does the agent think it is going?
with torch.no_grad():
    policy, value, _ = net(obs, previous, state)
    best = policy.probs.argmax(dim=-1)
    arrows = [["up", "down", "left", "right"][i] for i in best.tolist()]
print("loss, reward, entropy:", torch.stack(history).mean(dim=0).tolist())
print("greedy:", arrows)
