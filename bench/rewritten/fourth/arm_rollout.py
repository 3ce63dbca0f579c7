"""World model of a robot arm, rolled out open loop."""
import torch
import torch.nn as nn


class JointDynamics(nn.Module):
    def __init__(self, joints, hidden):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(3 * joints, hidden),
            nn.Tanh(),
            nn.Linear(hidden, 2 * joints),
        )

    def forward(self, state, torque):
        return state + 0.05 * self.net(torch.cat([state, torque], dim=-1))


class Kinematics(nn.Module):
    """Joint state to the position of the tool."""

    def __init__(self, joints, hidden):
        super().__init__()
        self.fc = nn.Linear(2 * joints, hidden)
        self.xyz = nn.Linear(hidden, 3)

    def forward(self, state):
        return self.xyz(torch.sin(self.fc(state)))


def rollout(dynamics, state, torques):
    steps = torques.shape[1]
    traj = state.unsqueeze(1)
    for i in range(steps):
        state = dynamics(state, torques[:, i])
        # keep every state of the way
        traj = torch.cat([traj, state.unsqueeze(1)], dim=1)
    return traj


class ArmModel(nn.Module):
    def __init__(self, joints=4, hidden=20):
        super().__init__()
        self.dynamics = JointDynamics(joints, hidden)
        self.kin = Kinematics(joints, hidden)

    def forward(self, state, torques):
        traj = rollout(self.dynamics, state, torques)
        return self.kin(traj)


ArmModel()(torch.randn(2, 8), torch.randn(2, 6, 4))
