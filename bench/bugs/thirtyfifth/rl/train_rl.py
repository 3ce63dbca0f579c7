import numpy as np
import torch
import torch.nn.functional as F
from torch.distributions import Categorical

from nets import QNetwork, RecurrentActorCritic, ReplayBuffer, make_target, soft_update

OBS_DIM, N_ACTIONS, N_ENVS, HORIZON = 6, 4, 5, 12
GAMMA, LAMBDA, CLIP = 0.99, 0.95, 0.2


class VecEnv:
    """N toy environments: the reward is high where the action is the largest entry of the observation."""

    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)

    def reset(self):
        self.state = self.rng.normal(size=(N_ENVS, OBS_DIM)).astype(np.float32)
        return self.state

    def step(self, action):
        reward = (self.state[:, :N_ACTIONS].argmax(1) == action).astype(np.float32)
        self.state = self.rng.normal(size=(N_ENVS, OBS_DIM)).astype(np.float32)
        done = (self.rng.random(N_ENVS) < 0.1).astype(np.float32)
        return self.state, reward, done


def gae(rewards, values, dones, last_value):
    advantages = torch.zeros_like(rewards)
    running = torch.zeros_like(last_value)
    for t in reversed(range(rewards.size(0))):
        next_value = last_value if t == rewards.size(0) - 1 else values[t + 1]
        alive = 1.0 - dones[t]
        delta = rewards[t] + GAMMA * next_value * alive - values[t]
        running = delta + GAMMA * LAMBDA * alive * running
        advantages[t] = running
    return advantages, advantages + values


def collect(env, agent, buffer, obs, prev_action, prev_done, state):
    keys = ("obs", "prev_action", "prev_done", "action", "log_prob", "value", "reward", "done")
    rollout = {k: [] for k in keys}
    for _ in range(HORIZON):
        obs_t = torch.from_numpy(obs)
        action, log_prob, value, state = agent.act(obs_t, prev_action, prev_done, state)
        next_obs, reward, done = env.step(action.numpy())
        buffer.add(obs, action.numpy(), reward, next_obs, done)
        done = torch.from_numpy(done)
        step = (obs_t, prev_action, prev_done, action, log_prob, value, torch.from_numpy(reward), done)
        for k, v in zip(keys, step):
            rollout[k].append(v)
        obs, prev_done = next_obs, done
        prev_action = torch.where(done.bool(), torch.full_like(action, N_ACTIONS), action)
    rollout = {k: torch.stack(v) for k, v in rollout.items()}
    return rollout, obs, prev_action, prev_done, state


def ppo_loss(agent, rollout, advantages, returns, state):
    logits, values, _ = agent(rollout["obs"], rollout["prev_action"], rollout["prev_done"], state)
    dist = Categorical(logits=logits)
    ratio = (dist.log_prob(rollout["action"]) - rollout["log_prob"]).exp()
    adv = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    surrogate = torch.min(ratio * adv, ratio.clamp(1 - CLIP, 1 + CLIP) * adv)
    return -surrogate.mean() + 0.5 * F.mse_loss(values, returns) - 0.01 * dist.entropy().mean()


def q_loss(q, q_target, batch):
    obs, action, reward, next_obs, done = batch
    chosen = q(obs).gather(1, action.unsqueeze(1)).squeeze(1)
    with torch.no_grad():
        best = q(next_obs).argmax(dim=1, keepdim=True)
        bootstrap = q_target(next_obs).gather(1, best).squeeze(1)
        target = reward + GAMMA * (1 - done) * bootstrap
    return F.smooth_l1_loss(chosen, target)


def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    np.random.seed(0)
    env, agent, q = VecEnv(), RecurrentActorCritic(OBS_DIM, N_ACTIONS), QNetwork(OBS_DIM, N_ACTIONS)
    q_target = make_target(q)
    buffer = ReplayBuffer(256, OBS_DIM)
    opt = torch.optim.Adam(list(agent.parameters()) + list(q.parameters()), lr=3e-4)

    obs, state = env.reset(), agent.initial_state(N_ENVS)
    prev_action = torch.full((N_ENVS,), N_ACTIONS)
    prev_done = torch.zeros(N_ENVS)
    for update in range(2):
        start_state = state
        rollout, obs, prev_action, prev_done, state = collect(env, agent, buffer, obs, prev_action, prev_done, state)
        with torch.no_grad():
            _, last_value, _ = agent(torch.from_numpy(obs)[None], prev_action[None], prev_done[None], state)
        advantages, returns = gae(rollout["reward"], rollout["value"], rollout["done"], last_value[0])
        loss = ppo_loss(agent, rollout, advantages, returns, start_state)
        loss = loss + q_loss(q, q_target, buffer.sample(32))
        opt.zero_grad()
        loss.backward()
        opt.step()
        soft_update(q, q_target)
        print(update, loss.item(), rollout["reward"].mean().item())


if __name__ == "__main__":
    main()
