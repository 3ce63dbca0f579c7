"""A small intent classifier learns from a large one; sure answers count more."""
import torch
import torch.nn.functional as F
from torch import nn


class Distiller:
    def __init__(self, teacher, student, T=2.0, alpha=0.7):
        self.teacher = teacher.eval().requires_grad_(False)
        self.student = student
        self.T = T
        self.alpha = alpha
        self.opt = torch.optim.Adam(student.parameters(), lr=1e-2)

    def soft_loss(self, s, t):
        sure = F.softmax(t / self.T, dim=1).max(dim=1).values
        per_row = F.kl_div(
            F.log_softmax(s / self.T, dim=1),
            F.softmax(t / self.T, dim=1),
            reduction="none",
        ).sum(dim=1)
        return (per_row * sure).mean() * self.T ** 2

    def training_step(self, x, y):
        with torch.no_grad():
            t = self.teacher(x)
        s = self.student(x)
        loss = self.alpha * self.soft_loss(s, t) + (1 - self.alpha) * F.cross_entropy(s, y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.detach()


def mlp(width):
    return nn.Sequential(nn.Linear(10, width), nn.ReLU(), nn.Linear(width, 7))


if __name__ == "__main__":
    torch.manual_seed(6)
    d = Distiller(mlp(64), mlp(8))
    for i in range(5):
        print(i, float(d.training_step(torch.randn(32, 10), torch.randint(0, 7, (32,)))))
