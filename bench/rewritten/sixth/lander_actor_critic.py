"""Actor and critic on one trunk, for a lander with four engines; only the actor shapes the trunk."""

import torch
from torch import nn
from torch.distributions import Categorical


class ActorCritic(nn.Module):
    def __init__(self, observed: int = 8, actions: int = 4, width: int = 32):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(observed, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh())
        self.actor = nn.Linear(width, actions)
        self.critic = nn.Linear(width, 1)

    def forward(self, state: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        h = self.trunk(state)
        policy = Categorical(logits=self.actor(h))
        value = self.critic(h.detach()).squeeze(-1)
        return policy, value


def returns(rewards: torch.Tensor, gamma: float = 0.97) -> torch.Tensor:
    """Discounted sums of what follows: (steps, lanes)."""
    found = []
    running = torch.zeros_like(rewards[0])
    for reward in rewards.flip(0).unbind(0):
        running = reward + gamma * running
        found.append(running)
    return torch.stack(found[::-1])


def update(agent: ActorCritic, optimizer: torch.optim.Optimizer, states, actions, rewards) -> tuple[float, float]:
    policy, value = agent(states)
    goal = returns(rewards)
    advantage = (goal - value).detach()
    actor_loss = -(policy.log_prob(actions) * advantage).mean() - 0.01 * policy.entropy().mean()
    critic_loss = nn.functional.smooth_l1_loss(value, goal)
    optimizer.zero_grad()
    (actor_loss + 0.5 * critic_loss).backward()
    optimizer.step()
    return actor_loss.item(), critic_loss.item()


if __name__ == "__main__":
    torch.manual_seed(66)
    agent = ActorCritic()
    adam = torch.optim.Adam(agent.parameters(), lr=2e-3)
    for episode in range(4):
        states = torch.randn(30, 5, 8)
        with torch.no_grad():
            actions = agent(states)[0].sample()
        rewards = -states.norm(dim=-1) + 0.5 * (actions == 2).float()
        print(episode, update(agent, adam, states, actions, rewards))
