"""A model of a gripper: the next state from the state and the action."""
import torch
from torch import nn


class Dynamics(nn.Module):
    def __init__(self, state, action, hidden=32):
        super().__init__()
        self.hidden = nn.Sequential(nn.Linear(state + action, hidden), nn.ELU(),
                                    nn.Linear(hidden, hidden), nn.ELU())
        self.delta = nn.Linear(hidden, state)

    def forward(self, state, action):
        pair = torch.cat([state, action], dim=-1).clone()
        change = self.delta(self.hidden(pair))
        return state + 0.1 * change


def imagine(model, state, plan):
    """Rolls the model out over a plan (steps, batch, action)."""
    path = []
    for action in plan:
        state = model(state, action)
        path.append(state)
    return torch.stack(path)


def best_plan(model, state, goal, tries=16, steps=5):
    plans = torch.randn(steps, tries, 2)
    ends = imagine(model, state.expand(tries, -1), plans)[-1]
    best = (ends - goal).norm(dim=-1).argmin()
    return plans[:, best]


if __name__ == "__main__":
    torch.manual_seed(0)
    model = Dynamics(4, 2)
    with torch.no_grad():
        print(best_plan(model, torch.zeros(1, 4), torch.ones(4)).shape)
