import torch
from torch import nn
from torch.nn import functional as F


class ConvExpert(nn.Module):
    """Phone posteriors from a fixed context of frames."""

    def __init__(self, mels: int, dim: int, context: int, phones: int):
        super().__init__()
        self.conv = nn.Conv1d(mels, dim, context, padding=context // 2)
        self.out = nn.Conv1d(dim, phones, 1)

    def forward(self, mel: torch.Tensor) -> torch.Tensor:
        return self.out(torch.relu(self.conv(mel)))


class MelNorm(nn.Module):
    """Per-utterance mean and variance normalisation."""

    def forward(self, mel: torch.Tensor) -> torch.Tensor:
        mean = mel.mean(dim=-1, keepdim=True)
        std = mel.std(dim=-1, keepdim=True)
        return (mel - mean) / (std + 1e-5)


class PhoneEnsemble(nn.Module):
    def __init__(self, mels: int = 16, dim: int = 12, phones: int = 8, contexts=(3, 5, 9)):
        super().__init__()
        self.norm = MelNorm()
        self.experts = nn.ModuleList([ConvExpert(mels, dim, c, phones) for c in contexts])

    def forward(self, mel: torch.Tensor) -> torch.Tensor:
        mel = self.norm(mel)
        return torch.stack([e(mel) for e in self.experts], dim=0)


def frame_loss(model: nn.Module, mel: torch.Tensor, phones: torch.Tensor) -> torch.Tensor:
    # experts, batch, phones, time
    logits = model(mel)
    probs = torch.softmax(logits, dim=2).mean(dim=0)
    logp = torch.log(probs)
    return F.nll_loss(logp, phones, ignore_index=-1)


frame_loss(PhoneEnsemble(), torch.randn(2, 16, 10), torch.randint(0, 8, (2, 10)))
