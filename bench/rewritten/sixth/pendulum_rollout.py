"""Many pendulums at once, leapfrog; the length of the rods is fitted to observed angles."""

import torch

G = 9.81


def acceleration(theta, rod):
    return -(G / rod) * torch.sin(theta)


def simulate(theta, omega, rod, dt=0.02, steps=40):
    """Angles over time: (steps + 1, pendulums)."""
    path = theta[None]
    omega = omega + 0.5 * dt * acceleration(theta, rod)
    for _ in range(steps):
        theta = theta + dt * omega
        omega = omega + dt * acceleration(theta, rod)
        path = torch.cat([path, theta[None]])
    return path


def recover(observed, theta0, omega0, guess, rounds=15):
    log_rod = guess.log().requires_grad_()
    opt = torch.optim.Adam([log_rod], lr=0.05)
    for _ in range(rounds):
        opt.zero_grad()
        angles = simulate(theta0, omega0, log_rod.exp())
        misfit = torch.mean((angles - observed) ** 2)
        misfit.backward()
        opt.step()
    return log_rod.detach().exp(), misfit.detach()


torch.manual_seed(2)
true_rod = torch.empty(6).uniform_(0.5, 2.0)
theta0 = torch.empty(6).uniform_(-1.0, 1.0)
omega0 = torch.zeros(6)
observed = simulate(theta0, omega0, true_rod)
rod, misfit = recover(observed, theta0, omega0, torch.ones(6))
print("true", true_rod.tolist())
print("found", rod.tolist(), "misfit", float(misfit))
