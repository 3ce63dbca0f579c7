import torch
import torch.nn as nn
import torch.nn.functional as F


class UncertainRegressor(nn.Module):
    """
    Predicts a mean and a spread. The spread comes from repeating the prediction
    with different dropout masks, at test time too.
    """

    def __init__(self, number_of_features, hidden=32, rate=0.2, number_of_samples=4):
        super().__init__()
        self.first = nn.Linear(number_of_features, hidden)
        self.second = nn.Linear(hidden, 1)
        self.rate = rate
        self.number_of_samples = number_of_samples

    def sample_prediction(self, hidden):
        thinned = F.dropout(hidden, p=self.rate, training=True)
        return self.second(thinned).squeeze(-1)

    def forward(self, features):
        hidden = torch.tanh(self.first(features))
        samples = [self.sample_prediction(hidden) for _ in range(self.number_of_samples)]
        samples = torch.stack(samples)
        return samples.mean(dim=0), samples.std(dim=0)


UncertainRegressor(6)(torch.randn(5, 6))
