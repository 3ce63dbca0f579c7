import torch


class NumericEmbedding(torch.nn.Module):
    """Piecewise features for columns like income, age and balance."""

    def __init__(self, columns, bins):
        super().__init__()
        edges = torch.linspace(-2.0, 2.0, bins)
        self.register_buffer("edges", edges)
        self.mix = torch.nn.Linear(columns * bins, columns * bins)

    def forward(self, x):
        z = torch.nn.functional.relu(x.unsqueeze(-1) - self.edges)
        return self.mix(z.flatten(1))


class ResBlock(torch.nn.Module):
    def __init__(self, width, p_hidden):
        super().__init__()
        self.norm = torch.nn.LayerNorm(width)
        self.lin1 = torch.nn.Linear(width, 2 * width)
        self.lin2 = torch.nn.Linear(2 * width, width)
        self.p_hidden = p_hidden

    def _branch(self, x):
        y = self.norm(x)
        y = torch.nn.functional.relu(self.lin1(y))
        y = torch.nn.functional.dropout(y, p=self.p_hidden)
        return self.lin2(y)

    def forward(self, x):
        return x + self._branch(x)


class CreditResNet(torch.nn.Module):
    def __init__(self, columns=8, bins=4, depth=2, p_hidden=0.25):
        super().__init__()
        width = columns * bins
        self.embed = NumericEmbedding(columns, bins)
        self.blocks = torch.nn.Sequential(*[ResBlock(width, p_hidden) for _ in range(depth)])
        self.default_logit = torch.nn.Linear(width, 1)

    def forward(self, x):
        h = self.blocks(self.embed(x))
        return self.default_logit(h).squeeze(-1)


CreditResNet()(torch.randn(6, 8))
