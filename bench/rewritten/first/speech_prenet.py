import torch


class Conv1dBlock(torch.nn.Module):

    def __init__(self, cin: int, cout: int, k: int = 5, rate: float = 0.1) -> None:
        super().__init__()
        self.conv = torch.nn.Conv1d(cin, cout, k, padding=k // 2)
        self.norm = torch.nn.GroupNorm(4, cout)
        self.rate = rate

    def _post(self, y: torch.Tensor) -> torch.Tensor:
        y = torch.nn.functional.gelu(self.norm(y))
        return torch.nn.functional.dropout(y, p=self.rate)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self._post(self.conv(x))


class SpeechPrenet(torch.nn.Module):
    def __init__(self, n_mels: int, dim: int, depth: int = 2) -> None:
        super().__init__()
        blocks = [Conv1dBlock(n_mels if i == 0 else dim, dim) for i in range(depth)]
        self.blocks = torch.nn.ModuleList(blocks)
        self.out = torch.nn.Linear(dim, dim)

    def forward(self, mel: torch.Tensor) -> torch.Tensor:
        h = mel.transpose(1, 2)
        for block in self.blocks:
            h = block(h)
        return self.out(h.transpose(1, 2))


SpeechPrenet(20, 16)(torch.randn(2, 12, 20))
