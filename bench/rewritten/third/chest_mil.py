import torch
import torch.nn as nn
import torch.nn.functional as F


class PatchEncoder(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.stem = nn.Conv2d(1, width, 3, stride=2, padding=1)
        self.body = nn.Conv2d(width, width, 3, stride=2, padding=1)

    def forward(self, patches):
        b, n = patches.shape[:2]
        x = patches.flatten(0, 1)
        x = F.relu(self.body(F.relu(self.stem(x))))
        return x.mean(dim=(2, 3)).view(b, n, -1)


class FindingDecoder(nn.Module):
    """One learned query per finding looks at the patches of a study."""

    def __init__(self, dim, n_findings):
        super().__init__()
        self.queries = nn.Parameter(torch.randn(n_findings, dim))
        self.kv = nn.Linear(dim, 2 * dim)
        self.scale = dim ** -0.5

    def forward(self, patches):
        k, v = self.kv(patches).chunk(2, dim=-1)
        sim = (self.queries @ k.transpose(-1, -2)) * self.scale
        attn = sim.softmax(dim=-1)
        out = attn @ v
        return out, attn


class StudyClassifier(nn.Module):
    def __init__(self, width=16, n_findings=5):
        super().__init__()
        self.encoder = PatchEncoder(width)
        self.decoder = FindingDecoder(width, n_findings)
        self.head = nn.Linear(width, 1)

    def entropy(self, attn):
        return torch.special.entr(attn).sum(-1).mean()

    def forward(self, patches):
        feats = self.encoder(patches)
        findings, attn = self.decoder(feats)
        logits = self.head(findings).squeeze(-1)
        return logits, attn, self.entropy(attn)


StudyClassifier()(torch.randn(2, 6, 1, 12, 12))
