"""Wind power of the next day as a mixture of normal distributions."""
import torch
from torch import nn
from torch.distributions import Categorical, MixtureSameFamily, Normal


class WindMixture(nn.Module):
    def __init__(self, n_inputs, n_components=5, width=32):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Linear(n_inputs, width),
            nn.SiLU(),
            nn.Linear(width, width),
            nn.SiLU(),
        )
        self.mixing = nn.Linear(width, n_components)
        self.centre = nn.Linear(width, n_components)
        self.log_width = nn.Linear(width, n_components)

    def forward(self, forecast):
        h = self.trunk(forecast)
        mixing = self.mixing(h).log_softmax(dim=-1)
        centre = self.centre(h)
        width = self.log_width(h).clamp(-5.0, 3.0).exp()
        return mixing, centre, width


def log_likelihood(outputs, power):
    mixing, centre, width = outputs
    mixture = MixtureSameFamily(Categorical(logits=mixing), Normal(centre, width))
    return mixture.log_prob(power).mean()


def days(n):
    forecast = torch.randn(n, 6)
    speed = forecast[:, 0].exp()
    power = torch.clamp(speed**3, max=8.0) + 0.2 * torch.randn(n)
    return forecast, power


if __name__ == "__main__":
    torch.manual_seed(100)
    forecast, power = days(256)
    model = WindMixture(6)
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(10):
        loss = -log_likelihood(model(forecast), power)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
    print(f"negative log-likelihood {loss.item():.3f}")
