"""Highway layers on survey data: each unit decides how much of its input passes."""
import torch
from torch import nn


class Highway(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.transform = nn.Sequential(nn.Linear(dim, dim), nn.Tanh())
        self.carry = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim))

    def forward(self, x):
        m = torch.sigmoid(self.carry(x))
        m = m.float()
        y = self.transform(x)
        return x * m + y * (1 - m)


class SurveyNet(nn.Module):
    def __init__(self, questions=20, depth=3):
        super().__init__()
        self.layers = nn.ModuleList(Highway(questions) for _ in range(depth))
        self.age = nn.Linear(questions, 1)

    def forward(self, answers):
        for layer in self.layers:
            answers = layer(answers)
        return self.age(answers)[:, 0]


if __name__ == "__main__":
    torch.manual_seed(32)
    answers = torch.randint(1, 6, (32, 20)).float() / 5
    age = 20 + 50 * torch.rand(32)
    model = SurveyNet()
    loss = nn.functional.huber_loss(model(answers), age)
    loss.backward()
    print(loss.item())
