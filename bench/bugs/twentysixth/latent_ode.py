# irregular lab values: GRU backwards over visits -> z0, RK4 on a grid of hours, decoder; KL + gaussian likelihood
from dataclasses import dataclass

import torch
import torch.nn as nn
from torch.distributions import Normal, kl_divergence


@dataclass
class Hyper:
    n_labs: int = 12
    latent: int = 10
    rec_hidden: int = 40
    ode_hidden: int = 50
    static: int = 5
    steps: int = 20


class ODEFunc(nn.Module):
    def __init__(self, latent, hidden, static):
        super().__init__()
        layers, width = [], latent + static + 1
        for _ in range(2):
            layers += [nn.Linear(width, hidden), nn.Tanh()]
            width = hidden
        self.net = nn.Sequential(*layers, nn.Linear(width, latent))

    def forward(self, t, z, static):
        time = t.expand(z.size(0), 1)
        return self.net(torch.cat([z, static, time], dim=1))


def rk4(func, z0, ts, static):
    zs, z = [z0], z0
    for t0, t1 in zip(ts[:-1], ts[1:]):
        h = t1 - t0
        k1 = func(t0, z, static)
        k2 = func(t0 + h / 2, z + h / 2 * k1, static)
        k3 = func(t0 + h / 2, z + h / 2 * k2, static)
        k4 = func(t1, z + h * k3, static)
        z = z + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        zs.append(z)
    return torch.stack(zs, dim=1)


class RecognitionRNN(nn.Module):
    def __init__(self, n_labs, hidden, latent):
        super().__init__()
        self.hidden = hidden
        self.cell = nn.GRUCell(2 * n_labs + 1, hidden)
        self.to_params = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 2 * latent))

    def forward(self, values, mask, deltas):
        h = values.new_zeros(values.size(0), self.hidden)
        inputs = torch.cat([values * mask, mask, deltas.unsqueeze(-1)], dim=-1)
        for step in reversed(range(inputs.size(1))):
            h = self.cell(inputs[:, step], h)
        mean, logvar = self.to_params(h).chunk(2, dim=-1)
        return mean, logvar


class LatentODE(nn.Module):
    def __init__(self, hp: Hyper):
        super().__init__()
        self.recognition = RecognitionRNN(hp.n_labs, hp.rec_hidden, hp.latent)
        self.func = ODEFunc(hp.latent, hp.ode_hidden, hp.static)
        self.decoder = nn.Sequential(
            nn.Linear(hp.latent, hp.ode_hidden), nn.ReLU(), nn.Linear(hp.ode_hidden, hp.n_labs)
        )
        self.risk = nn.Linear(hp.latent + hp.static, 1)

    def forward(self, values, mask, deltas, static, ts):
        mean, logvar = self.recognition(values, mask, deltas)
        z0 = mean + torch.randn_like(mean) * (0.5 * logvar).exp()
        z = rk4(self.func, z0, ts, static)
        risk = self.risk(torch.cat([z[:, -1], static], dim=-1)).squeeze(-1)
        return self.decoder(z), risk, mean, logvar


def elbo(pred, values, mask, mean, logvar, noise=0.1):
    log_p = Normal(pred, noise).log_prob(values) * mask
    kl = kl_divergence(Normal(mean, (0.5 * logvar).exp()), Normal(0.0, 1.0)).sum(dim=-1)
    return (kl - log_p.sum(dim=(1, 2))).mean()


def collate(patients, steps):
    values = torch.stack([p["values"] for p in patients])
    mask = torch.stack([p["mask"] for p in patients])
    static = torch.stack([p["static"] for p in patients])
    label = torch.tensor([p["label"] for p in patients], dtype=torch.float32)
    ts = torch.linspace(0, 1, steps)
    deltas = torch.diff(ts, prepend=ts[:1]).repeat(len(patients), 1)
    return values, mask, deltas, static, ts, label


def fake_patient(hp):
    return {
        "values": torch.randn(hp.steps, hp.n_labs),
        "mask": (torch.rand(hp.steps, hp.n_labs) < 0.4).float(),
        "static": torch.randn(hp.static),
        "label": float(torch.rand(()) < 0.2),
    }


if __name__ == "__main__":
    hp = Hyper()
    model = LatentODE(hp)
    optimizer = torch.optim.Adamax(model.parameters(), lr=1e-2)
    bce = nn.BCEWithLogitsLoss()
    values, mask, deltas, static, ts, label = collate([fake_patient(hp) for _ in range(6)], hp.steps)
    pred, risk, mean, logvar = model(values, mask, deltas, static, ts)
    loss = elbo(pred, values, mask, mean, logvar) + bce(risk, label)
    loss.backward()
    optimizer.step()
