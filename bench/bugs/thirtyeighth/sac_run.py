import numpy as np
import torch
import torch.nn.functional as F

from sac_agent import Agent

SIDE = 20
FRAMES = 3
ACTIONS = 2


class DotWorld:
    """A dot that should be pushed to the middle of the picture."""

    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)

    def picture(self):
        image = np.zeros((SIDE, SIDE), dtype=np.uint8)
        x, y = ((self.pos + 1) / 2 * (SIDE - 1)).round().astype(int)
        image[y, x] = 255
        return image

    def reset(self):
        self.pos = self.rng.uniform(-1, 1, size=2)
        self.frames = [self.picture()] * FRAMES
        self.time = 0
        return np.stack(self.frames)

    def step(self, action):
        self.pos = np.clip(self.pos + 0.2 * action, -1, 1)
        self.frames = self.frames[1:] + [self.picture()]
        self.time += 1
        distance = np.linalg.norm(self.pos)
        return np.stack(self.frames), -distance, distance < 0.1, self.time >= 10


class Replay:
    def __init__(self, capacity):
        self.capacity = capacity
        self.obs = torch.zeros(capacity, FRAMES, SIDE, SIDE, dtype=torch.uint8)
        self.next_obs = torch.zeros_like(self.obs)
        self.action = torch.zeros(capacity, ACTIONS)
        self.reward = torch.zeros(capacity, 1)
        self.done = torch.zeros(capacity, 1)
        self.count = 0

    def add(self, obs, action, reward, next_obs, done):
        i = self.count % self.capacity
        self.obs[i] = torch.from_numpy(obs)
        self.next_obs[i] = torch.from_numpy(next_obs)
        self.action[i] = torch.from_numpy(action)
        self.reward[i] = float(reward)
        self.done[i] = float(done)
        self.count += 1

    def sample(self, size):
        index = torch.randint(0, min(self.count, self.capacity), (size,))
        batch = {name: getattr(self, name)[index]
                 for name in ("obs", "action", "reward", "next_obs", "done")}
        batch["obs"] = shift(batch["obs"])
        batch["next_obs"] = shift(batch["next_obs"])
        return batch


def shift(pictures, pad=2):
    """Random crops of padded pictures: the augmentation of DrQ."""
    n, c, h, w = pictures.shape
    padded = F.pad(pictures.float(), (pad, pad, pad, pad), mode="replicate")
    step = torch.linspace(-1, 1, h + 2 * pad)[:h]
    grid = torch.stack(torch.meshgrid(step, step, indexing="xy"), dim=-1)
    grid = grid.unsqueeze(0).repeat(n, 1, 1, 1)
    offset = torch.randint(0, 2 * pad + 1, (n, 1, 1, 2)) * 2.0 / (h + 2 * pad - 1)
    return F.grid_sample(padded, grid + offset, mode="nearest", align_corners=True)


def returns(rewards, gamma=0.99):
    """Discounted sums of what is still to come."""
    rewards = torch.tensor(rewards, dtype=torch.float32)
    discount = gamma ** torch.arange(len(rewards))
    matrix = torch.stack([torch.cat([torch.zeros(i), discount[:len(rewards) - i]])
                          for i in range(len(rewards))])
    return matrix @ rewards


def main():
    torch.manual_seed(0)
    env = DotWorld()
    agent = Agent(FRAMES, SIDE, ACTIONS)
    critic_params = [*agent.encoder.parameters(), *agent.critic.parameters(),
                     *agent.ending.parameters()]
    critic_opt = torch.optim.Adam(critic_params, lr=1e-3)
    actor_opt = torch.optim.Adam([*agent.actor.parameters(), agent.log_alpha], lr=1e-3)
    replay = Replay(200)
    obs = env.reset()
    rewards, lengths = [], []
    for step in range(40):
        action = agent.act(obs)
        next_obs, reward, done, timeout = env.step(action)
        replay.add(obs, action, reward, next_obs, done)
        rewards.append(float(reward))
        obs = next_obs
        if done or timeout:
            lengths.append(env.time)
            obs = env.reset()
        if step >= 30:
            batch = replay.sample(16)
            loss = agent.critic_loss(batch)
            critic_opt.zero_grad()
            loss.backward()
            critic_opt.step()
            loss = agent.actor_loss(batch)
            actor_opt.zero_grad()
            loss.backward()
            actor_opt.step()
            agent.soft_update()
    print("return", returns(rewards)[0].item())
    print("mean length", torch.tensor(lengths).float().mean().item())


if __name__ == "__main__":
    main()
